// A vector of floats of the instruction set this file is compiled for. Everything here is local to its translation
// unit: an inline function with a name of its own could be merged by the linker with the copy of another instruction
// set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace {

#if defined(__AVX2__)
#define VEDETTE_VECTOR_BYTES 32
#else
#define VEDETTE_VECTOR_BYTES 16
#endif

typedef float Vector __attribute__((vector_size(VEDETTE_VECTOR_BYTES)));
typedef std::int32_t Integers __attribute__((vector_size(VEDETTE_VECTOR_BYTES)));
constexpr std::size_t lanes = VEDETTE_VECTOR_BYTES / sizeof(float);

#define VEDETTE_INLINE static inline __attribute__((always_inline))

VEDETTE_INLINE Vector load(const float* from) {
    Vector v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
VEDETTE_INLINE void store(float* to, const Vector& v) {
    __builtin_memcpy(to, &v, sizeof v);
}
VEDETTE_INLINE Vector all(float value) {
    return value - Vector{};
}
VEDETTE_INLINE Vector smaller(const Vector& p, const Vector& q) {
    return p < q ? p : q;
}
VEDETTE_INLINE Vector greater(const Vector& p, const Vector& q) {
    return p > q ? p : q;
}
VEDETTE_INLINE Vector root(const Vector& v) {
    Vector out;
    for (std::size_t i = 0; i < lanes; ++i) out[i] = __builtin_sqrtf(v[i]);
    return out;
}
VEDETTE_INLINE Integers bits_of(const Vector& v) {
    Integers out;
    __builtin_memcpy(&out, &v, sizeof out);
    return out;
}
VEDETTE_INLINE Vector from_bits(const Integers& v) {
    Vector out;
    __builtin_memcpy(&out, &v, sizeof out);
    return out;
}

}  // namespace
