// OpenCV as the peer of `vedette bench`: its functions as a program calls them, with its own threads.
#include "bench_peer_opencv.h"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

using vedette::bench::Call;
using vedette::bench::mat_of;

namespace vedette::bench {

namespace {

int mat_type(vdt_format format) {
    switch (format) {
        case VDT_FORMAT_GRAY8:
            return CV_8UC1;
        case VDT_FORMAT_BGR8:
            return CV_8UC3;
        case VDT_FORMAT_BGRA8:
            return CV_8UC4;
        case VDT_FORMAT_GRAYF32:
        case VDT_FORMAT_PLANAR_BGRF32:
            return CV_32FC1;
        case VDT_FORMAT_COMPLEXF32:
            return CV_32FC2;
        case VDT_FORMAT_I32:
            return CV_32SC1;
        case VDT_FORMAT_I64:
            return CV_64FC1;  // OpenCV keeps sums of squares in doubles; as many bytes
        default:
            throw std::runtime_error("no cv::Mat for format " + std::to_string(format));
    }
}

}  // namespace

cv::Mat mat_of(const vdt_image* image, std::uint32_t plane_index) {
    const vdt_plane& plane = image->plane[plane_index];
    return cv::Mat(static_cast<int>(image->height), static_cast<int>(image->width), mat_type(image->format),
                   static_cast<unsigned char*>(plane.base) + plane.offset, static_cast<std::size_t>(plane.row_stride));
}

}  // namespace vedette::bench

namespace {

void convert(const Call& call) {
    const vdt_image* const input = call.inputs[0];
    const vdt_image* const output = call.outputs[0];
    const bool to_gray = output->format == VDT_FORMAT_GRAY8;
    const bool from_alpha = input->format == VDT_FORMAT_BGRA8;
    const int code = to_gray ? (from_alpha ? cv::COLOR_BGRA2GRAY : cv::COLOR_BGR2GRAY) : cv::COLOR_BGRA2BGR;
    cv::Mat out = mat_of(output);
    cv::cvtColor(mat_of(input), out, code);
}

void integral(const Call& call) {
    const auto& params = *static_cast<const vdt_integral_params*>(call.params);
    cv::Mat sum = mat_of(call.outputs[0]);
    if ((params.flags & VDT_INTEGRAL_SQUARED) != 0) {
        cv::Mat squared = mat_of(call.outputs[1]);
        cv::integral(mat_of(call.inputs[0]), sum, squared, CV_32S, CV_64F);
    } else {
        cv::integral(mat_of(call.inputs[0]), sum, CV_32S);
    }
}

void template_map(const Call& call) {
    cv::Mat map = mat_of(call.outputs[0]);
    cv::matchTemplate(mat_of(call.inputs[0]), mat_of(call.inputs[1]), map, cv::TM_CCOEFF_NORMED);
}

// A map for each pattern and scale. As programs do it, the pattern is resized.
void template_find(const Call& call) {
    const auto& params = *static_cast<const vdt_template_find_params*>(call.params);
    const cv::Mat scene = mat_of(call.inputs[0]);
    cv::Mat map;
    for (std::uint32_t p = 0; p < params.pattern_count; ++p) {
        const cv::Mat pattern = mat_of(call.inputs[1 + 2 * p]);
        const vdt_image* const mask = call.inputs[2 + 2 * p];
        for (std::uint32_t i = 0; i < std::max(1u, params.scale_count); ++i) {
            cv::Mat sized = pattern;
            if (params.scale_count != 0) {
                cv::resize(pattern, sized, {}, params.scales[i], params.scales[i],
                           params.scales[i] < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
            }
            if (mask->format == VDT_FORMAT_NONE) {
                cv::matchTemplate(scene, sized, map, cv::TM_CCOEFF_NORMED);
            } else {
                cv::matchTemplate(scene, sized, map, cv::TM_CCOEFF_NORMED, mat_of(mask));
            }
        }
    }
}

struct Function {
    vdt_op op;
    const char* name;
    void (*run)(const Call& call);
};

constexpr Function functions[] = {
    {VDT_OP_CONVERT, "cv::cvtColor", convert},
#ifdef VEDETTE_BENCH_FEATURES
    {VDT_OP_FEATURES, "cv::SIFT", vedette::bench::features},
    {VDT_OP_FEATURE_MATCH, "cv::BFMatcher", vedette::bench::feature_match},
#endif
    {VDT_OP_FFT2, "cv::dft", vedette::bench::fft2},
    {VDT_OP_FILTER, "cv::GaussianBlur, blur, sepFilter2D, filter2D", vedette::bench::filter},
#ifdef VEDETTE_BENCH_OBJECTS
    {VDT_OP_CASCADE_DETECT, "cv::CascadeClassifier", vedette::bench::cascade_detect},
    {VDT_OP_GROUP, "cv::groupRectangles", vedette::bench::group},
#endif
    {VDT_OP_INTEGRAL, "cv::integral", integral},
    {VDT_OP_PYRAMID, "cv::pyrDown, resize", vedette::bench::pyramid},
    {VDT_OP_RESIZE, "cv::resize, convertTo, split", vedette::bench::resize},
    {VDT_OP_RESTORE, "cv::dft, transforms alone", vedette::bench::restore},
    {VDT_OP_TEMPLATE_FIND, "cv::matchTemplate", template_find},
    {VDT_OP_TEMPLATE_MAP, "cv::matchTemplate", template_map},
};

const Function* function_of(vdt_op op) {
    for (const Function& function : functions) {
        if (function.op == op) {
            return &function;
        }
    }
    return nullptr;
}

const char* function_name(vdt_op op) {
    const Function* const function = function_of(op);
    return function != nullptr ? function->name : nullptr;
}

std::int32_t run(vdt_op op, const void* params, const vdt_image* const* inputs, const vdt_image* const* outputs,
                 const vdt_list* const* lists_in, vdt_list* const* lists_out, char* text, std::uint32_t text_bytes) {
    try {
        const Function* const function = function_of(op);
        if (function == nullptr) {
            throw std::runtime_error("no function for this operation");
        }
        function->run({params, inputs, outputs, lists_in, lists_out});
        return 0;
    } catch (const std::exception& error) {
        std::snprintf(text, text_bytes, "%s", error.what());
        return 1;
    }
}

}  // namespace

const vedette_bench_peer* vedette_bench_peer_2(void) {
    static const std::string name = "OpenCV " + cv::getVersionString();
    static const vedette_bench_peer peer{sizeof(vedette_bench_peer), 0, name.c_str(), function_name, run};
    return &peer;
}
