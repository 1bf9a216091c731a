// Which groups lie inside a stronger one, by OpenCV's rule.
//
// Each group that may cover others is entered in the cells that its rectangle, widened by eps, touches in the grid of
// its size (a power of two not smaller than its longer side, so at most four). Whoever lies inside it has its left top
// corner in one of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "group/radix_sort.h"
#include "op.h"

namespace vedette::cpu {

// A group of enough rectangles: their mean, and how many.
struct StrongGroup {
    std::int32_t x, y, w, h;
    std::int32_t joined;
    std::uint32_t number;  // of its class
    bool covered;
};

class Covering {
public:
    // Sets `covered` of each: inside another one, widened by `eps` of its sides, that joins more (and more than three),
    // or that joins any number when the group itself joins less than three.
    void find(const Device& device, vdt_token* token, std::span<StrongGroup> groups, double eps);

    static std::uint64_t scratch_bytes(std::uint64_t count) noexcept;

private:
    struct Widened {
        std::int32_t left, top, right, bottom;
        std::int32_t joined;
        std::uint32_t index;
    };
    void enter(std::span<const StrongGroup> groups, double eps);
    bool is_covered(const StrongGroup& group, std::uint32_t index) const;

    std::vector<Keyed> entries_, spare_;  // by cell
    std::vector<Widened> widened_;        // beside entries_
    std::int32_t left_ = 0, top_ = 0;
    std::uint32_t present_ = 0;  // bit mask of the levels that have entries
};

}  // namespace vedette::cpu
