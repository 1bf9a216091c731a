// Work that the pixels decide, as an expectation from a sample: what the source's model leaves out. It counts every
// window through every stage, and no lane that idles after its window was rejected [A, both named there as the causes
// of its errors].
#pragma once

#include <cstdint>
#include <span>

namespace vedette::model {

// Share of a population with a property that `found` of `sampled` members had: (found + 1/2) / (sampled + 1), the mean
// of Jeffreys' prior after the sample. Never 0 or 1: a sample that met nothing proves little about millions.
double rate_of(double found, double sampled) noexcept;

// A cascade: `work[s]` of stage s for a window that enters it; `passes[s]` the share of the windows entering stage s
// that pass it. Both have one entry a stage.
struct CascadeSample {
    std::span<const double> work;
    std::span<const double> passes;
};
// Work of a window on average: sum over s of work[s] times the share that enters stage s.
double expected_work(const CascadeSample& sample) noexcept;
// Lane-operations issued over lane-operations needed when the windows of a bundle run in lock-step: stage s is issued
// for all lanes as long as one of them is alive. `bundle` lanes that live and die by themselves; lanes whose windows
// lie close together do so in groups, then give the number of groups (at least 1, may be a fraction). 1 = nothing
// idles.
double expected_divergence(const CascadeSample& sample, double bundle) noexcept;

// A pruned search: `test` operations at each of `positions`, `confirm` more at those that survive the bound.
double expected_pruned_work(double positions, double test, double confirm, double survivor_rate) noexcept;
// The same in lock-step: a bundle confirms as long as one of its lanes must.
double expected_pruned_divergence(double test, double confirm, double survivor_rate, double bundle) noexcept;

}  // namespace vedette::model
