// Which rectangles belong together: connected components of the relation "similar", and what the members of each sum
// up to.
//
// With s = w + h, two similar rectangles differ in each edge by at most delta <= eps * s / 2 (s of either), and in s by
// at most 2 eps s. So rectangles are kept by level (floor of the binary logarithm of s) in a grid of their left top
// corners with cells larger than the largest delta of the level: whoever is similar lies in the same or a neighbouring
// cell of the same level, or of one of the few levels below.
//
// Inside a cell rectangles form knots: their four edges lie in one cube of a finer lattice, of side c with
// c - 1 <= eps 2^level / (2 (1 + eps)). There (s_a + s_b) / 2 >= 2^level, and min(w) + min(h) is at least that less
// 2 (c - 1), so delta >= c - 1: all of a knot are similar and joined without looking. A rectangle looks only at knots
// that are not joined to its own yet, so that heaps of near copies, which detectors make, cost no pairs.
//
// Knots and cells are found by hashing, so nothing is sorted: whatever order work-items come in, the components are the
// same, and a component is named by its lowest index. No work-item waits for another: all loops on shared words end by
// themselves, and only 32-bit atomics of OpenCL 1.2 are used.
#include "group_numbers.cl"

#define LEVELS 26  // w + h <= 2^25

// Sizes for rectangles of one level.
typedef struct {
    int knot_side;  // of the cubes
    int cell_side;  // of the grid: a multiple of knot_side above reach
    int reach;      // the furthest that a corner of a similar rectangle can lie away
} Level;

typedef struct {
    ulong eps;         // the bits of a double
    uint count;        // of rectangles
    uint table;        // entries of the hash tables, a power of two of at least twice `count`
    int threshold;     // at least 1: a group joins more
    uint levels;       // bit mask of those that have rectangles
    int levels_below;  // a rectangle's own level: so many down can have similar ones
    uint padding;
} Request;

// The arrays of words, named as the kernels' arguments. `words` begin as 0; numbers of things are kept as 1 more, so
// that 0 stands for none.
#define PLACED (words + 0)        // rectangles whose knots have their places
#define STRONG (words + 1)        // groups of enough rectangles
#define KEPT (words + 2)          // of these, those that no other covers
#define COVER_LEVELS (words + 3)  // bit mask, of groups that may cover others
#define COUNTERS 8
#define TABLE_WORDS(s, number) (words + COUNTERS + (size_t)(number) * (s).table)
// By entry of the table.
#define OCCUPANT(s, knot) (TABLE_WORDS(s, 0) + (knot))  // one of its rectangles
#define MEMBERS(s, knot) (TABLE_WORDS(s, 1) + (knot))
#define LEAST(s, knot) (TABLE_WORDS(s, 2) + (knot))   // the complement of its lowest index
#define CELL(s, cell) (TABLE_WORDS(s, 3) + (cell))    // first knot of the cells with this hash
#define COVERS(s, cell) (TABLE_WORDS(s, 4) + (cell))  // first entry of the cells with this hash
// By rectangle that is the lowest of its component.
#define SUM_WORDS 10
#define SUMS(s, index) (TABLE_WORDS(s, 5) + (size_t)(index) * SUM_WORDS)
#define JOINED 8  // after the low and high words of the four sums
#define BEST 9    // a rectangle

// `plain` words are written before they are read. By entry of the table: where a knot begins in `placed`, the next knot
// of the same cell.
#define START(s, knot) (plain + (knot))
#define NEXT(s, knot) (plain + (s).table + (knot))
// By rectangle, and then by place in `placed`.
#define RECTANGLE_WORDS(s, number) (plain + 2 * (size_t)(s).table + (size_t)(number) * (s).count)
#define KNOT_OF(s, index) (RECTANGLE_WORDS(s, 0) + (index))
#define RANK(s, index) (RECTANGLE_WORDS(s, 1) + (index))  // in its knot
#define PARENT(s) (RECTANGLE_WORDS(s, 2))
#define INDEX(s, place) (RECTANGLE_WORDS(s, 3) + (place))
// By entry of a group in a cell, four a group.
#define COVER_NEXT(s, entry) (RECTANGLE_WORDS(s, 4) + (entry))

inline int level_of(int4 r) {
    return 31 - (int)clz(max(1u, (uint)(r.z + r.w)));
}

// A level, row and column spread over the table. Constants: odd numbers near 2^32 over the golden ratio and 2^32 times
// other irrational numbers.
inline uint cell_hash(int level, int row, int column, uint table) {
    uint hash = (uint)column * 0x9e3779b1u + (uint)row * 0x85ebca77u + (uint)level * 0xc2b2ae3du;
    hash ^= hash >> 15;
    hash *= 0x2c1b3c6du;
    hash ^= hash >> 13;
    return hash & (table - 1);
}

// The numbers of the cube that a rectangle's edges lie in, from the corner of all coordinates, so that quotients are
// rounded down.
inline int4 cube_of(int4 r, int knot_side) {
    return (edges_of(r) + FURTHEST_COORDINATE) / knot_side;
}

// A word that others change meanwhile. What a work-item reads of a parent may be old: that is an index of the same
// component all the same, and only atomic operations decide. Checkers of races can have them compiled as atomic, too.
#ifdef VDT_ATOMIC_READS
#define READ_SHARED(place) atomic_or(place, 0u)
#else
#define READ_SHARED(place) (*(place))
#endif

// A parent only ever becomes a lower index of the same component, so whatever a work-item reads leads to the lowest.
inline uint root_of(volatile __global uint *parent, uint index) {
    for (;;) {
        const uint above = READ_SHARED(parent + index);
        if (above == index) return index;
        const uint beyond = READ_SHARED(parent + above);
        if (beyond == above) return above;
        atomic_min(parent + index, beyond);  // a shorter way for the next one
        index = beyond;
    }
}

inline void unite(volatile __global uint *parent, uint a, uint b) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    while (a != b) {
        const uint low = min(a, b), high = max(a, b);
        const uint above = atomic_cmpxchg(parent + high, high, low);
        if (above == high) return;
        // Another one has joined it to something lower meanwhile.
        a = low;
        b = above;
    }
}

// A work-item: one rectangle, which finds its knot or begins it.
__kernel void enter_knots(const Request s, __constant Level *levels, __global const int4 *restrict rectangles,
                          __global uint *words, __global uint *plain) {
    const uint index = (uint)get_global_id(0);
    if (index >= s.count) return;
    const int4 r = rectangles[index];
    const int level = level_of(r);
    const int4 cube = cube_of(r, levels[level].knot_side);
    uint knot = cell_hash(level, cube.x, cube.y, s.table) + cell_hash(level, cube.z, cube.w, s.table) * 3;
    for (;; ++knot) {
        knot &= s.table - 1;
        const uint occupant = atomic_cmpxchg(OCCUPANT(s, knot), 0u, index + 1);
        if (occupant == 0) break;
        const int4 other = rectangles[occupant - 1];
        if (level_of(other) == level && all(cube_of(other, levels[level].knot_side) == cube)) break;
    }
    *KNOT_OF(s, index) = knot;
    *RANK(s, index) = atomic_inc(MEMBERS(s, knot));
    atomic_max(LEAST(s, knot), ~index);
}

// A work-item: one entry of the table. Knots get places for their rectangles and enter their cells.
__kernel void enter_cells(const Request s, __constant Level *levels, __global const int4 *restrict rectangles,
                          __global uint *words, __global uint *plain) {
    __local uint members_of_group, first;
    const uint knot = (uint)get_global_id(0);
    if (get_local_id(0) == 0) members_of_group = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint occupant = knot < s.table ? *OCCUPANT(s, knot) : 0;
    uint before = 0;
    if (occupant != 0) before = atomic_add(&members_of_group, *MEMBERS(s, knot));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) first = atomic_add(PLACED, members_of_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (occupant == 0) return;
    *START(s, knot) = first + before;
    const int4 r = rectangles[occupant - 1];
    const int level = level_of(r);
    const int2 cell = (r.xy + FURTHEST_COORDINATE) / levels[level].cell_side;
    *NEXT(s, knot) = atomic_xchg(CELL(s, cell_hash(level, cell.y, cell.x, s.table)), knot + 1);
}

// A work-item: one rectangle.
__kernel void place_rectangles(const Request s, __global const int4 *restrict rectangles, __global const uint *words,
                               __global uint *plain, __global int4 *restrict placed) {
    const uint index = (uint)get_global_id(0);
    if (index >= s.count) return;
    const uint knot = *KNOT_OF(s, index);
    const uint at = *START(s, knot) + *RANK(s, index);
    placed[at] = rectangles[index];
    *INDEX(s, at) = index;
    PARENT(s)[index] = ~*LEAST(s, knot);
}

// Joins rectangle `index` with what is similar in the knots of one cell, and of others that share its hash.
inline void join_cell(Request s, __constant Level *levels, __global const uint *words, __global uint *plain,
                      __global const int4 *placed, int4 r, uint index, uint own, int own_level, uint cell) {
    for (uint after = *CELL(s, cell); after != 0; after = *NEXT(s, after - 1)) {
        const uint knot = after - 1;
        const uint start = *START(s, knot);
        const int4 first = placed[start];
        const int level = level_of(first);
        // Of two knots of one level the one of the higher number looks at the other.
        if (level > own_level || (level == own_level && knot >= own)) continue;
        const int side = levels[level].knot_side;
        const int4 cube = cube_of(first, side);
        const int4 low = cube * side - FURTHEST_COORDINATE;
        const int4 gap = max(low - edges_of(r), edges_of(r) - (low + side - 1));
        const int2 largest = (cube.zw - cube.xy + 1) * side - 1;
        const int reach = reach_of(min(r.z, largest.x) + min(r.w, largest.y), s.eps);
        if (any(gap > (int4)(reach))) continue;
        if (root_of(PARENT(s), index) == root_of(PARENT(s), *INDEX(s, start))) continue;
        const uint end = start + *MEMBERS(s, knot);
        for (uint at = start; at < end; ++at)
            if (are_similar(r, placed[at], s.eps)) {
                unite(PARENT(s), index, *INDEX(s, at));
                break;
            }
    }
}

// A work-item: one rectangle, those of a knot side by side, so that neighbours look at the same cells. The work is the
// knots in nine cells a level, mostly a comparison of roots each; what is compared rectangle by rectangle depends on
// the input.
__kernel void join_similar(const Request s, __constant Level *levels, __global const uint *words,
                           __global uint *plain, __global const int4 *restrict placed) {
    const uint at = (uint)get_global_id(0);
    if (at >= s.count) return;
    const int4 r = placed[at];
    const uint index = *INDEX(s, at);
    const uint own = *KNOT_OF(s, index);
    const int own_level = level_of(r);
    for (int level = own_level; level >= max(0, own_level - s.levels_below); --level) {
        if ((s.levels >> level & 1) == 0) continue;
        const int reach = levels[level].reach, side = levels[level].cell_side;
        const int2 first = max(r.xy - reach + FURTHEST_COORDINATE, 0) / side;
        const int2 last = (min(r.xy + reach, FURTHEST_COORDINATE) + FURTHEST_COORDINATE) / side;
        for (int row = first.y; row <= last.y; ++row)
            for (int column = first.x; column <= last.x; ++column)
                join_cell(s, levels, words, plain, placed, r, index, own, own_level,
                          cell_hash(level, row, column, s.table));
    }
}

// Sums of 64 bits in two words: whoever makes the low one overflow carries. `keys` give the scores' order; 0 stands for
// no number, which is never better.
#define DEFINE_ADD(name, space)                                                                              \
    inline void name(volatile space uint *sums, long4 sum, uint joined, uint best, __global const ulong *keys) { \
        const long parts[4] = {sum.x, sum.y, sum.z, sum.w};                                                  \
        for (int k = 0; k < 4; ++k) {                                                                        \
            const uint low = (uint)parts[k];                                                                 \
            const uint before = atomic_add(sums + k, low);                                                   \
            atomic_add(sums + 4 + k, (uint)(parts[k] >> 32) + (before > ~low ? 1u : 0u));                    \
        }                                                                                                    \
        atomic_add(sums + JOINED, joined);                                                                   \
        if (best == 0 || keys[best - 1] == 0) return;                                                        \
        for (uint known = 0;;) {                                                                             \
            const uint found = atomic_cmpxchg(sums + BEST, known, best);                                     \
            if (found == known || keys[found - 1] >= keys[best - 1]) return;                                 \
            known = found;                                                                                   \
        }                                                                                                    \
    }
DEFINE_ADD(add_in_group, __local)
DEFINE_ADD(add_to_all, __global)

// A work-item: one rectangle, added to its component. Those that belong to the first one's component, as most of a
// work-group do, are added up among themselves before.
__kernel void add_up(const Request s, __global const ulong *restrict keys, __global uint *words, __global uint *plain,
                     __global const int4 *restrict placed) {
    __local uint sums[SUM_WORDS];
    __local uint common;
    const uint at = (uint)get_global_id(0), lane = (uint)get_local_id(0);
    uint root = 0;
    if (at < s.count) root = root_of(PARENT(s), *INDEX(s, at));
    if (lane == 0) {
        common = root;
        for (int k = 0; k < SUM_WORDS; ++k) sums[k] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (at < s.count) {
        const long4 sum = convert_long4(placed[at]);
        const uint index = *INDEX(s, at);
        if (root == common)
            add_in_group(sums, sum, 1, index + 1, keys);
        else
            add_to_all(SUMS(s, root), sum, 1, index + 1, keys);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        const ulong4 whole = convert_ulong4((uint4)(sums[4], sums[5], sums[6], sums[7])) << 32 |
                             convert_ulong4((uint4)(sums[0], sums[1], sums[2], sums[3]));
        add_to_all(SUMS(s, common), as_long4(whole), sums[JOINED], sums[BEST], keys);
    }
}
