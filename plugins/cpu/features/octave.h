// One octave of SIFT's scale space, swept from top to bottom: at any time only those rows of its Gaussian layers exist
// that the band being searched needs. An octave of a 4K screen enlarged twice would be 800 MB whole; its rows are 30.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sift.h"

namespace vedette::cpu::features {

// A Gaussian as far as cv::GaussianBlur's for float: size round(8 sigma + 1), made odd. An image that has been blurred
// holds no high frequencies: there the values `step` apart give the same sums as all of them.
struct Blur {
    Blur(double sigma, std::uint32_t step);

    std::uint32_t step = 1;
    std::vector<float> weights;  // from the centre outwards
    std::uint32_t radius() const noexcept { return filter().radius(); }
    SiftWeights filter() const noexcept {
        return {static_cast<std::uint32_t>(weights.size()) - 1, step, weights.data()};
    }
};

// The widest step (1 to 3) of a Gaussian of width `sigma` on an image already blurred by one of width `before`, pixels,
// for which what the step takes for low frequencies stays below 2e-5 of the contrast: less than rounding adds.
std::uint32_t widest_step(double sigma, double before);

// What the caller may set, and what follows for all octaves.
struct ScaleSpace {
    std::uint32_t octave_layers = 3;
    float sigma = 1.6F;

    std::uint32_t layer_count() const noexcept { return octave_layers + 3; }
    // The blur that makes layer i from layer i - 1; layer 0 from the enlarged image.
    std::vector<Blur> blurs;
    // Furthest that a keypoint's surroundings reach from its pixel, in pixels of its octave.
    std::uint32_t patch_reach = 0;
    // sigma of a keypoint of layer `layer` (with fraction) in pixels of its octave.
    float scale_of(float layer) const noexcept;
};

ScaleSpace make_scale_space(std::uint32_t octave_layers, double sigma);

// Furthest that refining moves a keypoint downwards or upwards from the pixel where it was found, pixels. OpenCV sets
// no bound, but steps so far do not converge: twice the bound changed no bit of the result on five real screens.
constexpr std::uint32_t refine_reach = 16;
// Pixels at every edge of an octave without keypoints [OpenCV].
constexpr std::uint32_t octave_border = 5;

// Rows of a layer that exist at the end of a step: up to `have`.
struct OctaveStep {
    std::uint32_t begin = 0, end = 0;  // rows to search
    std::vector<std::uint32_t> have;   // for every layer
};

// How an octave of this size is swept.
class OctavePlan {
public:
    // `whole_base`: layer 0 is held whole (it was made with the octave below); else it is swept like the others.
    OctavePlan(const ScaleSpace& space, std::uint32_t width, std::uint32_t height, std::uint32_t band, bool whole_base);

    std::uint32_t width() const noexcept { return width_; }
    std::uint32_t height() const noexcept { return height_; }
    const std::vector<OctaveStep>& steps() const noexcept { return steps_; }
    // Rows that layer i must keep.
    std::uint32_t slots(std::uint32_t layer) const noexcept { return slots_[layer]; }

private:
    std::uint32_t width_, height_;
    std::vector<OctaveStep> steps_;
    std::vector<std::uint32_t> slots_;
};

// Floats from one row to the next: room for the kernels' slack, and no two nearby rows in the same sets of a
// first-level cache.
std::int64_t row_stride(std::uint32_t width) noexcept;

// Row that stands for y outside 0 .. height - 1: reflected without repeating the edge.
std::uint32_t reflected_row(std::int64_t y, std::uint32_t height) noexcept;

}  // namespace vedette::cpu::features
