// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/filter.h"

#include "kernels/vector.h"

#if VEDETTE_ISA_LEVEL >= 1
#include <immintrin.h>
#endif

namespace vedette::cpu::VEDETTE_ISA {

extern const FilterKernels filter_kernels;

namespace {

using U32 = std::uint32_t;

template <class T>
void read(const T* __restrict in, U32 step, U32 count, float* __restrict out) {
    if (step == 1)
        for (U32 i = 0; i < count; ++i) out[i] = static_cast<float>(in[i]);
    else
        for (U32 i = 0; i < count; ++i) out[i] = static_cast<float>(in[std::uint64_t{i} * step]);
}

// Adding 1.5 * 2^23 leaves no room for a fraction, so the addition itself rounds half to even; for values below 2^22.
template <class T>
T rounded(float value, float most) {
    constexpr float shift = 12582912.0F;
    const float positive = value > 0 ? value : 0;
    const float limited = positive < most ? positive : most;
    return static_cast<T>(static_cast<std::int32_t>((limited + shift) - shift));
}

#if VEDETTE_ISA_LEVEL >= 1

// Sixteen values as words; the conversion rounds half to even. What is not a number becomes 0, as max takes its second
// operand then.
__m256i words_of(const float* in, __m256 most) {
    const auto limited = [most](const float* at) {
        return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(_mm256_loadu_ps(at), _mm256_setzero_ps()), most));
    };
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(limited(in), limited(in + 8)), 0xd8);
}

U32 write_vectors(const float* in, U32 count, std::uint8_t* out) {
    const __m256 most = _mm256_set1_ps(255);
    U32 i = 0;
    for (; i + 32 <= count; i += 32) {
        const __m256i bytes = _mm256_packus_epi16(words_of(in + i, most), words_of(in + i + 16, most));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm256_permute4x64_epi64(bytes, 0xd8));
    }
    return i;
}

U32 write_vectors(const float* in, U32 count, std::uint16_t* out) {
    const __m256 most = _mm256_set1_ps(65535);
    U32 i = 0;
    for (; i + 16 <= count; i += 16) _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), words_of(in + i, most));
    return i;
}

#else

template <class T>
U32 write_vectors(const float*, U32, T*) {
    return 0;
}

#endif

template <class T>
void write(const float* __restrict in, U32 count, U32 step, T* __restrict out) {
    constexpr float most = sizeof(T) == 1 ? 255 : 65535;
    const U32 done = step == 1 ? write_vectors(in, count, out) : 0;
    for (U32 i = done; i < count; ++i) out[std::uint64_t{i} * step] = rounded<T>(in[i], most);
}

void write_f32(const float* __restrict in, U32 count, U32 step, float* __restrict out) {
    for (U32 i = 0; i < count; ++i) out[std::uint64_t{i} * step] = in[i];
}

// Vectors that are summed side by side, so that no addition waits for the one before.
constexpr U32 together = 4;
constexpr U32 block = together * lanes;
static_assert(block <= filter_padding);

// Sums over taps for the elements from x on; tap i is read from at(i)[x].
template <class At>
[[gnu::always_inline]] inline void sum_taps(const At& at, const LineWeights& weights, U32 x, Vector* sum) {
    const float* const weight = weights.weight;
    const U32 taps = weights.taps;
    if (weights.symmetric) {
        const U32 half = taps / 2;
        if (taps % 2 != 0) {
            const Vector w = all_lanes(weight[half]);
            for (U32 k = 0; k < together; ++k) sum[k] = w * load_vector(at(half) + x + k * lanes);
        }
        for (U32 i = 0; i < half; ++i) {
            const Vector w = all_lanes(weight[i]);
            const float* const a = at(i) + x;
            const float* const b = at(taps - 1 - i) + x;
            for (U32 k = 0; k < together; ++k) sum[k] += w * (load_vector(a + k * lanes) + load_vector(b + k * lanes));
        }
        return;
    }
    for (U32 i = 0; i < taps; ++i) {
        const Vector w = all_lanes(weight[i]);
        const float* const a = at(i) + x;
        for (U32 k = 0; k < together; ++k) sum[k] += w * load_vector(a + k * lanes);
    }
}

// Writes a block, or what is left of it before `count`.
[[gnu::always_inline]] inline void store_block(const Vector* sum, U32 x, U32 count, float* out) {
    if (x + block <= count) {
        for (U32 k = 0; k < together; ++k) store_vector(out + x + k * lanes, sum[k]);
        return;
    }
    float left[block];
    for (U32 k = 0; k < together; ++k) store_vector(left + k * lanes, sum[k]);
    for (U32 i = x; i < count; ++i) out[i] = left[i - x];
}

void along(const float* in, const LineWeights& weights, U32 step, U32 count, float* out) {
    const auto at = [in, step](U32 tap) { return in + std::uint64_t{tap} * step; };
    for (U32 x = 0; x < count; x += block) {
        Vector sum[together] = {};
        sum_taps(at, weights, x, sum);
        for (U32 k = 0; k < together; ++k) store_vector(out + x + k * lanes, sum[k]);
    }
}

// Whether all rows begin alike in their cache lines; then `head` floats lead to the next line.
bool lines_match(float* const* outs, U32 out_rows, U32& head) {
    constexpr std::uintptr_t line = 64;
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(outs[0]) % line;
    for (U32 r = 1; r < out_rows; ++r)
        if (reinterpret_cast<std::uintptr_t>(outs[r]) % line != first) return false;
    head = static_cast<U32>((line - first) % line / sizeof(float));
    return true;
}

[[gnu::always_inline]] inline void down_block(const float* const* rows, const LineWeights& weights, float delta, U32 x,
                                              Vector* sum) {
    const auto at = [rows](U32 tap) { return rows[tap]; };
    for (U32 k = 0; k < together; ++k) sum[k] = Vector{};
    sum_taps(at, weights, x, sum);
    for (U32 k = 0; k < together; ++k) sum[k] += all_lanes(delta);
}

void down(const float* const* rows, const LineWeights& weights, float delta, U32 count, float* const* outs,
          U32 out_rows, bool past_caches) {
    U32 x = 0;
    U32 head = 0;
    if (past_caches && can_stream && lines_match(outs, out_rows, head) && head + block <= count) {
        for (U32 r = 0; r < out_rows && head != 0; ++r) {
            Vector sum[together];
            down_block(rows + r, weights, delta, 0, sum);
            store_block(sum, 0, head, outs[r]);
        }
        for (x = head; x + block <= count; x += block)
            for (U32 r = 0; r < out_rows; ++r) {
                Vector sum[together];
                down_block(rows + r, weights, delta, x, sum);
                for (U32 k = 0; k < together; ++k) stream_vector(outs[r] + x + k * lanes, sum[k]);
            }
        finish_streams();
    }
    for (; x < count; x += block)
        for (U32 r = 0; r < out_rows; ++r) {
            Vector sum[together];
            down_block(rows + r, weights, delta, x, sum);
            store_block(sum, x, count, outs[r]);
        }
}

void general(const float* const* rows, const float* weights, U32 taps, U32 row_count, U32 step, float delta, U32 count,
             float* out) {
    for (U32 x = 0; x < count; x += block) {
        Vector sum[together] = {};
        for (U32 j = 0; j < row_count; ++j) {
            Vector part[together] = {};
            const float* const weight = weights + std::uint64_t{j} * taps;
            const float* const row = rows[j] + x;
            for (U32 i = 0; i < taps; ++i) {
                const Vector w = all_lanes(weight[i]);
                for (U32 k = 0; k < together; ++k)
                    part[k] += w * load_vector(row + std::uint64_t{i} * step + k * lanes);
            }
            for (U32 k = 0; k < together; ++k) sum[k] += part[k];
        }
        for (U32 k = 0; k < together; ++k) sum[k] += all_lanes(delta);
        store_block(sum, x, count, out);
    }
}

}  // namespace

const FilterKernels filter_kernels = {
    .read8 = read<std::uint8_t>,
    .read16 = read<std::uint16_t>,
    .read_f32 = read<float>,
    .write8 = write<std::uint8_t>,
    .write16 = write<std::uint16_t>,
    .write_f32 = write_f32,
    .along = along,
    .down = down,
    .general = general,
};

}  // namespace vedette::cpu::VEDETTE_ISA
