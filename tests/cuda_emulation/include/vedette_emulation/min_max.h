// min and max in the global namespace, with the mixtures of types that CUDA has (a signed and an unsigned argument are
// compared as unsigned).
#pragma once

#define VEDETTE_EMULATED_MIN_MAX(R, A, B)                                                     \
    constexpr R min(A a, B b) {                                                               \
        return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
    }                                                                                         \
    constexpr R max(A a, B b) {                                                               \
        return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
    }
#define VEDETTE_EMULATED_MIN_MAX_SIGNS(S, U) \
    VEDETTE_EMULATED_MIN_MAX(S, S, S)        \
    VEDETTE_EMULATED_MIN_MAX(U, U, U)        \
    VEDETTE_EMULATED_MIN_MAX(U, S, U)        \
    VEDETTE_EMULATED_MIN_MAX(U, U, S)
VEDETTE_EMULATED_MIN_MAX_SIGNS(int, unsigned int)
VEDETTE_EMULATED_MIN_MAX_SIGNS(long, unsigned long)
VEDETTE_EMULATED_MIN_MAX_SIGNS(long long, unsigned long long)
#undef VEDETTE_EMULATED_MIN_MAX_SIGNS
#undef VEDETTE_EMULATED_MIN_MAX

// Of floating-point numbers: the other argument where one is NaN.
inline float min(float a, float b) {
    return __builtin_fminf(a, b);
}
inline float max(float a, float b) {
    return __builtin_fmaxf(a, b);
}
inline double min(double a, double b) {
    return __builtin_fmin(a, b);
}
inline double max(double a, double b) {
    return __builtin_fmax(a, b);
}
inline double min(float a, double b) {
    return __builtin_fmin(static_cast<double>(a), b);
}
inline double max(float a, double b) {
    return __builtin_fmax(static_cast<double>(a), b);
}
inline double min(double a, float b) {
    return __builtin_fmin(a, static_cast<double>(b));
}
inline double max(double a, float b) {
    return __builtin_fmax(a, static_cast<double>(b));
}

inline unsigned int umin(unsigned int a, unsigned int b) {
    return a < b ? a : b;
}
inline unsigned int umax(unsigned int a, unsigned int b) {
    return a > b ? a : b;
}
