// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/match.h"

#include "kernels/float_vector.h"

namespace vedette::cpu::VEDETTE_ISA {

extern const MatchKernels match_kernels;

namespace {

using U32 = std::uint32_t;

// A query's values are broadcast, `step` at a time, against the same values of `lanes` train descriptors: each lane
// sums the product of one pair, and no sum across lanes is needed.
#if VEDETTE_ISA_LEVEL >= 2
constexpr U32 step = 4;             // bytes, unsigned by signed: train values are packed less 128
constexpr std::int64_t group = 12;  // queries at a time: 24 sums, 2 train vectors, one query vector of 32 registers
using Value = std::uint8_t;
constexpr std::int32_t shift = 128;
Ints add_products(Ints sum, Ints query, Ints train) {
    return reinterpret_cast<Ints>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(query),
                                                      reinterpret_cast<__m512i>(train)));
}
Ints all_ints(std::int32_t value) {
    return reinterpret_cast<Ints>(_mm512_set1_epi32(value));
}
#else
constexpr U32 step = 2;            // 16-bit values: products of two bytes and their sum stay exact
constexpr std::int64_t group = 6;  // 12 sums, 2 train vectors, one query vector of 16 registers
using Value = std::int16_t;
constexpr std::int32_t shift = 0;
#if VEDETTE_ISA_LEVEL == 1
Ints add_products(Ints sum, Ints query, Ints train) {
    return sum + reinterpret_cast<Ints>(
                     _mm256_madd_epi16(reinterpret_cast<__m256i>(query), reinterpret_cast<__m256i>(train)));
}
Ints all_ints(std::int32_t value) {
    return reinterpret_cast<Ints>(_mm256_set1_epi32(value));
}
#else
Ints add_products(Ints sum, Ints query, Ints train) {
#if defined(__SSE2__)
    return sum +
           reinterpret_cast<Ints>(_mm_madd_epi16(reinterpret_cast<__m128i>(query), reinterpret_cast<__m128i>(train)));
#else
    using Shorts = std::int16_t __attribute__((vector_size(lanes * 4)));
    const Shorts a = reinterpret_cast<Shorts>(query), b = reinterpret_cast<Shorts>(train);
    for (std::int64_t k = 0; k < lanes; ++k) sum[k] += a[2 * k] * b[2 * k] + a[2 * k + 1] * b[2 * k + 1];
    return sum;
#endif
}
Ints all_ints(std::int32_t value) {
    return Ints{value, value, value, value};
}
#endif
#endif

constexpr U32 block = 2 * lanes;

std::uint64_t block_bytes(U32 length) {
    return std::uint64_t{block} * length * sizeof(Value);
}

// [length / step][block][step] values.
void pack(const std::uint8_t* descriptors, U32 count, U32 length, std::uint8_t* packed) {
    auto* out = reinterpret_cast<Value*>(packed);
    for (U32 k = 0; k < length; k += step)
        for (U32 row = 0; row < block; ++row)
            for (U32 part = 0; part < step; ++part) {
                const std::int32_t value = row < count ? descriptors[std::uint64_t{row} * length + k + part] : 0;
                *out++ = static_cast<Value>(value - shift);
            }
}

Ints load_ints(const std::uint8_t* from) {
    return *reinterpret_cast<const LooseInts*>(from);
}

// Takes distances of train descriptors `first`, first + 1 ...
void lower(Ints distances, U32 first, NearestTwo& best) {
    U32 nearer = bits_of(distances < all_ints(best.second));
    for (; nearer != 0; nearer &= nearer - 1) {
        const auto lane = static_cast<U32>(__builtin_ctz(nearer));
        const std::int32_t distance = distances[lane];
        if (distance < best.first) {
            best.second = best.first;
            best.first = distance;
            best.index = first + lane;
        } else if (distance < best.second) {
            best.second = distance;
        }
    }
}

using LooseInt = std::int32_t __attribute__((aligned(1), may_alias));

// `rows` queries, ready to be broadcast, against all blocks. sums[q]: of the query's values.
template <std::int64_t rows>
void against_blocks(const Value* queries, const std::int32_t* sums, U32 length, const std::uint8_t* packed,
                    U32 block_count, const std::int32_t* norms, U32 first, NearestTwo* best) {
    constexpr std::int64_t vector = lanes * 4;  // bytes
    for (U32 b = 0; b < block_count; ++b, packed += block_bytes(length), norms += block, first += block) {
        Ints products[rows][2] = {};
        const std::uint8_t* train = packed;
        for (U32 k = 0; k < length; k += step, train += 2 * vector) {
            const Ints left = load_ints(train), right = load_ints(train + vector);
            for (std::int64_t q = 0; q < rows; ++q) {
                const Ints query = all_ints(*reinterpret_cast<const LooseInt*>(queries + q * length + k));
                products[q][0] = add_products(products[q][0], query, left);
                products[q][1] = add_products(products[q][1], query, right);
            }
        }
        for (std::int64_t q = 0; q < rows; ++q) {
            const Ints constant = all_ints(2 * shift * sums[q]);
            for (int side = 0; side < 2; ++side) {
                const Ints norm = load_ints(reinterpret_cast<const std::uint8_t*>(norms + side * lanes));
                lower(norm - (products[q][side] + products[q][side]) - constant, first + static_cast<U32>(side * lanes),
                      best[q]);
            }
        }
    }
}

constexpr U32 most_length = 512;  // longer descriptors are compared as floats

void nearest_two(const std::uint8_t* queries, U32 count, U32 length, const std::uint8_t* packed, U32 block_count,
                 const std::int32_t* norms, U32 first, NearestTwo* best) {
    Value values[group * most_length];
    std::int32_t sums[group];
    for (U32 begin = 0; begin < count;) {
        const U32 rows = count - begin >= group ? group : 1;
        for (U32 q = 0; q < rows; ++q) {
            const std::uint8_t* const from = queries + std::uint64_t{begin + q} * length;
            sums[q] = 0;
            for (U32 k = 0; k < length; ++k) {
                values[q * length + k] = from[k];
                sums[q] += from[k];
            }
        }
        if (rows == group)
            against_blocks<group>(values, sums, length, packed, block_count, norms, first, best + begin);
        else
            against_blocks<1>(values, sums, length, packed, block_count, norms, first, best + begin);
        begin += rows;
    }
}

float rough_distance(const float* a, const float* b, U32 length) {
    Floats sum = {};
    U32 k = 0;
    for (; k + lanes <= length; k += lanes) {
        const Floats difference = load(a + k) - load(b + k);
        sum += difference * difference;
    }
    float total = 0;
    for (std::int64_t p = 0; p < lanes; ++p) total += sum[p];
    for (; k < length; ++k) total += (a[k] - b[k]) * (a[k] - b[k]);
    return total;
}

}  // namespace

const MatchKernels match_kernels = {.block = block,
                                    .block_bytes = block_bytes,
                                    .pack = pack,
                                    .nearest_two = nearest_two,
                                    .rough_distance = rough_distance};

}  // namespace vedette::cpu::VEDETTE_ISA
