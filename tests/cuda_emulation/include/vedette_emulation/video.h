// SIMD within a word ("CUDA Math API: SIMD Intrinsics"): two 16-bit or four 8-bit numbers in 32 bits.
#pragma once
#include <algorithm>
#include <type_traits>

namespace vedette_emulation {

/// f of each pair of the Bits-wide numbers of a and b, read as signed or unsigned; the lower Bits of each answer.
template <int Bits, bool Signed, typename F>
unsigned int each_part(unsigned int a, unsigned int b, F f) {
    unsigned int result = 0;
    constexpr unsigned int mask = (1u << Bits) - 1;
    const auto read = [](unsigned int word, int shift) {
        const int value = static_cast<int>((word >> shift) & mask);
        return Signed && value >= (1 << (Bits - 1)) ? value - (1 << Bits) : value;
    };
    for (int shift = 0; shift < 32; shift += Bits) {
        result |= (static_cast<unsigned int>(f(read(a, shift), read(b, shift))) & mask) << shift;
    }
    return result;
}
/// The sum of f over the pairs.
template <int Bits, bool Signed>
unsigned int sum_of_differences(unsigned int a, unsigned int b) {
    unsigned int sum = 0;
    each_part<Bits, Signed>(a, b, [&](int x, int y) {
        sum += static_cast<unsigned int>(x > y ? x - y : y - x);
        return 0;
    });
    return sum;
}
template <int Bits>
int clamp_signed(int value) {
    return std::clamp(value, -(1 << (Bits - 1)), (1 << (Bits - 1)) - 1);
}
template <int Bits>
int clamp_unsigned(int value) {
    return std::clamp(value, 0, (1 << Bits) - 1);
}

}  // namespace vedette_emulation

// name2 for 16 bits and name4 for 8 bits, of two words and of one.
#define VEDETTE_EMULATED_PARTS(name, is_signed, expression)                                                  \
    inline unsigned int name##2(unsigned int a, unsigned int b) {                                            \
        [[maybe_unused]] constexpr int bits = 16;                                                            \
        return vedette_emulation::each_part<bits, is_signed>(a, b, [](int x, int y) { return expression; }); \
    }                                                                                                        \
    inline unsigned int name##4(unsigned int a, unsigned int b) {                                            \
        [[maybe_unused]] constexpr int bits = 8;                                                             \
        return vedette_emulation::each_part<bits, is_signed>(a, b, [](int x, int y) { return expression; }); \
    }
#define VEDETTE_EMULATED_PART(name, expression)                                                       \
    inline unsigned int name##2(unsigned int a) {                                                     \
        [[maybe_unused]] constexpr int bits = 16;                                                     \
        return vedette_emulation::each_part<bits, true>(a, 0, [](int x, int) { return expression; }); \
    }                                                                                                 \
    inline unsigned int name##4(unsigned int a) {                                                     \
        [[maybe_unused]] constexpr int bits = 8;                                                      \
        return vedette_emulation::each_part<bits, true>(a, 0, [](int x, int) { return expression; }); \
    }

VEDETTE_EMULATED_PARTS(__vadd, false, x + y)
VEDETTE_EMULATED_PARTS(__vaddss, true, vedette_emulation::clamp_signed<bits>(x + y))
VEDETTE_EMULATED_PARTS(__vaddus, false, vedette_emulation::clamp_unsigned<bits>(x + y))
VEDETTE_EMULATED_PARTS(__vsub, false, x - y)
VEDETTE_EMULATED_PARTS(__vsubss, true, vedette_emulation::clamp_signed<bits>(x - y))
VEDETTE_EMULATED_PARTS(__vsubus, false, vedette_emulation::clamp_unsigned<bits>(x - y))
// Rounded averages: half away from zero for signed numbers, up for unsigned ones; vhaddu rounds down.
VEDETTE_EMULATED_PARTS(__vavgs, true, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)
VEDETTE_EMULATED_PARTS(__vavgu, false, (x + y + 1) >> 1)
VEDETTE_EMULATED_PARTS(__vhaddu, false, (x + y) >> 1)
VEDETTE_EMULATED_PARTS(__vmaxs, true, std::max(x, y))
VEDETTE_EMULATED_PARTS(__vmaxu, false, std::max(x, y))
VEDETTE_EMULATED_PARTS(__vmins, true, std::min(x, y))
VEDETTE_EMULATED_PARTS(__vminu, false, std::min(x, y))
VEDETTE_EMULATED_PARTS(__vabsdiffs, true, x > y ? x - y : y - x)
VEDETTE_EMULATED_PARTS(__vabsdiffu, false, x > y ? x - y : y - x)
VEDETTE_EMULATED_PART(__vabs, x < 0 ? -x : x)
VEDETTE_EMULATED_PART(__vabsss, vedette_emulation::clamp_signed<bits>(x < 0 ? -x : x))
VEDETTE_EMULATED_PART(__vneg, -x)
VEDETTE_EMULATED_PART(__vnegss, vedette_emulation::clamp_signed<bits>(-x))

// Comparisons: all bits (vcmp) or the lowest bit (vset) of each part.
#define VEDETTE_EMULATED_COMPARISON(suffix, is_signed, relation)               \
    VEDETTE_EMULATED_PARTS(__vcmp##suffix, is_signed, (x relation y) ? -1 : 0) \
    VEDETTE_EMULATED_PARTS(__vset##suffix, is_signed, (x relation y) ? 1 : 0)
VEDETTE_EMULATED_COMPARISON(eq, false, ==)
VEDETTE_EMULATED_COMPARISON(ne, false, !=)
VEDETTE_EMULATED_COMPARISON(ges, true, >=)
VEDETTE_EMULATED_COMPARISON(geu, false, >=)
VEDETTE_EMULATED_COMPARISON(gts, true, >)
VEDETTE_EMULATED_COMPARISON(gtu, false, >)
VEDETTE_EMULATED_COMPARISON(les, true, <=)
VEDETTE_EMULATED_COMPARISON(leu, false, <=)
VEDETTE_EMULATED_COMPARISON(lts, true, <)
VEDETTE_EMULATED_COMPARISON(ltu, false, <)
#undef VEDETTE_EMULATED_COMPARISON
#undef VEDETTE_EMULATED_PART
#undef VEDETTE_EMULATED_PARTS

inline unsigned int __vsads2(unsigned int a, unsigned int b) {
    return vedette_emulation::sum_of_differences<16, true>(a, b);
}
inline unsigned int __vsadu2(unsigned int a, unsigned int b) {
    return vedette_emulation::sum_of_differences<16, false>(a, b);
}
inline unsigned int __vsads4(unsigned int a, unsigned int b) {
    return vedette_emulation::sum_of_differences<8, true>(a, b);
}
inline unsigned int __vsadu4(unsigned int a, unsigned int b) {
    return vedette_emulation::sum_of_differences<8, false>(a, b);
}
