// Double precision where the device has none: IEEE 754 binary64 as its bits in a ulong, rounded to nearest even.
//
// For numbers made from floats by few products and sums: results below the normal doubles (2^-1022) do not come up, and
// are taken for 0.
#define SOFT_SIGN 0x8000000000000000ul
#define SOFT_FRACTION 0x000FFFFFFFFFFFFFul
#define SOFT_ONE 0x0010000000000000ul  // of a fraction
#define SOFT_INFINITY 0x7FF0000000000000ul
#define SOFT_NOT_A_NUMBER 0x7FF8000000000000ul

inline int soft_exponent(ulong a) {
    return (int)(a >> 52 & 0x7FF);
}

inline bool soft_is_nan(ulong a) {
    return (a & ~SOFT_SIGN) > SOFT_INFINITY;
}

inline ulong soft_double(float value) {
    const uint bits = as_uint(value);
    const ulong sign = (ulong)(bits >> 31) << 63;
    int exponent = (int)(bits >> 23 & 0xFF);
    uint fraction = bits & 0x7FFFFF;
    if (exponent == 0xFF) return sign | SOFT_INFINITY | (ulong)fraction << 29;
    if (exponent == 0) {
        if (fraction == 0) return sign;
        const int shift = (int)clz(fraction) - 8;
        fraction = fraction << shift & 0x7FFFFF;
        exponent = 1 - shift;
    }
    return sign | (ulong)(exponent + 1023 - 127) << 52 | (ulong)fraction << 29;
}

// `value` below 2^53.
inline ulong soft_whole(ulong value) {
    if (value == 0) return 0;
    const int exponent = 63 - (int)clz(value);
    return (ulong)(exponent + 1023) << 52 | (value << (52 - exponent) & SOFT_FRACTION);
}

// A number of `exponent` whose fraction, its leading one at bit 52, may have grown by one bit in rounding.
inline ulong soft_pack(ulong sign, int exponent, ulong fraction) {
    if (fraction >> 53 != 0) {
        fraction >>= 1;
        ++exponent;
    }
    if (exponent >= 0x7FF) return sign | SOFT_INFINITY;
    if (exponent <= 0) return sign;
    return sign | (ulong)exponent << 52 | (fraction & SOFT_FRACTION);
}

inline ulong soft_multiply(ulong a, ulong b) {
    const ulong sign = (a ^ b) & SOFT_SIGN;
    const int of_a = soft_exponent(a), of_b = soft_exponent(b);
    if (soft_is_nan(a) || soft_is_nan(b)) return SOFT_NOT_A_NUMBER;
    if (of_a == 0x7FF || of_b == 0x7FF) return of_a == 0 || of_b == 0 ? SOFT_NOT_A_NUMBER : sign | SOFT_INFINITY;
    if (of_a == 0 || of_b == 0) return sign;
    const ulong x = ((a & SOFT_FRACTION) | SOFT_ONE) << 11, y = ((b & SOFT_FRACTION) | SOFT_ONE) << 11;
    ulong high = mul_hi(x, y), low = x * y;
    int exponent = of_a + of_b - 1023 + 1;
    if (high >> 63 == 0) {
        high = high << 1 | low >> 63;
        low <<= 1;
        --exponent;
    }
    const ulong rest = (high & 0x7FF) << 1 | (low != 0 ? 1ul : 0ul), half_way = 0x800;
    ulong fraction = high >> 11;
    if (rest > half_way || (rest == half_way && (fraction & 1) != 0)) ++fraction;
    return soft_pack(sign, exponent, fraction);
}

inline ulong soft_add(ulong a, ulong b) {
    if ((a & ~SOFT_SIGN) < (b & ~SOFT_SIGN)) {
        const ulong held = a;
        a = b;
        b = held;
    }
    int exponent = soft_exponent(a);
    const int of_b = soft_exponent(b);
    if (soft_is_nan(a)) return SOFT_NOT_A_NUMBER;
    if (exponent == 0x7FF) return of_b == 0x7FF && a != b ? SOFT_NOT_A_NUMBER : a;
    if (exponent == 0) return a & b;
    if (of_b == 0) return a;
    const ulong sign = a & SOFT_SIGN;
    // Ten bits more than a fraction has; what is shifted out of them only counts as something.
    ulong sum = ((a & SOFT_FRACTION) | SOFT_ONE) << 10;
    ulong other = ((b & SOFT_FRACTION) | SOFT_ONE) << 10;
    const int distance = exponent - of_b;
    if (distance > 63)
        other = 1;
    else if (distance > 0)
        other = other >> distance | ((other & ((1ul << distance) - 1)) != 0 ? 1ul : 0ul);
    if (((a ^ b) & SOFT_SIGN) == 0) {
        sum += other;
        if (sum >> 63 != 0) {
            sum = sum >> 1 | (sum & 1);
            ++exponent;
        }
    } else {
        sum -= other;
        if (sum == 0) return 0;
        const int shift = (int)clz(sum) - 1;
        sum <<= shift;
        exponent -= shift;
    }
    const ulong rest = sum & 0x3FF, half_way = 0x200;
    ulong fraction = sum >> 10;
    if (rest > half_way || (rest == half_way && (fraction & 1) != 0)) ++fraction;
    return soft_pack(sign, exponent, fraction);
}

inline float soft_to_float(ulong a) {
    const uint sign = (uint)(a >> 32) & 0x80000000u;
    const int exponent = soft_exponent(a) - 1023;
    if (soft_is_nan(a)) return as_float(0x7FC00000u);
    if (exponent > 127) return as_float(sign | 0x7F800000u);
    // Below the normal floats a float has fewer bits, and below those none.
    const int shift = 29 + max(0, -126 - exponent);
    if (soft_exponent(a) == 0 || shift > 54) return as_float(sign);
    const ulong fraction = (a & SOFT_FRACTION) | SOFT_ONE;
    const ulong rest = fraction & ((1ul << shift) - 1), half_way = 1ul << (shift - 1);
    uint bits = (uint)(fraction >> shift);
    if (rest > half_way || (rest == half_way && (bits & 1) != 0)) ++bits;
    // A leading one adds one to the exponent, and so does one that rounding has made.
    const uint below = exponent >= -126 ? (uint)(exponent + 126) << 23 : 0u;
    return as_float(sign | (below + bits));
}
