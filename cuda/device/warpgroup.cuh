// Eight-bit matrix products of a warpgroup: four warps in a row, the first a multiple of four, that run the same code.
// For compute capability 9.0 alone (sm_90a).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#if defined(VEDETTE_CUDA_EMULATION)
#include "device/matrix.cuh"
#endif

namespace vedette::cuda {

// Waits until `threads` threads of the block have come to the barrier `number`, 1 to 15.
__device__ __forceinline__ void meet_at(unsigned number, unsigned threads) {
#if defined(VEDETTE_CUDA_EMULATION)
    vedette_emulation::named_barrier(number, threads);
#else
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
#endif
}

// B, 32 x 64, in shared memory, 2048 bytes at a multiple of 16: pieces of 8 columns and 16 rows, a column's 16 bytes
// after another's; byte (k, n) lies at n / 8 * 256 + k / 16 * 128 + n % 8 * 16 + k % 16.
class GroupOperand {
public:
    static constexpr int bytes = 2048;
#if defined(VEDETTE_CUDA_EMULATION)
    __device__ explicit GroupOperand(const void* shared) : first_(static_cast<const unsigned char*>(shared)) {}
    __device__ void advance(int operands) {
        first_ += operands * bytes;
    }
    __device__ std::int8_t at(int k, int n) const {
        return static_cast<std::int8_t>(first_[n / 8 * 256 + k / 16 * 128 + n % 8 * 16 + k % 16]);
    }

private:
    const unsigned char* first_;
#else
    // The descriptor [PTX ISA, "Matrix Descriptor Format"], everything in units of 16 bytes: the address, the steps
    // from piece to piece along the rows and along the columns, no swizzle.
    __device__ __forceinline__ explicit GroupOperand(const void* shared)
        : descriptor_(static_cast<std::uint64_t>(__cvta_generic_to_shared(shared)) >> 4 |
                      std::uint64_t{128 / 16} << 16 | std::uint64_t{256 / 16} << 32) {}
    __device__ __forceinline__ void advance(int operands) {
        descriptor_ += static_cast<std::uint64_t>(operands * (bytes / 16));
    }
    __device__ __forceinline__ std::uint64_t descriptor() const {
        return descriptor_;
    }

private:
    std::uint64_t descriptor_;
#endif
};

// Makes what this thread wrote to shared memory visible to products that begin after a barrier.
__device__ __forceinline__ void show_to_products() {
#if !defined(VEDETTE_CUDA_EMULATION)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// Before the first of a group of products: what registers hold is there.
__device__ __forceinline__ void begin_products() {
#if !defined(VEDETTE_CUDA_EMULATION)
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void commit_products() {
#if !defined(VEDETTE_CUDA_EMULATION)
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
// Until at most `pending` of the latest groups are under way.
template <int pending>
__device__ __forceinline__ void wait_products() {
#if !defined(VEDETTE_CUDA_EMULATION)
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
#endif
}

// Keeps the compiler from reading or writing sums on the other side of this, which products do unseen by it.
__device__ __forceinline__ void hold_sums([[maybe_unused]] std::int32_t (&d)[8][4]) {
#if !defined(VEDETTE_CUDA_EMULATION)
#pragma unroll
    for (int o = 0; o < 8; ++o)
#pragma unroll
        for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(d[o][i])::"memory");
#endif
}

// Begins D (64 x 64) += A (64 x 32, unsigned) * B. A warp has 16 rows of A and D, fragments of A as multiply_u8_s8's
// and of D as eight of its. `a` stays as it is until the product has ended.
__device__ __forceinline__ void begin_multiply_u8_s8(std::int32_t (&d)[8][4], const unsigned (&a)[4],
                                                     const GroupOperand& b) {
#if defined(VEDETTE_CUDA_EMULATION)
    const int lane = static_cast<int>(vedette_emulation::lane_id());
    for (int o = 0; o < 8; ++o) {
        unsigned column[2] = {};
        for (int i = 0; i < 8; ++i)
            column[i / 4] |= static_cast<unsigned>(
                                 static_cast<std::uint8_t>(b.at(i / 4 * 16 + lane % 4 * 4 + i % 4, 8 * o + lane / 4)))
                             << (8 * (i % 4));
        multiply_u8_s8(d[o], a, column);
    }
#else
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k32.s32.u8.s8 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
        "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%32,%33,%34,%35}, %36, 1;"
        : "+r"(d[0][0]), "+r"(d[0][1]), "+r"(d[0][2]), "+r"(d[0][3]), "+r"(d[1][0]), "+r"(d[1][1]), "+r"(d[1][2]),
          "+r"(d[1][3]), "+r"(d[2][0]), "+r"(d[2][1]), "+r"(d[2][2]), "+r"(d[2][3]), "+r"(d[3][0]), "+r"(d[3][1]),
          "+r"(d[3][2]), "+r"(d[3][3]), "+r"(d[4][0]), "+r"(d[4][1]), "+r"(d[4][2]), "+r"(d[4][3]), "+r"(d[5][0]),
          "+r"(d[5][1]), "+r"(d[5][2]), "+r"(d[5][3]), "+r"(d[6][0]), "+r"(d[6][1]), "+r"(d[6][2]), "+r"(d[6][3]),
          "+r"(d[7][0]), "+r"(d[7][1]), "+r"(d[7][2]), "+r"(d[7][3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.descriptor()));
#endif
}

}  // namespace vedette::cuda
