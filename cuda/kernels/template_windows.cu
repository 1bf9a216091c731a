// windows_kernel: a block owns a strip of 1024 columns of pixels, of which all but the last width - 1 are positions,
// and a segment of 16 rows; a thread owns eight columns. It keeps their sums over the part's height, one row in and one
// row out; a scan of them along the warp goes to shared memory, and a position's sum is the difference of two of its
// entries, plus the warp's total where the window ends in the next warp. About 20 operations a position; every pixel is
// read (height / 16 + 2) times, from caches but for the first. The sums are of 32 bits and wrap; differences of windows
// of at most 65536 bytes are right.
#include "kernels/template_windows.h"

#include "device/arithmetic.cuh"
#include "device/warp.cuh"
#include "kernels/template_offer.cuh"
#include "kernels/template_scene.cuh"
#include "runtime/launch.h"

#include <algorithm>
#include <cfloat>
#include <climits>

namespace vedette::cuda {

namespace {

constexpr int group = 4;  // positions that are stored together
constexpr int thread_columns = 8;
constexpr int threads = 128;
constexpr int strip = threads * thread_columns;
constexpr int warp_columns = 32 * thread_columns;
constexpr int segment = 16;  // rows of a block
static_assert(gemm_most_width <= warp_columns, "a window ends in its warp or in the next");

// Window sums of neighbouring positions.
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
            const int limit = __float2int_rd(factor * approximate_sqrt(__ull2float_rn(variance_of(sums, i, area))));
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

// A thread's bytes of an image row.
template <int channels>
struct Bytes {
    unsigned word[thread_columns * channels / 4];
    __device__ __forceinline__ unsigned at(int i, int c) const {
        const int byte = i * channels + c;
        return __byte_perm(word[byte / 4], 0, 0x4440u | static_cast<unsigned>(byte % 4));
    }
};

template <int channels>
__device__ __forceinline__ Bytes<channels> read_row(const TemplateScene& scene, int y, int byte, int last) {
    const std::uint32_t* const row = row_words(scene, y);
    Bytes<channels> bytes;
    constexpr int words = thread_columns * channels / 4;
    if ((byte & 7) == 0) {
        // Words past the last one belong to thread_columns that nobody reads; `last` is odd.
#pragma unroll
        for (int i = 0; i < words; i += 2) {
            const uint2 two = *reinterpret_cast<const uint2*>(row + min(byte / 4 + i, last - 1));
            bytes.word[i] = two.x;
            bytes.word[i + 1] = two.y;
        }
    } else {
#pragma unroll
        for (int i = 0; i < words; ++i) bytes.word[i] = unaligned_word(row, byte + 4 * i, last);
    }
    return bytes;
}

// Sums of a thread's thread_columns, over the part's height.
template <int channels>
struct Columns {
    unsigned sum[channels][thread_columns] = {};
    unsigned square[thread_columns] = {};

    __device__ __forceinline__ void add(const Bytes<channels>& bytes) {
#pragma unroll
        for (int i = 0; i < thread_columns; ++i)
#pragma unroll
            for (int c = 0; c < channels; ++c) {
                const unsigned value = bytes.at(i, c);
                sum[c][i] += value;
                square[i] += value * value;
            }
    }
    __device__ __forceinline__ void replace(const Bytes<channels>& old, const Bytes<channels>& by) {
#pragma unroll
        for (int i = 0; i < thread_columns; ++i)
#pragma unroll
            for (int c = 0; c < channels; ++c) {
                const unsigned in = by.at(i, c);
                const unsigned out = old.at(i, c);
                sum[c][i] += in - out;
                square[i] += in * in - out * out;
            }
    }
    __device__ __forceinline__ unsigned of(int kind, int i) const {
        return kind < channels ? sum[kind % channels][i] : square[i];
    }
};

template <int channels, class Store>
__global__ void __launch_bounds__(threads)
    windows_kernel(TemplateScene scene, WindowPart part, int outputs, int end, Store store) {
    constexpr int kinds = channels + 1;
    // Sums of the thread_columns before each one, within its warp's; of two rows in turn, so that one barrier a row
    // does. Column 8 t + i lies at [i][t]: neighbouring lanes meet neighbouring banks.
    __shared__ unsigned before[2][kinds][thread_columns][threads + 1];
    const int thread = static_cast<int>(threadIdx.x);
    const int strip_x = static_cast<int>(blockIdx.x) * outputs;
    const int first_y = static_cast<int>(blockIdx.y) * segment;
    const int rows = min(segment, scene.rows - first_y);
    const int last = last_word(scene);
    const int byte = channels * (scene.left + part.x + strip_x + thread_columns * thread);
    const int top = scene.top + part.y + first_y;
    const int x = thread_columns * thread;
    const bool stores = x < outputs && strip_x + x < end;
    // Positions from this one on end in the next warp.
    const int first_across = warp_columns - thread_columns * static_cast<int>(lane_index()) - part.width;
    if (thread < 2 * kinds) before[thread / kinds][thread % kinds][0][threads] = 0;
    Columns<channels> sums;
    for (int j = 0; j < part.height; ++j) sums.add(read_row<channels>(scene, top + j, byte, last));
    for (int k = 0; k < rows; ++k) {
        if (k > 0)
            sums.replace(read_row<channels>(scene, top + k - 1, byte, last),
                         read_row<channels>(scene, top + k + part.height - 1, byte, last));
        const int turn = k & 1;
        unsigned start[kinds];
        unsigned total[kinds];
#pragma unroll
        for (int kind = 0; kind < kinds; ++kind) {
            unsigned own = 0;
#pragma unroll
            for (int i = 0; i < thread_columns; ++i) own += sums.of(kind, i);
            const unsigned through = warp_scan(own);
            total[kind] = __shfl_sync(all_lanes, through, 31);
            start[kind] = through - own;
            unsigned sum = start[kind];
#pragma unroll
            for (int i = 0; i < thread_columns; ++i) {
                before[turn][kind][i][thread] = sum;
                sum += sums.of(kind, i);
            }
        }
        __syncthreads();
        if (!stores) continue;
#pragma unroll
        for (int first = 0; first < thread_columns; first += group) {
            Sums<channels> windows;
#pragma unroll
            for (int i = 0; i < group; ++i) {
                const int to = first + i + part.width;
                const bool across = first + i >= first_across;
#pragma unroll
                for (int kind = 0; kind < kinds; ++kind) {
                    const unsigned value = before[turn][kind][to % thread_columns][thread + to / thread_columns] -
                                           start[kind] + (across ? total[kind] : 0);
                    start[kind] += sums.of(kind, first + i);
                    if (kind < channels)
                        windows.sum[i][kind % channels] = value;
                    else
                        windows.square[i] = value;
                }
            }
            if (strip_x + x + first < end) store(strip_x + x + first, first_y + k, scene.columns, windows);
        }
    }
}

template <class Store>
void start(const TemplateScene& scene, const WindowPart& part, int end, const Store& store, cudaStream_t stream) {
    const int outputs = (strip - part.width + 1) / thread_columns * thread_columns;
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
