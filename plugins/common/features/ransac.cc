#include "features/ransac.h"

#include <algorithm>
#include <cmath>

namespace vedette::matching {

namespace {

constexpr std::size_t sample = 4;

// SplitMix64 [Steele, Lea, Flood 2014]. Every sample draws from a stretch of the sequence of its own, so that a
// processor that draws them side by side draws the same.
class Random {
public:
    Random(std::uint64_t seed, std::uint32_t sample_index) : state_(seed + sample_index * stretch * step) {}
    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += step;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
        z = (z ^ z >> 27) * 0x94d049bb133111ebU;
        return z ^ z >> 31;
    }
    std::size_t below(std::size_t limit) noexcept { return static_cast<std::size_t>(next() % limit); }

private:
    static constexpr std::uint64_t step = 0x9e3779b97f4a7c15U, stretch = 64;
    std::uint64_t state_;
};

// Samples to draw so that with probability 0.999 one has right pairs only, when this share of pairs is right.
double samples_needed(double share) {
    const double all_right = share * share * share * share;
    if (all_right >= 1) return 1;
    return std::ceil(std::log(0.001) / std::log1p(-all_right));
}

// Whether the pair fits: |h(from) - to| <= reprojection, on the visible side of the horizon.
bool fits(const Homography& h, Point from, Point to, double squared) noexcept {
    const double w = h[6] * from.x + h[7] * from.y + h[8];
    const double du = h[0] * from.x + h[1] * from.y + h[2] - to.x * w;
    const double dv = h[3] * from.x + h[4] * from.y + h[5] - to.y * w;
    return w > 0 && du * du + dv * dv <= squared * w * w;
}

}  // namespace

void Ransac::reserve(std::size_t pairs) {
    for (std::vector<Point>* const points : {&from_, &to_, &from_fitting_, &to_fitting_}) points->reserve(pairs);
    fits_.reserve(pairs);
}

void Ransac::clear() {
    from_.clear();
    to_.clear();
}

void Ransac::add(Point from, Point to) {
    from_.push_back(from);
    to_.push_back(to);
}

std::size_t Ransac::count_fitting(const Homography& homography, double reprojection) const noexcept {
    std::size_t count = 0;
    for (std::size_t i = 0; i < from_.size(); ++i)
        count += matching::fits(homography, from_[i], to_[i], reprojection * reprojection) ? 1U : 0U;
    return count;
}

void Ransac::mark_fitting(const Homography& homography, double reprojection) {
    for (std::size_t i = 0; i < from_.size(); ++i)
        fits_[i] = matching::fits(homography, from_[i], to_[i], reprojection * reprojection) ? 1 : 0;
}

// Least squares over the pairs that are marked; false when they do not fix a homography.
bool Ransac::refit(Homography& homography) {
    from_fitting_.clear();
    to_fitting_.clear();
    for (std::size_t i = 0; i < from_.size(); ++i) {
        if (fits_[i] == 0) continue;
        from_fitting_.push_back(from_[i]);
        to_fitting_.push_back(to_[i]);
    }
    if (from_fitting_.size() < sample || !spans_area(from_fitting_) || !spans_area(to_fitting_)) return false;
    const Point inside = from_fitting_[0];
    if (!fit_homography(from_fitting_, to_fitting_, homography)) return false;
    if (homography[6] * inside.x + homography[7] * inside.y + homography[8] < 0)
        for (double& value : homography) value = -value;
    return true;
}

bool Ransac::run(const RansacParameters& parameters, Homography& homography) {
    const std::size_t count = from_.size();
    fits_.assign(count, 0);
    if (count < sample) return false;
    std::size_t best = 0;
    double needed = parameters.max_iterations;
    for (std::uint32_t iteration = 0; iteration < needed; ++iteration) {
        Random random(parameters.seed, iteration);
        std::size_t drawn[sample];
        for (std::size_t k = 0; k < sample; ++k) {
            do drawn[k] = random.below(count);
            while (std::find(drawn, drawn + k, drawn[k]) != drawn + k);
        }
        Point from[sample], to[sample];
        for (std::size_t k = 0; k < sample; ++k) {
            from[k] = from_[drawn[k]];
            to[k] = to_[drawn[k]];
        }
        Homography candidate{};
        if (has_collinear_three(from) || has_collinear_three(to) || !keeps_or_turns_all(from, to) ||
            !homography_through(from, to, candidate))
            continue;
        const std::size_t fitting = count_fitting(candidate, parameters.reprojection);
        if (fitting <= best) continue;
        best = fitting;
        homography = candidate;
        needed = std::min(needed, samples_needed(static_cast<double>(best) / static_cast<double>(count)));
    }
    if (best < sample) return false;
    mark_fitting(homography, parameters.reprojection);
    constexpr int most_refits = 5;
    for (int round = 0; round < most_refits; ++round) {
        Homography better{};
        if (!refit(better)) {
            if (round == 0) return false;
            break;
        }
        const std::size_t fitting = count_fitting(better, parameters.reprojection);
        if (fitting < best) break;
        const bool same = fitting == best && round != 0;
        best = fitting;
        homography = better;
        mark_fitting(homography, parameters.reprojection);
        if (same) break;
    }
    if (homography[8] != 0) {
        const double last = homography[8];
        for (double& value : homography) value /= last;
    }
    return true;
}

}  // namespace vedette::matching
