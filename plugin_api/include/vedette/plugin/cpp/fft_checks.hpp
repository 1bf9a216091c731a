// Help for plugins written in C++; not part of the ABI. What ops.h asks of fft2, and of the sides of fft2 and restore.
#ifndef VEDETTE_PLUGIN_CPP_FFT_CHECKS_HPP
#define VEDETTE_PLUGIN_CPP_FFT_CHECKS_HPP

#include <string>

#include "check.hpp"

namespace vedette::plugin {

// Of fft2: squares below each other.
struct TransformShape {
    bool forward = true;
    bool real = false;  // pixels are real
    uint32_t side = 0;
    uint32_t batch = 0;
};

// Throws Failure VDT_E_SIZE unless `side` is 32, 64, 128, 256 or 512.
inline void check_transform_side(const char* operation, uint32_t side) {
    if (side >= 32 && side <= 512 && (side & (side - 1)) == 0) return;
    throw Failure(VDT_E_SIZE, std::string(operation) + ": the side is " + std::to_string(side) +
                                  "; it must be 32, 64, 128, 256 or 512");
}

inline const char* transform_format_name(vdt_format format) {
    return format == VDT_FORMAT_GRAYF32 ? "GRAYF32" : "COMPLEXF32";
}

inline void check_transform_size(const vdt_image& image, const char* role, uint32_t width, uint64_t height) {
    if (image.width != width || image.height != height)
        throw Failure(VDT_E_SIZE, std::string("fft2: the ") + role + " (" + transform_format_name(image.format) +
                                      ") must be " + std::to_string(width) + " x " + std::to_string(height) +
                                      " here, it is " + std::to_string(image.width) + " x " +
                                      std::to_string(image.height));
}

// What a valid question is about. Throws Failure.
inline TransformShape checked_fft2(const vdt_query& query) {
    const auto& params = params_of<vdt_fft2_params>(query);
    if (params.direction != VDT_FFT_FORWARD && params.direction != VDT_FFT_INVERSE)
        throw Failure(VDT_E_ARGUMENT, "fft2: there is no direction " + std::to_string(params.direction) +
                                          "; it is forward (1) or inverse (2)");
    if (params.flags != 0) throw Failure(VDT_E_ARGUMENT, "fft2: flags must be 0");
    if (params.batch == 0) throw Failure(VDT_E_ARGUMENT, "fft2: the batch must be at least 1");
    if (query.input_count != 1 || query.output_count != 1)
        throw Failure(VDT_E_ARGUMENT, "fft2 takes one input and one output");
    const vdt_image &in = *query.inputs[0], &out = *query.outputs[0];
    const bool forward = params.direction == VDT_FFT_FORWARD;
    for (const vdt_image* const image : {&in, &out})
        if (image->format != VDT_FORMAT_GRAYF32 && image->format != VDT_FORMAT_COMPLEXF32)
            throw Failure(VDT_E_UNSUPPORTED_FORMAT, "fft2: images are COMPLEXF32, or GRAYF32 on the real side");
    const vdt_image& plain = forward ? in : out;     // the side of pixels
    const vdt_image& spectrum = forward ? out : in;  // the side of frequencies
    if (spectrum.format != VDT_FORMAT_COMPLEXF32)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, std::string("fft2: the ") + (forward ? "output" : "input") +
                                                    " of this direction must be COMPLEXF32");
    const bool real = plain.format == VDT_FORMAT_GRAYF32;
    TransformShape shape;
    shape.forward = forward;
    shape.real = real;
    shape.side = plain.width;
    shape.batch = params.batch;
    check_transform_side("fft2", shape.side);
    const uint64_t height = uint64_t{shape.side} * shape.batch;
    check_transform_size(plain, forward ? "input" : "output", shape.side, height);
    check_transform_size(spectrum, forward ? "output" : "input", real ? shape.side / 2 + 1 : shape.side, height);
    return shape;
}

}  // namespace vedette::plugin
#endif
