// __syncthreads and its kin, fences and what else waits.
#pragma once
#include <atomic>

#include "execution.h"

inline void __syncthreads() {
    vedette_emulation::block_barrier();
}
inline int __syncthreads_count(int predicate) {
    return static_cast<int>(vedette_emulation::block_barrier_count(predicate != 0));
}
inline int __syncthreads_and(int predicate) {
    bool all = false;
    vedette_emulation::block_barrier_count(predicate != 0, &all);
    return all ? 1 : 0;
}
inline int __syncthreads_or(int predicate) {
    return vedette_emulation::block_barrier_count(predicate != 0) != 0 ? 1 : 0;
}
inline void __syncwarp(unsigned int mask = 0xffffffffu) {
    vedette_emulation::warp_barrier(mask);
}

// Threads of a launch never run at the same moment; other launches may, on other threads of the host.
inline void __threadfence_block() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void __threadfence() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void __threadfence_system() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

inline void __nanosleep(unsigned int) {
    vedette_emulation::yield();
}
/// As an illegal act of the kernel: the launch ends, and the device answers cudaErrorLaunchFailure from then on.
[[noreturn]] inline void __trap() {
    vedette_emulation::stop_launch(719);
}

// Programmatic dependent launch: a launch starts when the one before it has ended.
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}
