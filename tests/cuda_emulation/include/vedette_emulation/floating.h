// Floating-point built-ins. Those that CUDA defines as rounded (_rn and so on) give the same values here. Its fast
// approximations (__expf, __sinf, __fdividef, rsqrtf ...) are rounded results here and differ from a GPU's by its
// stated error. nvcc fuses a * b + c by default; here nothing is fused (-ffp-contract=off): a kernel that must give the
// same values says __fmaf_rn, or __fmul_rn and __fadd_rn.
#pragma once
#include <math.h>
#include <time.h>
#include <cfenv>

namespace vedette_emulation {
/// operation() in the rounding direction of <cfenv>. The operands go through volatile variables, because the compiler
/// takes the direction as fixed.
template <typename Operation>
auto rounded(int direction, Operation operation) {
    const int before = std::fegetround();
    std::fesetround(direction);
    volatile auto result = operation();
    std::fesetround(before);
    return static_cast<decltype(operation())>(result);
}
}  // namespace vedette_emulation

// The basic operations for one type T in one direction; pre is f for float and d for double.
#define VEDETTE_EMULATED_ROUNDED(T, suffix, direction, add, sub, mul, div, rcp, sqr, fma_name, root, fused) \
    inline T add##suffix(T a, T b) {                                                                        \
        volatile T x = a, y = b;                                                                            \
        return vedette_emulation::rounded(direction, [&]() -> T { return x + y; });                         \
    }                                                                                                       \
    inline T sub##suffix(T a, T b) {                                                                        \
        volatile T x = a, y = b;                                                                            \
        return vedette_emulation::rounded(direction, [&]() -> T { return x - y; });                         \
    }                                                                                                       \
    inline T mul##suffix(T a, T b) {                                                                        \
        volatile T x = a, y = b;                                                                            \
        return vedette_emulation::rounded(direction, [&]() -> T { return x * y; });                         \
    }                                                                                                       \
    inline T div##suffix(T a, T b) {                                                                        \
        volatile T x = a, y = b;                                                                            \
        return vedette_emulation::rounded(direction, [&]() -> T { return x / y; });                         \
    }                                                                                                       \
    inline T rcp##suffix(T a) {                                                                             \
        return div##suffix(T{1}, a);                                                                        \
    }                                                                                                       \
    inline T sqr##suffix(T a) {                                                                             \
        volatile T x = a;                                                                                   \
        return vedette_emulation::rounded(direction, [&]() -> T { return root(x); });                       \
    }                                                                                                       \
    inline T fma_name##suffix(T a, T b, T c) {                                                              \
        volatile T x = a, y = b, z = c;                                                                     \
        return vedette_emulation::rounded(direction, [&]() -> T { return fused(x, y, z); });                \
    }
#define VEDETTE_EMULATED_DIRECTION(suffix, direction)                                                                  \
    VEDETTE_EMULATED_ROUNDED(float, suffix, direction, __fadd, __fsub, __fmul, __fdiv, __frcp, __fsqrt, __fmaf, sqrtf, \
                             fmaf)                                                                                     \
    VEDETTE_EMULATED_ROUNDED(double, suffix, direction, __dadd, __dsub, __dmul, __ddiv, __drcp, __dsqrt, __fma, sqrt,  \
                             fma)
VEDETTE_EMULATED_DIRECTION(_rz, FE_TOWARDZERO)
VEDETTE_EMULATED_DIRECTION(_ru, FE_UPWARD)
VEDETTE_EMULATED_DIRECTION(_rd, FE_DOWNWARD)
#undef VEDETTE_EMULATED_DIRECTION
#undef VEDETTE_EMULATED_ROUNDED

inline float __fadd_rn(float a, float b) {
    return a + b;
}
inline float __fsub_rn(float a, float b) {
    return a - b;
}
inline float __fmul_rn(float a, float b) {
    return a * b;
}
inline float __fdiv_rn(float a, float b) {
    return a / b;
}
inline float __frcp_rn(float a) {
    return 1.0f / a;
}
inline float __fsqrt_rn(float a) {
    return sqrtf(a);
}
inline float __frsqrt_rn(float a) {
    return static_cast<float>(1.0 / sqrt(static_cast<double>(a)));
}
inline float __fmaf_rn(float a, float b, float c) {
    return fmaf(a, b, c);
}
inline double __dadd_rn(double a, double b) {
    return a + b;
}
inline double __dsub_rn(double a, double b) {
    return a - b;
}
inline double __dmul_rn(double a, double b) {
    return a * b;
}
inline double __ddiv_rn(double a, double b) {
    return a / b;
}
inline double __drcp_rn(double a) {
    return 1.0 / a;
}
inline double __dsqrt_rn(double a) {
    return sqrt(a);
}
inline double __fma_rn(double a, double b, double c) {
    return fma(a, b, c);
}

inline float __fdividef(float a, float b) {
    return a / b;
}
inline float __expf(float x) {
    return expf(x);
}
inline float __exp10f(float x) {
    return exp10f(x);
}
inline float __logf(float x) {
    return logf(x);
}
inline float __log2f(float x) {
    return log2f(x);
}
inline float __log10f(float x) {
    return log10f(x);
}
inline float __powf(float x, float y) {
    return powf(x, y);
}
inline float __sinf(float x) {
    return sinf(x);
}
inline float __cosf(float x) {
    return cosf(x);
}
inline float __tanf(float x) {
    return tanf(x);
}
inline void __sincosf(float x, float* sine, float* cosine) {
    sincosf(x, sine, cosine);
}
inline float __tanhf(float x) {
    return tanhf(x);
}
/// x clamped to 0..1; 0 for NaN.
inline float __saturatef(float x) {
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

// Names that CUDA adds to <math.h>; those of C23 have come into newer C libraries.
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 41)
inline double rsqrt(double x) {
    return 1.0 / sqrt(x);
}
inline float rsqrtf(float x) {
    return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
}
namespace vedette_emulation {
/// x - 2 * round(x / 2), exact: sin(pi x) and cos(pi x) have the period 2.
inline double reduced_half_turns(double x) {
    return remainder(x, 2.0);
}
}  // namespace vedette_emulation
inline double sinpi(double x) {
    return sin(3.14159265358979323846 * vedette_emulation::reduced_half_turns(x));
}
inline double cospi(double x) {
    return cos(3.14159265358979323846 * vedette_emulation::reduced_half_turns(x));
}
inline float sinpif(float x) {
    return static_cast<float>(sinpi(static_cast<double>(x)));
}
inline float cospif(float x) {
    return static_cast<float>(cospi(static_cast<double>(x)));
}
#endif
inline float rsqrt(float x) {
    return rsqrtf(x);
}
inline void sincospi(double x, double* sine, double* cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}
inline void sincospif(float x, float* sine, float* cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}

/// Nanoseconds of a steady clock: something that grows, as clock64 does.
inline long long clock64() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<long long>(now.tv_sec) * 1000000000 + now.tv_nsec;
}
