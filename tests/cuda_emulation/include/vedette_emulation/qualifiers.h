// CUDA's words for functions and variables, as the C++ compiler understands them.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
// libstdc++ writes __attribute__((__noinline__)): an empty word fits there and in front of a function.
#define __noinline__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __restrict__ __restrict
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))

// One block after another runs on an operating system thread, so a variable of that thread serves every block in turn.
// Launches with clusters or whole grids have several blocks alive at once: they may use dynamic shared memory only.
// Unlike dynamic shared memory it is not filled with a pattern when a block starts. An alignment stands in front of
// the word (alignas(16) __shared__ int4 tile[8]) or is written with __align__.
#define __shared__ static thread_local
