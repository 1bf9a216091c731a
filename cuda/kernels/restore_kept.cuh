// Where threads of the restoration loop (restore_loop.cuh) keep what they need again.
#pragma once

#include "kernels/fft_numbers.cuh"
#include "kernels/restore.h"

namespace vedette::cuda {

// Numbers that a thread keeps.
enum class Place { registers, shared, global };

template <int values, Place place>
struct Kept {
    Number* first;  // the thread's
    int stride;
    __device__ __forceinline__ Kept(Number* at, int step) : first(at), stride(step) {}
    __device__ __forceinline__ Number operator[](int v) const { return first[v * stride]; }
    __device__ __forceinline__ void set(int v, Number value) { first[v * stride] = value; }
};
template <int values>
struct Kept<values, Place::registers> {
    Number number[values];
    __device__ __forceinline__ Kept(Number*, int) {}
    __device__ __forceinline__ Number operator[](int v) const { return number[v]; }
    __device__ __forceinline__ void set(int v, Number value) { number[v] = value; }
};

// How many arrays of numbers a team keeps where; the rest lies in global memory. `blocks_at_once`: of one
// multiprocessor, which bounds the registers of a thread.
template <int registers, int shared, int blocks>
struct RestoreRoom {
    static constexpr int in_registers = registers, in_shared = shared, blocks_at_once = blocks;
};

__host__ __device__ constexpr int kept_arrays(RestoreMethod method) {
    return method == RestoreMethod::mia_blind ? 6 : 3;
}

}  // namespace vedette::cuda
