// Keypoints in order of strength, by a bitonic sort [Batcher 1968] of records that hold what mostly decides.
//
// PIECE: records that a group of PIECE / 2 work-items sorts in local memory.
#include "features.cl"

#define NONE 0xffffffffu

// Response, turned round, then y, x, and which keypoint: floats that are not negative have the order of their bits.
inline uint4 record_of(const Keypoint key, uint index) {
    return (uint4)(~as_uint(key.response), as_uint(key.y), as_uint(key.x), index);
}

inline bool goes_before(const uint4 a, const uint4 b, __global const Keypoint *keypoints) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    if (a.z != b.z) return a.z < b.z;
    if (a.w == NONE || b.w == NONE || a.w == b.w) return a.w < b.w;
    const Keypoint first = keypoints[a.w], second = keypoints[b.w];
    if (first.size != second.size) return first.size > second.size;
    if (first.angle != second.angle) return first.angle < second.angle;
    return first.octave < second.octave;
}

// Record `i` of the pairs that lie `distance` apart.
inline uint lower_of(uint i, uint distance) {
    return 2 * i - (i & (distance - 1));
}

// Runs of `from` records become runs of `to`, as far as distances lie inside a piece. With `make` the records are made
// from the keypoints first.
__kernel void sort_pieces(__global const Keypoint *restrict keypoints, __global uint4 *restrict order, const uint found,
                          const uint from, const uint to, const uint make) {
    __local uint4 records[PIECE];
    const uint item = (uint)get_local_id(0), base = (uint)get_group_id(0) * PIECE;
    for (uint i = item; i < PIECE; i += PIECE / 2) {
        const uint index = base + i;
        if (make == 0)
            records[i] = order[index];
        else
            records[i] = index < found ? record_of(keypoints[index], index) : (uint4)(NONE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint run = 2 * from; run <= to; run *= 2)
        for (uint distance = min(run, (uint)PIECE) / 2; distance > 0; distance /= 2) {
            const uint low = lower_of(item, distance), high = low + distance;
            const bool ascending = ((base + low) & run) == 0;
            const uint4 a = records[low], b = records[high];
            if (goes_before(b, a, keypoints) == ascending) {
                records[low] = b;
                records[high] = a;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    for (uint i = item; i < PIECE; i += PIECE / 2) order[base + i] = records[i];
}

// One step over a distance of a piece or more: `pairs` pairs.
__kernel void sort_far(__global const Keypoint *restrict keypoints, __global uint4 *restrict order, const uint pairs,
                       const uint run, const uint distance) {
    const uint item = (uint)get_global_id(0);
    if (item >= pairs) return;
    const uint low = lower_of(item, distance), high = low + distance;
    const bool ascending = (low & run) == 0;
    const uint4 a = order[low], b = order[high];
    if (goes_before(b, a, keypoints) == ascending) {
        order[low] = b;
        order[high] = a;
    }
}

// Where each keypoint comes in that order.
__kernel void rank(__global const uint4 *restrict order, const uint found, __global uint *restrict rank_of) {
    const uint place = (uint)get_global_id(0);
    if (place < found) rank_of[order[place].w] = place;
}
