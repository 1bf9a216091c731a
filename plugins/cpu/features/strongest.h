// The strongest keypoints of an image with their descriptors.
#pragma once

#include <vedette/plugin/result.h>

#include <cstdint>
#include <vector>

namespace vedette::cpu::features {

constexpr std::uint32_t descriptor_length = 128;

// Strongest first; between equals the upper, then the left, the larger, the lower angle. A total order: no two
// keypoints of an image agree in all of these.
bool stronger(const vdt_keypoint& a, const vdt_keypoint& b) noexcept;

// Keeps at least the `most` strongest keypoints that it is offered, and room for their descriptors; forgets the others
// now and then, so that it holds at most twice as many and those offered since the last call of `prune`.
class Strongest {
public:
    static constexpr std::uint32_t none = 0xffffffff;

    void start(std::uint64_t most);
    // Slot for the keypoint's descriptor until the next call of `prune`, or none when it is not among the strongest.
    std::uint32_t offer(const vdt_keypoint& keypoint);
    std::uint8_t* descriptor(std::uint32_t slot) noexcept {
        return descriptors_.data() + std::uint64_t{slot} * descriptor_length;
    }
    // Slots lose their meaning.
    void prune();
    // All that were offered.
    std::uint64_t offered() const noexcept { return offered_; }
    // Slots of the strongest, in order; valid until the next offer.
    const std::vector<std::uint32_t>& finish();
    const vdt_keypoint& keypoint(std::uint32_t slot) const noexcept { return keypoints_[slot]; }

private:
    void order(std::uint64_t count);

    std::uint64_t most_ = 0, offered_ = 0;
    bool full_ = false;       // `weakest_` counts
    vdt_keypoint weakest_{};  // of the `most` strongest so far
    std::vector<vdt_keypoint> keypoints_;
    std::vector<std::uint8_t> descriptors_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace vedette::cpu::features
