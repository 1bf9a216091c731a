#include "correction.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vedette::model {
namespace {

const double most_log = std::log(Correction::most_factor);

}  // namespace

std::uint32_t size_class(double predicted_ms, double copying_ms) noexcept {
    constexpr std::uint32_t half = size_classes / 2;
    const std::uint32_t first = copying_ms > 0 && copying_ms > predicted_ms / 2 ? half : 0;
    const double microseconds = predicted_ms * 1000;
    if (!(microseconds >= 1)) return first;
    return first + static_cast<std::uint32_t>(std::min(1 + std::floor(std::log2(microseconds) / 2), half - 1.0));
}

Correction::Correction(double log_factor, std::uint32_t count) noexcept
    : log_factor_(std::isfinite(log_factor) ? std::clamp(log_factor, -most_log, most_log) : 0), count_(count) {}

void Correction::observe(double predicted_ms, double least_ms, double most_ms) noexcept {
    if (!(predicted_ms > 0) || !(least_ms > 0) || !(most_ms >= least_ms)) return;
    const double least = std::log(least_ms / predicted_ms), most = std::log(most_ms / predicted_ms);
    if (!std::isfinite(least) || !std::isfinite(most)) return;
    const double seen = std::clamp(log_factor_, least, most);
    // The one right prediction at first is what makes the divisor count + 2.
    const double step = (std::clamp(seen, -most_log, most_log) - log_factor_) / (std::min(count_, memory) + 2.0);
    log_factor_ =
        std::clamp(log_factor_ + std::clamp(step, -std::numbers::ln2, std::numbers::ln2), -most_log, most_log);
    if (count_ != UINT32_MAX) ++count_;
}

double Correction::factor() const noexcept {
    return std::exp(log_factor_);
}

std::size_t Incumbent::choose(std::span<const double> predicted_ms) noexcept {
    const auto best =
        static_cast<std::size_t>(std::min_element(predicted_ms.begin(), predicted_ms.end()) - predicted_ms.begin());
    if (chosen_ >= predicted_ms.size()) {
        chosen_ = best;
    } else if (best != chosen_ && predicted_ms[best] < predicted_ms[chosen_] * std::exp(-margin_)) {
        chosen_ = best;
        margin_ *= 2;
        ++changes_;
    }
    return chosen_;
}

std::uint32_t Incumbent::most_changes(std::size_t options) noexcept {
    const double doublings = std::ceil(std::log2(2 * most_log / first_margin));
    return static_cast<std::uint32_t>(doublings) +
           static_cast<std::uint32_t>(options - std::min<std::size_t>(options, 1));
}

}  // namespace vedette::model
