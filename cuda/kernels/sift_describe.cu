// Directions and descriptors of SIFT's keypoints.
//
// In both kernels a warp owns a keypoint and its lanes the pixels around it. Each lane has a histogram of its own in
// shared memory, bin b of lane l at 32 b + l: no two lanes meet in a bank, nothing is added atomically, and the sums
// are the same in every run.
#include "kernels/sift.h"

#include "device/shared.cuh"
#include "device/warp.cuh"
#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

struct Gradient {
    float size, angle;  // degrees, 0 <= angle <= 360
};

// The angle by a polynomial, within 0.01 degrees.
__device__ __forceinline__ Gradient gradient(const float* here, std::size_t stride) {
    const float dx = here[1] - here[-1];
    const float dy = here[-static_cast<std::ptrdiff_t>(stride)] - here[stride];
    const float ax = fabsf(dx), ay = fabsf(dy);
    const float c = __fdividef(fminf(ax, ay), fmaxf(ax, ay) + 1e-30f), square = c * c;
    float angle = __fmaf_rn(-0.6587158732469404f, square, 2.984902847225138f);
    angle = __fmaf_rn(angle, square, -6.642691138895885f);
    angle = __fmaf_rn(angle, square, 11.078329044424583f);
    angle = __fmaf_rn(angle, square, -19.05625177375619f);
    angle = __fmaf_rn(angle, square, 57.29440689424929f) * c;
    angle = ay > ax ? 90.0f - angle : angle;
    angle = dx < 0 ? 180.0f - angle : angle;
    angle = dy < 0 ? 360.0f - angle : angle;
    return {sqrtf(__fmaf_rn(dx, dx, dy * dy)), angle};
}

constexpr int direction_bins = 36;
constexpr int direction_warps = 4;

// A keypoint's surroundings are 19 to 33 pixels a side: 360 to 1,100 gradients of about 40 operations. 100,000 places:
// 3 G operations, 0.1 ms at 28 T a second.
__global__ void __launch_bounds__(32 * direction_warps)
    directions_kernel(SiftSpace space, View<const std::uint8_t> mask, SiftLists lists) {
    __shared__ float histograms[direction_warps][direction_bins * 32];
    __shared__ float smooth[direction_warps][direction_bins];
    const int lane = static_cast<int>(lane_index()), warp = static_cast<int>(threadIdx.x) / 32;
    const unsigned count = lists.counts->places;
    float* const own = histograms[warp] + lane;
    for (unsigned index = blockIdx.x * direction_warps + threadIdx.x / 32; index < count;
         index += gridDim.x * direction_warps) {
        const SiftPlace place = lists.places[index];
        const SiftOctave& octave = space.octave[place.octave];
        // Pixels of the image for one of the octave: the first octave's are half as large.
        const float step = ldexpf(0.5f, place.octave);
        SiftKeypoint key;
        key.x = (static_cast<float>(place.x) + place.x_offset) * step;
        key.y = (static_cast<float>(place.y) + place.y_offset) * step;
        if (mask.data != nullptr &&
            mask.row(min(static_cast<int>(key.y + 0.5f),
                         mask.height - 1))[min(static_cast<int>(key.x + 0.5f), mask.width - 1)] == 0)
            continue;
        const float scale = space.scale_of(static_cast<float>(place.layer) + place.layer_offset);
        key.size = 2 * scale * step;
        key.response = place.response;
        key.octave = ((place.octave + 255) & 255) | (place.layer << 8) |
                     (__float2int_rn((place.layer_offset + 0.5f) * 255) << 16);
        for (int bin = 0; bin < direction_bins; ++bin) own[32 * bin] = 0;
        const int reach = __float2int_rn(4.5f * scale);
        const float factor = -1 / (2 * 1.5f * 1.5f * scale * scale);
        const int left = max(place.x - reach, 1), right = min(place.x + reach, octave.width - 2);
        const int top = max(place.y - reach, 1), bottom = min(place.y + reach, octave.height - 2);
        const int width = right - left + 1;
        const float* const layer = octave.layer(place.layer);
        int x = left + lane, y = top;
        for (;;) {
            while (x > right) {
                x -= width;
                ++y;
            }
            if (y > bottom) break;
            const Gradient at = gradient(layer + static_cast<std::size_t>(y) * octave.stride + x, octave.stride);
            const auto across = static_cast<float>(x - place.x), down = static_cast<float>(y - place.y);
            const float weight = __expf(__fmaf_rn(across, across, down * down) * factor);
            int bin = __float2int_rn(at.angle * (direction_bins / 360.0f));
            bin = bin >= direction_bins ? 0 : bin;
            own[32 * bin] += weight * at.size;
            x += 32;
        }
        __syncwarp();
        // A lane sums a bin, the lanes beginning at different copies, and smooths it by 1 4 6 4 1 / 16.
        float sums[2] = {};
        for (int part = 0; part < 2; ++part) {
            const int bin = lane + 32 * part;
            if (bin >= direction_bins) continue;
            for (int copy = 0; copy < 32; ++copy) sums[part] += histograms[warp][32 * bin + (copy + lane) % 32];
        }
        __syncwarp();
        for (int part = 0; part < 2; ++part)
            if (lane + 32 * part < direction_bins) smooth[warp][lane + 32 * part] = sums[part];
        __syncwarp();
        float largest = 0;
        for (int part = 0; part < 2; ++part) {
            const int bin = lane + 32 * part;
            if (bin >= direction_bins) continue;
            const auto around = [&](int offset) {
                return smooth[warp][(bin + offset + direction_bins) % direction_bins];
            };
            sums[part] = (around(-2) + around(2)) * (1.0f / 16) + (around(-1) + around(1)) * (4.0f / 16) +
                         around(0) * (6.0f / 16);
            largest = fmaxf(largest, sums[part]);
        }
        __syncwarp();
        for (int part = 0; part < 2; ++part)
            if (lane + 32 * part < direction_bins) smooth[warp][lane + 32 * part] = sums[part];
        __syncwarp();
        // Every local maximum of at least 0.8 of the highest, interpolated by a parabola.
        const float least = warp_max(largest) * 0.8f;
        for (int part = 0; part < 2; ++part) {
            const int bin = lane + 32 * part;
            bool peak = false;
            if (bin < direction_bins) {
                const float here = sums[part], before = smooth[warp][(bin + direction_bins - 1) % direction_bins],
                            after = smooth[warp][(bin + 1) % direction_bins];
                peak = here > before && here > after && here >= least;
                float middle = static_cast<float>(bin) + 0.5f * (before - after) / (before - 2 * here + after);
                if (middle < 0) middle += direction_bins;
                if (middle >= direction_bins) middle -= direction_bins;
                key.angle = 360.0f - (360.0f / direction_bins) * middle;
                if (key.angle >= 360.0f) key.angle = 0;
            }
            const unsigned to = warp_append(&lists.counts->keypoints, peak);
            if (peak && to < lists.keypoint_room) {
                lists.keypoints[to] = key;
                lists.place_of[to] = index;
            }
        }
        __syncwarp();
    }
}

constexpr int cells = 4, bins = 8;
constexpr int values = cells * cells * bins;
static_assert(values == sift_descriptor_length);
constexpr int lanes_of_row = 16;

// The sum of squares of all lanes' four values.
__device__ __forceinline__ float sum_of_squares(const float (&value)[4]) {
    return warp_sum((value[0] * value[0] + value[1] * value[1]) + (value[2] * value[2] + value[3] * value[3]));
}

// Narrows [low, high] to where -reach < offset + j * slope < reach can hold.
__device__ __forceinline__ void narrow(float offset, float slope, float reach, float& low, float& high) {
    if (slope < 0) {
        offset = -offset;
        slope = -slope;
    }
    if (slope < 1e-6f) return;
    low = fmaxf(low, (-reach - offset) / slope);
    high = fminf(high, (reach - offset) / slope);
}

// One warp a block, since the lanes' histograms take 16 KB. Half a warp takes a row of the turned square, two rows at a
// time: 900 to 2,900 gradients of about 90 operations, eight shares each. 100,000 keypoints: 18 G operations, 0.6 ms at
// 28 T a second; reading and writing the shares 3.2 G words of shared memory, 0.45 ms.
__global__ void __launch_bounds__(32)
    describe_kernel(SiftSpace space, SiftLists lists, unsigned wanted, View<float> descriptors) {
    float* const histograms = dynamic_shared<float>();
    const unsigned rank = lists.rank[blockIdx.x];
    if (rank >= wanted) return;
    const int lane = static_cast<int>(lane_index());
    float* const own = histograms + lane;
    for (int bin = 0; bin < values; ++bin) own[32 * bin] = 0;
    const SiftPlace place = lists.places[lists.place_of[blockIdx.x]];
    const float angle = lists.keypoints[blockIdx.x].angle;
    const SiftOctave& octave = space.octave[place.octave];
    const int center_x = __float2int_rn(static_cast<float>(place.x) + place.x_offset);
    const int center_y = __float2int_rn(static_cast<float>(place.y) + place.y_offset);
    const float cell = 3 * space.scale_of(static_cast<float>(place.layer) + place.layer_offset);
    const int radius = __float2int_rn(cell * 1.4142135623730951f * 2.5f);
    // Directions are counted against the angle's sense.
    const float direction = angle == 0 ? 0 : 360 - angle;
    float sine, cosine;
    sincospif(direction * (1.0f / 180), &sine, &cosine);
    sine /= cell;
    cosine /= cell;
    // exp(-d^2 / (2 s^2)) with s = half the descriptor's width, two cells.
    const float factor = -1 / (8 * cell * cell);
    const int left = max(1 - center_x, -radius), right = min(octave.width - 2 - center_x, radius);
    const int top = max(1 - center_y, -radius), bottom = min(octave.height - 2 - center_y, radius);
    const float* const center = octave.layer(place.layer) +
                                static_cast<std::ptrdiff_t>(center_y) * static_cast<std::ptrdiff_t>(octave.stride) +
                                center_x;
    constexpr float reach = cells / 2 + 0.5f, middle = cells / 2 - 0.5f;
    for (int row = top + lane / lanes_of_row; row <= bottom; row += 32 / lanes_of_row) {
        const auto i = static_cast<float>(row);
        // Only where the turned square meets the row; a pixel more on either side, the exact test follows.
        auto low = static_cast<float>(left), high = static_cast<float>(right);
        narrow(-i * sine, cosine, reach, low, high);
        narrow(i * cosine, sine, reach, low, high);
        if (!(low <= high + 2)) continue;
        const int first = max(static_cast<int>(low) - 1, left), last = min(static_cast<int>(high) + 1, right);
        for (int column = first + lane % lanes_of_row; column <= last; column += lanes_of_row) {
            const auto j = static_cast<float>(column);
            const float across = (j * cosine - i * sine) + middle, down = (j * sine + i * cosine) + middle;
            if (!(across > -1 && across < cells && down > -1 && down < cells)) continue;
            const Gradient at = gradient(
                center + static_cast<std::ptrdiff_t>(row) * static_cast<std::ptrdiff_t>(octave.stride) + column,
                octave.stride);
            const float size = at.size * __expf((i * i + j * j) * factor);
            const float r0 = floorf(down), c0 = floorf(across);
            float bin = (at.angle - direction) * (bins / 360.0f);
            bin = bin < 0 ? bin + bins : bin;
            bin = bin >= bins ? bin - bins : bin;
            const float b0 = floorf(bin);
            const float part_r = down - r0, part_c = across - c0, part_b = bin - b0;
            const int r = static_cast<int>(r0), c = static_cast<int>(c0);
            const int lower_bin = static_cast<int>(b0) & (bins - 1), upper_bin = (lower_bin + 1) & (bins - 1);
            const float lower = size * part_r, upper = size - lower;
            const float lower_right = lower * part_c, upper_right = upper * part_c;
            const float share[4] = {upper - upper_right, upper_right, lower - lower_right, lower_right};
            // All are read before any is written, so that no access waits for the one before: no two are the same.
            float sum[4][2];
            float* to[4][2];
            bool inside[4];
#pragma unroll
            for (int corner = 0; corner < 4; ++corner) {
                const int at_r = r + corner / 2, at_c = c + corner % 2;
                inside[corner] = at_r >= 0 && at_r < cells && at_c >= 0 && at_c < cells;
                float* const base = own + 32 * bins * (inside[corner] ? at_r * cells + at_c : 0);
                to[corner][0] = base + 32 * lower_bin;
                to[corner][1] = base + 32 * upper_bin;
                const float above = share[corner] * part_b;
                sum[corner][0] = *to[corner][0] + (share[corner] - above);
                sum[corner][1] = *to[corner][1] + above;
            }
#pragma unroll
            for (int corner = 0; corner < 4; ++corner) {
                if (!inside[corner]) continue;
                *to[corner][0] = sum[corner][0];
                *to[corner][1] = sum[corner][1];
            }
        }
    }
    __syncwarp();
    float value[4] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const float* const bin = histograms + 32 * (4 * lane + k);
        for (int copy = 0; copy < 32; ++copy) value[k] += bin[(copy + lane) % 32];
    }
    // Clipped at 0.2 of its norm, scaled to norm 512, rounded and saturated.
    const float clip = sqrtf(sum_of_squares(value)) * 0.2f;
#pragma unroll
    for (int k = 0; k < 4; ++k) value[k] = fminf(value[k], clip);
    const float scale = 512.0f / fmaxf(sqrtf(sum_of_squares(value)), 1.1920929e-7f);
#pragma unroll
    for (int k = 0; k < 4; ++k) value[k] = rintf(fminf(value[k] * scale, 255.0f));
    reinterpret_cast<float4*>(descriptors.row(static_cast<int>(rank)))[lane] =
        float4{value[0], value[1], value[2], value[3]};
}

constexpr std::size_t describe_shared = sizeof(float) * 32 * values;

}  // namespace

void find_sift_directions(const SiftSpace& space, const View<const std::uint8_t>& mask, const SiftLists& lists,
                          int multiprocessors, cudaStream_t stream) {
    LaunchShape shape;
    shape.block = dim3(32 * direction_warps);
    shape.grid = dim3(static_cast<unsigned>(8 * multiprocessors));
    launch(directions_kernel, shape, stream, space, mask, lists);
}

void describe_sift_keypoints(const SiftSpace& space, const SiftLists& lists, std::uint32_t found, std::uint32_t wanted,
                             const View<float>& descriptors, cudaStream_t stream) {
    LaunchShape shape;
    shape.block = dim3(32);
    shape.grid = dim3(found);
    shape.shared_bytes = describe_shared;
    launch(describe_kernel, shape, stream, space, lists, wanted, descriptors);
}

void prepare_sift() {
    allow_shared(describe_kernel, describe_shared);
}

}  // namespace vedette::cuda
