// Point-spread functions: what a lens makes of a point.
#pragma once

#include <cstdint>
#include <vector>

namespace vedette::host {

// Weights around the centre, (2 reach + 1) squared, row by row; at least 0, their sum 1.
struct PointSpread {
    int reach = 0;
    std::vector<double> weights;

    int side() const { return 2 * reach + 1; }
    double& at(int x, int y) { return weights[static_cast<std::size_t>((y + reach) * side() + x + reach)]; }
    double at(int x, int y) const { return weights[static_cast<std::size_t>((y + reach) * side() + x + reach)]; }
    // Root mean square distance from the centre of gravity along one axis, pixels: a Gaussian's sigma.
    double width() const;
    // Makes the sum 1. False when there is nothing but zeros.
    bool normalise();
};

// Farthest from the centre that a weight may lie: a square of 512 leaves room for it and the margins of tiles.
inline constexpr int kMostReach = 64;

struct SpreadRange {
    double least, most;  // pixels
};
// Of the size of VDT_SPREAD_GAUSSIAN (sigma), VDT_SPREAD_DISK (radius) or VDT_SPREAD_MOTION (length).
SpreadRange spread_range(std::uint32_t kind) noexcept;

// One of these kinds. Failure VDT_E_ARGUMENT.
PointSpread spread_of_kind(std::uint32_t kind, double size, double angle);

// Weights by rows, their middle the centre; at least 0, not all 0, and at most 2 kMostReach + 1 each way. Failure
// VDT_E_ARGUMENT.
PointSpread spread_of_weights(const double* weights, std::uint32_t width, std::uint32_t height);

// On a square of side x side with the centre at (0, 0) and wrap-around, as the operation restore takes it. The side is
// larger than twice the reach.
std::vector<float> wrapped_spread(const PointSpread& spread, int side);
// The part of such a square that lies within `reach` of the centre, normalised.
PointSpread unwrapped_spread(const std::vector<float>& square, int side, int reach);

}  // namespace vedette::host
