// Loads and stores with a stated order or caching, which the language has no words for.
#pragma once

#include <cuda_runtime.h>

namespace vedette::cuda {

// Relaxed at device scope: sees what other blocks wrote, orders nothing. For words that are flag and value in one.
__device__ __forceinline__ unsigned load_relaxed(const unsigned* address) {
#if defined(VEDETTE_CUDA_EMULATION)
    return *const_cast<const volatile unsigned*>(address);
#else
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
#endif
}

__device__ __forceinline__ unsigned long long load_relaxed(const unsigned long long* address) {
#if defined(VEDETTE_CUDA_EMULATION)
    return *const_cast<const volatile unsigned long long*>(address);
#else
    unsigned long long value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    return value;
#endif
}

__device__ __forceinline__ void store_relaxed(unsigned* address, unsigned value) {
#if defined(VEDETTE_CUDA_EMULATION)
    *const_cast<volatile unsigned*>(address) = value;
#else
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
#endif
}

__device__ __forceinline__ void store_relaxed(unsigned long long* address, unsigned long long value) {
#if defined(VEDETTE_CUDA_EMULATION)
    *const_cast<volatile unsigned long long*>(address) = value;
#else
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
#endif
}

// Into pinned host memory, for the host to wait for: what this thread wrote before, and the threads of its block before
// the last barrier, is there by then.
__device__ __forceinline__ void store_for_host(unsigned* address, unsigned value) {
    __threadfence_system();
#if defined(VEDETTE_CUDA_EMULATION)
    *const_cast<volatile unsigned*>(address) = value;
#else
    asm volatile("st.relaxed.sys.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
#endif
}

// A store whose line leaves the caches first: for results that this kernel does not read again.
template <class T>
__device__ __forceinline__ void store_streaming(T* address, const T& value) {
#if defined(VEDETTE_CUDA_EMULATION)
    *address = value;
#else
    __stcs(address, value);
#endif
}

// Copies 16 bytes from global to shared memory past the registers, in the background; both sides aligned to 16. With
// `take` false the 16 bytes become zeros and `global` is not read. Below compute capability 8.0 an ordinary copy.
__device__ __forceinline__ void copy_16_async(void* shared, const void* global, bool take = true) {
#if defined(VEDETTE_CUDA_EMULATION) || __CUDA_ARCH__ < 800
    *static_cast<uint4*>(shared) = take ? *static_cast<const uint4*>(global) : uint4{0, 0, 0, 0};
#else
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const int bytes = take ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(global), "r"(bytes) : "memory");
#endif
}

// Closes the group of copies begun since the last call.
__device__ __forceinline__ void commit_copies() {
#if !defined(VEDETTE_CUDA_EMULATION) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most `pending` of this thread's latest groups are under way. Other threads' copies need a barrier.
template <int pending>
__device__ __forceinline__ void wait_copies() {
#if !defined(VEDETTE_CUDA_EMULATION) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#endif
}

}  // namespace vedette::cuda
