#include "expectation.h"

#include <algorithm>
#include <cmath>

namespace vedette::model {
namespace {

// That one of `lanes` independent lanes is busy, each with probability `rate`.
double any_busy(double rate, double lanes) {
    return 1 - std::pow(1 - std::clamp(rate, 0.0, 1.0), std::max(lanes, 1.0));
}

}  // namespace

double rate_of(double found, double sampled) noexcept {
    return (std::clamp(found, 0.0, sampled) + 0.5) / (sampled + 1);
}

double expected_work(const CascadeSample& sample) noexcept {
    double entering = 1, work = 0;
    for (std::size_t stage = 0; stage < sample.work.size(); ++stage) {
        work += sample.work[stage] * entering;
        entering *= sample.passes[stage];
    }
    return work;
}

double expected_divergence(const CascadeSample& sample, double bundle) noexcept {
    double entering = 1, issued = 0, needed = 0;
    for (std::size_t stage = 0; stage < sample.work.size(); ++stage) {
        issued += sample.work[stage] * any_busy(entering, bundle);
        needed += sample.work[stage] * entering;
        entering *= sample.passes[stage];
    }
    return needed > 0 ? issued / needed : 1;
}

double expected_pruned_work(double positions, double test, double confirm, double survivor_rate) noexcept {
    return positions * (test + confirm * survivor_rate);
}

double expected_pruned_divergence(double test, double confirm, double survivor_rate, double bundle) noexcept {
    const double needed = test + confirm * survivor_rate;
    return needed > 0 ? (test + confirm * any_busy(survivor_rate, bundle)) / needed : 1;
}

}  // namespace vedette::model
