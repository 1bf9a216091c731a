// resize: bilinear samples and area averages. Formulas: resize in vedette/plugin/ops.h.
//
// IN, OUT: uchar, ushort or float; IN_REAL, OUT_REAL: 1 for float. CHANNELS: that are resampled, in the input's order:
// 1 where either side is gray (a pixel in colour becomes gray first), 3 without and 4 with an alpha on both sides.
#include "template_real.cl"

#define OUT_MOST (sizeof(OUT) == 1 ? 255 : 65535)

// How a format keeps its channels: their number, whether red comes first, whether each has a plane of its own.
#define CHANNELS_OF(layout) ((layout) & 7u)
#define RGB_OF(layout) (((layout) >> 3) & 1u)
#define PLANAR_OF(layout) (((layout) >> 4) & 1u)

#define IMAGES_IN IMAGE_IN(in0), IMAGE_IN(in1), IMAGE_IN(in2), const uint in_layout
#define IMAGES_OUT IMAGE_OUT(out0), IMAGE_OUT(out1), IMAGE_OUT(out2), const uint out_layout
#define IMAGES_IN_ARGUMENTS \
    in0_data, in0_offset, in0_stride, in1_data, in1_offset, in1_stride, in2_data, in2_offset, in2_stride, in_layout
#define IMAGES_OUT_ARGUMENTS                                                                                         \
    out0_data, out0_offset, out0_stride, out1_data, out1_offset, out1_stride, out2_data, out2_offset, out2_stride, \
        out_layout

// The part of the output that the picture fills, as the host passes it.
typedef struct {
    int left, top, width, height;
    int out_width, out_height;
    float fill;            // outside; as the output's depth holds it
    float scale, offset;   // of bilinear values, where only the output is real; else 1 and 0
    uint unused;
    ulong scale_bits, offset_bits;  // the same of area averages, doubles
    ulong total;                    // all weights of an area average
} Frame;

// In one dimension an output pixel lies between the input pixels left and left + 1, `fraction` of the way; with
// fraction 0 only `left` counts.
typedef struct {
    int left;
    float fraction;
} Pair;

// In one dimension an output pixel covers the input pixels first ... last: the first and the last with these weights,
// those between with the full weight. When first = last its weight is first_weight.
typedef struct {
    int first, last;
    uint first_weight, last_weight;
} Cover;

inline IN gray_of(IN blue, IN green, IN red) {
#if IN_REAL && defined(VDT_DOUBLES)
    return convert_float(0.114 * blue + 0.587 * green + 0.299 * red);
#elif IN_REAL
    return soft_to_float(soft_add(soft_add(soft_multiply(0x3FBD2F1A9FBE76C9ul, soft_double(blue)),    // 0.114
                                           soft_multiply(0x3FE2C8B439581062ul, soft_double(green))),  // 0.587
                                  soft_multiply(0x3FD322D0E5604189ul, soft_double(red))));            // 0.299
#else
    // OpenCV 4's fixed-point BT.601 weights, 15 bits.
    return (IN)((3735u * blue + 19235u * green + 9798u * red + (1u << 14)) >> 15);
#endif
}

inline void load_pixel(IMAGES_IN, int x, int y, IN pixel[CHANNELS]) {
    IN raw[4];
    raw[0] = raw[1] = raw[2] = raw[3] = (IN)0;
    const uint channels = CHANNELS_OF(in_layout);
    if (PLANAR_OF(in_layout)) {
        raw[0] = ROW_IN(IN, in0, y)[x];
        raw[1] = ROW_IN(IN, in1, y)[x];
        raw[2] = ROW_IN(IN, in2, y)[x];
    } else {
        __global const IN *at = ROW_IN(IN, in0, y) + (size_t)channels * x;
        raw[0] = at[0];
        if (channels >= 3) {
            raw[1] = at[1];
            raw[2] = at[2];
        }
#if CHANNELS == 4
        raw[3] = at[3];
#endif
    }
#if CHANNELS == 1
    const bool red_first = RGB_OF(in_layout) != 0;
    pixel[0] = channels == 1 ? raw[0] : gray_of(red_first ? raw[2] : raw[0], raw[1], red_first ? raw[0] : raw[2]);
#else
    for (int c = 0; c < CHANNELS; ++c) pixel[c] = raw[c];
#endif
}

// `value`: results in the order of the input's channels; what is not inside the picture is filled.
inline void store_pixel(IMAGES_OUT, uint in_layout, int x, int y, bool inside, const OUT value[CHANNELS], float fill) {
    OUT pixel[4];
#if CHANNELS == 1
    pixel[0] = pixel[1] = pixel[2] = value[0];
#else
    const bool swap = RGB_OF(in_layout) != RGB_OF(out_layout);
    pixel[0] = value[swap ? 2 : 0];
    pixel[1] = value[1];
    pixel[2] = value[swap ? 0 : 2];
#endif
#if CHANNELS == 4
    pixel[3] = value[3];
#elif OUT_REAL
    pixel[3] = 1.0f;
#else
    pixel[3] = (OUT)OUT_MOST;  // an added alpha is opaque
#endif
    if (!inside) pixel[0] = pixel[1] = pixel[2] = pixel[3] = (OUT)fill;
    if (PLANAR_OF(out_layout)) {
        ROW_OUT(OUT, out0, y)[x] = pixel[0];
        ROW_OUT(OUT, out1, y)[x] = pixel[1];
        ROW_OUT(OUT, out2, y)[x] = pixel[2];
        return;
    }
    const uint channels = CHANNELS_OF(out_layout);
    __global OUT *at = ROW_OUT(OUT, out0, y) + (size_t)channels * x;
    at[0] = pixel[0];
    if (channels >= 3) {
        at[1] = pixel[1];
        at[2] = pixel[2];
    }
    if (channels == 4) at[3] = pixel[3];
}

inline float between(float a, float b, float fraction) {
    return a + (b - a) * fraction;
}

// A work-item an output pixel. In single precision: along both rows first, then between them. Integers are rounded half
// up; they lie between values of the input's depth, so nothing has to be limited. Every row that is sampled comes from
// memory once, neighbours share it in the caches: about 20 operations a channel.
__kernel void resize_bilinear(IMAGES_IN, IMAGES_OUT, const Frame frame, __global const Pair *restrict across,
                              __global const Pair *restrict down) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= frame.out_width || y >= frame.out_height) return;
    const int column = x - frame.left, row = y - frame.top;
    const bool inside = column >= 0 && column < frame.width && row >= 0 && row < frame.height;
    OUT value[CHANNELS];
    for (int c = 0; c < CHANNELS; ++c) value[c] = (OUT)0;
    if (inside) {
        const Pair columns = across[column], rows = down[row];
        const int right = columns.left + (columns.fraction != 0 ? 1 : 0);
        const int below = rows.left + (rows.fraction != 0 ? 1 : 0);
        IN a[CHANNELS], b[CHANNELS], c[CHANNELS], d[CHANNELS];
        load_pixel(IMAGES_IN_ARGUMENTS, columns.left, rows.left, a);
        load_pixel(IMAGES_IN_ARGUMENTS, right, rows.left, b);
        load_pixel(IMAGES_IN_ARGUMENTS, columns.left, below, c);
        load_pixel(IMAGES_IN_ARGUMENTS, right, below, d);
        for (int i = 0; i < CHANNELS; ++i) {
            const float sampled = between(between((float)a[i], (float)b[i], columns.fraction),
                                          between((float)c[i], (float)d[i], columns.fraction), rows.fraction);
#if OUT_REAL
            value[i] = sampled * frame.scale + frame.offset;
#else
            value[i] = (OUT)(int)(sampled + 0.5f);
#endif
        }
    }
    store_pixel(IMAGES_OUT_ARGUMENTS, in_layout, x, y, inside, value, frame.fill);
}

// Sums along a row, whose weights add up to 65535 at most, and of all rows.
#if IN_REAL
#define ROW_SUM real
#define AREA_SUM real
#ifdef VDT_DOUBLES
#define AREA_OF(value) ((double)(value))
#define AREA_ADD(a, b) ((a) + (b))
#else
#define AREA_OF(value) soft_double(value)
#define AREA_ADD(a, b) soft_add(a, b)
#endif
#define WEIGHT_OF(weight) real_of((long)(weight))
#define AREA_MULTIPLY(a, b) multiply(a, b)
#else
#define ROW_SUM uint
#define AREA_SUM ulong
#define AREA_OF(value) ((uint)(value))
#define AREA_ADD(a, b) ((a) + (b))
#define WEIGHT_OF(weight) (weight)
#define AREA_MULTIPLY(a, b) ((a) * (b))
#endif

inline uint cover_weight(const Cover *cover, int index, uint full) {
    if (index == cover->first) return cover->first_weight;
    return index == cover->last ? cover->last_weight : full;
}

// Every step-th column from `begin` on of one output pixel.
inline void add_covered(IMAGES_IN, const Cover *columns, const Cover *rows, const Frame *frame, int begin, int step,
                        AREA_SUM sums[CHANNELS]) {
    for (int y = rows->first; y <= rows->last; ++y) {
        ROW_SUM row[CHANNELS];
        for (int c = 0; c < CHANNELS; ++c) row[c] = 0;
        for (int x = columns->first + begin; x <= columns->last; x += step) {
            IN pixel[CHANNELS];
            load_pixel(IMAGES_IN_ARGUMENTS, x, y, pixel);
            const ROW_SUM weight = WEIGHT_OF(cover_weight(columns, x, (uint)frame->width));
            for (int c = 0; c < CHANNELS; ++c) row[c] = AREA_ADD(row[c], AREA_MULTIPLY(AREA_OF(pixel[c]), weight));
        }
        const AREA_SUM weight = WEIGHT_OF(cover_weight(rows, y, (uint)frame->height));
        for (int c = 0; c < CHANNELS; ++c) sums[c] = AREA_ADD(sums[c], AREA_MULTIPLY((AREA_SUM)row[c], weight));
    }
}

// The average, of integers rounded half up once.
inline OUT area_result(AREA_SUM sum, const Frame *frame) {
#if OUT_REAL
#if IN_REAL
    const real whole = sum;
#else
    const real whole = real_of((long)sum);
#endif
    const real scaled = multiply(divide(whole, real_of((long)frame->total)), real_of_bits(frame->scale_bits));
#ifdef VDT_DOUBLES
    return float_of(scaled + real_of_bits(frame->offset_bits));
#else
    return float_of(soft_add(scaled, real_of_bits(frame->offset_bits)));
#endif
#else
    return (OUT)((2 * sum + frame->total) / (2 * frame->total));
#endif
}

// A work-item an output pixel, for pictures that are shrunk little. Every pixel of the input is read about once.
__kernel void resize_area(IMAGES_IN, IMAGES_OUT, const Frame frame, __global const Cover *restrict across,
                          __global const Cover *restrict down) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= frame.out_width || y >= frame.out_height) return;
    const int column = x - frame.left, row = y - frame.top;
    const bool inside = column >= 0 && column < frame.width && row >= 0 && row < frame.height;
    OUT value[CHANNELS];
    for (int c = 0; c < CHANNELS; ++c) value[c] = (OUT)0;
    if (inside) {
        const Cover columns = across[column], rows = down[row];
        AREA_SUM sums[CHANNELS];
        for (int c = 0; c < CHANNELS; ++c) sums[c] = 0;
        add_covered(IMAGES_IN_ARGUMENTS, &columns, &rows, &frame, 0, 1, sums);
        for (int c = 0; c < CHANNELS; ++c) value[c] = area_result(sums[c], &frame);
    }
    store_pixel(IMAGES_OUT_ARGUMENTS, in_layout, x, y, inside, value, frame.fill);
}

// A group an output pixel, its work-items side by side along the rows, for pictures that are shrunk much. `parts`:
// CHANNELS for each work-item.
__kernel void resize_area_team(IMAGES_IN, IMAGES_OUT, const Frame frame, __global const Cover *restrict across,
                               __global const Cover *restrict down, __local AREA_SUM *restrict parts) {
    const int x = (int)get_group_id(0), y = (int)get_group_id(1);
    const int item = (int)get_local_id(0), items = (int)get_local_size(0);
    const int column = x - frame.left, row = y - frame.top;
    const bool inside = column >= 0 && column < frame.width && row >= 0 && row < frame.height;
    AREA_SUM sums[CHANNELS];
    for (int c = 0; c < CHANNELS; ++c) sums[c] = 0;
    if (inside) {
        const Cover columns = across[column], rows = down[row];
        add_covered(IMAGES_IN_ARGUMENTS, &columns, &rows, &frame, item, items, sums);
    }
    for (int c = 0; c < CHANNELS; ++c) parts[item * CHANNELS + c] = sums[c];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item != 0) return;
    OUT value[CHANNELS];
    for (int c = 0; c < CHANNELS; ++c) {
        AREA_SUM sum = 0;
        for (int i = 0; i < items; ++i) sum = AREA_ADD(sum, parts[i * CHANNELS + c]);
        value[c] = inside ? area_result(sum, &frame) : (OUT)0;
    }
    store_pixel(IMAGES_OUT_ARGUMENTS, in_layout, x, y, inside, value, frame.fill);
}
