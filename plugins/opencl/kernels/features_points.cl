// From layers to keypoints: extrema of the differences of neighbouring layers, their places to a fraction of a pixel,
// and their directions.
//
// LANES: work-items of a keypoint in `directions`. KEYS: keypoints of a group there.
#include "features.cl"

// Whether each difference of a layer and the next at VECTOR pixels is further from 0 than `size`, on the side `sign`.
ALWAYS_INLINE INTV beaten_by(__global const float *lower, ulong layer_floats, FLOATV sign, FLOATV size) {
    return (LOADV(lower + layer_floats) - LOADV(lower)) * sign > size;
}

// All layers of an octave at once; differences are never stored. A work-item owns VECTOR pixels of a row. Neighbours
// are looked at where a difference passes the threshold, the nearest first, since they settle most cases. Each group
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
            const FLOATV value = upper - lower;
            lower = upper;
            const FLOATV size = fabs(value);
            INTV alive = size > threshold;
            if (!any(alive)) continue;
            const FLOATV sign = select((FLOATV)(1.0f), (FLOATV)(-1.0f), value < 0.0f);
            alive &= ~(beaten_by(here - 1, step, sign, size) | beaten_by(here + 1, step, sign, size));
            if (!any(alive)) continue;
            for (int row = -stride; row <= stride; row += 2 * stride)
                for (int column = -1; column <= 1; ++column)
                    alive &= ~beaten_by(here + row + column, step, sign, size);
            if (!any(alive)) continue;
            for (int row = -stride; row <= stride; row += stride)
                for (int column = -1; column <= 1; ++column)
                    alive &= ~(beaten_by(here + step + row + column, step, sign, size) |
                               beaten_by(here - step + row + column, step, sign, size));
            if (!any(alive)) continue;
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
    for (uint index = (uint)get_global_id(0); index < count; index += (uint)get_global_size(0)) {
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
    for (uint index = (uint)get_global_id(0); index < count; index += (uint)get_global_size(0)) {
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

#define DIRECTION_BINS 36

// LANES work-items share a keypoint and take VECTOR pixels around it at a time. Each has a histogram of its own, bin b
// of lane l at LANES b + l: nothing is added atomically, and the sums are the same in every run.
__kernel void directions(__global const float *restrict layers, __constant const Octave *octaves, const float sigma,
                         IMAGE_IN(mask), const int mask_width, const int mask_height, __global uint *counts,
                         __global const Place *restrict places, __global const uint *restrict kept,
                         __global Keypoint *restrict keypoints, __global uint *restrict place_of, const uint room) {
    __local float histograms[KEYS * LANES * DIRECTION_BINS];
    __local float smooth[KEYS * DIRECTION_BINS];
    const int lane = (int)get_local_id(0), key = (int)get_local_id(1);
    const uint count = counts[PLACES];
    __local float *own = histograms + key * LANES * DIRECTION_BINS + lane;
    __local float *sums = smooth + key * DIRECTION_BINS;
    for (uint base = (uint)get_group_id(1) * KEYS; base < count; base += (uint)get_num_groups(1) * KEYS) {
        bool active = base + key < count;
        const uint index = active ? kept[base + key] : 0;
        const Place place = places[active ? index : kept[base]];
        const Octave octave = octaves[place.octave];
        // Pixels of the image for one of the octave: the first octave's are half as large.
        const float step = ldexp(0.5f, (int)place.octave);
        Keypoint point;
        point.x = ((float)place.x + place.x_offset) * step;
        point.y = ((float)place.y + place.y_offset) * step;
        if (active && mask_width > 0)
            active = ROW_IN(uchar, mask, min((int)(point.y + 0.5f), mask_height - 1))[min((int)(point.x + 0.5f),
                                                                                         mask_width - 1)] != 0;
        const float scale = scale_of(sigma, (float)place.layer + place.layer_offset);
        point.size = 2 * scale * step;
        point.response = place.response;
        point.octave = ((place.octave + 255) & 255) | (place.layer << 8) |
                       (convert_int_rte((place.layer_offset + 0.5f) * 255) << 16);
        for (int bin = 0; bin < DIRECTION_BINS; ++bin) own[LANES * bin] = 0;
        if (active) {
            const int reach = convert_int_rte(4.5f * scale);
            const float factor = -1 / (2 * 1.5f * 1.5f * scale * scale);
            const int left = max(place.x - reach, 1), right = min(place.x + reach, octave.width - 2);
            const int top = max(place.y - reach, 1), bottom = min(place.y + reach, octave.height - 2);
            const int chunks = (right - left + VECTOR) / VECTOR, all = chunks * (bottom - top + 1);
            __global const float *layer = layers + octave.first + (ulong)place.layer * octave.layer_floats;
            for (int chunk = lane; chunk < all; chunk += LANES) {
                const int row = chunk / chunks, x = left + VECTOR * (chunk - row * chunks), y = top + row;
                FLOATV angle;
                const FLOATV size = gradients(layer + (ulong)y * octave.stride + x, (int)octave.stride, &angle);
                float across[VECTOR], turns[VECTOR], shares[VECTOR];
                for (int i = 0; i < VECTOR; ++i) across[i] = (float)(x + i - place.x);
                const FLOATV from = LOADV_PRIVATE(across);
                const float down = (float)(y - place.y);
                STOREV(exponential(max((from * from + down * down) * factor, -80.0f)) * size, shares);
                STOREV(rint(angle * (DIRECTION_BINS / 360.0f)), turns);
                for (int i = 0; i < VECTOR && x + i <= right; ++i) {
                    const int bin = (int)turns[i];
                    own[LANES * (bin >= DIRECTION_BINS ? 0 : bin)] += shares[i];
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int bin = lane; bin < DIRECTION_BINS; bin += LANES) {
            float sum = 0;
            for (int copy = 0; copy < LANES; ++copy)
                sum += histograms[(key * DIRECTION_BINS + bin) * LANES + (copy + lane) % LANES];
            sums[bin] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // Smoothed by 1 4 6 4 1 / 16, into the first copy's place.
        __local float *smoothed = histograms + key * LANES * DIRECTION_BINS;
        for (int bin = lane; bin < DIRECTION_BINS; bin += LANES)
            smoothed[bin] = (sums[(bin + DIRECTION_BINS - 2) % DIRECTION_BINS] + sums[(bin + 2) % DIRECTION_BINS]) *
                                (1.0f / 16) +
                            (sums[(bin + DIRECTION_BINS - 1) % DIRECTION_BINS] + sums[(bin + 1) % DIRECTION_BINS]) *
                                (4.0f / 16) +
                            sums[bin] * (6.0f / 16);
        barrier(CLK_LOCAL_MEM_FENCE);
        // Every local maximum of at least 0.8 of the highest, interpolated by a parabola.
        if (active) {
            float least = 0;
            for (int bin = 0; bin < DIRECTION_BINS; ++bin) least = max(least, smoothed[bin]);
            least *= 0.8f;
            for (int bin = lane; bin < DIRECTION_BINS; bin += LANES) {
                const float here = smoothed[bin], before = smoothed[(bin + DIRECTION_BINS - 1) % DIRECTION_BINS],
                            after = smoothed[(bin + 1) % DIRECTION_BINS];
                if (!(here > before && here > after && here >= least)) continue;
                float middle = (float)bin + 0.5f * (before - after) / (before - 2 * here + after);
                if (middle < 0) middle += DIRECTION_BINS;
                if (middle >= DIRECTION_BINS) middle -= DIRECTION_BINS;
                point.angle = 360.0f - (360.0f / DIRECTION_BINS) * middle;
                if (point.angle >= 360.0f) point.angle = 0;
                const uint to = atomic_inc(counts + KEYPOINTS);
                if (to < room) {
                    keypoints[to] = point;
                    place_of[to] = index;
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
