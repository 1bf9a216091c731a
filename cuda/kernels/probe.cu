// Micro-benchmarks. A block is as large as can be where rates are measured, and one lane works where latencies are. The
// floors are what is to be found out.
#include "kernels/probe.h"

#include "device/grid.cuh"

namespace vedette::cuda {

namespace {

constexpr unsigned warp = 32;
constexpr unsigned meeting_block = 128;  // as the grid-wide kernels of restore have

__global__ void nothing_kernel() {}

// The comparison is never true, which no compiler knows.
template <class T>
__device__ __forceinline__ void keep(T value, T* sink) {
    if (value == static_cast<T>(0x7ffffff1)) *sink = value;
}

__global__ void operation_chain_kernel(unsigned rounds, float step, float* sink) {
    float sum = 1;
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (unsigned link = 0; link < probe_chain_length; ++link) sum += step;
    }
    keep(sum, sink);
}

__global__ void operations_kernel(unsigned rounds, float step, float* sink) {
    constexpr unsigned sums_of_lane = 4;
    float sums[sums_of_lane];
#pragma unroll
    for (unsigned i = 0; i < sums_of_lane; ++i) sums[i] = static_cast<float>(threadIdx.x + i);
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (unsigned link = 0; link < probe_chain_length; ++link) sums[link % sums_of_lane] += step;
    }
    keep(sums[0] + sums[1] + sums[2] + sums[3], sink);
}

__global__ void global_chain_kernel(const std::uint32_t* places, unsigned steps, std::uint32_t* sink) {
    std::uint32_t place = 0;
    for (unsigned step = 0; step < steps; ++step) place = load_relaxed(places + place);
    keep(place, sink);
}

__global__ void shared_chain_kernel(const std::uint32_t* places, unsigned steps, std::uint32_t* sink) {
    __shared__ std::uint32_t chain[probe_chain_entries];
    for (unsigned i = threadIdx.x; i < probe_chain_entries; i += blockDim.x) chain[i] = places[i];
    __syncthreads();
    if (threadIdx.x != 0) return;
    const volatile std::uint32_t* const read = chain;
    std::uint32_t place = 0;
    for (unsigned step = 0; step < steps; ++step) place = read[place];
    keep(place, sink);
}

// Parameters of kernels lie in constant memory.
__global__ void constant_chain_kernel(const ProbeChain places, unsigned steps, std::uint32_t* sink) {
    std::uint32_t place = 0;
    for (unsigned step = 0; step < steps; ++step) place = places.next[place];
    keep(place, sink);
}

__global__ void shared_reads_kernel(unsigned rounds, float* sink) {
    __shared__ float words[probe_block];
    words[threadIdx.x] = static_cast<float>(threadIdx.x);
    __syncthreads();
    const volatile float* const read = words;
    float sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (unsigned i = 0; i < probe_shared_reads; ++i) sum += read[(threadIdx.x + i * warp) % probe_block];
    }
    keep(sum, sink);
}

__global__ void cache_reads_kernel(const std::uint32_t* from, unsigned words, unsigned rounds, std::uint32_t* sink) {
    std::uint32_t sum = 0;
    const unsigned lanes = gridDim.x * blockDim.x;
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll 4
        for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < words; at += lanes)
            sum += load_relaxed(from + at);
    }
    keep(sum, sink);
}

__global__ void copy_kernel(uint4* to, const uint4* from, std::size_t count) {
    const std::size_t lanes = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; at < count; at += lanes)
        store_streaming(to + at, from[at]);
}

__global__ void atomics_kernel(unsigned rounds, std::uint32_t* counter) {
    if (threadIdx.x % warp != 0) return;
    for (unsigned round = 0; round < rounds; ++round) atomicAdd(counter, 1u);
}

__global__ void meetings_kernel(unsigned rounds, unsigned* state) {
    for (unsigned round = 0; round < rounds; ++round) grid_barrier(state);
}

}  // namespace

void probe_nothing(cudaStream_t stream) {
    launch(nothing_kernel, {dim3(1), dim3(warp)}, stream);
}

void probe_operation_chain(unsigned rounds, float* sink, cudaStream_t stream) {
    launch(operation_chain_kernel, {dim3(1), dim3(1)}, stream, rounds, 1.5F, sink);
}

void probe_operations(unsigned blocks, unsigned rounds, float* sink, cudaStream_t stream) {
    launch(operations_kernel, {dim3(blocks), dim3(probe_block)}, stream, rounds, 1.5F, sink);
}

void probe_global_chain(const std::uint32_t* places, unsigned steps, std::uint32_t* sink, cudaStream_t stream) {
    launch(global_chain_kernel, {dim3(1), dim3(1)}, stream, places, steps, sink);
}

void probe_shared_chain(const std::uint32_t* places, unsigned steps, std::uint32_t* sink, cudaStream_t stream) {
    launch(shared_chain_kernel, {dim3(1), dim3(warp)}, stream, places, steps, sink);
}

void probe_constant_chain(const ProbeChain& places, unsigned steps, std::uint32_t* sink, cudaStream_t stream) {
    launch(constant_chain_kernel, {dim3(1), dim3(1)}, stream, places, steps, sink);
}

void probe_shared_reads_of(unsigned blocks, unsigned rounds, float* sink, cudaStream_t stream) {
    launch(shared_reads_kernel, {dim3(blocks), dim3(probe_block)}, stream, rounds, sink);
}

void probe_cache_reads(unsigned blocks, const std::uint32_t* from, unsigned words, unsigned rounds, std::uint32_t* sink,
                       cudaStream_t stream) {
    launch(cache_reads_kernel, {dim3(blocks), dim3(probe_block)}, stream, from, words, rounds, sink);
}

void probe_copy(unsigned blocks, uint4* to, const uint4* from, std::size_t count, cudaStream_t stream) {
    launch(copy_kernel, {dim3(blocks), dim3(probe_block)}, stream, to, from, count);
}

void probe_atomics(unsigned blocks, unsigned rounds, std::uint32_t* counter, cudaStream_t stream) {
    launch(atomics_kernel, {dim3(blocks), dim3(probe_block)}, stream, rounds, counter);
}

void probe_meetings(unsigned blocks, unsigned rounds, unsigned* state, cudaStream_t stream) {
    LaunchShape shape{dim3(blocks), dim3(meeting_block)};
    shape.cooperative = true;
    launch(meetings_kernel, shape, stream, rounds, state);
}

}  // namespace vedette::cuda
