// Integer built-ins, after "CUDA Math API: Integer Intrinsics" and, where that is silent, the PTX instruction.
#pragma once
#include <bit>

#include "../vector_types.h"

inline int __popc(unsigned int x) {
    return std::popcount(x);
}
inline int __popcll(unsigned long long x) {
    return std::popcount(x);
}
inline int __clz(int x) {
    return std::countl_zero(static_cast<unsigned int>(x));
}
inline int __clzll(long long x) {
    return std::countl_zero(static_cast<unsigned long long>(x));
}
/// Place of the lowest set bit, counted from 1; 0 when there is none.
inline int __ffs(int x) {
    return x == 0 ? 0 : std::countr_zero(static_cast<unsigned int>(x)) + 1;
}
inline int __ffsll(long long x) {
    return x == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(x)) + 1;
}
inline unsigned int __brev(unsigned int x) {
    unsigned int reversed = 0;
    for (int bit = 0; bit < 32; ++bit) {
        reversed |= ((x >> bit) & 1u) << (31 - bit);
    }
    return reversed;
}
inline unsigned long long __brevll(unsigned long long x) {
    return (static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32) |
           __brev(static_cast<unsigned int>(x >> 32));
}
/// Four of the eight bytes of y:x, one for each nibble of the selector; a nibble of 8 or more repeats the byte's sign
/// (as prmt does).
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
    const unsigned long long bytes = (static_cast<unsigned long long>(y) << 32) | x;
    unsigned int result = 0;
    for (unsigned int i = 0; i < 4; ++i) {
        const unsigned int nibble = (selector >> (4 * i)) & 15u;
        unsigned int byte = static_cast<unsigned int>(bytes >> (8 * (nibble & 7u))) & 255u;
        if ((nibble & 8u) != 0) {
            byte = (byte & 128u) != 0 ? 255u : 0u;
        }
        result |= byte << (8 * i);
    }
    return result;
}
/// The upper 32 bits of hi:lo shifted left by the shift modulo 32 (l) or at most 32 (lc); the lower ones for r and rc.
inline unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
    const unsigned long long both = (static_cast<unsigned long long>(hi) << 32) | lo;
    return shift >= 32 ? lo : static_cast<unsigned int>((both << shift) >> 32);
}
inline unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
    const unsigned long long both = (static_cast<unsigned long long>(hi) << 32) | lo;
    return shift >= 32 ? hi : static_cast<unsigned int>(both >> shift);
}
inline unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
    return __funnelshift_lc(lo, hi, shift & 31u);
}
inline unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
    return __funnelshift_rc(lo, hi, shift & 31u);
}

inline unsigned int __umulhi(unsigned int a, unsigned int b) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(a) * b) >> 32);
}
inline int __mulhi(int a, int b) {
    return static_cast<int>((static_cast<long long>(a) * b) >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<unsigned long long>((static_cast<Wide>(a) * b) >> 64);
}
inline long long __mul64hi(long long a, long long b) {
    __extension__ using Wide = __int128;
    return static_cast<long long>((static_cast<Wide>(a) * b) >> 64);
}
/// The lower 32 bits of the product of the lower 24 bits.
inline unsigned int __umul24(unsigned int a, unsigned int b) {
    return (a & 0xffffffu) * (b & 0xffffffu);
}
inline int __mul24(int a, int b) {
    const auto low = [](int v) {
        return static_cast<long long>(static_cast<int>(static_cast<unsigned int>(v) << 8) >> 8);
    };
    return static_cast<int>(static_cast<unsigned int>(low(a) * low(b)));
}
/// |a - b| + c
inline unsigned int __sad(int a, int b, unsigned int c) {
    const unsigned int ua = static_cast<unsigned int>(a), ub = static_cast<unsigned int>(b);
    return (a > b ? ua - ub : ub - ua) + c;
}
inline unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
    return (a > b ? a - b : b - a) + c;
}
// Averages without overflow, rounded down (hadd) or up (rhadd).
inline int __hadd(int a, int b) {
    return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
inline int __rhadd(int a, int b) {
    return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
inline unsigned int __uhadd(unsigned int a, unsigned int b) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b) >> 1);
}
inline unsigned int __urhadd(unsigned int a, unsigned int b) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

namespace vedette_emulation {
/// Sum of the four products of the bytes of a and b, taken as A and B (signed char or unsigned char), and c, modulo
/// 2^32. CUDA's __dp4a has equal signs alone; the PTX instruction (dp4a.u32.s32 and so on) has all four.
template <typename A, typename B>
unsigned int dot_product_4(unsigned int a, unsigned int b, unsigned int c) {
    for (int i = 0; i < 32; i += 8) {
        const int product = static_cast<int>(static_cast<A>(a >> i)) * static_cast<int>(static_cast<B>(b >> i));
        c += static_cast<unsigned int>(product);
    }
    return c;
}
/// The two 16-bit halves of a, taken as A, with two bytes of b, taken as B, from bit `first` on; and c.
template <typename A, typename B>
unsigned int dot_product_2(unsigned int a, unsigned int b, unsigned int c, int first) {
    for (int i = 0; i < 2; ++i) {
        const int product =
            static_cast<int>(static_cast<A>(a >> (16 * i))) * static_cast<int>(static_cast<B>(b >> (first + 8 * i)));
        c += static_cast<unsigned int>(product);
    }
    return c;
}
}  // namespace vedette_emulation

inline int __dp4a(int a, int b, int c) {
    return static_cast<int>(vedette_emulation::dot_product_4<signed char, signed char>(
        static_cast<unsigned int>(a), static_cast<unsigned int>(b), static_cast<unsigned int>(c)));
}
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    return vedette_emulation::dot_product_4<unsigned char, unsigned char>(a, b, c);
}
inline int __dp4a(char4 a, char4 b, int c) {
    return __dp4a(std::bit_cast<int>(a), std::bit_cast<int>(b), c);
}
inline unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
    return __dp4a(std::bit_cast<unsigned int>(a), std::bit_cast<unsigned int>(b), c);
}

#define VEDETTE_EMULATED_DP2A(name, first)                                                                     \
    inline int name(int a, int b, int c) {                                                                     \
        return static_cast<int>(vedette_emulation::dot_product_2<short, signed char>(                          \
            static_cast<unsigned int>(a), static_cast<unsigned int>(b), static_cast<unsigned int>(c), first)); \
    }                                                                                                          \
    inline unsigned int name(unsigned int a, unsigned int b, unsigned int c) {                                 \
        return vedette_emulation::dot_product_2<unsigned short, unsigned char>(a, b, c, first);                \
    }                                                                                                          \
    inline int name(short2 a, char4 b, int c) {                                                                \
        return name(std::bit_cast<int>(a), std::bit_cast<int>(b), c);                                          \
    }                                                                                                          \
    inline unsigned int name(ushort2 a, uchar4 b, unsigned int c) {                                            \
        return name(std::bit_cast<unsigned int>(a), std::bit_cast<unsigned int>(b), c);                        \
    }
VEDETTE_EMULATED_DP2A(__dp2a_lo, 0)
VEDETTE_EMULATED_DP2A(__dp2a_hi, 16)
#undef VEDETTE_EMULATED_DP2A
