// What a pattern looks like: its colours in CIELAB, the range each may show after a shift of half a pixel, and how much
// structure it has. Computed once a pattern, scale and colour mode; constant afterwards, so any thread may read it.
#pragma once

#include "kernels/kernels.h"
#include "reach.h"
#include "view.h"

#include <array>
#include <vector>

namespace vedette::host {

// A pattern whose CIELAB deviation is below this has no structure to correlate: it is compared by colour.
constexpr double kFlatDeviation = 1.0;

class Appearance {
public:
    // `mask` has the pattern's size, or is empty: every pixel counts. At least one pixel must count. The pixels outlive
    // this.
    Appearance(const PixelView& pattern, const PixelView& mask);

    std::uint32_t width() const noexcept { return pattern_.width; }
    std::uint32_t height() const noexcept { return pattern_.height; }
    // 1: lightness alone (gray pattern), 3: L, a, b.
    std::uint32_t channels() const noexcept { return pattern_.channels; }
    std::uint64_t counted() const noexcept { return counted_; }  // pixels that take part
    bool masked() const noexcept { return !weight_.empty(); }
    const std::array<double, 3>& mean() const noexcept { return mean_; }
    // Root of the mean squared CIELAB distance to the mean; `dev` in the limit of the residual.
    double deviation() const noexcept { return deviation_; }
    bool flat() const noexcept { return deviation_ < kFlatDeviation; }
    bool uniform() const noexcept { return uniform_; }  // all pixels that count are the same

    // Row y: 1 where the pixel counts, 0 where it is ignored; NULL when all count.
    const float* weight(std::uint32_t y) const noexcept { return masked() ? weight_.data() + y * pitch_ : nullptr; }

private:
    friend class AppearanceRows;
    void measure();

    PixelView pattern_;
    PixelView mask_;
    std::size_t pitch_;
    std::uint64_t counted_ = 0;
    std::array<double, 3> mean_{};
    double deviation_ = 0;
    bool uniform_ = false;
    std::vector<float> weight_;
    // For each row and channel a row of values, lows and highs; empty for large patterns.
    std::vector<float> stored_;
};

// Reads an appearance row by row, from the top: what is stored, or computed anew where storing would take too much
// memory. Scratch of one thread.
class AppearanceRows {
public:
    void begin(const Appearance& appearance);
    // The next row. Beside an ignored pixel the range is unknown: infinite, so that no difference arises from it.
    FindKernels::Side next();

private:
    void forget_beside_ignored(std::uint32_t y);

    const Appearance* appearance_ = nullptr;
    std::uint32_t y_ = 0;
    ReachRows rows_;
};

}  // namespace vedette::host
