// Kernels of known length whose times give the parameters of a device. Each only queues on `stream`. What they compute
// is of no use; it goes to `sink`, a word of device memory, so that no compiler leaves it out.
#pragma once

#include "runtime/launch.h"

#include <cstdint>

namespace vedette::cuda {

// A chain of places for one dependent reference after another: entry i names the entry after it.
inline constexpr unsigned probe_chain_entries = 1024;
struct ProbeChain {
    std::uint16_t next[probe_chain_entries];
};

// A kernel of one warp that does nothing.
void probe_nothing(cudaStream_t stream);

// One lane: `rounds` times 32 additions of floats, each of which needs the one before.
inline constexpr unsigned probe_chain_length = 32;
void probe_operation_chain(unsigned rounds, float* sink, cudaStream_t stream);

// `blocks` of 1024 lanes: `rounds` times 32 additions of floats in each lane, four of them independent.
inline constexpr unsigned probe_block = 1024;
void probe_operations(unsigned blocks, unsigned rounds, float* sink, cudaStream_t stream);

// One lane follows `steps` places, in global memory, shared memory (both: where `places` points to in device memory;
// probe_chain_entries of them for shared memory), and constant memory.
void probe_global_chain(const std::uint32_t* places, unsigned steps, std::uint32_t* sink, cudaStream_t stream);
void probe_shared_chain(const std::uint32_t* places, unsigned steps, std::uint32_t* sink, cudaStream_t stream);
void probe_constant_chain(const ProbeChain& places, unsigned steps, std::uint32_t* sink, cudaStream_t stream);

// `blocks` of 1024 lanes: `rounds` times 8 words that each lane reads from shared memory, without conflicts of banks.
inline constexpr unsigned probe_shared_reads = 8;
void probe_shared_reads_of(unsigned blocks, unsigned rounds, float* sink, cudaStream_t stream);

// Reads `words` words of `from` `rounds` times, past the first caches.
void probe_cache_reads(unsigned blocks, const std::uint32_t* from, unsigned words, unsigned rounds, std::uint32_t* sink,
                       cudaStream_t stream);

// Copies `count` times 16 bytes.
void probe_copy(unsigned blocks, uint4* to, const uint4* from, std::size_t count, cudaStream_t stream);

// `blocks` of 32 warps, one lane of each: `rounds` atomic additions to one word.
void probe_atomics(unsigned blocks, unsigned rounds, std::uint32_t* counter, cudaStream_t stream);

// `blocks` that all fit on the device at once meet `rounds` times. `state`: a word that was zero once (grid.cuh).
void probe_meetings(unsigned blocks, unsigned rounds, unsigned* state, cudaStream_t stream);

}  // namespace vedette::cuda
