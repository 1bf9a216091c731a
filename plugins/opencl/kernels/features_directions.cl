// Directions of SIFT's keypoints: peaks of a histogram of the gradients around each.
//
// LANES: work-items of a keypoint. KEYS: keypoints of a group. Both are 1 on processors.
#include "features.cl"

#define DIRECTION_BINS 36

// The keypoint of a place, without its angle, and its scale in pixels of its octave; false where the mask has none.
inline bool keypoint_of(const Place place, float sigma, IMAGE_IN(mask), int mask_width, int mask_height,
                        Keypoint *point, float *scale) {
    // Pixels of the image for one of the octave: the first octave's are half as large.
    const float step = ldexp(0.5f, (int)place.octave);
    *scale = scale_of(sigma, (float)place.layer + place.layer_offset);
    point->x = ((float)place.x + place.x_offset) * step;
    point->y = ((float)place.y + place.y_offset) * step;
    point->size = 2 * *scale * step;
    point->response = place.response;
    point->octave = ((place.octave + 255) & 255) | (place.layer << 8) |
                    (convert_int_rte((place.layer_offset + 0.5f) * 255) << 16);
    return mask_width == 0 || ROW_IN(uchar, mask, min((int)(point->y + 0.5f), mask_height - 1))[min(
                                  (int)(point->x + 0.5f), mask_width - 1)] != 0;
}

// Smoothed by 1 4 6 4 1 / 16. A macro, since histograms lie in different memory.
#define SMOOTHED(sums, bin)                                                                             \
    (((sums)[((bin) + DIRECTION_BINS - 2) % DIRECTION_BINS] + (sums)[((bin) + 2) % DIRECTION_BINS]) *   \
         (1.0f / 16) +                                                                                  \
     ((sums)[((bin) + DIRECTION_BINS - 1) % DIRECTION_BINS] + (sums)[((bin) + 1) % DIRECTION_BINS]) *   \
         (4.0f / 16) +                                                                                  \
     (sums)[bin] * (6.0f / 16))

// Appends the keypoint where `here`, a bin's sum, is a local maximum of at least `least`, interpolated by a parabola.
inline void append_peak(float before, float here, float after, int bin, float least, Keypoint point, uint index,
                        __global uint *counts, __global Keypoint *restrict keypoints, __global uint *restrict place_of,
                        uint room) {
    if (!(here > before && here > after && here >= least)) return;
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

#ifdef VDT_PROCESSOR
// Floats of a histogram; the bin behind the last one is the first one's, too.
#define HISTOGRAM 40

// A work-item takes neighbours in the list one after the other. Each element of its vectors has a histogram of its own,
// so that no sum waits for the one before.
__kernel void directions(__global const float *restrict layers, __constant const Octave *octaves, const float sigma,
                         IMAGE_IN(mask), const int mask_width, const int mask_height, __global uint *counts,
                         __global const Place *restrict places, __global const uint *restrict kept,
                         __global Keypoint *restrict keypoints, __global uint *restrict place_of, const uint room) {
    const uint count = counts[PLACES];
    const float counted[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const FLOATV counting = LOADV_PRIVATE(counted);
    for (uint number = own_begin(count, (uint)get_group_id(1), (uint)get_num_groups(1)),
              end = own_begin(count, (uint)get_group_id(1) + 1, (uint)get_num_groups(1));
         number < end; ++number) {
        const uint index = kept[number];
        const Place place = places[index];
        const Octave octave = octaves[place.octave];
        Keypoint point;
        float scale;
        if (!keypoint_of(place, sigma, mask_data, mask_offset, mask_stride, mask_width, mask_height, &point, &scale))
            continue;
        float histograms[VECTOR * HISTOGRAM];
        for (int i = 0; i < VECTOR * HISTOGRAM; i += VECTOR) STOREV((FLOATV)(0.0f), histograms + i);
        const int reach = convert_int_rte(4.5f * scale);
        const float factor = -1 / (2 * 1.5f * 1.5f * scale * scale);
        const int left = max(place.x - reach, 1), right = min(place.x + reach, octave.width - 2);
        const int top = max(place.y - reach, 1), bottom = min(place.y + reach, octave.height - 2);
        __global const float *row = layers + octave.first + (ulong)place.layer * octave.layer_floats +
                                    (ulong)top * octave.stride;
        for (int y = top; y <= bottom; ++y, row += octave.stride) {
            const float down = (float)(y - place.y);
            for (int x = left; x <= right; x += VECTOR) {
                const FLOATV from = (float)(x - place.x) + counting;
                FLOATV angle;
                const FLOATV size = gradients(row + x, (int)octave.stride, &angle);
                float shares[VECTOR];
                int bins[VECTOR];
                const FLOATV share = exponential(max((from * from + down * down) * factor, -80.0f)) * size;
                // What lies behind a row may be no number.
                const INTV inside = from <= (float)(right - place.x);
                STOREV(select((FLOATV)(0.0f), share, inside), shares);
                STOREV(JOIN(convert_, INTV)(rint(angle * (DIRECTION_BINS / 360.0f))) & inside, bins);
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) histograms[i * HISTOGRAM + bins[i]] += shares[i];
            }
        }
        for (int i = 1; i < VECTOR; ++i)
            for (int bin = 0; bin <= DIRECTION_BINS; ++bin) histograms[bin] += histograms[i * HISTOGRAM + bin];
        histograms[0] += histograms[DIRECTION_BINS];
        float smoothed[DIRECTION_BINS];
        float least = 0;
        for (int bin = 0; bin < DIRECTION_BINS; ++bin) {
            smoothed[bin] = SMOOTHED(histograms, bin);
            least = max(least, smoothed[bin]);
        }
        for (int bin = 0; bin < DIRECTION_BINS; ++bin)
            append_peak(smoothed[(bin + DIRECTION_BINS - 1) % DIRECTION_BINS], smoothed[bin],
                        smoothed[(bin + 1) % DIRECTION_BINS], bin, 0.8f * least, point, index, counts, keypoints,
                        place_of, room);
    }
}
#else
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
        Keypoint point;
        float scale;
        active = keypoint_of(place, sigma, mask_data, mask_offset, mask_stride, mask_width, mask_height, &point,
                             &scale) && active;
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
        // Into the first copy's place.
        __local float *smoothed = histograms + key * LANES * DIRECTION_BINS;
        for (int bin = lane; bin < DIRECTION_BINS; bin += LANES) smoothed[bin] = SMOOTHED(sums, bin);
        barrier(CLK_LOCAL_MEM_FENCE);
        // Every local maximum of at least 0.8 of the highest.
        if (active) {
            float least = 0;
            for (int bin = 0; bin < DIRECTION_BINS; ++bin) least = max(least, smoothed[bin]);
            for (int bin = lane; bin < DIRECTION_BINS; bin += LANES)
                append_peak(smoothed[(bin + DIRECTION_BINS - 1) % DIRECTION_BINS], smoothed[bin],
                            smoothed[(bin + 1) % DIRECTION_BINS], bin, 0.8f * least, point, index, counts, keypoints,
                            place_of, room);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif
