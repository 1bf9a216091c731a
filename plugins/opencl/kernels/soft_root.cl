// Roots, reciprocals and order of doubles that soft_double.cl keeps as bits, rounded to nearest even.
#include "soft_double.cl"

// `a` is normal and above 0. The root's bits are found one by one: 53 of the whole root of 106 bits.
inline ulong soft_root(ulong a) {
    int exponent = soft_exponent(a) - 1023;
    ulong fraction = (a & SOFT_FRACTION) | SOFT_ONE;
    if ((exponent & 1) != 0) {
        fraction <<= 1;
        --exponent;
    }
    // root = floor(sqrt(fraction * 2^52)); fraction has 54 bits.
    ulong root = 0, rest = 0;
    for (int pair = 0; pair < 53; ++pair) {
        rest = rest << 2 | (pair < 27 ? fraction >> (52 - 2 * pair) & 3 : 0);
        const ulong trial = root << 2 | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    // A whole number is never half way between two roots.
    if (rest > root) ++root;
    return soft_pack(0, exponent / 2 + 1023, root);
}

// 1 / a; `a` is normal and above 0, and so is the result.
inline ulong soft_reciprocal(ulong a) {
    const int exponent = soft_exponent(a) - 1023;
    const ulong fraction = (a & SOFT_FRACTION) | SOFT_ONE;
    if (fraction == SOFT_ONE) return (ulong)(1023 - exponent) << 52;
    // quotient = floor(2^105 / fraction), of 53 bits.
    ulong quotient = 0, rest = SOFT_ONE;
    for (int bit = 0; bit < 53; ++bit) {
        rest <<= 1;
        quotient <<= 1;
        if (rest >= fraction) {
            rest -= fraction;
            quotient |= 1;
        }
    }
    // The fraction is no power of two, so nothing lies half way.
    if (2 * rest > fraction) ++quotient;
    return soft_pack(0, 1022 - exponent, quotient);
}

// a < b; neither is a NaN.
inline bool soft_less(ulong a, ulong b) {
    const ulong x = a << 1 == 0 ? 0 : a, y = b << 1 == 0 ? 0 : b;
    return (x >> 63 != 0 ? ~x : x | SOFT_SIGN) < (y >> 63 != 0 ? ~y : y | SOFT_SIGN);
}
