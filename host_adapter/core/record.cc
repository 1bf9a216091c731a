#include "record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace vedette::host {
namespace {

constexpr std::size_t most_options = 256;  // an index fits a byte
constexpr std::uint32_t calls_to_halve = 4;
constexpr std::uint32_t most_doublings = 16;

}  // namespace

double Record::Charge::now() const noexcept {
    if (lost_ms <= 0) return 0;
    const double half_life = calls_to_halve * std::ldexp(1.0, static_cast<int>(failures) - 1);
    return lost_ms * std::exp2(-static_cast<double>(calls) / half_life);
}

void Record::sort(std::span<const double> predicted_ms, std::span<const std::uint32_t> running,
                  std::span<std::uint8_t> order) noexcept {
    const std::size_t count = std::min({predicted_ms.size(), running.size(), order.size(), most_options});
    if (count == 0) return;
    std::array<double, most_options> score;
    const std::lock_guard lock(mutex_);
    std::size_t first = incumbent_.choose(predicted_ms.first(count));
    bool disturbed = false;
    for (std::size_t i = 0; i < count; ++i) {
        Charge* const charge = i < charges_.size() ? &charges_[i] : nullptr;
        const double charged = charge == nullptr ? 0 : charge->now();
        if (charged > 0 && charge->calls != UINT32_MAX) ++charge->calls;
        score[i] = predicted_ms[i] * (1.0 + running[i]) + charged;
        disturbed = disturbed || running[i] != 0 || charged > 0;
    }
    // A busy device, or one that failed lately, gives way for this call; that is no change of the incumbent.
    if (disturbed) {
        const auto best = static_cast<std::size_t>(
            std::min_element(score.begin(), score.begin() + static_cast<std::ptrdiff_t>(count)) - score.begin());
        if (score[best] < score[first] * std::exp(-model::Incumbent::first_margin)) first = best;
    }
    score[first] = -std::numeric_limits<double>::infinity();
    // By insertion: options are few.
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t at = i;
        for (; at > 0 && score[i] < score[order[at - 1]]; --at) order[at] = order[at - 1];
        order[at] = static_cast<std::uint8_t>(i);
    }
}

void Record::succeeded(std::size_t option) noexcept {
    const std::lock_guard lock(mutex_);
    if (option < charges_.size()) charges_[option] = {};
}

void Record::failed(std::size_t option, double lost_ms) noexcept {
    const std::lock_guard lock(mutex_);
    if (option >= charges_.size() || !(lost_ms > 0)) return;
    Charge& charge = charges_[option];
    charge.lost_ms = lost_ms;
    charge.failures = std::min(charge.failures + 1, most_doublings);
    charge.calls = 0;
}

std::uint32_t Record::changes() const noexcept {
    const std::lock_guard lock(mutex_);
    return incumbent_.changes();
}

}  // namespace vedette::host
