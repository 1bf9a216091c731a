// How kernels run. Every CUDA thread is a fiber of the operating system's thread that runs the launch; it runs until it
// waits (barrier, exchange between lanes, yield) or returns, then the next one goes on. Blocks run one after another in
// the order of blockIdx, x fastest; the blocks of a cluster, and all blocks of a cooperative launch, are alive
// together. The order of the threads is chosen by VEDETTE_CUDA_EMULATION_ORDER=forward (default), reverse or
// random:SEED, so that a missing barrier shows. A launch in which no thread can go on ends the process with a sentence
// that says why.
//
// The functions below are the primitives from which device built-ins, and the twins of inline PTX, are made. They may
// be called from kernels only.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "../vector_types.h"

// Of the thread that runs on this operating system thread; every switch between threads changes them. Not to be
// written.
#define VEDETTE_EMULATED_VARIABLE extern constinit thread_local __attribute__((tls_model("initial-exec")))
VEDETTE_EMULATED_VARIABLE uint3 threadIdx;
VEDETTE_EMULATED_VARIABLE uint3 blockIdx;
VEDETTE_EMULATED_VARIABLE dim3 blockDim;
VEDETTE_EMULATED_VARIABLE dim3 gridDim;

namespace vedette_emulation {

VEDETTE_EMULATED_VARIABLE unsigned int current_lane;
#undef VEDETTE_EMULATED_VARIABLE

/// The current block's dynamic shared memory, aligned to 1024 bytes, filled with 0xCD when the block starts. Never
/// null; an access outside the bytes of the launch is caught (AddressSanitizer, else a pattern checked at the block's
/// end).
void* dynamic_shared();
/// Bytes of it.
size_t dynamic_shared_bytes();
/// The dynamic shared memory of the block `rank` of this cluster (of the block itself in a launch without clusters).
void* cluster_shared(unsigned int rank);
/// The address in block `rank` that corresponds to `own`, an address in this block's dynamic shared memory (as mapa).
void* cluster_map(const void* own, unsigned int rank);
unsigned int cluster_rank();  // of this block, x fastest
unsigned int cluster_size();  // blocks of a cluster, 1 without clusters
dim3 cluster_dimension();     // in blocks
uint3 cluster_block_index();  // of this block in its cluster

/// All threads of the block meet; a thread that has returned counts as arrived, as on hardware.
void block_barrier();
/// As block_barrier(); returns how many of the threads that met gave a true predicate, and sets whether all did.
unsigned int block_barrier_count(bool predicate, bool* all = nullptr);
/// The named barrier `id` (1..15) for `threads` threads of the block, a multiple of 32 (bar.sync id, threads).
void named_barrier(unsigned int id, unsigned int threads);
/// Arrives at a named barrier without waiting (bar.arrive id, threads).
void named_barrier_arrive(unsigned int id, unsigned int threads);
/// All threads of the cluster meet; also in its two halves (barrier.cluster.arrive, barrier.cluster.wait).
void cluster_barrier();
void cluster_arrive();
void cluster_wait();
/// All threads of a cooperative launch meet; in an ordinary launch the process ends with a sentence.
void grid_barrier();

/// The lanes named in `mask` meet; lanes that have returned are left out. The caller must be named.
void warp_barrier(uint32_t mask);
/// The lanes named in `mask` each give `bytes` (at most 64) bytes and get those of all: 32 slots of `bytes` bytes, zero
/// where a lane is not named, 0xCD where a named lane has returned. All lanes must give the same mask and size.
void warp_exchange(uint32_t mask, const void* in, size_t bytes, void* all_lanes_out);

/// Lets other threads run. A loop that waits for another thread's write calls it (or __nanosleep) in every turn.
void yield();
/// Ends the launch with an error that stays with the device (as a trap does). Does not return.
[[noreturn]] void stop_launch(int error);
inline unsigned int lane_id() {
    return current_lane;
}
unsigned int warp_id();
/// The lanes of this warp that have not returned.
uint32_t live_lanes();

/// Lanes that meet in one operation: each brings `in` and takes `out`; null for lanes outside `mask`.
struct WarpGroup {
    uint32_t mask;  // the lanes that take part
    const void* in[32];
    void* out[32];
};
/// The lanes named in `mask` meet; the last one to come calls `complete` once for all of them. All must bring the same
/// function and `tag`, else the process ends with a sentence.
void warp_collective(uint32_t mask, const void* in, void* out, void (*complete)(WarpGroup& group), size_t tag = 0);

}  // namespace vedette_emulation

/// The current block's dynamic shared memory.
inline void* vedette_emulated_dynamic_shared() {
    return vedette_emulation::dynamic_shared();
}

inline constexpr int warpSize = 32;
