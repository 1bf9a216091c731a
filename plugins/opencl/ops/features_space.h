// The scale space of SIFT in device memory, with the numbers of OpenCV 4's cv::SIFT: first octave from the image
// enlarged twice. [Lowe: Distinctive image features from scale-invariant keypoints, 2004; constants as OpenCV's]
//
// All octaves' layers lie in one buffer, so that keypoints of all octaves are worked on together.
#pragma once

#include "operands.h"

#include <vector>

namespace vedette::opencl {

inline constexpr std::uint32_t most_octave_layers = 16;
inline constexpr std::uint32_t widest_sift_image = 32767;  // enlarged it is counted in 16 bits

// As Octave of kernels/features.cl. Places and sizes in floats.
struct SiftOctave {
    std::uint64_t first, layer_floats;
    std::uint32_t stride;
    std::int32_t width, height;
    std::uint32_t unused;
};
static_assert(sizeof(SiftOctave) == 32);

struct SiftShape {
    std::uint32_t octave_layers = 3;
    float sigma = 1.6f;
    std::vector<SiftOctave> octaves;        // none for an image without room for a keypoint
    std::vector<std::vector<float>> blurs;  // layer i from layer i - 1, layer 0 from the enlarged image: weights from
                                            // the centre outwards, radii as cv::GaussianBlur's for float
    std::size_t floats = 0;                 // of all layers, with room for reading over the end

    std::uint32_t layers() const noexcept { return octave_layers + 3; }
};
SiftShape sift_shape(std::uint32_t octave_layers, double sigma, std::uint32_t width, std::uint32_t height);

// How the kernels of features are cut on a device.
struct SiftForm {
    bool rows;                 // a work-item takes whole rows of a picture, and a keypoint is one work-item's
    std::uint32_t vector;      // floats of a work-item
    std::uint32_t lanes;       // work-items of a keypoint
    std::uint32_t keys;        // keypoints of a group
    std::uint32_t tile_width;  // of a blur
    std::uint32_t tile_height;
    std::uint32_t group_columns;
    std::uint32_t group_rows;

    std::string defines(const SiftShape& shape) const;
};
SiftForm sift_form(const DeviceLimits& limits);

// Makes the layers.
class SiftSpace {
public:
    SiftSpace(const Device& device, const SiftShape& shape, const SiftForm& form);

    // Every layer of every octave, from an image of the shape's size (GRAY8).
    void build(cl::Queue queue, const DeviceImage& image) const;

    const Buffer<float>& layers() const noexcept { return layers_; }
    const Buffer<SiftOctave>& octaves() const noexcept { return octaves_; }

private:
    struct Blur {
        Kernel tile;  // or, where a tile would not fit, both others
        Kernel across, down;
        std::uint32_t group_rows = 0;
        std::uint32_t radius = 0;
        Buffer<float> weights;
    };

    void blur(cl::Queue queue, const Blur& blur, const SiftOctave& octave, std::uint64_t from, std::uint64_t to) const;

    const SiftShape shape_;
    const SiftForm form_;
    Kernel enlarge_, halve_;
    std::vector<Blur> blurs_;
    Buffer<float> layers_, scratch_;
    Buffer<SiftOctave> octaves_;
};

}  // namespace vedette::opencl
