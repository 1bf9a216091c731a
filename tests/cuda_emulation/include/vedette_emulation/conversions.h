// Conversions with a stated rounding, and the bits of numbers. A number outside the target's range gives the nearest
// end; NaN gives 0, or the target's highest bit alone when the source or the target has 64 bits (PTX ISA, cvt). A plain
// cast of such a number is undefined in C++, and need not give here what it gives on a GPU.
#pragma once
#include <math.h>
#include <bit>
#include <limits>

namespace vedette_emulation {

template <typename To, typename From>
To to_integer(From rounded_value) {
    if (isnan(rounded_value)) {
        constexpr bool zero = sizeof(From) == 4 && sizeof(To) == 4;
        return zero ? To{0} : static_cast<To>(1ull << (sizeof(To) * 8 - 1));
    }
    // The ends as powers of two, which both types hold exactly.
    const From past_end = static_cast<From>(ldexp(1.0, std::numeric_limits<To>::digits));
    if (rounded_value >= past_end) {
        return std::numeric_limits<To>::max();
    }
    const From low = std::numeric_limits<To>::is_signed ? -past_end : From{0};
    return rounded_value <= low ? std::numeric_limits<To>::min() : static_cast<To>(rounded_value);
}

enum class Direction { nearest, zero, up, down };

/// `exact` rounded to To. long double holds every 64-bit integer and every double exactly.
template <typename To>
To to_floating(long double exact, Direction direction) {
    const To nearest = static_cast<To>(exact);
    const long double got = static_cast<long double>(nearest);
    const To infinity = std::numeric_limits<To>::infinity();
    const bool down = direction == Direction::down || (direction == Direction::zero && exact > 0);
    const bool up = direction == Direction::up || (direction == Direction::zero && exact < 0);
    if (down && got > exact) {
        return std::nextafter(nearest, -infinity);
    }
    if (up && got < exact) {
        return std::nextafter(nearest, infinity);
    }
    return nearest;
}

}  // namespace vedette_emulation

static_assert(std::numeric_limits<long double>::digits >= 64, "to_floating() needs exact 64-bit integers");

#define VEDETTE_EMULATED_TO_INTEGER(name, From, To)                  \
    inline To name##_rn(From x) {                                    \
        return vedette_emulation::to_integer<To>(std::nearbyint(x)); \
    }                                                                \
    inline To name##_rz(From x) {                                    \
        return vedette_emulation::to_integer<To>(std::trunc(x));     \
    }                                                                \
    inline To name##_ru(From x) {                                    \
        return vedette_emulation::to_integer<To>(std::ceil(x));      \
    }                                                                \
    inline To name##_rd(From x) {                                    \
        return vedette_emulation::to_integer<To>(std::floor(x));     \
    }
VEDETTE_EMULATED_TO_INTEGER(__float2int, float, int)
VEDETTE_EMULATED_TO_INTEGER(__float2uint, float, unsigned int)
VEDETTE_EMULATED_TO_INTEGER(__float2ll, float, long long)
VEDETTE_EMULATED_TO_INTEGER(__float2ull, float, unsigned long long)
VEDETTE_EMULATED_TO_INTEGER(__double2int, double, int)
VEDETTE_EMULATED_TO_INTEGER(__double2uint, double, unsigned int)
VEDETTE_EMULATED_TO_INTEGER(__double2ll, double, long long)
VEDETTE_EMULATED_TO_INTEGER(__double2ull, double, unsigned long long)
#undef VEDETTE_EMULATED_TO_INTEGER

#define VEDETTE_EMULATED_TO_FLOATING(name, From, To)                                                                \
    inline To name##_rn(From x) {                                                                                   \
        return static_cast<To>(x);                                                                                  \
    }                                                                                                               \
    inline To name##_rz(From x) {                                                                                   \
        return vedette_emulation::to_floating<To>(static_cast<long double>(x), vedette_emulation::Direction::zero); \
    }                                                                                                               \
    inline To name##_ru(From x) {                                                                                   \
        return vedette_emulation::to_floating<To>(static_cast<long double>(x), vedette_emulation::Direction::up);   \
    }                                                                                                               \
    inline To name##_rd(From x) {                                                                                   \
        return vedette_emulation::to_floating<To>(static_cast<long double>(x), vedette_emulation::Direction::down); \
    }
VEDETTE_EMULATED_TO_FLOATING(__int2float, int, float)
VEDETTE_EMULATED_TO_FLOATING(__uint2float, unsigned int, float)
VEDETTE_EMULATED_TO_FLOATING(__ll2float, long long, float)
VEDETTE_EMULATED_TO_FLOATING(__ull2float, unsigned long long, float)
VEDETTE_EMULATED_TO_FLOATING(__ll2double, long long, double)
VEDETTE_EMULATED_TO_FLOATING(__ull2double, unsigned long long, double)
VEDETTE_EMULATED_TO_FLOATING(__double2float, double, float)
#undef VEDETTE_EMULATED_TO_FLOATING
inline double __int2double_rn(int x) {
    return x;
}
inline double __uint2double_rn(unsigned int x) {
    return x;
}

inline int __float_as_int(float x) {
    return std::bit_cast<int>(x);
}
inline unsigned int __float_as_uint(float x) {
    return std::bit_cast<unsigned int>(x);
}
inline float __int_as_float(int x) {
    return std::bit_cast<float>(x);
}
inline float __uint_as_float(unsigned int x) {
    return std::bit_cast<float>(x);
}
inline long long __double_as_longlong(double x) {
    return std::bit_cast<long long>(x);
}
inline double __longlong_as_double(long long x) {
    return std::bit_cast<double>(x);
}
inline int __double2hiint(double x) {
    return static_cast<int>(std::bit_cast<unsigned long long>(x) >> 32);
}
inline int __double2loint(double x) {
    return static_cast<int>(std::bit_cast<unsigned long long>(x));
}
inline double __hiloint2double(int hi, int lo) {
    return std::bit_cast<double>((static_cast<unsigned long long>(static_cast<unsigned int>(hi)) << 32) |
                                 static_cast<unsigned int>(lo));
}
