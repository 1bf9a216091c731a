#include "kernels/sift.h"

#include "runtime/error.h"
#include "runtime/memory.h"

#include <algorithm>
#include <cmath>

namespace vedette::cuda {

namespace {

constexpr float image_sigma = 0.5F;      // blur that a camera's or screen's pixels are taken to have [Lowe]
constexpr std::int32_t least_side = 11;  // of an octave with a pixel that may be a keypoint
constexpr std::size_t fused_radius = 16;

std::vector<float> gaussian_weights(double sigma) {
    const auto size = static_cast<std::uint32_t>(std::lrint(sigma * 8 + 1)) | 1U;
    std::vector<double> exact(size / 2 + 1);
    double sum = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
        const double place = static_cast<double>(k) / sigma;
        exact[k] = std::exp(-0.5 * place * place);
        sum += k == 0 ? exact[k] : 2 * exact[k];
    }
    std::vector<float> weights;
    for (const double weight : exact) weights.push_back(static_cast<float>(weight / sum));
    return weights;
}

}  // namespace

SiftShape sift_shape(std::uint32_t octave_layers, double sigma, std::uint32_t width, std::uint32_t height) {
    SiftShape shape;
    shape.space.octave_layers = static_cast<std::int32_t>(octave_layers);
    shape.space.sigma = static_cast<float>(sigma);
    const double enlarged = 2.0 * static_cast<double>(image_sigma);
    shape.blurs.push_back(gaussian_weights(std::sqrt(std::max(sigma * sigma - enlarged * enlarged, 0.01))));
    const double step = std::pow(2.0, 1.0 / octave_layers);
    const std::uint32_t layers = octave_layers + 3;
    for (std::uint32_t layer = 1; layer < layers; ++layer)
        shape.blurs.push_back(gaussian_weights(std::pow(step, layer - 1.0) * sigma * std::sqrt(step * step - 1)));
    bool wide = false;
    for (const std::vector<float>& blur : shape.blurs) {
        wide = wide || blur.size() - 1 > fused_radius;
        shape.weights += blur.size();
    }
    auto w = static_cast<std::int32_t>(2 * width), h = static_cast<std::int32_t>(2 * height);
    // OpenCV's number of octaves; those too small for a keypoint are left out.
    const auto octaves = std::min<long>(most_octaves, std::lrint(std::log2(std::min(w, h)) - 2) + 1);
    for (long index = 0; index < octaves && std::min(w, h) >= least_side; ++index, w /= 2, h /= 2) {
        SiftOctave& octave = shape.space.octave[shape.space.octaves++];
        octave.width = w;
        octave.height = h;
        octave.stride = (static_cast<std::size_t>(w) + 31) / 32 * 32;
        octave.layer_floats = octave.stride * static_cast<std::size_t>(h);
        shape.layer_floats += layers * octave.layer_floats;
    }
    if (wide && shape.space.octaves != 0) shape.enlarged_floats = shape.space.octave[0].layer_floats;
    (void)checked_bytes(shape.layer_floats, sizeof(float));
    return shape;
}

void place_layers(SiftSpace& space, float* memory) {
    for (std::int32_t index = 0; index < space.octaves; ++index) {
        space.octave[index].first = memory;
        memory += static_cast<std::size_t>(space.octave_layers + 3) * space.octave[index].layer_floats;
    }
}

SiftTests sift_tests(double contrast_threshold, double edge_threshold, std::uint32_t octave_layers) {
    return {static_cast<float>(std::floor(0.5 * contrast_threshold / octave_layers * 255)),
            static_cast<float>(contrast_threshold), static_cast<float>(edge_threshold)};
}

}  // namespace vedette::cuda
