// Double precision for the values of templates: the device's own or, where it has none, in integers. Both round every
// operation to nearest even, so both give the same bits.
#include "image.cl"
#include "soft_double.cl"

// (high 2^64 + low) with a sign, as a double.
inline ulong soft_of_wide(ulong sign, ulong high, ulong low) {
    if ((high | low) == 0) return 0;
    int exponent = 1023 + 127;  // of the top bit of `high`
    if (high == 0) {
        high = low;
        low = 0;
        exponent -= 64;
    }
    const int shift = (int)clz(high);
    if (shift != 0) {
        high = high << shift | low >> (64 - shift);
        low <<= shift;
    }
    const ulong rest = (high & 0x7FF) << 1 | (low != 0 ? 1ul : 0ul), half_way = 0x800;
    ulong fraction = high >> 11;
    if (rest > half_way || (rest == half_way && (fraction & 1) != 0)) ++fraction;
    return soft_pack(sign, exponent - shift, fraction);
}

// From 55 bits of a fraction whose leading one is at bit 54, and whether anything is below.
inline ulong soft_round(ulong sign, int exponent, ulong bits, bool more) {
    const ulong rest = (bits & 3) << 1 | (more ? 1ul : 0ul), half_way = 4;
    ulong fraction = bits >> 2;
    if (rest > half_way || (rest == half_way && (fraction & 1) != 0)) ++fraction;
    return soft_pack(sign, exponent, fraction);
}

// Finite numbers; b is not 0. [long division]
inline ulong soft_divide(ulong a, ulong b) {
    if (soft_exponent(a) == 0) return 0;
    ulong rest = (a & SOFT_FRACTION) | SOFT_ONE;
    const ulong divisor = (b & SOFT_FRACTION) | SOFT_ONE;
    int exponent = soft_exponent(a) - soft_exponent(b) + 1023;
    if (rest < divisor) {
        rest <<= 1;
        --exponent;
    }
    ulong quotient = 0;
    for (int bit = 0; bit < 55; ++bit) {
        quotient <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= 1;
        }
        rest <<= 1;
    }
    return soft_round((a ^ b) & SOFT_SIGN, exponent, quotient, rest != 0);
}

// Of a finite number that is not negative. [square root digit by digit: each takes two bits more of the number]
inline ulong soft_root(ulong a) {
    if (soft_exponent(a) == 0) return 0;
    ulong number = (a & SOFT_FRACTION) | SOFT_ONE;
    int exponent = soft_exponent(a) - 1023;
    if ((exponent & 1) != 0) {
        number <<= 1;
        --exponent;
    }
    ulong root = 0, rest = 0;
    for (int digit = 0; digit < 55; ++digit) {
        rest = rest << 2 | (digit < 27 ? number >> (52 - 2 * digit) & 3 : 0ul);
        const ulong trial = root << 2 | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    return soft_round(0, exponent / 2 + 1023, root, rest != 0);
}

#ifdef VDT_DOUBLES
typedef double real;
inline real real_of(long value) { return convert_double_rte(value); }
inline real real_of_bits(ulong bits) { return as_double(bits); }
inline ulong bits_of(real value) { return as_ulong(value); }
inline float float_of(real value) { return convert_float_rte(value); }
inline real multiply(real a, real b) { return a * b; }
inline real divide(real a, real b) { return a / b; }
inline real root_of(real a) { return sqrt(a); }
#else
typedef ulong real;
inline real real_of(long value) { return soft_of_wide(value < 0 ? SOFT_SIGN : 0, 0, abs(value)); }
inline real real_of_bits(ulong bits) { return bits; }
inline ulong bits_of(real value) { return value; }
inline float float_of(real value) { return soft_to_float(value); }
inline real multiply(real a, real b) { return soft_multiply(a, b); }
inline real divide(real a, real b) { return soft_divide(a, b); }
inline real root_of(real a) { return soft_root(a); }
#endif

#define REAL_ONE 0x3FF0000000000000ul

inline bool is_zero(real value) {
    return (bits_of(value) & ~SOFT_SIGN) == 0;
}

// A finite number cut off at -1 and 1.
inline real within_one(real value) {
    const ulong bits = bits_of(value);
    return (bits & ~SOFT_SIGN) > REAL_ONE ? real_of_bits((bits & SOFT_SIGN) | REAL_ONE) : value;
}
