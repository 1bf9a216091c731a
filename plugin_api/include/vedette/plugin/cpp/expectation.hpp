// Help for plugins written in C++; not part of the ABI. Work that the pixels decide, as an expectation from a sample:
// what the source's model leaves out. It counts every window through every stage, and no lane that idles after its
// window was rejected [A, both named there as the causes of its errors]. Nothing here allocates.
#ifndef VEDETTE_PLUGIN_CPP_EXPECTATION_HPP
#define VEDETTE_PLUGIN_CPP_EXPECTATION_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "format.hpp"

namespace vedette::plugin {

// Share of a population with a property that `found` of `sampled` members had: (found + prior) / (sampled + 1). What
// was expected before counts as much as one member; 1/2, where nothing was, is the mean of Jeffreys' prior after the
// sample. Never 0 or 1 for a prior that is not: a sample that met nothing proves little about millions.
inline double rate_of(double found, double sampled, double prior = 0.5) noexcept {
    return (std::clamp(found, 0.0, sampled) + prior) / (sampled + 1);
}

// A cascade: `work[s]` of stage s for a window that enters it; `passes[s]` the share of the windows entering stage s
// that pass it. Both have one entry a stage.
struct CascadeSample {
    std::span<const double> work;
    std::span<const double> passes;
};

// That one of `lanes` independent lanes is busy, each with probability `rate`.
inline double any_busy(double rate, double lanes) noexcept {
    return 1 - std::pow(1 - std::clamp(rate, 0.0, 1.0), std::max(lanes, 1.0));
}

// Work of a window on average: sum over s of work[s] times the share that enters stage s.
inline double expected_work(const CascadeSample& sample) noexcept {
    double entering = 1, work = 0;
    for (std::size_t stage = 0; stage < sample.work.size(); ++stage) {
        work += sample.work[stage] * entering;
        entering *= sample.passes[stage];
    }
    return work;
}

// Lane-operations issued over lane-operations needed when the windows of a bundle run in lock-step: stage s is issued
// for all lanes as long as one of them is alive. `bundle` lanes that live and die by themselves; lanes whose windows
// lie close together do so in groups, then give the number of groups (at least 1, may be a fraction). 1 = nothing
// idles.
inline double expected_divergence(const CascadeSample& sample, double bundle) noexcept {
    double entering = 1, issued = 0, needed = 0;
    for (std::size_t stage = 0; stage < sample.work.size(); ++stage) {
        issued += sample.work[stage] * any_busy(entering, bundle);
        needed += sample.work[stage] * entering;
        entering *= sample.passes[stage];
    }
    return needed > 0 ? issued / needed : 1;
}

// A pruned search: `test` operations at each of `positions`, `confirm` more at those that survive the bound.
inline double expected_pruned_work(double positions, double test, double confirm, double survivor_rate) noexcept {
    return positions * (test + confirm * survivor_rate);
}

// The same in lock-step: a bundle confirms as long as one of its lanes must.
inline double expected_pruned_divergence(double test, double confirm, double survivor_rate, double bundle) noexcept {
    const double needed = test + confirm * survivor_rate;
    return needed > 0 ? (test + confirm * any_busy(survivor_rate, bundle)) / needed : 1;
}

// Whether the pixels of a query's image of 8-bit channels may be looked at: they lie in host memory, and the query says
// where.
inline bool has_pixels(const vdt_image& image) noexcept {
    const vdt_plane& plane = image.plane[0];
    if (!has(color_formats_8, image.format) || image.width == 0 || image.height == 0 || plane.base == nullptr ||
        (image.memory != VDT_MEMORY_HOST && image.memory != VDT_MEMORY_PINNED))
        return false;
    const double row = static_cast<double>(row_bytes(*layout_of(image.format), image.width));
    const double first = static_cast<double>(plane.offset);
    const double last = first + static_cast<double>(image.height - 1) * static_cast<double>(plane.row_stride);
    return last >= 0 && std::max(first, last) + row <= static_cast<double>(plane.bytes);
}

// Place `index` of a sample that spreads evenly over columns x rows, the same on every run: an additive recurrence with
// the plastic number [Roberts 2018].
struct SamplePlace {
    uint32_t x, y;
};
inline SamplePlace sample_place(uint32_t index, uint32_t columns, uint32_t rows) noexcept {
    const double u = 0.5 + 0.7548776662466927 * index, v = 0.5 + 0.5698402909980532 * index;
    const auto at = [](double share, uint32_t count) {
        return std::min(static_cast<uint32_t>((share - std::floor(share)) * count), count - 1);
    };
    return {at(u, columns), at(v, rows)};
}

}  // namespace vedette::plugin
#endif
