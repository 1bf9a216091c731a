// Descriptors of SIFT's keypoints, strongest first.
//
// LANES: work-items of a keypoint, each with a histogram of its own. KEYS: keypoints of a group.
#include "features_square.cl"

// A work-item takes every LANES-th row of the turned square, VECTOR pixels at a time: 900 to 2,900 gradients a keypoint
// of about 90 operations, eight shares each.
__kernel void describe(__global const float *restrict layers, __constant const Octave *octaves, const float sigma,
                       __global const Place *restrict places, __global const Keypoint *restrict keypoints,
                       __global const uint *restrict place_of, __global const uint4 *restrict order, const uint wanted,
                       __global Keypoint *restrict ordered, IMAGE_OUT(descriptors)) {
    __local float histograms[KEYS * LANES * VALUES];
    __local float norms[KEYS * LANES];
    const int lane = (int)get_local_id(0), key = (int)get_local_id(1);
    const uint rank = (uint)get_global_id(1);
    const bool active = rank < wanted;
    __local float *own = histograms + key * LANES * VALUES + lane;
    for (int value = 0; value < VALUES; ++value) own[LANES * value] = 0;
    if (active) {
        const uint index = order[rank].w;
        const Keypoint point = keypoints[index];
        if (lane == 0) ordered[rank] = point;
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
        const float reach = CELLS / 2 + 0.5f, middle = CELLS / 2 - 0.5f;
        __global const float *layer = layers + octave.first + (ulong)place.layer * octave.layer_floats;
        for (int row = top + lane; row <= bottom; row += LANES) {
            const float i = (float)row;
            // Only where the turned square meets the row; a pixel more on either side, the exact test follows.
            float low = (float)left, high = (float)right;
            narrow(-i * sine, cosine, reach, &low, &high);
            narrow(i * cosine, sine, reach, &low, &high);
            if (!(low <= high + 2)) continue;
            const int first = max((int)low - 1, left), last = min((int)high + 1, right);
            __global const float *center = layer + (ulong)(center_y + row) * octave.stride + center_x;
            for (int column = first; column <= last; column += VECTOR) {
                float places_of[VECTOR];
                for (int k = 0; k < VECTOR; ++k) places_of[k] = (float)(column + k);
                const FLOATV j = LOADV_PRIVATE(places_of);
                const FLOATV across = j * cosine - i * sine + middle, down = j * sine + i * cosine + middle;
                const INTV inside = (across > -1.0f) & (across < (float)CELLS) & (down > -1.0f) &
                                    (down < (float)CELLS) & (j <= (float)last);
                if (!any(inside)) continue;
                FLOATV angle;
                const FLOATV size = gradients(center + column, (int)octave.stride, &angle) *
                                    exponential(max((j * j + i * i) * factor, -80.0f));
                const FLOATV r0 = floor(down), c0 = floor(across);
                FLOATV bin = (angle - direction) * (BINS / 360.0f);
                bin = select(bin, bin + BINS, bin < 0.0f);
                bin = select(bin, bin - BINS, bin >= (float)BINS);
                const FLOATV b0 = floor(bin);
                const FLOATV part_r = down - r0, part_c = across - c0, part_b = bin - b0;
                const FLOATV lower = size * part_r, upper = size - lower;
                const FLOATV lower_right = lower * part_c, upper_right = upper * part_c;
                float shares[4][VECTOR], parts[VECTOR], rows[VECTOR], columns[VECTOR], bins[VECTOR];
                int counts[VECTOR];
                STOREV(upper - upper_right, shares[0]);
                STOREV(upper_right, shares[1]);
                STOREV(lower - lower_right, shares[2]);
                STOREV(lower_right, shares[3]);
                STOREV(part_b, parts);
                STOREV(r0, rows);
                STOREV(c0, columns);
                STOREV(b0, bins);
                STOREV(inside, counts);
                for (int k = 0; k < VECTOR; ++k) {
                    if (counts[k] == 0) continue;
                    const int r = (int)rows[k], c = (int)columns[k];
                    const int lower_bin = (int)bins[k] & (BINS - 1), upper_bin = (lower_bin + 1) & (BINS - 1);
#pragma unroll
                    for (int corner = 0; corner < 4; ++corner) {
                        const int at_r = r + corner / 2, at_c = c + corner % 2;
                        if (at_r < 0 || at_r >= CELLS || at_c < 0 || at_c >= CELLS) continue;
                        __local float *base = own + LANES * BINS * (at_r * CELLS + at_c);
                        const float above = shares[corner][k] * parts[k];
                        base[LANES * lower_bin] += shares[corner][k] - above;
                        base[LANES * upper_bin] += above;
                    }
                }
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // A work-item sums the copies of every LANES-th value, into the first copy's place of that value.
    __local float *values = histograms + key * LANES * VALUES;
    float sum_of_squares = 0;
    for (int value = lane; value < VALUES; value += LANES) {
        float sum = 0;
        for (int copy = 0; copy < LANES; ++copy) sum += values[LANES * value + (copy + lane) % LANES];
        values[LANES * value] = sum;
        sum_of_squares += sum * sum;
    }
    norms[key * LANES + lane] = sum_of_squares;
    barrier(CLK_LOCAL_MEM_FENCE);
    float norm = 0;
    for (int copy = 0; copy < LANES; ++copy) norm += norms[key * LANES + copy];
    barrier(CLK_LOCAL_MEM_FENCE);
    // Clipped at 0.2 of its norm, scaled to norm 512, rounded and saturated.
    const float clip = sqrt(norm) * 0.2f;
    sum_of_squares = 0;
    for (int value = lane; value < VALUES; value += LANES) {
        const float clipped = min(values[LANES * value], clip);
        values[LANES * value] = clipped;
        sum_of_squares += clipped * clipped;
    }
    norms[key * LANES + lane] = sum_of_squares;
    barrier(CLK_LOCAL_MEM_FENCE);
    norm = 0;
    for (int copy = 0; copy < LANES; ++copy) norm += norms[key * LANES + copy];
    if (!active) return;
    const float scale = 512.0f / max(sqrt(norm), 1.1920929e-7f);
    __global float *out = ROW_OUT(float, descriptors, rank);
    for (int value = lane; value < VALUES; value += LANES)
        out[value] = rint(min(values[LANES * value] * scale, 255.0f));
}
