// convert: between colour formats. Formulas: convert in vedette/plugin/ops.h.
//
// IN, OUT: uchar, ushort or float; IN_REAL, OUT_REAL: 1 for float; IN_WIDE, OUT_WIDE: 1 for ushort.
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

// How a format keeps its channels: their number, whether red comes first, whether each has a plane of its own.
#define CHANNELS_OF(layout) ((layout) & 7u)
#define RGB_OF(layout) (((layout) >> 3) & 1u)
#define PLANAR_OF(layout) (((layout) >> 4) & 1u)

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

__kernel void convert(IMAGE_IN(in0), IMAGE_IN(in1), IMAGE_IN(in2), IMAGE_OUT(out0), IMAGE_OUT(out1), IMAGE_OUT(out2),
                      const uint width, const uint height, const uint in_layout, const uint out_layout,
                      DEPTH_PARAMETERS) {
    const uint x = 4 * (uint)get_global_id(0);
    const uint y = (uint)get_global_id(1);
    if (x >= width || y >= height) return;
    const uint left = min(4u, width - x);
    const uint from = CHANNELS_OF(in_layout), to = CHANNELS_OF(out_layout);

    IN4 channel[4];
    channel[0] = channel[1] = channel[2] = channel[3] = (IN4)(0);
    if (PLANAR_OF(in_layout) || from == 1) {
        // Rows may be read up to a multiple of 16 bytes: that is four pixels of any one channel.
        channel[0] = vload4(0, ROW_IN(IN, in0, y) + x);
        if (from != 1) {
            channel[1] = vload4(0, ROW_IN(IN, in1, y) + x);
            channel[2] = vload4(0, ROW_IN(IN, in2, y) + x);
        }
    } else if (left < 4) {
        __global const IN *pixel = ROW_IN(IN, in0, y) + (size_t)from * x;
        IN buffer[16];
        for (uint index = 0; index < 16; ++index) buffer[index] = index < from * left ? pixel[index] : (IN)0;
        for (uint c = 0; c < from; ++c)
            channel[c] = (IN4)(buffer[c], buffer[from + c], buffer[2 * from + c], buffer[3 * from + c]);
    } else if (from == 4) {
        const IN16 words = vload16(0, ROW_IN(IN, in0, y) + 4 * (size_t)x);
        channel[0] = words.s048c;
        channel[1] = words.s159d;
        channel[2] = words.s26ae;
        channel[3] = words.s37bf;
    } else {
        __global const IN *pixel = ROW_IN(IN, in0, y) + 3 * (size_t)x;
        const IN4 a = vload4(0, pixel), b = vload4(1, pixel), c = vload4(2, pixel);
        channel[0] = (IN4)(a.x, a.w, b.z, c.y);
        channel[1] = (IN4)(a.y, b.x, b.w, c.z);
        channel[2] = (IN4)(a.z, b.y, c.x, c.w);
    }

    OUT4 result[4];
    if (to == 1) {
        const bool red_first = RGB_OF(in_layout) != 0;
        const IN4 gray = from == 1 ? channel[0]
                                   : gray_of(red_first ? channel[2] : channel[0], channel[1],
                                             red_first ? channel[0] : channel[2]);
        result[0] = result[1] = result[2] = result[3] = set_depth(gray, DEPTH_ARGUMENTS);
    } else {
        if (from == 1) {
            channel[1] = channel[2] = channel[0];
        } else if (RGB_OF(in_layout) != RGB_OF(out_layout)) {
            const IN4 first = channel[0];
            channel[0] = channel[2];
            channel[2] = first;
        }
        result[0] = set_depth(channel[0], DEPTH_ARGUMENTS);
        result[1] = set_depth(channel[1], DEPTH_ARGUMENTS);
        result[2] = set_depth(channel[2], DEPTH_ARGUMENTS);
        // Interleaved floats have no alpha, so an added one is that of integers.
        result[3] = from == 4 ? set_depth(channel[3], DEPTH_ARGUMENTS) : (OUT4)(OUT_MOST);
    }

    if (left < 4) {
        for (uint p = 0; p < left; ++p)
            for (uint c = 0; c < to; ++c) {
                const OUT4 four = result[c];
                const OUT value = p == 0 ? four.x : p == 1 ? four.y : four.z;
                if (!PLANAR_OF(out_layout))
                    ROW_OUT(OUT, out0, y)[(size_t)to * (x + p) + c] = value;
                else if (c == 0)
                    ROW_OUT(OUT, out0, y)[x + p] = value;
                else if (c == 1)
                    ROW_OUT(OUT, out1, y)[x + p] = value;
                else
                    ROW_OUT(OUT, out2, y)[x + p] = value;
            }
    } else if (PLANAR_OF(out_layout) || to == 1) {
        vstore4(result[0], 0, ROW_OUT(OUT, out0, y) + x);
        if (to != 1) {
            vstore4(result[1], 0, ROW_OUT(OUT, out1, y) + x);
            vstore4(result[2], 0, ROW_OUT(OUT, out2, y) + x);
        }
    } else if (to == 4) {
        const OUT4 p0 = (OUT4)(result[0].x, result[1].x, result[2].x, result[3].x);
        const OUT4 p1 = (OUT4)(result[0].y, result[1].y, result[2].y, result[3].y);
        const OUT4 p2 = (OUT4)(result[0].z, result[1].z, result[2].z, result[3].z);
        const OUT4 p3 = (OUT4)(result[0].w, result[1].w, result[2].w, result[3].w);
        vstore16((OUT16)(p0, p1, p2, p3), 0, ROW_OUT(OUT, out0, y) + 4 * (size_t)x);
    } else {
        __global OUT *pixel = ROW_OUT(OUT, out0, y) + 3 * (size_t)x;
        vstore4((OUT4)(result[0].x, result[1].x, result[2].x, result[0].y), 0, pixel);
        vstore4((OUT4)(result[1].y, result[2].y, result[0].z, result[1].z), 1, pixel);
        vstore4((OUT4)(result[2].z, result[0].w, result[1].w, result[2].w), 2, pixel);
    }
}
