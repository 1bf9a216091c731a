// Grouping of rectangles on the device, for group and for detectors: kernels, memory and transfers of one plan.
#pragma once

#include "backend.h"

#include <span>
#include <vector>

namespace vedette::opencl {

// Sides in whole pixels, x and y in +-2^24, w and h in 0 .. 2^24. As the kernels' int4.
struct alignas(16) GroupRectangle {
    std::int32_t x, y, w, h;
};

struct RectangleGroup {
    GroupRectangle rectangle;
    std::int32_t joined;
    double score;  // the best of those joined; no number when the first one's is none
};

// The group as an item of a list.
vdt_item item_of(const RectangleGroup& group) noexcept;

// As OpenCV's groupRectangles: similar rectangles are joined, also through others, and become their mean; groups of too
// few, and small groups inside stronger ones, are dropped. [modules/objdetect/src/cascadedetect.cpp: SimilarRects,
// groupRectangles] How: kernels/group_components.cl, group.cl.
//
// Keeps its memory between calls, so that a call allocates only when its list is longer than all before.
class Grouping {
public:
    explicit Grouping(const Device& device);

    // Room for `count` rectangles (at least 1, 2^30 at most) and their scores, to be filled before `run`. Valid until
    // the next `reserve`.
    void reserve(std::size_t count);
    GroupRectangle* rectangles() noexcept { return rectangles_.data(); }
    double* scores() noexcept { return scores_.data(); }

    // Groups the first `count` of them and waits. In the order of their first rectangles; valid until the next call.
    // `threshold` at least 1: a group must join more. `eps` finite and at least 0. The result does not depend on the
    // order in which work-items run.
    std::span<const RectangleGroup> run(std::size_t count, std::int32_t threshold, double eps, cl::Queue queue);

    // Of the device, for `count` rectangles.
    static std::uint64_t scratch_bytes(std::size_t count) noexcept;

private:
    // As the kernels' records.
    struct Level {
        std::int32_t knot_side, cell_side, reach;
    };
    struct Request {
        double eps;
        std::uint32_t count, table;
        std::int32_t threshold;
        std::uint32_t levels;
        std::int32_t levels_below;
        std::uint32_t padding;
    };
    struct alignas(16) Group {
        GroupRectangle rectangle;
        std::uint32_t joined, first, best, padding;
    };
    static_assert(sizeof(Request) == 32 && sizeof(Group) == 32);

    void set_levels(double eps, cl::Queue queue);
    void queue_kernels(const Request& request, cl::Queue queue);
    void fetch(cl::Queue queue);

    const Device& device_;
    const Kernel enter_knots_, enter_cells_, place_, join_, add_up_, make_groups_, drop_covered_;
    std::size_t capacity_ = 0;
    double eps_ = -1;  // of the levels on the device
    std::vector<Level> host_levels_;
    Buffer<Level> levels_;
    std::vector<GroupRectangle> rectangles_;
    std::vector<double> scores_;
    std::vector<std::uint64_t> keys_;
    Buffer<GroupRectangle> device_rectangles_, placed_;
    Buffer<std::uint64_t> device_keys_;
    Buffer<std::uint32_t> words_, plain_;
    Buffer<Group> strong_, kept_;
    std::vector<std::uint32_t> host_counters_;
    std::vector<Group> host_groups_;
    std::vector<RectangleGroup> groups_;
};

}  // namespace vedette::opencl
