// Vectors of 32-bit floats as wide as the instruction set's registers, for kernels that are written once for all sets.
// Element by element they do what the same operators do on single floats, so results do not depend on the width.
// Include only from files compiled once per instruction set.
#pragma once

#include <cstdint>

#if VEDETTE_ISA_LEVEL >= 1
#include <immintrin.h>
#endif

namespace vedette::cpu::VEDETTE_ISA {

namespace {

#if VEDETTE_ISA_LEVEL == 2
constexpr int vector_bytes = 64;
#elif VEDETTE_ISA_LEVEL == 1
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
constexpr std::uint32_t lanes = vector_bytes / 4;

using Vector [[gnu::vector_size(vector_bytes)]] = float;
// Where vectors lie in memory: at any float.
using VectorAt [[gnu::vector_size(vector_bytes), gnu::aligned(4), gnu::may_alias]] = float;

[[gnu::always_inline]] inline Vector load_vector(const float* at) {
    return *reinterpret_cast<const VectorAt*>(at);
}
[[gnu::always_inline]] inline void store_vector(float* at, Vector value) {
    *reinterpret_cast<VectorAt*>(at) = value;
}

// Stores past the caches, to addresses that are multiples of a vector's size; visible to others after finish_streams.
#if VEDETTE_ISA_LEVEL == 2
constexpr bool can_stream = true;
[[gnu::always_inline]] inline void stream_vector(float* at, Vector value) {
    _mm512_stream_ps(at, value);
}
#elif VEDETTE_ISA_LEVEL == 1
constexpr bool can_stream = true;
[[gnu::always_inline]] inline void stream_vector(float* at, Vector value) {
    _mm256_stream_ps(at, value);
}
#else
constexpr bool can_stream = false;
[[gnu::always_inline]] inline void stream_vector(float* at, Vector value) {
    store_vector(at, value);
}
#endif
[[gnu::always_inline]] inline void finish_streams() {
#if VEDETTE_ISA_LEVEL >= 1
    _mm_sfence();
#endif
}

[[gnu::always_inline]] inline Vector all_lanes(float value) {
    return Vector{} + value;
}

}  // namespace

}  // namespace vedette::cpu::VEDETTE_ISA
