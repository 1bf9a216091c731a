// Grouping of rectangles as OpenCV's groupRectangles does it: similar rectangles are joined, also through others, and
// become their mean; groups of too few, and small groups inside stronger ones, are dropped.
// [modules/objdetect/src/cascadedetect.cpp: SimilarRects, groupRectangles]
//
// OpenCV compares every rectangle with every other. Here a grid names the few that can be similar at all, and
// rectangles that share a cell small enough are joined unseen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "group/components.h"
#include "group/covering.h"
#include "group/rectangle.h"
#include "op.h"

namespace vedette::cpu {

// Keeps scratch between calls, so that a call allocates only when its list is longer than all before. One call at a
// time.
class Grouping {
public:
    // The groups in the order in which their first rectangles stand in `rectangles`; valid until the next call. Sides
    // of the items are whole pixels, score is the best of those joined, neighbors how many. `threshold` at least 1: a
    // group must join more. `eps` finite and at least 0. Deterministic, whatever the number of workers.
    // Throws Failure when the call was cancelled.
    std::span<const vdt_item> run(const Device& device, vdt_token* token, std::span<const GroupRectangle> rectangles,
                                  std::int32_t threshold, double eps);

    // Bytes of scratch for `count` rectangles, at most.
    static std::uint64_t scratch_bytes(std::uint64_t count) noexcept;

private:
    // Sums, then means, of the rectangles of one class.
    struct Class {
        std::int64_t x, y, w, h;
        std::int32_t joined;
        double score;
    };
    void add_up(std::span<const GroupRectangle> rectangles, std::span<const std::uint32_t> roots);

    Components components_;
    Covering covering_;
    std::vector<std::uint32_t> class_of_;  // of each rectangle that is the first of its class
    std::vector<Class> classes_;
    std::vector<StrongGroup> strong_;
    std::vector<vdt_item> items_;
};

}  // namespace vedette::cpu
