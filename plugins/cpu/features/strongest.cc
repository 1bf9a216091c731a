#include "features/strongest.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace vedette::cpu::features {

bool stronger(const vdt_keypoint& a, const vdt_keypoint& b) noexcept {
    if (a.response != b.response) return a.response > b.response;
    if (a.y != b.y) return a.y < b.y;
    if (a.x != b.x) return a.x < b.x;
    if (a.size != b.size) return a.size > b.size;
    return a.angle < b.angle;
}

void Strongest::start(std::uint64_t most) {
    most_ = most;
    offered_ = 0;
    full_ = false;
    keypoints_.clear();
    descriptors_.clear();
}

std::uint32_t Strongest::offer(const vdt_keypoint& keypoint) {
    ++offered_;
    if (most_ == 0 || (full_ && stronger(weakest_, keypoint))) return none;
    const auto slot = static_cast<std::uint32_t>(keypoints_.size());
    keypoints_.push_back(keypoint);
    descriptors_.resize(descriptors_.size() + descriptor_length);
    return slot;
}

// The slots of the `count` strongest come first.
void Strongest::order(std::uint64_t count) {
    slots_.resize(keypoints_.size());
    std::iota(slots_.begin(), slots_.end(), 0U);
    const auto by_strength = [this](std::uint32_t a, std::uint32_t b) {
        return stronger(keypoints_[a], keypoints_[b]);
    };
    if (count < slots_.size())
        std::nth_element(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(count) - 1, slots_.end(),
                         by_strength);
}

void Strongest::prune() {
    if (most_ == 0 || keypoints_.size() < 2 * most_) return;
    order(most_);
    slots_.resize(most_);
    weakest_ = keypoints_[slots_.back()];
    full_ = true;
    // Slots only move to the front, in ascending order: nothing is overwritten before it was moved.
    std::sort(slots_.begin(), slots_.end());
    for (std::uint32_t to = 0; to < most_; ++to) {
        const std::uint32_t from = slots_[to];
        if (from == to) continue;
        keypoints_[to] = keypoints_[from];
        std::memcpy(descriptor(to), descriptor(from), descriptor_length);
    }
    keypoints_.resize(most_);
    descriptors_.resize(most_ * descriptor_length);
}

const std::vector<std::uint32_t>& Strongest::finish() {
    const std::uint64_t kept = std::min<std::uint64_t>(most_, keypoints_.size());
    order(kept);
    slots_.resize(kept);
    std::sort(slots_.begin(), slots_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return stronger(keypoints_[a], keypoints_[b]); });
    return slots_;
}

}  // namespace vedette::cpu::features
