// Built-in functions against plain loops and against the sentences of the CUDA documentation.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "testing.h"

namespace {

std::vector<unsigned int> words() {
    std::vector<unsigned int> made{0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x80ff7f01u, 0x12345678u};
    std::mt19937 random(1);
    while (made.size() < 60) {
        made.push_back(static_cast<unsigned int>(random()));
    }
    return made;
}
int signed_byte(unsigned int word, int index) {
    return static_cast<std::int8_t>(word >> (8 * index));
}
int unsigned_byte(unsigned int word, int index) {
    return static_cast<std::uint8_t>(word >> (8 * index));
}
int as_int(unsigned int word) {
    return static_cast<int>(word);
}

/// What the four parts of a word should be, by a function of the index.
template <typename Part>
unsigned int bytes_of(Part part) {
    unsigned int word = 0;
    for (int i = 0; i < 4; ++i) {
        word |= static_cast<unsigned int>(part(i) & 255) << (8 * i);
    }
    return word;
}

struct Counts {
    int ints;
    unsigned int words, increments, decrements, smallest, largest, set, cleared, flipped, exchanged;
    unsigned long long wide;
    float sum;
    double wide_sum;
    int lowest, highest;
    unsigned int lock, locked;
};

__global__ void count(Counts* counts) {
    const int i = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
    const auto u = static_cast<unsigned int>(i);
    atomicAdd(&counts->ints, i);
    atomicSub(&counts->words, u);
    atomicInc(&counts->increments, 9u);
    atomicDec(&counts->decrements, 9u);
    atomicMin(&counts->smallest, u + 5);
    atomicMax(&counts->largest, u + 5);
    atomicMin(&counts->lowest, 50 - i);
    atomicMax_block(&counts->highest, -100 + i);
    atomicOr(&counts->set, 1u << (u % 20));
    atomicAnd(&counts->cleared, ~(1u << (u % 20)));
    atomicXor(&counts->flipped, 1u << (u % 32));
    atomicExch(&counts->exchanged, 77u);
    atomicAdd(&counts->wide, 1ull << 33);
    atomicAdd(&counts->sum, 0.5f);
    atomicAdd_system(&counts->wide_sum, 0.25);
    while (atomicCAS(&counts->lock, 0u, 1u) != 0u) {
        __nanosleep(8);
    }
    counts->locked += 1;
    __syncwarp(1u << (threadIdx.x % 32));
    atomicExch(&counts->lock, 0u);
}

}  // namespace

static_assert(sizeof(char3) == 3 && alignof(char3) == 1 && sizeof(uchar4) == 4 && alignof(uchar4) == 4);
static_assert(sizeof(short2) == 4 && alignof(short2) == 4 && alignof(ushort4) == 8 && sizeof(short3) == 6);
static_assert(sizeof(int2) == 8 && alignof(int2) == 8 && sizeof(int3) == 12 && alignof(int3) == 4);
static_assert(sizeof(int4) == 16 && alignof(int4) == 16 && alignof(uint4) == 16 && alignof(float4) == 16);
static_assert(sizeof(float2) == 8 && alignof(float2) == 8 && sizeof(float3) == 12 && sizeof(double2) == 16);
static_assert(alignof(double2) == 16 && sizeof(double4) == 32 && alignof(double4) == 16 && alignof(longlong2) == 16);
static_assert(sizeof(dim3) == 12 && dim3(7).y == 1);

BOOST_FIXTURE_TEST_SUITE(builtins, Clean)

BOOST_AUTO_TEST_CASE(atomics_lose_nothing) {
    Counts start{};
    start.decrements = 3;
    start.smallest = 1000;
    start.lowest = 1000;
    start.highest = -1000;
    start.cleared = 0xffffffffu;
    const DeviceArray<Counts> counts(std::vector<Counts>{start});
    BOOST_REQUIRE_EQUAL(run_kernel(2, 64, 0, count, counts.data()), cudaSuccess);
    const Counts got = counts.values()[0];
    BOOST_TEST(got.ints == 127 * 128 / 2);
    BOOST_TEST(got.words == 0u - 127 * 128 / 2);
    BOOST_TEST(got.increments == 128u % 10);
    BOOST_TEST(got.decrements == (3u + 10 * 13 - 128) % 10);
    BOOST_TEST(got.smallest == 5u);
    BOOST_TEST(got.largest == 132u);
    BOOST_TEST(got.lowest == 50 - 127);
    BOOST_TEST(got.highest == 27);
    BOOST_TEST(got.set == 0xfffffu);
    BOOST_TEST(got.cleared == 0xfff00000u);
    BOOST_TEST(got.flipped == 0u);
    BOOST_TEST(got.exchanged == 77u);
    BOOST_TEST(got.wide == 128ull << 33);
    BOOST_TEST(got.sum == 64.0f);
    BOOST_TEST(got.wide_sum == 32.0);
    BOOST_TEST(got.locked == 128u);
}

BOOST_AUTO_TEST_CASE(dot_products_agree_with_loops) {
    for (const unsigned int a : words()) {
        for (const unsigned int b : words()) {
            unsigned int ss = 3, uu = 3, us = 3, low = 3, high = 3;
            for (int i = 0; i < 4; ++i) {
                ss += static_cast<unsigned int>(signed_byte(a, i) * signed_byte(b, i));
                uu += static_cast<unsigned int>(unsigned_byte(a, i) * unsigned_byte(b, i));
                us += static_cast<unsigned int>(unsigned_byte(a, i) * signed_byte(b, i));
            }
            for (int i = 0; i < 2; ++i) {
                const int half = static_cast<std::int16_t>(a >> (16 * i));
                low += static_cast<unsigned int>(half * signed_byte(b, i));
                high += static_cast<unsigned int>(half * signed_byte(b, i + 2));
            }
            BOOST_TEST(static_cast<unsigned int>(__dp4a(as_int(a), as_int(b), 3)) == ss);
            BOOST_TEST(__dp4a(a, b, 3u) == uu);
            BOOST_TEST((vedette_emulation::dot_product_4<unsigned char, signed char>(a, b, 3u)) == us);
            BOOST_TEST(static_cast<unsigned int>(__dp2a_lo(as_int(a), as_int(b), 3)) == low);
            BOOST_TEST(static_cast<unsigned int>(__dp2a_hi(as_int(a), as_int(b), 3)) == high);
        }
    }
}

BOOST_AUTO_TEST_CASE(bytes_are_chosen_and_words_shifted) {
    const unsigned int x = 0x83828180u, y = 0x07060504u;
    BOOST_TEST(__byte_perm(x, y, 0x3210) == x);
    BOOST_TEST(__byte_perm(x, y, 0x7654) == y);
    BOOST_TEST(__byte_perm(x, y, 0x0426) == 0x80048206u);
    BOOST_TEST(__byte_perm(x, y, 0xc8b9) == 0x00ffffffu);
    for (const unsigned int a : words()) {
        for (unsigned int shift = 0; shift < 70; ++shift) {
            const std::uint64_t both = (std::uint64_t{y} << 32) | a;
            BOOST_TEST(__funnelshift_l(a, y, shift) == static_cast<unsigned int>((both << shift % 32) >> 32));
            BOOST_TEST(__funnelshift_r(a, y, shift) == static_cast<unsigned int>(both >> shift % 32));
            const unsigned int clamped = std::min(shift, 32u);
            BOOST_TEST(__funnelshift_lc(a, y, shift) == static_cast<unsigned int>((both << clamped) >> 32));
            BOOST_TEST(__funnelshift_rc(a, y, shift) == static_cast<unsigned int>(both >> clamped));
        }
        int bits = 0, first = 0, leading = 32;
        unsigned int reversed = 0;
        for (int bit = 31; bit >= 0; --bit) {
            if ((a >> bit & 1u) != 0) {
                ++bits;
                first = bit + 1;
                leading = leading == 32 ? 31 - bit : leading;
                reversed |= 1u << (31 - bit);
            }
        }
        BOOST_TEST(__popc(a) == bits);
        BOOST_TEST(__ffs(as_int(a)) == first);
        BOOST_TEST(__clz(as_int(a)) == leading);
        BOOST_TEST(__brev(a) == reversed);
        BOOST_TEST(__umulhi(a, y) == static_cast<unsigned int>((std::uint64_t{a} * y) >> 32));
        BOOST_TEST(__mulhi(as_int(a), -3) == static_cast<int>((std::int64_t{as_int(a)} * -3) >> 32));
    }
    BOOST_TEST(__umul64hi(~0ull, ~0ull) == ~0ull - 1);
    BOOST_TEST(__mul24(0x00800001, 3) == static_cast<int>(3 * -0x7fffff));
    BOOST_TEST(__umul24(0xff000002u, 0xee000003u) == 6u);
    BOOST_TEST(__clzll(1) == 63);
    BOOST_TEST(__ffsll(1ll << 40) == 41);
}

BOOST_AUTO_TEST_CASE(parts_of_words_agree_with_loops) {
    for (const unsigned int a : words()) {
        for (const unsigned int b : words()) {
            const auto u = [&](int i) { return std::pair(unsigned_byte(a, i), unsigned_byte(b, i)); };
            const auto s = [&](int i) { return std::pair(signed_byte(a, i), signed_byte(b, i)); };
            BOOST_TEST(__vadd4(a, b) == bytes_of([&](int i) { return u(i).first + u(i).second; }));
            BOOST_TEST(__vsub4(a, b) == bytes_of([&](int i) { return u(i).first - u(i).second; }));
            BOOST_TEST(__vaddus4(a, b) == bytes_of([&](int i) { return std::min(255, u(i).first + u(i).second); }));
            BOOST_TEST(__vsubss4(a, b) ==
                       bytes_of([&](int i) { return std::clamp(s(i).first - s(i).second, -128, 127); }));
            BOOST_TEST(__vavgu4(a, b) == bytes_of([&](int i) { return (u(i).first + u(i).second + 1) / 2; }));
            BOOST_TEST(__vhaddu4(a, b) == bytes_of([&](int i) { return (u(i).first + u(i).second) / 2; }));
            BOOST_TEST(__vmaxs4(a, b) == bytes_of([&](int i) { return std::max(s(i).first, s(i).second); }));
            BOOST_TEST(__vminu4(a, b) == bytes_of([&](int i) { return std::min(u(i).first, u(i).second); }));
            BOOST_TEST(__vabsdiffu4(a, b) == bytes_of([&](int i) { return std::abs(u(i).first - u(i).second); }));
            BOOST_TEST(__vcmpgts4(a, b) == bytes_of([&](int i) { return s(i).first > s(i).second ? 255 : 0; }));
            BOOST_TEST(__vcmpgeu4(a, b) == bytes_of([&](int i) { return u(i).first >= u(i).second ? 255 : 0; }));
            BOOST_TEST(__vseteq4(a, b) == bytes_of([&](int i) { return u(i).first == u(i).second ? 1 : 0; }));
            unsigned int sum = 0, signed_sum = 0;
            for (int i = 0; i < 4; ++i) {
                sum += static_cast<unsigned int>(std::abs(u(i).first - u(i).second));
                signed_sum += static_cast<unsigned int>(std::abs(s(i).first - s(i).second));
            }
            BOOST_TEST(__vsadu4(a, b) == sum);
            BOOST_TEST(__vsads4(a, b) == signed_sum);
            const unsigned int low = ((a & 0xffffu) + (b & 0xffffu)) & 0xffffu;
            BOOST_TEST(__vadd2(a, b) == (low | (((a >> 16) + (b >> 16)) << 16)));
        }
        BOOST_TEST(__vabsss4(a) == bytes_of([&](int i) { return std::min(127, std::abs(signed_byte(a, i))); }));
        BOOST_TEST(__vneg4(a) == bytes_of([&](int i) { return -signed_byte(a, i); }));
    }
}

BOOST_AUTO_TEST_CASE(conversions_round_and_saturate) {
    BOOST_TEST(__float2int_rn(2.5f) == 2);
    BOOST_TEST(__float2int_rn(-3.5f) == -4);
    BOOST_TEST(__float2int_rz(-3.9f) == -3);
    BOOST_TEST(__float2int_ru(3.1f) == 4);
    BOOST_TEST(__float2int_rd(-3.1f) == -4);
    BOOST_TEST(__float2int_rn(3e9f) == std::numeric_limits<int>::max());
    BOOST_TEST(__float2int_rn(-3e9f) == std::numeric_limits<int>::min());
    BOOST_TEST(__float2int_rn(std::nanf("")) == 0);
    BOOST_TEST(__float2uint_rn(-5.0f) == 0u);
    BOOST_TEST(__float2uint_rn(5e9f) == 0xffffffffu);
    BOOST_TEST(__double2ll_rn(std::nan("")) == std::numeric_limits<long long>::min());
    BOOST_TEST(__double2ull_rz(1e30) == std::numeric_limits<unsigned long long>::max());
    BOOST_TEST(__int2float_rz(16777217) == 16777216.0f);
    BOOST_TEST(__int2float_ru(16777217) == 16777218.0f);
    BOOST_TEST(__int2float_rd(-16777217) == -16777218.0f);
    BOOST_TEST(__ull2double_rd(~0ull) == 18446744073709549568.0);
    BOOST_TEST(__double2float_rn(0.1) == 0.1f);
    BOOST_TEST(__double2float_rz(0.1) == std::nextafter(0.1f, 0.0f));
    BOOST_TEST(__float_as_uint(1.0f) == 0x3f800000u);
    BOOST_TEST(__int_as_float(0x40000000) == 2.0f);
    BOOST_TEST(__hiloint2double(__double2hiint(-1.75), __double2loint(-1.75)) == -1.75);
    BOOST_TEST(__longlong_as_double(__double_as_longlong(3.25)) == 3.25);
}

BOOST_AUTO_TEST_CASE(arithmetic_rounds_as_it_says) {
    const float third = 1.0f / 3.0f;
    BOOST_TEST(__fdiv_rd(1.0f, 3.0f) < __fdiv_ru(1.0f, 3.0f));
    BOOST_TEST(__fdiv_rz(1.0f, 3.0f) == __fdiv_rd(1.0f, 3.0f));
    BOOST_TEST(__fadd_ru(1.0f, 1e-10f) == std::nextafter(1.0f, 2.0f));
    BOOST_TEST(__fadd_rd(1.0f, 1e-10f) == 1.0f);
    BOOST_TEST(__dmul_ru(0.1, 0.1) > __dmul_rd(0.1, 0.1));
    BOOST_TEST(__fsqrt_ru(2.0f) == std::nextafter(__fsqrt_rd(2.0f), 2.0f));
    // Fused: the product is not rounded before the addition; and the compiler fuses nothing by itself.
    BOOST_TEST(__fmaf_rn(third, 3.0f, -1.0f) != 0.0f);
    BOOST_TEST(__fadd_rn(__fmul_rn(third, 3.0f), -1.0f) == 0.0f);
    BOOST_TEST(__saturatef(std::nanf("")) == 0.0f);
    BOOST_TEST(__saturatef(2.0f) == 1.0f);
    BOOST_TEST(rsqrtf(4.0f) == 0.5f);
    BOOST_TEST(std::abs(sinpif(1.0f)) < 1e-6f);
    BOOST_TEST(cospi(0.5) + 1.0 == 1.0);
    // A signed and an unsigned argument are compared as unsigned.
    BOOST_TEST(min(-1, 5u) == 5u);
    BOOST_TEST(max(-1, 5) == 5);
    BOOST_TEST(max(std::nanf(""), 2.0f) == 2.0f);
    BOOST_TEST(min(3ll, 2ll) == 2ll);
}

BOOST_AUTO_TEST_SUITE_END()
