// The homography that most of given pairs of points follow.
#pragma once

#include "features/homography.h"

#include <cstdint>
#include <vector>

namespace vedette::matching {

struct RansacParameters {
    std::uint32_t max_iterations = 0;
    double reprojection = 3;  // distance in the second set up to which a pair fits
    std::uint64_t seed = 0;
};

// Random samples of four pairs [Fischler, Bolles 1981], as many as it takes to have drawn one of right pairs only with
// probability 0.999 by the best share so far; then least squares over the pairs that fit, repeated while more fit.
// The same for the same pairs and seed, on every machine with IEEE doubles.
class Ransac {
public:
    void reserve(std::size_t pairs);
    void clear();
    void add(Point from, Point to);
    // False: fewer than four pairs, or they, or those that fit best, do not fix a homography (all on a line, all in one
    // place). Else `homography` with 1 as its last entry where that is not 0, and fits()[i] for every pair in order.
    bool run(const RansacParameters& parameters, Homography& homography);
    const std::vector<std::uint8_t>& fits() const noexcept { return fits_; }

private:
    std::size_t count_fitting(const Homography& homography, double reprojection) const noexcept;
    void mark_fitting(const Homography& homography, double reprojection);
    bool refit(Homography& homography);

    std::vector<Point> from_, to_, from_fitting_, to_fitting_;
    std::vector<std::uint8_t> fits_;
};

}  // namespace vedette::matching
