// Which positions of template_find are hits, from the keys of template_find.cl. CLASSES: classes of scores that the
// best hits are cut off by, a power of two.
//
// Every key is read once from memory and, for local maxima, eight times from caches.

typedef struct {
    ulong key;
    uint place;  // y << 16 | x; both are below 65536
    uint pattern;
} Hit;

// Words of `counters`: hits of all patterns; then for each pattern the least class that is kept, and how many hits it
// has.
#define CUT(pattern) (1 + 2 * (pattern))
#define FOUND(pattern) (2 + 2 * (pattern))

// Whether no neighbour is better, or equal and earlier in reading order.
inline bool is_local_maximum(__global const ulong *restrict keys, int columns, int rows, int x, int y, ulong own) {
    for (int v = max(y - 1, 0); v <= min(y + 1, rows - 1); ++v)
        for (int u = max(x - 1, 0); u <= min(x + 1, columns - 1); ++u) {
            const ulong other = keys[(size_t)v * columns + u];
            const bool earlier = v < y || (v == y && u < x);
            if (other > own || (earlier && other == own)) return false;
        }
    return true;
}

// The key of a position, or 0 where it is no hit.
inline ulong hit_at(__global const ulong *restrict keys, int columns, int rows, ulong threshold, uint local_maxima,
                    int x, int y) {
    if (x >= columns || y >= rows) return 0;
    const ulong key = keys[(size_t)y * columns + x];
    if (key < threshold || (local_maxima != 0 && !is_local_maximum(keys, columns, rows, x, y, key))) return 0;
    return key;
}

// Classes are equally wide in the score and rise with it: its magnitude in CLASSES / 2 steps, cut off.
inline uint class_of(ulong key) {
    const bool negative = key >> 63 == 0;
    const ulong bits = (negative ? ~key : key) & 0x7FFFFFFFFFFFFFFFul;
    const uint below_one = 1023 - min((uint)(bits >> 52), 1023u);
    const ulong fraction = (bits & 0xFFFFFFFFFFFFFul) | 0x10000000000000ul;
    // One is 2^52 of the fraction.
    const uint steps = below_one > 52 ? 0 : min((uint)((fraction >> below_one) / (0x10000000000000ul / (CLASSES / 2))),
                                                (uint)(CLASSES / 2 - 1));
    return negative ? CLASSES / 2 - 1 - steps : CLASSES / 2 + steps;
}

// Counts hits by class, in local memory first: most fall into a few classes. Groups go over the rows in turn.
__kernel void count_classes(__global const ulong *restrict keys, const uint columns, const uint rows,
                            const ulong threshold, const uint local_maxima, __global uint *restrict counts) {
    __local uint own[CLASSES];
    const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
    for (uint i = item; i < CLASSES; i += items) own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint y = (uint)get_group_id(0); y < rows; y += (uint)get_num_groups(0))
        for (uint x = item; x < columns; x += items) {
            const ulong key = hit_at(keys, (int)columns, (int)rows, threshold, local_maxima, (int)x, (int)y);
            if (key != 0) atomic_inc(&own[class_of(key)]);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < CLASSES; i += items)
        if (own[i] != 0) atomic_add(&counts[i], own[i]);
}

// Finds the highest class that, with those above it, holds as many as are wanted. One group; item 0 has the highest
// classes. `totals`: a word for each item.
__kernel void cut_classes(__global const uint *restrict counts, const uint wanted, const uint pattern,
                          __global uint *restrict counters, __local uint *restrict totals) {
    const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
    const uint share = (CLASSES + items - 1) / items;
    const uint begin = min(item * share, (uint)CLASSES), end = min(begin + share, (uint)CLASSES);  // from the top
    uint own = 0;
    for (uint i = begin; i < end; ++i) own += counts[CLASSES - 1 - i];
    totals[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint above = 0;
    for (uint i = 0; i < item; ++i) above += totals[i];
    if (above < wanted && above + own >= wanted) {
        uint i = begin;
        for (uint sum = above + counts[CLASSES - 1 - i]; sum < wanted; sum += counts[CLASSES - 1 - i]) ++i;
        counters[CUT(pattern)] = CLASSES - 1 - i;
    }
    if (item == items - 1) counters[FOUND(pattern)] = above + own;
}

// Appends the hits; more than `capacity` are counted, not written. Their order differs from run to run.
__kernel void select_hits(__global const ulong *restrict keys, const uint columns, const uint rows,
                          const ulong threshold, const uint local_maxima, const uint pattern,
                          __global uint *restrict counters, __global Hit *restrict hits, const uint capacity) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    const ulong key = hit_at(keys, (int)columns, (int)rows, threshold, local_maxima, x, y);
    if (key == 0 || class_of(key) < counters[CUT(pattern)]) return;
    const uint place = atomic_inc(&counters[0]);
    if (place >= capacity) return;
    hits[place].key = key;
    hits[place].place = (uint)y << 16 | (uint)x;
    hits[place].pattern = pattern;
}

// Appends the best position of each group, which takes one row in every get_num_groups(0): of equal ones the first in
// reading order. `best`, `places`: a word for each item.
__kernel void select_best(__global const ulong *restrict keys, const uint columns, const uint rows,
                          const ulong threshold, const uint pattern, __global uint *restrict counters,
                          __global Hit *restrict hits, const uint capacity, __local ulong *restrict best,
                          __local uint *restrict places) {
    const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
    ulong own = 0;
    uint own_place = 0;
    for (uint y = (uint)get_group_id(0); y < rows; y += (uint)get_num_groups(0))
        for (uint x = item; x < columns; x += items) {
            const ulong key = keys[(size_t)y * columns + x];
            if (key > own) {
                own = key;
                own_place = y << 16 | x;
            }
        }
    best[item] = own;
    places[item] = own_place;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item != 0) return;
    for (uint i = 1; i < items; ++i)
        if (best[i] > own || (best[i] == own && places[i] < own_place)) {
            own = best[i];
            own_place = places[i];
        }
    if (own == 0 || own < threshold) return;
    const uint place = atomic_inc(&counters[0]);
    if (place >= capacity) return;
    hits[place].key = own;
    hits[place].place = own_place;
    hits[place].pattern = pattern;
}
