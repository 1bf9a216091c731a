// How much a place on the screen differs from a pattern where it differs most, in CIELAB, after forgiving what a shift
// of half a pixel can do.
#pragma once

#include "appearance.h"
#include "reach.h"

#include <functional>
#include <limits>
#include <vector>

namespace vedette::host {

// Edge of the square whose mean difference counts: small enough that one character or a cursor fills it, large enough
// that the noise of a single pixel does not.
constexpr std::uint32_t kResidualBlock = 5;

struct Residual {
    double value = 0;  // CIELAB units
    Window worst;      // the block it was found in, pixels of the pattern
};

// Computes residuals; scratch of one thread, reused from one place to the next.
//
// With s, t the values of screen and pattern in a channel and [s], [t] their reaches (reach.h):
//   d_c = max(distance(s, [t]), distance(t, [s])),  d = |(d_L, d_a, d_b)|, 0 where the pattern is ignored;
//   residual = the largest sum of d over a block of 5 x 5 pixels, divided by 25.
// A pattern narrower or lower than 5 has blocks as large as it is, and a divisor to suit: there is no less to compare,
// so a difference must not count for less. No gain or offset is fitted: the state of an element is its colour.
class ResidualMeter {
public:
    // `screen` has the channels of the pattern; the pattern at (x, y) lies inside it. Stops at the first row of blocks
    // with one above `enough`: the value is then that block's, above `enough` too.
    Residual measure(const Appearance& pattern, const PixelView& screen, std::uint32_t x, std::uint32_t y,
                     double enough = std::numeric_limits<double>::infinity());
    // d of every pixel, row by row from the top: (row, differences).
    using DifferenceRow = std::function<void(std::uint32_t row, const float* differences)>;
    void differences(const Appearance& pattern, const PixelView& screen, std::uint32_t x, std::uint32_t y,
                     const DifferenceRow& take_row);

private:
    void begin(const Appearance& pattern, const PixelView& screen, std::uint32_t x, std::uint32_t y);
    // d of the next row.
    void next_row(const Appearance& pattern, float* out);

    std::uint32_t y_ = 0;
    ReachRows screen_rows_;
    AppearanceRows pattern_rows_;
    std::vector<float> ring_;     // the last five rows of d
    std::vector<float> columns_;  // their sums, and the block sums
};

// Share of the pattern in pixels whose d is above `difference`, counted by pixels or by contrast (the squared CIELAB
// distance to its mean), whichever is more: near 1 for another tint, or for a label that has faded on the same ground;
// small for a cursor or another character among several.
double share_that_differs(const Appearance& pattern, const PixelView& screen, std::uint32_t x, std::uint32_t y,
                          double difference, ResidualMeter& meter);

}  // namespace vedette::host
