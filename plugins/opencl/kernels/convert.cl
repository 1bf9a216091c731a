// convert: between colour formats. Formulas: convert in vedette/plugin/ops.h.
//
// IN, OUT: uchar, ushort or float; IN_REAL, OUT_REAL: 1 for float; IN_WIDE, OUT_WIDE: 1 for ushort. Channels and planes
// are asked for in the kernel: all work-items go the same way, and so nine programs do for all pairs of formats.
//
// A work-item owns four neighbouring pixels as one vector a channel, so that every format moves them in words; each is
// read and written once and takes about ten operations.
#include "image.cl"
#include "soft_double.cl"

#define IN4 JOIN(IN, 4)
#define IN16 JOIN(IN, 16)
#define OUT4 JOIN(OUT, 4)
#define OUT16 JOIN(OUT, 16)
#define OUT_MOST (OUT_REAL ? 1 : OUT_WIDE ? 65535 : 255)

// How a float becomes an integer: in double precision, or by thresholds where there is none. Integers never fall as
// the float grows (with a negative scale: as it falls), so each has a least float that becomes it.
#if IN_REAL && !OUT_REAL
#ifdef VDT_DOUBLES
#define DEPTH_PARAMETERS const double scale, const double offset
#define DEPTH_ARGUMENTS scale, offset
#else
#define DEPTH_PARAMETERS const float sign, __global const float *thresholds
#define DEPTH_ARGUMENTS sign, thresholds
#endif
#elif !IN_REAL && OUT_REAL
// What each integer becomes.
#define DEPTH_PARAMETERS __global const float *table
#define DEPTH_ARGUMENTS table
#else
#define DEPTH_PARAMETERS const uint unused
#define DEPTH_ARGUMENTS unused
#endif

#if IN_REAL && !OUT_REAL && !defined(VDT_DOUBLES)
// How many of the thresholds for 1 .. OUT_MOST are reached; none by what is not a number.
inline uint reached(float value, __global const float *thresholds) {
    uint count = 0;
    for (uint step = (OUT_MOST + 1) / 2; step > 0; step >>= 1)
        if (value >= thresholds[count + step - 1]) count += step;
    return count;
}
#endif

inline OUT4 set_depth(IN4 value, DEPTH_PARAMETERS) {
#if IN_REAL && !OUT_REAL
#ifdef VDT_DOUBLES
    const double4 scaled = convert_double4(value) * scale + offset;
    const double4 positive = select((double4)(0.0), scaled, scaled > (double4)(0.0));  // not a number becomes 0
    const double4 most = (double4)(OUT_MOST);
    return JOIN(convert_, JOIN(OUT4, _rte))(select(most, positive, positive < most));
#else
    const float4 rising = value * sign;
    return (OUT4)((OUT)reached(rising.x, thresholds), (OUT)reached(rising.y, thresholds),
                  (OUT)reached(rising.z, thresholds), (OUT)reached(rising.w, thresholds));
#endif
#elif !IN_REAL && OUT_REAL
    return (float4)(table[value.x], table[value.y], table[value.z], table[value.w]);
#elif IN_WIDE == OUT_WIDE
    return value;
#elif OUT_WIDE
    return convert_ushort4(value) * (ushort)257;
#else
    return convert_uchar4((convert_uint4(value) + 128u) / 257u);
#endif
}

inline IN4 gray_of(IN4 blue, IN4 green, IN4 red) {
#if !IN_REAL
    // OpenCV 4's fixed-point BT.601 weights, 15 bits.
    const uint4 sum = 3735u * convert_uint4(blue) + 19235u * convert_uint4(green) + 9798u * convert_uint4(red);
    return JOIN(convert_, IN4)((sum + (1u << 14)) >> 15);
#elif defined(VDT_DOUBLES)
    return convert_float4(0.114 * convert_double4(blue) + 0.587 * convert_double4(green) + 0.299 * convert_double4(red));
#else
    float result[4], blues[4], greens[4], reds[4];
    vstore4(blue, 0, blues);
    vstore4(green, 0, greens);
    vstore4(red, 0, reds);
    for (int i = 0; i < 4; ++i)
        result[i] = soft_to_float(
            soft_add(soft_add(soft_multiply(0x3FBD2F1A9FBE76C9ul, soft_double(blues[i])),    // 0.114
                              soft_multiply(0x3FE2C8B439581062ul, soft_double(greens[i]))),  // 0.587
                     soft_multiply(0x3FD322D0E5604189ul, soft_double(reds[i]))));            // 0.299
    return vload4(0, result);
#endif
}

// How a format keeps its channels: their number, and whether each has a plane of its own. `red_first`: in the input;
// `swap`: the output has red and blue in the other order.
__kernel void convert(IMAGE_IN(in0), IMAGE_IN(in1), IMAGE_IN(in2), IMAGE_OUT(out0), IMAGE_OUT(out1), IMAGE_OUT(out2),
                      const uint width, const uint height, const uint from, const uint from_planar, const uint to,
                      const uint to_planar, const uint red_first, const uint swap, DEPTH_PARAMETERS) {
    const uint x = 4 * (uint)get_global_id(0);
    const uint y = (uint)get_global_id(1);
    if (x >= width || y >= height) return;
    const uint left = min(4u, width - x);

    IN4 first, second = (IN4)(0), third = (IN4)(0), fourth = (IN4)(0);
    if (from == 1 || from_planar != 0) {
        // Rows may be read up to a multiple of 16 bytes: that is four pixels of any one channel.
        first = vload4(0, ROW_IN(IN, in0, y) + x);
        if (from != 1) {
            second = vload4(0, ROW_IN(IN, in1, y) + x);
            third = vload4(0, ROW_IN(IN, in2, y) + x);
        }
    } else {
        __global const IN *pixel = ROW_IN(IN, in0, y) + (size_t)from * x;
        IN end[16];  // of a row, with what is missing
        if (left < 4)
            for (uint index = 0; index < 4 * from; ++index) end[index] = index < from * left ? pixel[index] : (IN)0;
        if (from == 4) {
            const IN16 words = left < 4 ? vload16(0, end) : vload16(0, pixel);
            first = words.s048c;
            second = words.s159d;
            third = words.s26ae;
            fourth = words.s37bf;
        } else {
            const IN4 a = left < 4 ? vload4(0, end) : vload4(0, pixel);
            const IN4 b = left < 4 ? vload4(1, end) : vload4(1, pixel);
            const IN4 c = left < 4 ? vload4(2, end) : vload4(2, pixel);
            first = (IN4)(a.x, a.w, b.z, c.y);
            second = (IN4)(a.y, b.x, b.w, c.z);
            third = (IN4)(a.z, b.y, c.x, c.w);
        }
    }

    if (to == 1) {
        if (from != 1) first = red_first != 0 ? gray_of(third, second, first) : gray_of(first, second, third);
        const OUT4 gray = set_depth(first, DEPTH_ARGUMENTS);
        __global OUT *pixel = ROW_OUT(OUT, out0, y) + x;
        if (left < 4) {
            pixel[0] = gray.x;
            if (left > 1) pixel[1] = gray.y;
            if (left > 2) pixel[2] = gray.z;
        } else {
            vstore4(gray, 0, pixel);
        }
        return;
    }
    if (from == 1) second = third = first;
    const OUT4 begin = set_depth(swap != 0 ? third : first, DEPTH_ARGUMENTS);
    const OUT4 middle = set_depth(second, DEPTH_ARGUMENTS);
    const OUT4 last = set_depth(swap != 0 ? first : third, DEPTH_ARGUMENTS);
    if (to_planar != 0) {
        __global OUT *row0 = ROW_OUT(OUT, out0, y) + x, *row1 = ROW_OUT(OUT, out1, y) + x,
                     *row2 = ROW_OUT(OUT, out2, y) + x;
        if (left < 4) {
            OUT values[12];
            vstore4(begin, 0, values);
            vstore4(middle, 1, values);
            vstore4(last, 2, values);
            for (uint p = 0; p < left; ++p) {
                row0[p] = values[p];
                row1[p] = values[4 + p];
                row2[p] = values[8 + p];
            }
        } else {
            vstore4(begin, 0, row0);
            vstore4(middle, 0, row1);
            vstore4(last, 0, row2);
        }
        return;
    }
    __global OUT *pixel = ROW_OUT(OUT, out0, y) + (size_t)to * x;
    OUT values[16];
    if (to == 4) {
        // Interleaved floats have no alpha, so an added one is that of integers.
        const OUT4 alpha = from == 4 ? set_depth(fourth, DEPTH_ARGUMENTS) : (OUT4)(OUT_MOST);
        const OUT16 words = (OUT16)(begin.x, middle.x, last.x, alpha.x, begin.y, middle.y, last.y, alpha.y, begin.z,
                                    middle.z, last.z, alpha.z, begin.w, middle.w, last.w, alpha.w);
        if (left < 4)
            vstore16(words, 0, values);
        else
            vstore16(words, 0, pixel);
    } else {
        const OUT4 a = (OUT4)(begin.x, middle.x, last.x, begin.y);
        const OUT4 b = (OUT4)(middle.y, last.y, begin.z, middle.z);
        const OUT4 c = (OUT4)(last.z, begin.w, middle.w, last.w);
        if (left < 4) {
            vstore4(a, 0, values);
            vstore4(b, 1, values);
            vstore4(c, 2, values);
        } else {
            vstore4(a, 0, pixel);
            vstore4(b, 1, pixel);
            vstore4(c, 2, pixel);
        }
    }
    if (left < 4)
        for (uint index = 0; index < to * left; ++index) pixel[index] = values[index];
}
