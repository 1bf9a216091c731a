// From components to groups: means, those that join enough, and those that no stronger one covers; in any order.
//
// Covering: each group that may cover others is entered in the cells that its rectangle, widened by eps, touches in the
// grid of its size (a power of two above its longer side, so at most four). Whoever lies inside it has its left top
// corner in one of them.
#include "group_components.cl"

#define FEWEST_OF_COVERER 3u  // who covers a group of three or more joins more than this

typedef struct {
    int4 rectangle;
    uint joined;
    uint first;  // the lowest index of those joined
    uint best;   // 1 more than that of the best score; 0: no score is a number
    uint padding;
} Group;

// Left, top, right, bottom, as far as it covers.
inline int4 widened(int4 r, ulong eps) {
    const int2 margin = (int2)(margin_of(r.z, eps), margin_of(r.w, eps));
    return (int4)(r.xy - margin, r.xy + r.zw + margin);
}

inline void enter_covers(Request s, __global uint *words, __global uint *plain, int4 r, uint number) {
    // Only corners of groups are looked up: what lies beyond them needs no cells.
    const int4 wide =
        clamp(widened(r, s.eps), (int4)(-FURTHEST_COORDINATE), (int4)(FURTHEST_COORDINATE)) + FURTHEST_COORDINATE;
    const int level = 32 - (int)clz((uint)max(wide.z - wide.x, wide.w - wide.y));
    atomic_or(COVER_LEVELS, 1u << level);
    uint entry = 4 * number;
    for (int row = wide.y >> level; row <= wide.w >> level; ++row)
        for (int column = wide.x >> level; column <= wide.z >> level; ++column, ++entry)
            *COVER_NEXT(s, entry) = atomic_xchg(COVERS(s, cell_hash(level, row, column, s.table)), entry + 1);
}

// A work-item: one rectangle; those that are the lowest of enough become groups.
__kernel void make_groups(const Request s, __global uint *words, __global uint *plain,
                          __global Group *restrict strong) {
    const uint index = (uint)get_global_id(0);
    if (index >= s.count || PARENT(s)[index] != index) return;
    __global const uint *sums = SUMS(s, index);
    Group group;
    group.joined = sums[JOINED];
    if (group.joined <= (uint)s.threshold) return;
    int means[4];
    for (int k = 0; k < 4; ++k) means[k] = mean_of((long)((ulong)sums[4 + k] << 32 | sums[k]), group.joined);
    group.rectangle = (int4)(means[0], means[1], means[2], means[3]);
    group.first = index;
    group.best = sums[BEST];
    group.padding = 0;
    const uint number = atomic_inc(STRONG);
    strong[number] = group;
    // Who joins no more than three covers only groups of less than three, and these are strong below a threshold of 2.
    if (group.joined > FEWEST_OF_COVERER || s.threshold < 2) enter_covers(s, words, plain, group.rectangle, number);
}

inline bool is_covered(Request s, __global const uint *words, __global const uint *plain,
                       __global const Group *restrict strong, int4 r, uint joined, uint number) {
    const int4 edges = edges_of(r);
    const int2 corner = r.xy + FURTHEST_COORDINATE;
    const uint most = max(FEWEST_OF_COVERER, joined);
    for (uint levels = *COVER_LEVELS; levels != 0; levels &= levels - 1) {
        const int level = 31 - (int)clz(levels & (0 - levels));
        uint entry = *COVERS(s, cell_hash(level, corner.y >> level, corner.x >> level, s.table));
        for (; entry != 0; entry = *COVER_NEXT(s, entry - 1)) {
            const uint other = (entry - 1) / 4;
            if (other == number || (joined >= FEWEST_OF_COVERER && strong[other].joined <= most)) continue;
            const int4 wide = widened(strong[other].rectangle, s.eps);
            if (all(edges.xy >= wide.xy) && all(edges.zw <= wide.zw)) return true;
        }
    }
    return false;
}

// A work-item: one group, with which others that nothing covers go to `kept`.
__kernel void drop_covered(const Request s, __global uint *words, __global const uint *plain,
                           __global const Group *restrict strong, __global Group *restrict kept) {
    const uint number = (uint)get_global_id(0);
    if (number >= *STRONG) return;
    const Group group = strong[number];
    if (!is_covered(s, words, plain, strong, group.rectangle, group.joined, number)) kept[atomic_inc(KEPT)] = group;
}
