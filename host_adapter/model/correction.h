// Learning from measured calls: bounded, and unable to make the choice swing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vedette::model {

// Calls whose predictions lie within a factor of four share a class: 0 is below a microsecond, 1 is 1 to 4 us, ... From
// 16 on the same for calls that mostly copy: what is wrong about a bus is not what is wrong about a device.
inline constexpr std::uint32_t size_classes = 32;
std::uint32_t size_class(double predicted_ms, double copying_ms = 0) noexcept;

// By what factor predictions of one operation, variant and size class have been wrong: the geometric mean of measured
// over predicted, as if one right prediction had come first; old calls fade after about `memory` newer ones. The factor
// lies within 1 / most_factor and most_factor, and one call moves it by at most a factor of 2.
class Correction {
public:
    static constexpr double most_factor = 4;
    static constexpr std::uint32_t memory = 32;

    Correction() = default;
    // As stored; what cannot be is brought within the bounds.
    Correction(double log_factor, std::uint32_t count) noexcept;

    // `predicted_ms` without correction. Ignored unless both are finite and above 0.
    void observe(double predicted_ms, double measured_ms) noexcept { observe(predicted_ms, measured_ms, measured_ms); }
    // Of a call that was disturbed: by itself it would have taken between `least_ms` and `most_ms`. A prediction in
    // between was right as far as can be told.
    void observe(double predicted_ms, double least_ms, double most_ms) noexcept;

    double factor() const noexcept;
    double log_factor() const noexcept { return log_factor_; }
    std::uint32_t count() const noexcept { return count_; }

private:
    double log_factor_ = 0;
    std::uint32_t count_ = 0;
};

// Which of several options is taken for one kind of call. The first time the one with the least predicted time; later
// another one only when its prediction is lower by more than a margin, which every change doubles.
//
// Why it cannot swing: the predictions without correction are constant for one kind of call, and a correction is a
// factor within 1 / F and F (F = Correction::most_factor). Say the choice goes round a cycle of k changes. In the
// logarithm, a change of margin m needs an advantage above m; summed round the cycle the constant parts cancel and each
// correction contributes at most 2 ln F a step, so k m < k 2 ln F. Once m reaches 2 ln F there are no cycles, hence at
// most n - 1 changes among n options. Before that, m doubles with each change. So there are never more than
//   ceil(log2(2 ln F / first_margin)) + n - 1
// changes, whatever the measurements are: 7 for two options.
class Incumbent {
public:
    // 5 % in the logarithm: half of the gap from which on a choice counts as right or wrong.
    static constexpr double first_margin = 0.05;

    // Index into `predicted_ms` (not empty, same length and order every time).
    std::size_t choose(std::span<const double> predicted_ms) noexcept;
    std::uint32_t changes() const noexcept { return changes_; }
    // As above, for `options` of them.
    static std::uint32_t most_changes(std::size_t options) noexcept;

private:
    std::size_t chosen_ = none;
    double margin_ = first_margin;
    std::uint32_t changes_ = 0;
    static constexpr std::size_t none = ~std::size_t{0};
};

}  // namespace vedette::model
