// What the kernels of group share: where its arrays lie, similarity, and the union-find.
#pragma once

#include "device/memory.cuh"
#include "kernels/group.h"

namespace vedette::cuda {

inline constexpr int group_levels = 26;  // w + h <= 2^25
inline constexpr unsigned no_index = 0xffffffffu;
inline constexpr int furthest_coordinate = 1 << 24;
inline constexpr int beyond_all = 1 << 27;  // more than any difference of coordinates

// Sizes for rectangles whose w + h has this binary logarithm, rounded down.
struct GroupLevel {
    std::int32_t knot_side;  // rectangles whose edges share a cube of this side are similar
    std::int32_t cell_side;  // of the grid of left top corners: a multiple of knot_side above reach
    std::int32_t reach;      // the furthest that a corner of a similar rectangle can lie away
};

struct GroupLevels {
    GroupLevel level[group_levels];
};

// A knot as those who look for neighbours meet it: one read says whether it is near.
struct alignas(32) GroupKnot {
    std::int32_t left, top, right, bottom;  // the least of each edge; the most is a knot's side, less 1, beyond
    std::int32_t level;
    std::uint32_t start, end;  // of its rectangles in `placed`
    std::uint32_t next;        // knot of the same cell
};

// A group of enough rectangles.
struct StrongGroup {
    std::int32_t x, y, w, h;
    std::int32_t joined;
    std::uint32_t first;
};

// Cleared by each call.
struct GroupCounters {
    unsigned placed;        // rectangles whose knots have their places
    unsigned levels;        // bit mask of those in use
    unsigned strong;        // groups of enough rectangles
    unsigned cover_levels;  // bit mask, of those who may cover others
    unsigned tickets[2];    // blocks of the two kernels that number things
};

struct GroupState {
    const GroupRectangle* rectangles;
    const double* scores;
    std::uint32_t count;
    std::uint32_t table;  // entries of the hash tables, a power of two of at least twice `count`
    std::int32_t threshold;
    double eps;
    unsigned call;
    GroupCounters* counters;
    unsigned long long* words[2];  // of the blocks that number things
    // By rectangle.
    unsigned* parent;
    unsigned* knot_of;
    unsigned* rank;  // in its knot
    // Rectangles by knot.
    GroupRectangle* placed;
    unsigned* index;
    // By entry of the table: knots.
    unsigned* occupant;  // one of its rectangles
    unsigned* members;
    unsigned* least;  // lowest index
    unsigned* start;  // in `placed`
    GroupKnot* knots;
    unsigned* cells;  // first knot of the cells with this hash
    // By rectangle that is the first of its group.
    unsigned long long* sums;  // [4][count]
    unsigned long long* best;
    unsigned* joined;
    StrongGroup* strong;
    unsigned* covers;      // first entry of the cells with this hash
    unsigned* cover_next;  // four entries a strong group
};

__device__ __forceinline__ int level_of(const GroupRectangle& r) {
    return 31 - __clz(max(1, r.w + r.h));
}

// A level, row and column spread over the table. Constants: odd numbers near 2^32 over the golden ratio and 2^32 times
// other irrational numbers.
__device__ __forceinline__ unsigned cell_hash(int level, int row, int column, unsigned table) {
    unsigned hash = static_cast<unsigned>(column) * 0x9e3779b1u + static_cast<unsigned>(row) * 0x85ebca77u +
                    static_cast<unsigned>(level) * 0xc2b2ae3du;
    hash ^= hash >> 15;
    hash *= 0x2c1b3c6du;
    hash ^= hash >> 13;
    return hash & (table - 1);
}

// OpenCV's SimilarRects, operation by operation: the comparisons are decided by rounded values.
__device__ __forceinline__ bool are_similar(const GroupRectangle& a, const GroupRectangle& b, double eps) {
    const double delta = eps * (min(a.w, b.w) + min(a.h, b.h)) * 0.5;
    return abs(a.x - b.x) <= delta && abs(a.y - b.y) <= delta && abs(a.x + a.w - b.x - b.w) <= delta &&
           abs(a.y + a.h - b.y - b.h) <= delta;
}

// Threads walk and join at once. A parent only ever becomes a lower index of the same component, so whatever a thread
// reads leads to the root, and the root in the end is the component's lowest index, in whatever order pairs are joined.
__device__ __forceinline__ unsigned root_of(unsigned* parent, unsigned index) {
    for (;;) {
        const unsigned above = load_relaxed(parent + index);
        if (above == index) return index;
        const unsigned beyond = load_relaxed(parent + above);
        if (beyond == above) return above;
        store_relaxed(parent + index, beyond);  // a shorter way for the next one
        index = beyond;
    }
}

__device__ __forceinline__ void unite(unsigned* parent, unsigned a, unsigned b) {
    for (;;) {
        a = root_of(parent, a);
        b = root_of(parent, b);
        if (a == b) return;
        const unsigned low = min(a, b);
        const unsigned high = max(a, b);
        if (atomicCAS(parent + high, high, low) == high) return;
    }
}

namespace detail {
// Components, and the sums of each: group_components.cu.
void join_rectangles(const GroupState& state, const GroupLevels& levels, cudaStream_t stream);
}  // namespace detail

}  // namespace vedette::cuda
