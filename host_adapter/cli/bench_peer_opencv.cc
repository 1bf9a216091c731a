// OpenCV as the peer of `vedette bench`: its functions as a program calls them, with its own threads.
#include "bench_peer.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

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
            return CV_32FC1;
        case VDT_FORMAT_I32:
            return CV_32SC1;
        case VDT_FORMAT_I64:
            return CV_64FC1;  // OpenCV keeps sums of squares in doubles; as many bytes
        default:
            throw std::runtime_error("no cv::Mat for format " + std::to_string(format));
    }
}

// The image's own memory, so that OpenCV writes where the other backends do and allocates nothing.
cv::Mat mat_of(const vdt_image* image) {
    const vdt_plane& plane = image->plane[0];
    return cv::Mat(static_cast<int>(image->height), static_cast<int>(image->width), mat_type(image->format),
                   static_cast<unsigned char*>(plane.base) + plane.offset, static_cast<std::size_t>(plane.row_stride));
}

const char* function(vdt_op op) {
    switch (op) {
        case VDT_OP_CONVERT:
            return "cv::cvtColor";
        case VDT_OP_INTEGRAL:
            return "cv::integral";
        case VDT_OP_TEMPLATE_MAP:
            return "cv::matchTemplate";
        default:
            return nullptr;
    }
}

void convert(const vdt_image* input, const vdt_image* output) {
    const bool to_gray = output->format == VDT_FORMAT_GRAY8;
    const bool from_alpha = input->format == VDT_FORMAT_BGRA8;
    const int code = to_gray ? (from_alpha ? cv::COLOR_BGRA2GRAY : cv::COLOR_BGR2GRAY) : cv::COLOR_BGRA2BGR;
    cv::Mat out = mat_of(output);
    cv::cvtColor(mat_of(input), out, code);
}

void integral(const vdt_integral_params& params, const vdt_image* input, const vdt_image* const* outputs) {
    cv::Mat sum = mat_of(outputs[0]);
    if ((params.flags & VDT_INTEGRAL_SQUARED) != 0) {
        cv::Mat squared = mat_of(outputs[1]);
        cv::integral(mat_of(input), sum, squared, CV_32S, CV_64F);
    } else {
        cv::integral(mat_of(input), sum, CV_32S);
    }
}

std::int32_t run(vdt_op op, const void* params, const vdt_image* const* inputs, const vdt_image* const* outputs,
                 char* text, std::uint32_t text_bytes) {
    try {
        if (op == VDT_OP_CONVERT) {
            convert(inputs[0], outputs[0]);
        } else if (op == VDT_OP_INTEGRAL) {
            integral(*static_cast<const vdt_integral_params*>(params), inputs[0], outputs);
        } else if (op == VDT_OP_TEMPLATE_MAP) {
            cv::Mat map = mat_of(outputs[0]);
            cv::matchTemplate(mat_of(inputs[0]), mat_of(inputs[1]), map, cv::TM_CCOEFF_NORMED);
        } else {
            throw std::runtime_error("no function for this operation");
        }
        return 0;
    } catch (const std::exception& error) {
        std::snprintf(text, text_bytes, "%s", error.what());
        return 1;
    }
}

}  // namespace

const vedette_bench_peer* vedette_bench_peer_1(void) {
    static const std::string name = "OpenCV " + cv::getVersionString();
    static const vedette_bench_peer peer{sizeof(vedette_bench_peer), 0, name.c_str(), function, run};
    return &peer;
}
