// Point-spread functions for `vedette restore`: what a lens makes of a point.
#pragma once

#include <string>
#include <vector>

namespace vedette::cli {

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

// Farthest from the centre that a weight may lie.
inline constexpr int most_reach = 64;

// "gaussian:SIGMA", "disk:RADIUS", "motion:LENGTH,ANGLE" (pixels; degrees against the clock from the right), or else
// the path of an image whose gray values are the weights and whose middle is the centre. Throws Problem naming the
// option `--psf`.
PointSpread parse_point_spread(const std::string& text);

// On a square of side x side with the centre at (0, 0) and wrap-around, as the operation restore takes it. The side is
// larger than twice the reach.
std::vector<float> wrapped_spread(const PointSpread& spread, int side);
// The part of such a square that lies within `reach` of the centre, normalised.
PointSpread unwrapped_spread(const std::vector<float>& square, int side, int reach);

}  // namespace vedette::cli
