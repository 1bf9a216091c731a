// OpenCV's resizing and filtering as the peer of `vedette bench`.
#include "bench_peer_opencv.h"

#include <opencv2/imgproc.hpp>

#include <vector>

namespace vedette::bench {

// cv::resize has no aligned corners; its half pixels cost the same. Then, as programs feed networks: float, planes.
void resize(const Call& call) {
    const auto& params = *static_cast<const vdt_resize_params*>(call.params);
    const vdt_image* const output = call.outputs[0];
    const cv::Size size(static_cast<int>(output->width), static_cast<int>(output->height));
    const int interpolation = params.method == VDT_RESIZE_AREA ? cv::INTER_AREA : cv::INTER_LINEAR;
    if (output->format != VDT_FORMAT_PLANAR_BGRF32) {
        cv::Mat out = mat_of(output);
        cv::resize(mat_of(call.inputs[0]), out, size, 0, 0, interpolation);
        return;
    }
    cv::Mat resized, real;
    cv::resize(mat_of(call.inputs[0]), resized, size, 0, 0, interpolation);
    resized.convertTo(real, CV_32F, params.scale, params.offset);
    std::vector<cv::Mat> planes{mat_of(output, 0), mat_of(output, 1), mat_of(output, 2)};
    cv::split(real, planes);
}

void filter(const Call& call) {
    const auto& params = *static_cast<const vdt_filter_params*>(call.params);
    const cv::Mat in = mat_of(call.inputs[0]);
    cv::Mat out = mat_of(call.outputs[0]);
    const cv::Size size(static_cast<int>(params.kernel_w), static_cast<int>(params.kernel_h));
    const int border = static_cast<int>(params.border);
    const auto weights = [](const float* values, int rows, int columns) {
        return cv::Mat(rows, columns, CV_32F, const_cast<float*>(values));
    };
    switch (params.kind) {
        case VDT_FILTER_GAUSSIAN:
            return cv::GaussianBlur(in, out, size, params.sigma_x, params.sigma_y, border);
        case VDT_FILTER_BOX:
            return cv::blur(in, out, size, {-1, -1}, border);
        case VDT_FILTER_SEPARABLE:
            return cv::sepFilter2D(in, out, out.depth(), weights(params.kernel_x, 1, size.width),
                                   weights(params.kernel_y, 1, size.height), {-1, -1}, params.delta, border);
        default:
            return cv::filter2D(in, out, out.depth(), weights(params.kernel_x, size.height, size.width), {-1, -1},
                                params.delta, border);
    }
}

void pyramid(const Call& call) {
    const auto& params = *static_cast<const vdt_pyramid_params*>(call.params);
    cv::Mat level = mat_of(call.inputs[0]);
    for (std::uint32_t i = 0; i < params.levels; ++i) {
        cv::Mat out = mat_of(call.outputs[i]);
        if (params.method == VDT_PYRAMID_GAUSS5) {
            cv::pyrDown(level, out, out.size());
        } else {
            cv::resize(level, out, out.size(), 0, 0, cv::INTER_AREA);
        }
        level = out;
    }
}

}  // namespace vedette::bench
