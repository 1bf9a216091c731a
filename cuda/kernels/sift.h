// SIFT, detection and description, with the results of OpenCV 4's cv::SIFT: first octave from the image enlarged twice,
// differences of Gaussians, 26 neighbours, Newton refinement, 36-bin directions, 4 x 4 x 8 descriptors.
// [Lowe: Distinctive image features from scale-invariant keypoints, 2004; constants as OpenCV's]
//
// All octaves' layers lie in device memory at once, so that keypoints of all octaves are worked on together: 1.1 GB for
// a screen of 3840 x 2160. Blurs come first, then the search, refinement, directions; the host reads how many keypoints
// there are; then they are put in order, and the strongest are described.
#pragma once

#include "runtime/view.h"

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vedette::cuda {

inline constexpr std::uint32_t most_octave_layers = 16;
inline constexpr int sift_descriptor_length = 128;
inline constexpr std::uint32_t widest_sift_image = 32767;  // enlarged it is counted in 16 bits

// Layers of one octave, one after the other; all of them are octave_layers + 3.
struct SiftOctave {
    float* first = nullptr;
    std::size_t layer_floats = 0;
    std::size_t stride = 0;  // floats, a multiple of 32
    std::int32_t width = 0, height = 0;

    VEDETTE_CUDA_BOTH float* layer(std::int32_t index) const {
        return first + static_cast<std::size_t>(index) * layer_floats;
    }
};

inline constexpr int most_octaves = 16;

struct SiftSpace {
    SiftOctave octave[most_octaves];
    std::int32_t octaves = 0;
    std::int32_t octave_layers = 3;
    float sigma = 1.6f;

    // sigma of a keypoint of layer `layer` (with fraction) in pixels of its octave.
    VEDETTE_CUDA_BOTH float scale_of(float layer) const {
        return sigma * exp2f(layer / static_cast<float>(octave_layers));
    }
};

// Sizes of octaves, and the blurs that make layer i from layer i - 1, layer 0 from the enlarged image: weights from the
// centre outwards, radii as cv::GaussianBlur's for float.
struct SiftShape {
    SiftSpace space;  // without memory
    std::vector<std::vector<float>> blurs;
    std::size_t layer_floats = 0;     // of all layers
    std::size_t enlarged_floats = 0;  // of one layer of the first octave, where blurs need it as scratch, else 0
    std::size_t weights = 0;          // of all blurs
};
// Throws Error with Fault::memory when sizes overflow.
SiftShape sift_shape(std::uint32_t octave_layers, double sigma, std::uint32_t width, std::uint32_t height);
void place_layers(SiftSpace& space, float* memory);

struct SiftTests {
    float threshold = 1;  // of a difference, to be looked at at all
    float contrast = 0.04f;
    float edge = 10;
};
SiftTests sift_tests(double contrast_threshold, double edge_threshold, std::uint32_t octave_layers);

// An extremum: x, y, octave << 16 | layer.
struct SiftExtremum {
    std::uint16_t x, y;
    std::uint16_t octave, layer;
};

// A keypoint without direction: pixel and layer where refining ended, and the offsets from it.
struct SiftPlace {
    std::uint16_t x, y;
    std::uint16_t octave, layer;
    float x_offset, y_offset, layer_offset;
    float response;
};

// As vdt_keypoint.
struct SiftKeypoint {
    float x, y, size, angle, response;
    std::int32_t octave;
};

struct SiftCounts {
    std::uint32_t extrema = 0, places = 0, keypoints = 0;  // found, whether or not there was room
};

// Lists in device memory with room for `places` extrema and places, `keypoints` keypoints.
struct SiftLists {
    SiftCounts* counts = nullptr;
    SiftExtremum* extrema = nullptr;
    SiftPlace* places = nullptr;
    unsigned long long* known = nullptr;  // hash table of places, `known_slots`, a power of two above 2 * places
    SiftKeypoint* keypoints = nullptr;
    std::uint32_t* place_of = nullptr;  // of each keypoint
    std::uint32_t* rank = nullptr;      // of each keypoint, in order of strength
    uint4* order = nullptr;             // `order_slots`, a power of two
    SiftKeypoint* ordered = nullptr;
    std::uint32_t place_room = 0, keypoint_room = 0, known_slots = 0, order_slots = 0;
};

// Every layer of every octave. `scratch`: SiftShape::enlarged_floats; `weights`: of all blurs in device memory.
void build_sift_space(const View<const std::uint8_t>& image, const SiftShape& shape, const SiftSpace& space,
                      float* scratch, const float* weights, cudaStream_t stream);

// Extrema, then places.
void find_sift_places(const SiftSpace& space, const SiftTests& tests, const SiftLists& lists, int multiprocessors,
                      cudaStream_t stream);

// Keypoints: a place for each of its directions where the mask (without data: everywhere) is not 0.
void find_sift_directions(const SiftSpace& space, const View<const std::uint8_t>& mask, const SiftLists& lists,
                          int multiprocessors, cudaStream_t stream);

// Ranks of the `found` keypoints, strongest first; between equals the upper, then the left, the larger, the lower
// angle. The first `wanted` come to `ordered`; the rank of the others is not below `wanted`.
void order_sift_keypoints(const SiftLists& lists, std::uint32_t found, std::uint32_t wanted, cudaStream_t stream);

// Descriptors of the keypoints of rank below `wanted`, to the row of their rank.
void describe_sift_keypoints(const SiftSpace& space, const SiftLists& lists, std::uint32_t found, std::uint32_t wanted,
                             const View<float>& descriptors, cudaStream_t stream);

// Allows the shared memory that describe_sift_keypoints takes, on the current device.
void prepare_sift();

}  // namespace vedette::cuda
