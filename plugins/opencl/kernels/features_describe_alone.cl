// Descriptors of SIFT's keypoints on processors, where each is one work-item's.
#include "features_square.cl"

// Places of a sample by the four cells round it: half a cell beyond the outer ones count, too.
#define PLACES (CELLS + 1)
// A sample is shared by two directions, columns and rows. The eight sums of a place and direction lie side by side, so
// that a sample is one addition of a vector; which cell and direction each counts for is settled at the end.
#define SHARES 8
// Neighbouring samples mostly fall into the same place: with as many sets of sums none waits for the one before.
#define SETS 2

typedef struct __attribute__((packed)) {
    float8 value;
} Eight;

// Four vectors become columns, four by four elements.
#if VECTOR == 8
#define LOWER_PAIRS(a, b) (FLOATV)(a.s0, b.s0, a.s1, b.s1, a.s4, b.s4, a.s5, b.s5)
#define UPPER_PAIRS(a, b) (FLOATV)(a.s2, b.s2, a.s3, b.s3, a.s6, b.s6, a.s7, b.s7)
#else
#define LOWER_PAIRS(a, b) (FLOATV)(a.s0, b.s0, a.s1, b.s1)
#define UPPER_PAIRS(a, b) (FLOATV)(a.s2, b.s2, a.s3, b.s3)
#endif
#define TRANSPOSE(v, to)                                                          \
    do {                                                                          \
        const FLOATV ac_low = LOWER_PAIRS(v##0, v##2), ac_high = UPPER_PAIRS(v##0, v##2);   \
        const FLOATV bd_low = LOWER_PAIRS(v##1, v##3), bd_high = UPPER_PAIRS(v##1, v##3);   \
        to##0 = LOWER_PAIRS(ac_low, bd_low);                                      \
        to##1 = UPPER_PAIRS(ac_low, bd_low);                                      \
        to##2 = LOWER_PAIRS(ac_high, bd_high);                                    \
        to##3 = UPPER_PAIRS(ac_high, bd_high);                                    \
    } while (0)

inline void add_eight(float *to, float8 value) {
    ((Eight *)to)->value += value;
}
inline float sum_of(float8 v) {
    const float4 four = v.lo + v.hi;
    const float2 two = four.lo + four.hi;
    return two.x + two.y;
}

// A work-item takes a keypoint in the order in which they were found, so that neighbours in the picture come one after
// the other. `rank_of`: where each comes in order of strength.
__kernel void describe(__global const float *restrict layers, __constant const Octave *octaves, const float sigma,
                       __global const Place *restrict places, __global const Keypoint *restrict keypoints,
                       __global const uint *restrict place_of, __global const uint *restrict rank_of, const uint found,
                       const uint wanted, __global Keypoint *restrict ordered, IMAGE_OUT(descriptors)) {
    const uint index = (uint)get_global_id(1);
    if (index >= found) return;
    const uint rank = rank_of[index];
    if (rank >= wanted) return;
    float sums[SETS * PLACES * PLACES * BINS * SHARES];
    for (int i = 0; i < SETS * PLACES * PLACES * BINS; ++i) vstore8((float8)(0.0f), i, sums);
    const Keypoint point = keypoints[index];
    ordered[rank] = point;
    const Place place = places[place_of[index]];
    const Octave octave = octaves[place.octave];
    const int center_x = convert_int_rte((float)place.x + place.x_offset);
    const int center_y = convert_int_rte((float)place.y + place.y_offset);
    const float cell = 3 * scale_of(sigma, (float)place.layer + place.layer_offset);
    const int radius = convert_int_rte(cell * 1.4142135623730951f * 2.5f);
    // Directions are counted against the angle's sense.
    const float direction = point.angle == 0 ? 0 : 360 - point.angle;
    float cosine;
    float sine = sincos(direction * (M_PI_F / 180), &cosine);
    sine /= cell;
    cosine /= cell;
    // exp(-d^2 / (2 s^2)) with s = half the descriptor's width, two cells.
    const float factor = -1 / (8 * cell * cell);
    const int left = max(1 - center_x, -radius), right = min(octave.width - 2 - center_x, radius);
    const int top = max(1 - center_y, -radius), bottom = min(octave.height - 2 - center_y, radius);
    const float reach = CELLS / 2 + 0.5f, middle = PLACES / 2.0f;
    __global const float *layer = layers + octave.first + (ulong)place.layer * octave.layer_floats;
    const float counted[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const FLOATV counting = LOADV_PRIVATE(counted);
    for (int row = top; row <= bottom; ++row) {
        const float i = (float)row;
        // Only where the turned square meets the row; a pixel more on either side, the exact test follows.
        float low = (float)left, high = (float)right;
        narrow(-i * sine, cosine, reach, &low, &high);
        narrow(i * cosine, sine, reach, &low, &high);
        if (!(low <= high + 2)) continue;
        const int first = max((int)low - 1, left), last = min((int)high + 1, right);
        __global const float *center = layer + (ulong)(center_y + row) * octave.stride + center_x;
        for (int column = first; column <= last; column += VECTOR) {
            const FLOATV j = (float)column + counting;
            const FLOATV across = j * cosine + (middle - i * sine), down = j * sine + (middle + i * cosine);
            const INTV inside = (across > 0.0f) & (across < (float)PLACES) & (down > 0.0f) & (down < (float)PLACES) &
                                (j <= (float)last);
            if (!ANY(inside)) continue;
            FLOATV angle;
            FLOATV size = gradients(center + column, (int)octave.stride, &angle) *
                          exponential(max((j * j + i * i) * factor, -80.0f));
            // What lies behind a row may be no number.
            size = select((FLOATV)(0.0f), size, inside);
            angle = select((FLOATV)(0.0f), angle, inside);
            const FLOATV bin = (angle + (360 - direction)) * (BINS / 360.0f);
            const INTV r = JOIN(convert_, INTV)(down), c = JOIN(convert_, INTV)(across), b = JOIN(convert_, INTV)(bin);
            const FLOATV part_r = down - JOIN(convert_, FLOATV)(r), part_c = across - JOIN(convert_, FLOATV)(c),
                         part_b = bin - JOIN(convert_, FLOATV)(b);
            int at[VECTOR];
            STOREV((((r * PLACES + c) * BINS + (b & (BINS - 1))) * SHARES) & inside, at);
            const FLOATV lower = size * part_r, upper = size - lower;
            const FLOATV lower_right = lower * part_c, lower_left = lower - lower_right;
            const FLOATV upper_right = upper * part_c, upper_left = upper - upper_right;
            const FLOATV u1 = upper_left * part_b, u0 = upper_left - u1, u3 = upper_right * part_b,
                         u2 = upper_right - u3;
            const FLOATV v1 = lower_left * part_b, v0 = lower_left - v1, v3 = lower_right * part_b,
                         v2 = lower_right - v3;
            FLOATV s0, s1, s2, s3, t0, t1, t2, t3;
            TRANSPOSE(u, s);
            TRANSPOSE(v, t);
            float *const other = sums + PLACES * PLACES * BINS * SHARES;
#if VECTOR == 8
            add_eight(sums + at[0], (float8)(s0.lo, t0.lo));
            add_eight(other + at[1], (float8)(s1.lo, t1.lo));
            add_eight(sums + at[2], (float8)(s2.lo, t2.lo));
            add_eight(other + at[3], (float8)(s3.lo, t3.lo));
            add_eight(sums + at[4], (float8)(s0.hi, t0.hi));
            add_eight(other + at[5], (float8)(s1.hi, t1.hi));
            add_eight(sums + at[6], (float8)(s2.hi, t2.hi));
            add_eight(other + at[7], (float8)(s3.hi, t3.hi));
#else
            add_eight(sums + at[0], (float8)(s0, t0));
            add_eight(other + at[1], (float8)(s1, t1));
            add_eight(sums + at[2], (float8)(s2, t2));
            add_eight(other + at[3], (float8)(s3, t3));
#endif
        }
    }
    float values[VALUES];
    for (int i = 0; i < CELLS * CELLS; ++i) vstore8((float8)(0.0f), i, values);
    for (int r = 0; r < PLACES; ++r)
        for (int c = 0; c < PLACES; ++c)
            for (int b = 0; b < BINS; ++b) {
                const int at = (r * PLACES + c) * BINS + b;
                float parts[SHARES];
                vstore8(vload8(at, sums) + vload8(at, sums + PLACES * PLACES * BINS * SHARES), 0, parts);
                for (int corner = 0; corner < 4; ++corner) {
                    const int at_r = r - 1 + corner / 2, at_c = c - 1 + corner % 2;
                    if (at_r < 0 || at_r >= CELLS || at_c < 0 || at_c >= CELLS) continue;
                    float *to = values + (at_r * CELLS + at_c) * BINS;
                    to[b] += parts[2 * corner];
                    to[(b + 1) & (BINS - 1)] += parts[2 * corner + 1];
                }
            }
    // Clipped at 0.2 of its norm, scaled to norm 512, rounded and saturated.
    float8 squares = 0;
    for (int i = 0; i < CELLS * CELLS; ++i) squares += vload8(i, values) * vload8(i, values);
    const float clip = sqrt(sum_of(squares)) * 0.2f;
    squares = 0;
    for (int i = 0; i < CELLS * CELLS; ++i) {
        const float8 clipped = min(vload8(i, values), clip);
        vstore8(clipped, i, values);
        squares += clipped * clipped;
    }
    const float scale = 512.0f / max(sqrt(sum_of(squares)), 1.1920929e-7f);
    __global float *out = ROW_OUT(float, descriptors, rank);
    for (int i = 0; i < CELLS * CELLS; ++i) vstore8(rint(min(vload8(i, values) * scale, 255.0f)), i, out);
}
