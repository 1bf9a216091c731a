// Local maxima of a list of hits. A table of hashes, filled as hits are found or by enter_kernel, tells which hit lies
// at a place; a thread of maxima_kernel owns a hit and looks at its eight neighbours: their slots are read at once,
// then the hits that those name, so that two reads of the caches follow one another, and more only where places
// collide. What a search leaves of a map in which whole areas reach the threshold goes to the host as a few hits
// instead of all.
#include "device/previous.cuh"
#include "kernels/template_offer.cuh"
#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

// Small blocks: few hits are spread over more of the device.
constexpr unsigned threads = 64;

__device__ __forceinline__ unsigned length_of(const CountedHits& list, const HitTable& table) {
    const unsigned count = *list.count;
    return count <= table.most ? count : 0;
}

__global__ void __launch_bounds__(threads) enter_kernel(CountedHits list, HitTable table) {
    const unsigned i = blockIdx.x * threads + threadIdx.x;
    if (i < length_of(list, table)) enter_hit(table, i, list.hits[i].pattern, list.hits[i].place);
}

constexpr int neighbours = 8;

__device__ __forceinline__ bool is_beaten(const Hit* hits, const HitTable& table, const Hit& own) {
    unsigned place[neighbours];
    unsigned slot[neighbours];
    unsigned number[neighbours];  // and one; 0: nothing there
    Hit other[neighbours];
#pragma unroll
    for (int k = 0; k < neighbours; ++k) {
        const int number_in_square = k < 4 ? k : k + 1;
        const int x = static_cast<int>(own.place & 0xffffu) + number_in_square % 3 - 1;
        const int y = static_cast<int>(own.place >> 16) + number_in_square / 3 - 1;
        place[k] = static_cast<unsigned>(y) << 16 | static_cast<unsigned>(x);
        slot[k] = slot_of(table, own.pattern, place[k]);
        number[k] = x < 0 || y < 0 || x > 0xffff || y > 0xffff ? 0 : table.slots[slot[k]];
    }
#pragma unroll
    for (int k = 0; k < neighbours; ++k)
        if (number[k] != 0) other[k] = hits[number[k] - 1];
    bool beaten = false;
#pragma unroll
    for (int k = 0; k < neighbours; ++k) {
        while (number[k] != 0 && (other[k].place != place[k] || other[k].pattern != own.pattern)) {
            slot[k] = (slot[k] + 1) & table.mask;
            number[k] = table.slots[slot[k]];
            if (number[k] != 0) other[k] = hits[number[k] - 1];
        }
        // One of a higher score, or of the same and earlier in reading order.
        if (number[k] != 0)
            beaten = beaten || other[k].score > own.score || (k < neighbours / 2 && other[k].score == own.score);
    }
    return beaten;
}

__global__ void __launch_bounds__(threads)
    maxima_kernel(CountedHits list, HitTable table, Hit* kept, std::uint32_t* kept_count, Cleared cleared) {
    const unsigned i = blockIdx.x * threads + threadIdx.x;
    for (unsigned word = i; word < static_cast<unsigned>(cleared.count); word += gridDim.x * threads)
        cleared.words[word] = 0;
    wait_for_previous();
    bool keep = i < length_of(list, table);
    Hit own{};
    if (keep) {
        own = list.hits[i];
        keep = !is_beaten(list.hits, table, own);
    }
    const unsigned place = warp_append(kept_count, keep);
    if (keep) kept[place] = own;
}

LaunchShape a_thread_each(const HitTable& table) {
    LaunchShape shape;
    shape.block = dim3(threads);
    shape.grid = dim3(blocks_for(table.most, threads));
    return shape;
}

}  // namespace

void enter_hits(const CountedHits& hits, const HitTable& table, cudaStream_t stream) {
    launch(enter_kernel, a_thread_each(table), stream, hits, table);
}

void keep_local_maxima(const CountedHits& hits, const HitTable& table, Hit* kept, std::uint32_t* kept_count,
                       const Cleared& cleared, const DeviceLimits& limits, cudaStream_t stream) {
    LaunchShape shape = a_thread_each(table);
    shape.early = limits.early_launch;
    launch(maxima_kernel, shape, stream, hits, table, kept, kept_count, cleared);
}

}  // namespace vedette::cuda
