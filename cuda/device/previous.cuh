// Kernels that begin before the one before them on their stream has ended (LaunchShape::early): what they do until
// they need its results overlaps with its last blocks. Without that, and below compute capability 9.0, both calls do
// nothing, since streams keep order by themselves.
#pragma once

#include <cuda_runtime.h>

namespace vedette::cuda {

// From now on this block does not mind if the next kernel begins. It does when every block of this grid has said so or
// ended, and where there is room beside them.
__device__ __forceinline__ void let_next_begin() {
#if !defined(VEDETTE_CUDA_EMULATION) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits until the grid before this one has ended; what it wrote is then seen. Every kernel that is launched early calls
// it in each thread before it reads or writes anything that an earlier kernel writes or reads.
__device__ __forceinline__ void wait_for_previous() {
#if !defined(VEDETTE_CUDA_EMULATION) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace vedette::cuda
