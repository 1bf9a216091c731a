// Vectors of floats for the transforms: as many lanes as a register of the instruction set holds. Included by kernel
// sources only. Plain operators on vectors (no intrinsics), so that one text serves every instruction set and gives the
// same values on each: a lane is added, multiplied and divided as a float is, and nothing is fused.
#pragma once

#include <cstdint>

#define VEDETTE_INLINE inline __attribute__((always_inline))

namespace vedette::cpu::VEDETTE_ISA {

namespace {

using U32 = std::uint32_t;

#if VEDETTE_ISA_LEVEL >= 2
constexpr U32 lanes = 16;
#elif VEDETTE_ISA_LEVEL == 1
constexpr U32 lanes = 8;
#else
constexpr U32 lanes = 4;
#endif

typedef float V __attribute__((vector_size(lanes * sizeof(float))));

// Addresses need the alignment of float only.
VEDETTE_INLINE V load(const float* at) {
    V v;
    __builtin_memcpy(&v, at, sizeof v);
    return v;
}
VEDETTE_INLINE void store(float* at, V v) {
    __builtin_memcpy(at, &v, sizeof v);
}

VEDETTE_INLINE V all(float value) {
    return value - V{};
}

// `b` also where `a` is not a number.
VEDETTE_INLINE V larger(V a, V b) {
    return a > b ? a : b;
}

#define VEDETTE_PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

// Lane i of register k becomes lane k of register i.
VEDETTE_INLINE void transpose(V (&r)[lanes]) {
    // Squares of four inside each 128 bits, then the 128-bit parts as squares of their own.
    for (U32 k = 0; k < lanes; k += 4) {
#if VEDETTE_ISA_LEVEL >= 2
        const V a = VEDETTE_PICK(r[k], r[k + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
        const V b = VEDETTE_PICK(r[k], r[k + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
        const V c = VEDETTE_PICK(r[k + 2], r[k + 3], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
        const V d = VEDETTE_PICK(r[k + 2], r[k + 3], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
        r[k] = VEDETTE_PICK(a, c, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        r[k + 1] = VEDETTE_PICK(a, c, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        r[k + 2] = VEDETTE_PICK(b, d, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        r[k + 3] = VEDETTE_PICK(b, d, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
#elif VEDETTE_ISA_LEVEL == 1
        const V a = VEDETTE_PICK(r[k], r[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        const V b = VEDETTE_PICK(r[k], r[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
        const V c = VEDETTE_PICK(r[k + 2], r[k + 3], 0, 8, 1, 9, 4, 12, 5, 13);
        const V d = VEDETTE_PICK(r[k + 2], r[k + 3], 2, 10, 3, 11, 6, 14, 7, 15);
        r[k] = VEDETTE_PICK(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
        r[k + 1] = VEDETTE_PICK(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
        r[k + 2] = VEDETTE_PICK(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
        r[k + 3] = VEDETTE_PICK(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
#else
        const V a = VEDETTE_PICK(r[k], r[k + 1], 0, 4, 1, 5);
        const V b = VEDETTE_PICK(r[k], r[k + 1], 2, 6, 3, 7);
        const V c = VEDETTE_PICK(r[k + 2], r[k + 3], 0, 4, 1, 5);
        const V d = VEDETTE_PICK(r[k + 2], r[k + 3], 2, 6, 3, 7);
        r[k] = VEDETTE_PICK(a, c, 0, 1, 4, 5);
        r[k + 1] = VEDETTE_PICK(a, c, 2, 3, 6, 7);
        r[k + 2] = VEDETTE_PICK(b, d, 0, 1, 4, 5);
        r[k + 3] = VEDETTE_PICK(b, d, 2, 3, 6, 7);
#endif
    }
#if VEDETTE_ISA_LEVEL >= 2
    for (U32 k = 0; k < 4; ++k) {
        const V a = VEDETTE_PICK(r[k], r[k + 4], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        const V b = VEDETTE_PICK(r[k], r[k + 4], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
        const V c = VEDETTE_PICK(r[k + 8], r[k + 12], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        const V d = VEDETTE_PICK(r[k + 8], r[k + 12], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
        r[k] = VEDETTE_PICK(a, c, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        r[k + 4] = VEDETTE_PICK(b, d, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        r[k + 8] = VEDETTE_PICK(a, c, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
        r[k + 12] = VEDETTE_PICK(b, d, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    }
#elif VEDETTE_ISA_LEVEL == 1
    for (U32 k = 0; k < 4; ++k) {
        const V a = VEDETTE_PICK(r[k], r[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        const V b = VEDETTE_PICK(r[k], r[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        r[k] = a;
        r[k + 4] = b;
    }
#endif
}

// Real and imaginary parts of `lanes` complex numbers that lie one after the other, and back.
VEDETTE_INLINE void split(V first, V second, V& re, V& im) {
#if VEDETTE_ISA_LEVEL >= 2
    re = VEDETTE_PICK(first, second, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    im = VEDETTE_PICK(first, second, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#elif VEDETTE_ISA_LEVEL == 1
    const V low = VEDETTE_PICK(first, second, 0, 1, 2, 3, 8, 9, 10, 11);
    const V high = VEDETTE_PICK(first, second, 4, 5, 6, 7, 12, 13, 14, 15);
    re = VEDETTE_PICK(low, high, 0, 2, 8, 10, 4, 6, 12, 14);
    im = VEDETTE_PICK(low, high, 1, 3, 9, 11, 5, 7, 13, 15);
#else
    re = VEDETTE_PICK(first, second, 0, 2, 4, 6);
    im = VEDETTE_PICK(first, second, 1, 3, 5, 7);
#endif
}
VEDETTE_INLINE void join(V re, V im, V& first, V& second) {
#if VEDETTE_ISA_LEVEL >= 2
    first = VEDETTE_PICK(re, im, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    second = VEDETTE_PICK(re, im, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#elif VEDETTE_ISA_LEVEL == 1
    const V low = VEDETTE_PICK(re, im, 0, 8, 1, 9, 4, 12, 5, 13);
    const V high = VEDETTE_PICK(re, im, 2, 10, 3, 11, 6, 14, 7, 15);
    first = VEDETTE_PICK(low, high, 0, 1, 2, 3, 8, 9, 10, 11);
    second = VEDETTE_PICK(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
#else
    first = VEDETTE_PICK(re, im, 0, 4, 1, 5);
    second = VEDETTE_PICK(re, im, 2, 6, 3, 7);
#endif
}

}  // namespace

}  // namespace vedette::cpu::VEDETTE_ISA
