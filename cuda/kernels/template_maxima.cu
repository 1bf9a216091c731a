// Local maxima of a list of hits. A table of hashes tells which hit lies at a place: insert_kernel enters every hit, a
// thread a hit; maxima_kernel looks at the eight neighbours of each. A few reads of the caches a hit and neighbour;
// what a search leaves of a map in which whole areas reach the threshold goes to the host as a few hits instead of all.
#include "device/warp.cuh"
#include "kernels/template_hits.h"
#include "runtime/error.h"
#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

constexpr unsigned threads = 256;

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
    const unsigned i = blockIdx.x * threads + threadIdx.x;
    if (i == 0) *kept_count = 0;
    if (i >= length_of(list)) return;
    unsigned slot = slot_of(list.hits[i].pattern, list.hits[i].place, table.mask);
    while (atomicCAS(table.slots + slot, 0u, i + 1) != 0) slot = (slot + 1) & table.mask;
}

// Whether a neighbour beats a hit: one of a higher score, or of the same and earlier in reading order.
__device__ __forceinline__ bool is_beaten(const Hit* hits, const HitTable& table, const Hit& own, int dx, int dy) {
    const int x = static_cast<int>(own.place & 0xffffu) + dx;
    const int y = static_cast<int>(own.place >> 16) + dy;
    if (x < 0 || y < 0 || x > 0xffff || y > 0xffff) return false;
    const unsigned place = static_cast<unsigned>(y) << 16 | static_cast<unsigned>(x);
    for (unsigned slot = slot_of(own.pattern, place, table.mask);; slot = (slot + 1) & table.mask) {
        const unsigned number = table.slots[slot];
        if (number == 0) return false;
        const Hit& other = hits[number - 1];
        if (other.place != place || other.pattern != own.pattern) continue;
        return other.score > own.score || (other.score == own.score && (dy < 0 || (dy == 0 && dx < 0)));
    }
}

__global__ void __launch_bounds__(threads)
    maxima_kernel(CountedHits list, HitTable table, Hit* kept, std::uint32_t* kept_count) {
    const unsigned i = blockIdx.x * threads + threadIdx.x;
    bool keep = i < length_of(list);
    Hit own{};
    if (keep) {
        own = list.hits[i];
        for (int k = 0; k < 9 && keep; ++k)
            if (k != 4) keep = !is_beaten(list.hits, table, own, k % 3 - 1, k / 3 - 1);
    }
    const unsigned place = warp_append(kept_count, keep);
    if (keep) kept[place] = own;
}

}  // namespace

void keep_local_maxima(const CountedHits& hits, const HitTable& table, Hit* kept, std::uint32_t* kept_count,
                       cudaStream_t stream) {
    check(cudaMemsetAsync(table.slots, 0, sizeof(std::uint32_t) * (std::size_t{table.mask} + 1), stream),
          "clearing the table of matches");
    LaunchShape shape;
    shape.block = dim3(threads);
    shape.grid = dim3(blocks_for(hits.most, threads));
    launch(insert_kernel, shape, stream, hits, table, kept_count);
    launch(maxima_kernel, shape, stream, hits, table, kept, kept_count);
}

}  // namespace vedette::cuda
