// windows_kernel: a block owns a strip of 512 columns of pixels, of which all but the last width - 1 are positions, and
// a segment of 24 rows; a thread owns four columns. It keeps their sums over the part's height, one row in and one row
// out; a scan of them along the warp goes to shared memory, and a position's sum is the difference of two of its
// entries. About 130 operations a thread and row; every pixel is read (height / 24 + 2) times, from caches but for the
// first. The sums are of 32 bits and wrap; differences of windows of at most 65536 bytes are right.
#include "kernels/template_windows.h"

#include "device/warp.cuh"
#include "kernels/template_offer.cuh"
#include "kernels/template_scene.cuh"
#include "runtime/launch.h"

#include <algorithm>
#include <cfloat>
#include <climits>

namespace vedette::cuda {

namespace {

constexpr int group = 4;  // columns of a thread
constexpr int threads = 128;
constexpr int strip = threads * group;
constexpr int segment = 24;  // rows of a block (estimate)

// Window sums of four neighbouring positions.
template <int channels>
struct Sums {
    unsigned sum[group][channels];
    unsigned square[group];
};

// n sum I^2 - sum_c (sum I_c)^2, below 2^48.
template <int channels>
__device__ __forceinline__ unsigned long long variance_of(const Sums<channels>& sums, int i, unsigned area) {
    unsigned long long variance = static_cast<unsigned long long>(area) * sums.square[i];
#pragma unroll
    for (int c = 0; c < channels; ++c) variance -= static_cast<unsigned long long>(sums.sum[i][c]) * sums.sum[i][c];
    return variance;
}

struct ThresholdStore {
    PositionPlane thresholds;
    unsigned area;
    float factor;

    template <int channels>
    __device__ void operator()(int x, int y, int columns, const Sums<channels>& sums) const {
        int value[group];
#pragma unroll
        for (int i = 0; i < group; ++i) {
            const int limit = static_cast<int>(factor * __fsqrt_rn(static_cast<float>(variance_of(sums, i, area))));
            value[i] = x + i < columns ? max(limit, 1) : INT_MAX;
        }
        *reinterpret_cast<int4*>(thresholds.values +
                                 static_cast<std::size_t>(y) * static_cast<std::size_t>(thresholds.stride) + x) =
            int4{value[0], value[1], value[2], value[3]};
    }
};

// sum I T = sum I (T - 128) + 128 sum I.
template <int channels>
__device__ __forceinline__ WindowSums window_sums(const Sums<channels>& sums, int i, std::int32_t product) {
    WindowSums window;
    long long all = product;
#pragma unroll
    for (int c = 0; c < channels; ++c) {
        all += 128ll * sums.sum[i][c];
        window.sum[c] = sums.sum[i][c];
    }
    window.product = static_cast<unsigned long long>(all);
    window.square = sums.square[i];
    return window;
}

struct ScoreStore {
    PositionPlane products;
    TemplateSums pattern;
    Exclusions exclusions;
    double* scores;

    template <int channels>
    __device__ void operator()(int x, int y, int columns, const Sums<channels>& sums) const {
#pragma unroll
        for (int i = 0; i < group; ++i) {
            if (x + i >= columns) break;
            const std::int32_t product =
                products.values[static_cast<std::size_t>(y) * static_cast<std::size_t>(products.stride) +
                                static_cast<std::size_t>(x + i)];
            scores[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x + i)] =
                is_excluded(exclusions, x + i, y) ? no_score : score_of(pattern, window_sums(sums, i, product));
        }
    }
};

struct MapStore {
    PositionPlane products;
    TemplateSums pattern;
    MatchMethod method;
    View<float> map;

    template <int channels>
    __device__ void operator()(int x, int y, int columns, const Sums<channels>& sums) const {
#pragma unroll
        for (int i = 0; i < group; ++i) {
            if (x + i >= columns) break;
            const std::int32_t product =
                products.values[static_cast<std::size_t>(y) * static_cast<std::size_t>(products.stride) +
                                static_cast<std::size_t>(x + i)];
            map.row(y)[x + i] = static_cast<float>(map_value(pattern, window_sums(sums, i, product), method));
        }
    }
};

// Adds (or takes away) a row of pixels to the thread's columns.
template <int channels>
__device__ __forceinline__ void add_row(const TemplateScene& scene, int y, int byte, int last, bool add,
                                        unsigned (&sum)[group][channels], unsigned (&square)[group]) {
    const std::uint32_t* const row = row_words(scene, y);
    unsigned words[channels];
#pragma unroll
    for (int i = 0; i < channels; ++i) words[i] = unaligned_word(row, byte + 4 * i, last);
#pragma unroll
    for (int i = 0; i < group; ++i)
#pragma unroll
        for (int c = 0; c < channels; ++c) {
            const int at = i * channels + c;
            const unsigned value = words[at / 4] >> (8 * (at % 4)) & 255u;
            sum[i][c] = add ? sum[i][c] + value : sum[i][c] - value;
            square[i] = add ? square[i] + value * value : square[i] - value * value;
        }
}

template <int channels, class Store>
__global__ void __launch_bounds__(threads)
    windows_kernel(TemplateScene scene, WindowPart part, int outputs, int end, Store store) {
    constexpr int kinds = channels + 1;
    // Sums of the columns before each one, within its warp's 128; of two rows in turn, so that one barrier a row does.
    alignas(16) __shared__ unsigned before[2][kinds][strip + group];
    __shared__ unsigned totals[2][kinds][threads / 32];
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = static_cast<int>(lane_index());
    const int strip_x = static_cast<int>(blockIdx.x) * outputs;
    const int first_y = static_cast<int>(blockIdx.y) * segment;
    const int rows = min(segment, scene.rows - first_y);
    const int last = last_word(scene);
    const int byte = channels * (scene.left + part.x + strip_x + group * thread);
    const int top = scene.top + part.y + first_y;
    unsigned sum[group][channels] = {};
    unsigned square[group] = {};
    if (thread < 2 * kinds) before[thread / kinds][thread % kinds][strip] = 0;
    for (int j = 0; j < part.height - 1; ++j) add_row<channels>(scene, top + j, byte, last, true, sum, square);
    for (int k = 0; k < rows; ++k) {
        if (k > 0) add_row<channels>(scene, top + k - 1, byte, last, false, sum, square);
        add_row<channels>(scene, top + k + part.height - 1, byte, last, true, sum, square);
        const int turn = k & 1;
#pragma unroll
        for (int kind = 0; kind < kinds; ++kind) {
            unsigned value[group];
#pragma unroll
            for (int i = 0; i < group; ++i) value[i] = kind < channels ? sum[i][kind % channels] : square[i];
            const unsigned own = value[0] + value[1] + value[2] + value[3];
            const unsigned through = warp_scan(own);
            const unsigned start = through - own;
            *reinterpret_cast<uint4*>(&before[turn][kind][group * thread]) =
                uint4{start, start + value[0], start + value[0] + value[1], through - value[3]};
            if (lane == 31) totals[turn][kind][thread / 32] = through;
        }
        __syncthreads();
        const int x = group * thread;
        if (x >= outputs || strip_x + x >= end) continue;
        Sums<channels> windows;
#pragma unroll
        for (int kind = 0; kind < kinds; ++kind) {
            const unsigned* const total = totals[turn][kind];
#pragma unroll
            for (int i = 0; i < group; ++i) {
                const int from = x + i;
                const int to = from + part.width;
                unsigned value = before[turn][kind][to] - before[turn][kind][from];
#pragma unroll
                for (int w = 0; w < threads / 32; ++w)
                    if (from / 128 <= w && w < to / 128) value += total[w];
                if (kind < channels)
                    windows.sum[i][kind % channels] = value;
                else
                    windows.square[i] = value;
            }
        }
        store(strip_x + x, first_y + k, scene.columns, windows);
    }
}

template <class Store>
void start(const TemplateScene& scene, const WindowPart& part, int end, const Store& store, cudaStream_t stream) {
    const int outputs = (strip - part.width + 1) / group * group;
    LaunchShape shape;
    shape.block = dim3(threads);
    shape.grid = dim3(blocks_for(static_cast<std::size_t>(end), static_cast<std::size_t>(outputs)),
                      blocks_for(static_cast<std::size_t>(scene.rows), segment));
    if (scene.channels == 3)
        launch(windows_kernel<3, Store>, shape, stream, scene, part, outputs, end, store);
    else
        launch(windows_kernel<1, Store>, shape, stream, scene, part, outputs, end, store);
}

WindowPart whole(const TemplateWords& pattern) {
    return {0, 0, pattern.width, pattern.height};
}

}  // namespace

void window_thresholds(const TemplateScene& scene, const WindowPart& part, float factor,
                       const PositionPlane& thresholds, cudaStream_t stream) {
    const auto area = static_cast<unsigned>(part.width) * static_cast<unsigned>(part.height);
    start(scene, part, thresholds.stride, ThresholdStore{thresholds, area, factor}, stream);
}

void window_scores(const TemplateScene& scene, const TemplateWords& pattern, const TemplateSums& sums,
                   const PositionPlane& products, const Exclusions& exclusions, double* scores, cudaStream_t stream) {
    start(scene, whole(pattern), scene.columns, ScoreStore{products, sums, exclusions, scores}, stream);
}

void window_map(const TemplateScene& scene, const TemplateWords& pattern, const TemplateSums& sums,
                const PositionPlane& products, MatchMethod method, View<float> map, cudaStream_t stream) {
    start(scene, whole(pattern), scene.columns, MapStore{products, sums, method, map}, stream);
}

}  // namespace vedette::cuda
