// From layers to keypoints: extrema of the differences of neighbouring layers, and their places to a fraction of a
// pixel.
#include "features.cl"

// Whether each difference of a layer and the next at VECTOR pixels is further from 0 than `size`, on the side `sign`.
ALWAYS_INLINE INTV beaten_by(__global const float *lower, ulong layer_floats, FLOATV sign, FLOATV size) {
    return (LOADV(lower + layer_floats) - LOADV(lower)) * sign > size;
}

// Which of VECTOR pixels are extrema of a layer's difference to the next, `lower` and `upper` there. Neighbours are
// looked at where a difference passes the threshold, the nearest first, since they settle most cases.
ALWAYS_INLINE bool extrema_at(__global const float *here, int stride, ulong step, FLOATV lower, FLOATV upper,
                              float threshold, INTV *extrema) {
    const FLOATV value = upper - lower;
    const FLOATV size = fabs(value);
    INTV alive = size > threshold;
    if (!ANY(alive)) return false;
    const FLOATV sign = select((FLOATV)(1.0f), (FLOATV)(-1.0f), value < 0.0f);
    alive &= ~(beaten_by(here - 1, step, sign, size) | beaten_by(here + 1, step, sign, size));
    if (!ANY(alive)) return false;
    for (int row = -stride; row <= stride; row += 2 * stride)
#pragma unroll
        for (int column = -1; column <= 1; ++column) alive &= ~beaten_by(here + row + column, step, sign, size);
    if (!ANY(alive)) return false;
    for (int row = -stride; row <= stride; row += stride)
#pragma unroll
        for (int column = -1; column <= 1; ++column)
            alive &= ~(beaten_by(here + step + row + column, step, sign, size) |
                       beaten_by(here - step + row + column, step, sign, size));
    *extrema = alive;
    return ANY(alive);
}

#ifdef VDT_PROCESSOR
// All layers of an octave at once; differences are never stored. A work-item owns a row.
__kernel void extrema(__global const float *restrict layers, __constant const Octave *octaves, const uint index,
                      const float threshold, __global uint *counts, __global Extremum *restrict list, const uint room) {
    const Octave octave = octaves[index];
    const int y = BORDER + (int)get_global_id(1), end = octave.width - BORDER;
    if (y >= octave.height - BORDER) return;
    const int stride = (int)octave.stride;
    const ulong step = octave.layer_floats;
    __global const float *row = layers + octave.first + step + (ulong)y * octave.stride;
    for (int x = BORDER; x < end; x += VECTOR) {
        __global const float *here = row + x;
        FLOATV lower = LOADV(here);
        for (uint layer = 0; layer < LAYERS; ++layer, here += step) {
            const FLOATV upper = LOADV(here + step);
            INTV alive;
            if (extrema_at(here, stride, step, lower, upper, threshold, &alive)) {
                int lanes[VECTOR];
                STOREV(alive, lanes);
                for (int lane = 0; lane < VECTOR && x + lane < end; ++lane) {
                    if (lanes[lane] == 0) continue;
                    const uint place = atomic_inc(counts + EXTREMA);
                    if (place >= room) continue;
                    const Extremum extremum = {(ushort)(x + lane), (ushort)y, (ushort)index, (ushort)(layer + 1)};
                    list[place] = extremum;
                }
            }
            lower = upper;
        }
    }
}
#else
// All layers of an octave at once; differences are never stored. A work-item owns VECTOR pixels of a row. Each group
// takes its part of the list with one addition.
__kernel void extrema(__global const float *restrict layers, __constant const Octave *octaves, const uint index,
                      const float threshold, __global uint *counts, __global Extremum *restrict list, const uint room) {
    __local uint found, begin;
    const Octave octave = octaves[index];
    const int x = BORDER + VECTOR * (int)get_global_id(0), y = BORDER + (int)get_global_id(1);
    const int left = octave.width - BORDER - x;  // pixels that count
    uint marks[LAYERS];
    uint own = 0;
    if (get_local_id(0) == 0 && get_local_id(1) == 0) found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (left > 0 && y < octave.height - BORDER) {
        const int stride = (int)octave.stride;
        const ulong step = octave.layer_floats;
        __global const float *here = layers + octave.first + step + (ulong)y * octave.stride + x;
        FLOATV lower = LOADV(here);
        for (uint layer = 0; layer < LAYERS; ++layer, here += step) {
            marks[layer] = 0;
            const FLOATV upper = LOADV(here + step);
            INTV alive;
            const bool some = extrema_at(here, stride, step, lower, upper, threshold, &alive);
            lower = upper;
            if (!some) continue;
            int lanes[VECTOR];
            STOREV(alive, lanes);
            for (int lane = 0; lane < VECTOR && lane < left; ++lane)
                if (lanes[lane] != 0) marks[layer] |= 1u << lane;
            own += popcount(marks[layer]);
        }
    }
    uint place = own > 0 ? atomic_add(&found, own) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && get_local_id(1) == 0) begin = found > 0 ? atomic_add(counts + EXTREMA, found) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own == 0) return;
    place += begin;
    for (uint layer = 0; layer < LAYERS; ++layer)
        for (int lane = 0; lane < VECTOR; ++lane) {
            if ((marks[layer] >> lane & 1) == 0) continue;
            if (place < room) {
                const Extremum extremum = {(ushort)(x + lane), (ushort)y, (ushort)index, (ushort)(layer + 1)};
                list[place] = extremum;
            }
            ++place;
        }
}
#endif

// Of a list, what a work-item works on: on processors neighbours one after the other, which use the same cache lines,
// elsewhere those that the work-items of a group use at the same time.
#ifdef VDT_PROCESSOR
#define OWN_FIRST(count) own_begin(count, (uint)get_global_id(0), (uint)get_global_size(0))
#define OWN_END(count) own_begin(count, (uint)get_global_id(0) + 1, (uint)get_global_size(0))
#define OWN_STEP 1
#else
#define OWN_FIRST(count) (uint)get_global_id(0)
#define OWN_END(count) (count)
#define OWN_STEP (uint)get_global_size(0)
#endif

// Rows that refining moves a keypoint at most; steps so far do not converge.
#define REFINE_REACH 16
#define MOST_STEPS 5
// Pixels: beyond it the Hessian is as good as singular.
#define FURTHEST_STEP 1e6f

// By at most five Newton steps [Lowe 2004, section 4; limits as cv::SIFT]; false when it leaves the octave, does not
// settle, or fails a test.
inline bool refine(__global const float *layers, const Octave octave, const Extremum start, float least_contrast,
                   float edge, Place *place) {
    int x = start.x, y = start.y, layer = start.layer;
    for (int step = 0; step < MOST_STEPS; ++step) {
        // Differences of layers around the pixel: [difference below, here, above][row][column].
        float v[3][3][3];
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column) {
                __global const float *at = layers + octave.first + (ulong)(layer - 1) * octave.layer_floats +
                                           (ulong)(y + row - 1) * octave.stride + (x + column - 1);
                float lower = *at;
                for (int d = 0; d < 3; ++d) {
                    at += octave.layer_floats;
                    const float upper = *at;
                    v[d][row][column] = upper - lower;
                    lower = upper;
                }
            }
        // Pixel values 0..255 become 0..1.
        const float whole = 1.0f / 255, half_of = whole * 0.5f, quarter = whole * 0.25f;
        const float twice = 2 * v[1][1][1];
        const float dx = (v[1][1][2] - v[1][1][0]) * half_of;
        const float dy = (v[1][2][1] - v[1][0][1]) * half_of;
        const float ds = (v[2][1][1] - v[0][1][1]) * half_of;
        const float dxx = (v[1][1][2] + v[1][1][0] - twice) * whole;
        const float dyy = (v[1][2][1] + v[1][0][1] - twice) * whole;
        const float dss = (v[2][1][1] + v[0][1][1] - twice) * whole;
        const float dxy = (v[1][2][2] - v[1][2][0] - v[1][0][2] + v[1][0][0]) * quarter;
        const float dxs = (v[2][1][2] - v[2][1][0] - v[0][1][2] + v[0][1][0]) * quarter;
        const float dys = (v[2][2][1] - v[2][0][1] - v[0][2][1] + v[0][0][1]) * quarter;
        // Where the quadratic through the derivatives is flat (Cramer's rule); here when it is flat everywhere.
        const float a = dyy * dss - dys * dys, b = dxy * dss - dys * dxs, c = dxy * dys - dyy * dxs;
        const float determinant = dxx * a - dxy * b + dxs * c;
        float to_x = 0, to_y = 0, to_s = 0;
        if (determinant != 0) {
            const float inverse = 1 / determinant;
            const float p = dy * dss - dys * ds, q = dy * dys - dyy * ds, r = dxy * ds - dy * dxs;
            to_x = -inverse * (dx * a - dxy * p + dxs * q);
            to_y = -inverse * (dxx * p - dx * b + dxs * r);
            to_s = -inverse * (dxx * -q - dxy * r + dx * c);
        }
        // Neither for what is not a number.
        if (!(fabs(to_x) < FURTHEST_STEP && fabs(to_y) < FURTHEST_STEP && fabs(to_s) < FURTHEST_STEP)) return false;
        if (!(fabs(to_x) < 0.5f && fabs(to_y) < 0.5f && fabs(to_s) < 0.5f)) {
            x += convert_int_rte(to_x);
            y += convert_int_rte(to_y);
            layer += convert_int_rte(to_s);
            if (layer < 1 || layer > LAYERS || x < BORDER || x >= octave.width - BORDER || y < BORDER ||
                y >= octave.height - BORDER || abs(y - (int)start.y) > REFINE_REACH)
                return false;
            continue;
        }
        const float slope = dx * to_x + dy * to_y + ds * to_s;
        const float contrast = fabs(v[1][1][1] * whole + slope * 0.5f);
        if (contrast * LAYERS < least_contrast) return false;
        // Ratio of the principal curvatures, from trace and determinant of the Hessian.
        const float trace = dxx + dyy, curvature = dxx * dyy - dxy * dxy;
        if (curvature <= 0 || trace * trace * edge >= (edge + 1) * (edge + 1) * curvature) return false;
        place->x = (ushort)x;
        place->y = (ushort)y;
        place->octave = start.octave;
        place->layer = (ushort)layer;
        place->x_offset = to_x;
        place->y_offset = to_y;
        place->layer_offset = to_s;
        place->response = contrast;
        return true;
    }
    return false;
}

// A work-item owns an extremum: 36 values a step, scattered.
__kernel void places(__global const float *restrict layers, __constant const Octave *octaves,
                     const float least_contrast, const float edge, __global const uint *restrict counts,
                     __global const Extremum *restrict list, const uint room, __global Place *restrict places) {
    const uint count = min(counts[EXTREMA], room);
    for (uint index = OWN_FIRST(count), end = OWN_END(count); index < end; index += OWN_STEP) {
        const Extremum extremum = list[index];
        Place place;
        if (!refine(layers, octaves[extremum.octave], extremum, least_contrast, edge, &place)) place.layer = 0;
        places[index] = place;
    }
}

// Several extrema may be refined to the same pixel; they are the same keypoint then, in all of their numbers. The first
// that comes to the table is kept. `known`: cleared, `slots` (a power of two) words, each an extremum's number plus one.
// A kernel of its own, since work-items see what others wrote to memory only after their kernel has ended.
__kernel void distinct(__global uint *counts, const uint room, __global const Place *restrict places,
                       __global uint *known, const uint slots, __global uint *restrict kept) {
    const uint count = min(counts[EXTREMA], room);
    for (uint index = OWN_FIRST(count), end = OWN_END(count); index < end; index += OWN_STEP) {
        const Place place = places[index];
        if (place.layer == 0) continue;
        uint slot = (((uint)place.octave * 31 + place.layer) * 40503u + place.y) * 2654435769u + place.x * 2246822519u;
        slot = (slot ^ slot >> 15) & (slots - 1);
        for (;;) {
            const uint before = atomic_cmpxchg(known + slot, 0u, index + 1);
            if (before == 0) {
                kept[atomic_inc(counts + PLACES)] = index;
                break;
            }
            const Place other = places[before - 1];
            if (other.x == place.x && other.y == place.y && other.layer == place.layer && other.octave == place.octave)
                break;
            slot = (slot + 1) & (slots - 1);
        }
    }
}
