// OpenCV's side of fft2 and restore: cv::dft, whose real transforms are packed (CCS), one square at a time.
#include "bench_peer_opencv.h"

namespace vedette::bench {

namespace {

cv::Mat square_of(const vdt_image* images, std::uint32_t index) {
    const int side = static_cast<int>(images->width);
    const int top = static_cast<int>(index) * side;
    return mat_of(images).rowRange(top, top + side);
}

constexpr int inverse_flags = cv::DFT_INVERSE | cv::DFT_SCALE;

}  // namespace

// The packed spectrum of a real square has as many numbers as the square. What is transformed back is one, too: the
// numbers do not matter, only how many they are.
void fft2(const Call& call) {
    const auto& params = *static_cast<const vdt_fft2_params*>(call.params);
    const bool inverse = params.direction == VDT_FFT_INVERSE;
    const vdt_image* const plain = inverse ? call.outputs[0] : call.inputs[0];
    const bool real = plain->format == VDT_FORMAT_GRAYF32;
    const int side = static_cast<int>(plain->width);
    cv::Mat packed(side, side, CV_32F, cv::Scalar(1));
    for (std::uint32_t index = 0; index < params.batch; ++index) {
        if (!real) {
            cv::Mat out = square_of(call.outputs[0], index);
            cv::dft(square_of(call.inputs[0], index), out, inverse ? inverse_flags : 0);
        } else if (inverse) {
            cv::Mat out = square_of(plain, index);
            cv::dft(packed, out, inverse_flags | cv::DFT_REAL_OUTPUT);
        } else {
            cv::dft(square_of(plain, index), packed);
        }
    }
}

// The transforms of all iterations, without what lies between them.
void restore(const Call& call) {
    const auto& params = *static_cast<const vdt_restore_params*>(call.params);
    const std::uint32_t pairs = (params.method == VDT_RESTORE_MIA_BLIND ? 3 : params.method - 1) * params.iterations;
    cv::Mat packed;
    for (std::uint32_t index = 0; index < params.batch; ++index) {
        const cv::Mat in = square_of(call.inputs[0], index);
        cv::Mat out = square_of(call.outputs[0], index);
        for (std::uint32_t pair = 0; pair < pairs; ++pair) {
            cv::dft(in, packed);
            cv::dft(packed, out, inverse_flags | cv::DFT_REAL_OUTPUT);
        }
    }
}

}  // namespace vedette::bench
