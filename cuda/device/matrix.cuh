// Eight-bit matrix products on the tensor cores, with int32 sums.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace vedette::cuda {

// Fragments of one warp for D (16 x 8) += A (16 x 32, by rows) * B (32 x 8, by columns); lane = 4 * group + member.
//   a[0]: row group,     bytes 4 * member ... + 3 of columns 0-15     a[2]: the same of columns 16-31
//   a[1]: row group + 8, columns 0-15                                 a[3]: row group + 8, columns 16-31
//   b[0]: column group of B, rows 4 * member ... + 3; b[1]: rows 16 + 4 * member ...
//   d[0], d[1]: row group, columns 2 * member, + 1;  d[2], d[3]: row group + 8
// [PTX ISA, "Matrix Fragments for mma.m16n8k32"]. Compute capability 7.5 has eight rows and sixteen columns a step; the
// larger step is put together from four.
namespace detail {

#if defined(VEDETTE_CUDA_EMULATION)

template <class A, class B>
__device__ inline void multiply_emulated(std::int32_t (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    struct Lane {
        unsigned a[4];
        unsigned b[2];
    };
    Lane mine{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};
    Lane all[32];
    vedette_emulation::warp_exchange(0xffffffffu, &mine, sizeof mine, all);
    const int lane = static_cast<int>(vedette_emulation::lane_id());
    const auto byte = [](unsigned word, int index) { return static_cast<std::uint8_t>(word >> (8 * index)); };
    for (int element = 0; element < 4; ++element) {
        const int row = lane / 4 + (element >= 2 ? 8 : 0);
        const int column = lane % 4 * 2 + element % 2;
        for (int k = 0; k < 32; ++k) {
            const int register_of_a = (row >= 8 ? 1 : 0) + (k >= 16 ? 2 : 0);
            const auto left = static_cast<A>(byte(all[row % 8 * 4 + k % 16 / 4].a[register_of_a], k % 4));
            const auto right = static_cast<B>(byte(all[column * 4 + k % 16 / 4].b[k >= 16 ? 1 : 0], k % 4));
            d[element] += std::int32_t{left} * std::int32_t{right};
        }
    }
}

#endif

}  // namespace detail

#if defined(VEDETTE_CUDA_EMULATION)
#define VEDETTE_CUDA_MULTIPLY(name, A, B, a_type, b_type)                                            \
    __device__ inline void name(std::int32_t(&d)[4], const unsigned(&a)[4], const unsigned(&b)[2]) { \
        detail::multiply_emulated<A, B>(d, a, b);                                                    \
    }
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define VEDETTE_CUDA_MULTIPLY(name, A, B, a_type, b_type)                                                          \
    __device__ __forceinline__ void name(std::int32_t(&d)[4], const unsigned(&a)[4], const unsigned(&b)[2]) {      \
        for (int half = 0; half < 2; ++half)                                                                       \
            for (int row = 0; row < 2; ++row)                                                                      \
                asm("mma.sync.aligned.m8n8k16.row.col.s32." a_type "." b_type ".s32 {%0,%1}, {%2}, {%3}, {%0,%1};" \
                    : "+r"(d[2 * row]), "+r"(d[2 * row + 1])                                                       \
                    : "r"(a[row + 2 * half]), "r"(b[half]));                                                       \
    }
#else
#define VEDETTE_CUDA_MULTIPLY(name, A, B, a_type, b_type)                                                     \
    __device__ __forceinline__ void name(std::int32_t(&d)[4], const unsigned(&a)[4], const unsigned(&b)[2]) { \
        asm("mma.sync.aligned.m16n8k32.row.col.s32." a_type "." b_type                                        \
            ".s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                      \
            : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                  \
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                              \
    }
#endif

VEDETTE_CUDA_MULTIPLY(multiply_u8_s8, std::uint8_t, std::int8_t, "u8", "s8")
VEDETTE_CUDA_MULTIPLY(multiply_u8_u8, std::uint8_t, std::uint8_t, "u8", "u8")
#undef VEDETTE_CUDA_MULTIPLY

// Four 8 x 8 matrices of 16-bit elements (8 rows of 16 bytes each). Lane i gives the shared-memory address, aligned to
// 16, of row i % 8 of matrix i / 8; it gets in `to[m]` bytes 4 * (lane % 4) ... + 3 of row lane / 4 of matrix m. With
// rows of eight-bit values these are just the fragments above. The whole warp takes part.
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], const void* row) {
#if defined(VEDETTE_CUDA_EMULATION)
    const void* rows[32];
    vedette_emulation::warp_exchange(0xffffffffu, &row, sizeof row, rows);
    const unsigned lane = vedette_emulation::lane_id();
    for (unsigned matrix = 0; matrix < 4; ++matrix)
        to[matrix] = static_cast<const unsigned*>(rows[8 * matrix + lane / 4])[lane % 4];
    // The next store to these rows must come after every lane has read.
    vedette_emulation::warp_barrier(0xffffffffu);
#else
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
#endif
}

}  // namespace vedette::cuda
