// The arithmetic of groupRectangles: what it computes in double, from whole numbers, becomes whole numbers here.
//
// VDT_DOUBLES: the device has double precision; the same values come out either way.
#include "image.cl"
#include "soft_double.cl"

#define FURTHEST_COORDINATE (1 << 24)
#define BEYOND_ALL (1 << 27)  // more than any difference of coordinates

// A rectangle is an int4: x, y, width, height.
inline int4 edges_of(int4 r) {
    return (int4)(r.xy, r.xy + r.zw);
}

// The furthest that edges of similar rectangles lie apart, in pixels: eps * sides * 0.5, each product rounded, rounded
// down at the end since distances are whole. `sides`: the lesser width and the lesser height together. `eps`: the bits
// of a double that is finite and not below 0.
inline int reach_of(int sides, ulong eps) {
#ifdef VDT_DOUBLES
    return (int)fmin(as_double(eps) * (double)sides * 0.5, (double)BEYOND_ALL);
#else
    const ulong product = soft_multiply(eps, soft_whole((ulong)sides));
    // Half of it: the exponent is one less.
    const int exponent = soft_exponent(product) - 1024;
    if (exponent < 0) return 0;
    if (exponent >= 27) return BEYOND_ALL;
    return (int)(((product & SOFT_FRACTION) | SOFT_ONE) >> (52 - exponent));
#endif
}

// side * eps rounded to the nearest whole number, halves to the even one.
inline int margin_of(int side, ulong eps) {
#ifdef VDT_DOUBLES
    return convert_int_rte(fmin((double)side * as_double(eps), (double)BEYOND_ALL));
#else
    const ulong product = soft_multiply(soft_whole((ulong)side), eps);
    const int exponent = soft_exponent(product) - 1023;
    if (exponent < -1) return 0;
    if (exponent >= 27) return BEYOND_ALL;
    const ulong fraction = (product & SOFT_FRACTION) | SOFT_ONE;
    const int shift = 52 - exponent;
    const ulong rest = fraction & ((1ul << shift) - 1), half_way = 1ul << (shift - 1);
    const int whole = (int)(fraction >> shift);
    return whole + (rest > half_way || (rest == half_way && (whole & 1) != 0) ? 1 : 0);
#endif
}

// OpenCV's mean: sum * (1.0f / joined) in floats, rounded half to even. The reciprocal is rounded here, since devices
// may divide floats less exactly.
inline int mean_of(long sum, uint joined) {
    const uint bits = as_uint(convert_float_rte(joined));
    const ulong fraction = (bits & 0x7FFFFF) | 0x800000;  // joined is fraction * 2^(exponent - 150)
    const ulong one = 1ul << 47;
    uint quotient = (uint)(one / fraction);
    if (2 * (one - quotient * fraction) > fraction) ++quotient;
    // quotient, up to 2^24, times the power of two 2^(150 - exponent - 47).
    const float reciprocal = (float)quotient * as_float((127 + 103 - (bits >> 23)) << 23);
    return convert_int_rte(convert_float_rte(sum) * reciprocal);
}

inline bool are_similar(int4 a, int4 b, ulong eps) {
    const uint4 apart = abs_diff(edges_of(a), edges_of(b));
    return all(apart <= (uint4)((uint)reach_of(min(a.z, b.z) + min(a.w, b.w), eps)));
}
