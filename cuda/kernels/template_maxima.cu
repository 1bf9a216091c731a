// Local maxima of a list of hits. A table of hashes tells which hit lies at a place: insert_kernel enters every hit, a
// thread a hit; maxima_kernel looks at the eight neighbours of each. A few reads of the caches a hit and neighbour;
// what a search leaves of a map in which whole areas reach the threshold goes to the host as a few hits instead of all.
#include "device/previous.cuh"
#include "device/warp.cuh"
#include "kernels/template_hits.h"
#include "runtime/error.h"
#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

// Small blocks: few hits are spread over more of the device.
constexpr unsigned threads = 64;

__device__ __forceinline__ unsigned slot_of(unsigned pattern, unsigned place, unsigned mask) {
    // Multiplicative hashing: neighbours in a row, and rows, go far apart.
    unsigned hash = (place ^ pattern * 0x9e3779b9u) * 0x85ebca6bu;
    hash ^= hash >> 15;
    return hash * 0xc2b2ae35u & mask;
}

__device__ __forceinline__ unsigned length_of(const CountedHits& list) {
    const unsigned count = *list.count;
    return count <= list.most ? count : 0;
}

// Slots hold the number of a hit and one, or 0.
__global__ void __launch_bounds__(threads) insert_kernel(CountedHits list, HitTable table, std::uint32_t* kept_count) {
    let_next_begin();
    const unsigned i = blockIdx.x * threads + threadIdx.x;
    if (i == 0) *kept_count = 0;
    if (i >= length_of(list)) return;
    unsigned slot = slot_of(list.hits[i].pattern, list.hits[i].place, table.mask);
    while (atomicCAS(table.slots + slot, 0u, i + 1) != 0) slot = (slot + 1) & table.mask;
}

// Whether a neighbour beats a hit: one of a higher score, or of the same and earlier in reading order.
__device__ __forceinline__ bool beats(const Hit& other, const Hit& own, int dx, int dy) {
    return other.score > own.score || (other.score == own.score && (dy < 0 || (dy == 0 && dx < 0)));
}

// The neighbours of a hit, from their first slots on. All eight slots are on their way together, then the hits that
// they name: one after the other, each would wait for two reads.
__device__ __forceinline__ bool is_beaten(const Hit* hits, const HitTable& table, const Hit& own) {
    constexpr int neighbours = 8;
    unsigned slot[neighbours];
    unsigned place[neighbours];
    unsigned number[neighbours];
#pragma unroll
    for (int k = 0; k < neighbours; ++k) {
        const int step = k < 4 ? k : k + 1;
        const int x = static_cast<int>(own.place & 0xffffu) + step % 3 - 1;
        const int y = static_cast<int>(own.place >> 16) + step / 3 - 1;
        const bool exists = x >= 0 && y >= 0 && x <= 0xffff && y <= 0xffff;
        place[k] = static_cast<unsigned>(y) << 16 | static_cast<unsigned>(x & 0xffff);
        slot[k] = slot_of(own.pattern, place[k], table.mask);
        number[k] = exists ? table.slots[slot[k]] : 0;
    }
    Hit other[neighbours];
#pragma unroll
    for (int k = 0; k < neighbours; ++k) other[k] = number[k] != 0 ? hits[number[k] - 1] : Hit{};
    bool beaten = false;
#pragma unroll
    for (int k = 0; k < neighbours; ++k) {
        if (number[k] == 0) continue;
        const int step = k < 4 ? k : k + 1;
        // Seldom: another hit has taken the slot.
        while (other[k].place != place[k] || other[k].pattern != own.pattern) {
            slot[k] = (slot[k] + 1) & table.mask;
            number[k] = table.slots[slot[k]];
            if (number[k] == 0) break;
            other[k] = hits[number[k] - 1];
        }
        beaten = beaten || (number[k] != 0 && beats(other[k], own, step % 3 - 1, step / 3 - 1));
    }
    return beaten;
}

__global__ void __launch_bounds__(threads)
    maxima_kernel(CountedHits list, HitTable table, KeptHits kept, CopiedWords copied) {
    wait_for_previous();
    if (blockIdx.x == 0)
        for (int word = static_cast<int>(threadIdx.x); word < copied.count; word += static_cast<int>(threads))
            copied.to[word] = copied.from[word];
    const unsigned i = blockIdx.x * threads + threadIdx.x;
    bool keep = i < length_of(list);
    Hit own{};
    if (keep) {
        own = list.hits[i];
        keep = !is_beaten(list.hits, table, own);
    }
    const unsigned place = warp_append(kept.count, keep);
    if (keep) kept.hits[place] = own;
}

}  // namespace

void keep_local_maxima(const CountedHits& hits, const HitTable& table, const KeptHits& kept, const CopiedWords& copied,
                       const DeviceLimits& limits, cudaStream_t stream) {
    check(cudaMemsetAsync(table.slots, 0, sizeof(std::uint32_t) * (std::size_t{table.mask} + 1), stream),
          "clearing the table of matches");
    LaunchShape shape;
    shape.block = dim3(threads);
    shape.grid = dim3(blocks_for(hits.most, threads));
    launch(insert_kernel, shape, stream, hits, table, kept.count);
    shape.early = limits.early_launch;
    launch(maxima_kernel, shape, stream, hits, table, kept, copied);
}

}  // namespace vedette::cuda
