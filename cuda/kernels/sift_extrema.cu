// Extrema of the differences of neighbouring layers, and their places to a fraction of a pixel.
#include "kernels/sift.h"

#include "device/warp.cuh"
#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

constexpr int border = 5;              // pixels at every edge of an octave without keypoints [OpenCV]
constexpr int refine_reach = 16;       // rows that refining moves a keypoint at most; steps so far do not converge
constexpr int most_steps = 5;          // of Newton's method
constexpr float furthest_step = 1e6f;  // pixels: beyond it the Hessian is as good as singular

__device__ __forceinline__ float difference(const float* lower, std::size_t layer_floats, std::ptrdiff_t at) {
    return lower[static_cast<std::ptrdiff_t>(layer_floats) + at] - lower[at];
}

// Whether no neighbour beats the difference of `here` and the next layer at `at`. The nearest come first: they settle
// most cases.
__device__ bool unbeaten(const float* here, std::size_t layer_floats, std::ptrdiff_t stride, std::ptrdiff_t at,
                         float value) {
    const auto beaten = [&](const float* lower, std::ptrdiff_t place) {
        const float other = difference(lower, layer_floats, place);
        return value > 0 ? other > value : other < value;
    };
    if (beaten(here, at - 1) || beaten(here, at + 1)) return false;
    for (std::ptrdiff_t row = -stride; row <= stride; row += 2 * stride)
        for (int step = -1; step <= 1; ++step)
            if (beaten(here, at + row + step)) return false;
    for (std::ptrdiff_t row = -stride; row <= stride; row += stride)
        for (int step = -1; step <= 1; ++step)
            if (beaten(here + layer_floats, at + row + step) || beaten(here - layer_floats, at + row + step))
                return false;
    return true;
}

// A thread owns a pixel, a warp 32 of a row, a block eight rows. All layers but the outer ones' neighbours are read
// once: 800 MB for the first octave of a screen of 3840 x 2160, 0.2 ms at 4 TB/s; neighbours are looked at where a
// difference passes the threshold, from the caches.
__global__ void extrema_kernel(SiftSpace space, int index, float threshold, SiftLists lists) {
    const SiftOctave& octave = space.octave[index];
    const int x = border + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = border + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const bool inside = x < octave.width - border && y < octave.height - border;
    const auto stride = static_cast<std::ptrdiff_t>(octave.stride);
    const std::ptrdiff_t at = inside ? y * stride + x : 0;
    float lower = octave.layer(1)[at];
    for (int layer = 1; layer <= space.octave_layers; ++layer) {
        const float upper = octave.layer(layer + 1)[at];
        const float value = upper - lower;
        lower = upper;
        const bool found =
            inside && fabsf(value) > threshold && unbeaten(octave.layer(layer), octave.layer_floats, stride, at, value);
        const unsigned place = warp_append(&lists.counts->extrema, found);
        if (found && place < lists.place_room)
            lists.extrema[place] = SiftExtremum{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y),
                                                static_cast<std::uint16_t>(index), static_cast<std::uint16_t>(layer)};
    }
}

// Differences of layers around a pixel: [difference below, here, above][row][column].
struct Cube {
    float v[3][3][3];
};

__device__ __forceinline__ void load(Cube& cube, const SiftOctave& octave, int x, int y, int layer) {
    const std::size_t corner = static_cast<std::size_t>(y - 1) * octave.stride + static_cast<std::size_t>(x - 1);
#pragma unroll
    for (int row = 0; row < 3; ++row)
#pragma unroll
        for (int column = 0; column < 3; ++column) {
            const float* at = octave.layer(layer - 1) + corner + static_cast<std::size_t>(row) * octave.stride + column;
            float lower = *at;
#pragma unroll
            for (int d = 0; d < 3; ++d) {
                at += octave.layer_floats;
                const float upper = *at;
                cube.v[d][row][column] = upper - lower;
                lower = upper;
            }
        }
}

// By at most five Newton steps [Lowe 2004, section 4; limits as cv::SIFT]; false when it leaves the octave, does not
// settle, or fails a test.
__device__ bool refine(const SiftSpace& space, const SiftTests& tests, SiftExtremum start, SiftPlace& place) {
    const SiftOctave& octave = space.octave[start.octave];
    int x = start.x, y = start.y, layer = start.layer;
    for (int step = 0; step < most_steps; ++step) {
        Cube cube;
        load(cube, octave, x, y, layer);
        const auto& v = cube.v;
        // Pixel values 0..255 become 0..1.
        constexpr float whole = 1.0f / 255, half = whole * 0.5f, quarter = whole * 0.25f;
        const float twice = 2 * v[1][1][1];
        const float dx = (v[1][1][2] - v[1][1][0]) * half;
        const float dy = (v[1][2][1] - v[1][0][1]) * half;
        const float ds = (v[2][1][1] - v[0][1][1]) * half;
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
        const float largest = fmaxf(fmaxf(fabsf(to_x), fabsf(to_y)), fabsf(to_s));
        const bool sound = fabsf(to_x) + fabsf(to_y) + fabsf(to_s) < 3 * furthest_step && largest < furthest_step;
        if (!sound) return false;  // nor for what is not a number
        if (!(largest < 0.5f)) {
            x += __float2int_rn(to_x);
            y += __float2int_rn(to_y);
            layer += __float2int_rn(to_s);
            if (layer < 1 || layer > space.octave_layers || x < border || x >= octave.width - border || y < border ||
                y >= octave.height - border || abs(y - static_cast<int>(start.y)) > refine_reach)
                return false;
            continue;
        }
        const float slope = dx * to_x + dy * to_y + ds * to_s;
        const float contrast = fabsf(v[1][1][1] * (1.0f / 255) + slope * 0.5f);
        if (contrast * static_cast<float>(space.octave_layers) < tests.contrast) return false;
        // Ratio of the principal curvatures, from trace and determinant of the Hessian.
        const float trace = dxx + dyy, curvature = dxx * dyy - dxy * dxy;
        if (curvature <= 0 || trace * trace * tests.edge >= (tests.edge + 1) * (tests.edge + 1) * curvature)
            return false;
        place = SiftPlace{static_cast<std::uint16_t>(x),
                          static_cast<std::uint16_t>(y),
                          start.octave,
                          static_cast<std::uint16_t>(layer),
                          to_x,
                          to_y,
                          to_s,
                          contrast};
        return true;
    }
    return false;
}

// Several extrema may be refined to the same pixel; they are the same keypoint then. True for the first. The table's
// keys are not 0, as octaves are counted from 1 in them.
__device__ bool is_new(const SiftLists& lists, const SiftPlace& place) {
    const unsigned long long key = (static_cast<unsigned long long>(place.octave + 1u) << 48) |
                                   (static_cast<unsigned long long>(place.layer) << 32) |
                                   (static_cast<unsigned long long>(place.y) << 16) | place.x;
    const unsigned mask = lists.known_slots - 1;
    auto slot = static_cast<unsigned>((key * 0x9e3779b97f4a7c15ull) >> 32) & mask;
    for (;;) {
        const unsigned long long before = atomicCAS(lists.known + slot, 0ull, key);
        if (before == 0) return true;
        if (before == key) return false;
        slot = (slot + 1) & mask;
    }
}

// A thread owns an extremum: 36 values a step, scattered; about 100,000 of them on a 4K screen.
__global__ void refine_kernel(SiftSpace space, SiftTests tests, SiftLists lists) {
    const unsigned count = min(lists.counts->extrema, lists.place_room);
    const unsigned step = gridDim.x * blockDim.x, lane = lane_index();
    for (unsigned first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < count; first += step) {
        SiftPlace place{};
        const bool found =
            first + lane < count && refine(space, tests, lists.extrema[first + lane], place) && is_new(lists, place);
        const unsigned to = warp_append(&lists.counts->places, found);
        if (found) lists.places[to] = place;
    }
}

}  // namespace

void find_sift_places(const SiftSpace& space, const SiftTests& tests, const SiftLists& lists, int multiprocessors,
                      cudaStream_t stream) {
    LaunchShape shape;
    shape.block = dim3(32, 8);
    for (int index = 0; index < space.octaves; ++index) {
        const SiftOctave& octave = space.octave[index];
        shape.grid = dim3(blocks_for(static_cast<std::size_t>(octave.width - 2 * border), shape.block.x),
                          blocks_for(static_cast<std::size_t>(octave.height - 2 * border), shape.block.y));
        launch(extrema_kernel, shape, stream, space, index, tests.threshold, lists);
    }
    shape.block = dim3(128);
    shape.grid = dim3(static_cast<unsigned>(8 * multiprocessors));
    launch(refine_kernel, shape, stream, space, tests, lists);
}

}  // namespace vedette::cuda
