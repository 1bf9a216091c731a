// windows_kernel: a block owns a strip of 1024 columns of pixels, of which all but the last width - 1 are positions,
// and a segment of 16 rows; a thread owns eight columns. It keeps their sums over the part's height, one row in and one
// row out; a scan of them along the warp goes to shared memory, and a position's sum is the difference of two of its
// entries, plus the warp's total where the window ends in the next warp. About 20 operations a position; every pixel is
// read (height / 16 + 2) times, from caches but for the first. The sums are of 32 bits and wrap; differences of windows
// of at most 65536 bytes are right.
#include "kernels/template_windows.h"

#include "device/arithmetic.cuh"
#include "device/previous.cuh"
#include "device/warp.cuh"
#include "kernels/template_offer.cuh"
#include "kernels/template_rows.cuh"
#include "runtime/launch.h"

#include <algorithm>
#include <cfloat>
#include <climits>

namespace vedette::cuda {

namespace {

constexpr int group = 4;  // positions that are stored together
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
    // Four rows: turned so that a word holds four rows of one byte, they cost a third of the instructions.
    __device__ __forceinline__ void add_four(const Bytes<channels> (&rows)[4]) {
#pragma unroll
        for (int w = 0; w < thread_columns * channels / 4; ++w) {
            const unsigned low[2] = {__byte_perm(rows[0].word[w], rows[1].word[w], 0x5140),
                                     __byte_perm(rows[2].word[w], rows[3].word[w], 0x5140)};
            const unsigned high[2] = {__byte_perm(rows[0].word[w], rows[1].word[w], 0x7362),
                                      __byte_perm(rows[2].word[w], rows[3].word[w], 0x7362)};
            const unsigned turned[4] = {__byte_perm(low[0], low[1], 0x5410), __byte_perm(low[0], low[1], 0x7632),
                                        __byte_perm(high[0], high[1], 0x5410), __byte_perm(high[0], high[1], 0x7632)};
#pragma unroll
            for (int b = 0; b < 4; ++b) {
                const int i = (4 * w + b) / channels;
                const int c = (4 * w + b) % channels;
                sum[c][i] = __dp4a(turned[b], 0x01010101u, sum[c][i]);
                square[i] = __dp4a(turned[b], turned[b], square[i]);
            }
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

template <int channels, bool in_pairs, class Store>
__global__ void __launch_bounds__(threads)
    windows_kernel(TemplateScene scene, WindowPart part, int outputs, int end, Cleared cleared, Store store) {
    let_next_begin();
    constexpr int kinds = channels + 1;
    // Sums of the columns before each one, within its warp's; of two rows in turn, so that one barrier a row does.
    // Column 8 t + i lies at [i][t]: neighbouring lanes meet neighbouring banks.
    __shared__ unsigned before[2][kinds][thread_columns][threads + 1];
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = static_cast<int>(lane_index());
    const int strip_x = static_cast<int>(blockIdx.x) * outputs;
    const int first_y = static_cast<int>(blockIdx.y) * segment;
    const int rows = min(segment, scene.rows - first_y);
    const Reader<channels, in_pairs> reader(scene,
                                            channels * (scene.left + part.x + strip_x + thread_columns * thread));
    const int top = scene.top + part.y + first_y;
    const int x = thread_columns * thread;
    const bool stores = x < outputs && strip_x + x < end;
    // A window of the thread's first columns ends so many threads further, of its last `rest` ones one more; where that
    // is in the next warp, this warp's total belongs to the sum.
    const int further = part.width / thread_columns;
    const int rest = part.width % thread_columns;
    const unsigned across = lane + further >= 32 ? ~0u : 0u;
    const unsigned rest_across = lane + further + 1 >= 32 ? ~across : 0u;
    clear_words(cleared);
    if (thread < 2 * kinds) before[thread / kinds][thread % kinds][0][threads] = 0;
    Columns<channels> sums;
    int j = 0;
#pragma unroll 2
    for (; j + 4 <= part.height; j += 4) {
        Bytes<channels> four[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) four[i] = reader.read(top + j + i);
        sums.add_four(four);
    }
    for (; j < part.height; ++j) sums.add(reader.read(top + j));
    // The rows that leave and enter the window are on their way while the row before is worked on.
    Bytes<channels> leaves = reader.read(top);
    Bytes<channels> enters = reader.read(top + part.height);
    for (int k = 0; k < rows; ++k) {
        if (k > 0) {
            sums.replace(leaves, enters);
            leaves = reader.read(top + k);
            enters = reader.read(top + k + part.height);
        }
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
        for (int kind = 0; kind < kinds; ++kind) start[kind] -= total[kind] & across;
#pragma unroll
        for (int first = 0; first < thread_columns; first += group) {
            Sums<channels> windows;
#pragma unroll
            for (int i = 0; i < group; ++i) {
                const int to = first + i + part.width;
                const unsigned one_more = first + i + rest == thread_columns ? rest_across : 0u;
#pragma unroll
                for (int kind = 0; kind < kinds; ++kind) {
                    start[kind] -= total[kind] & one_more;
                    const unsigned value =
                        before[turn][kind][to % thread_columns][thread + to / thread_columns] - start[kind];
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
void start(const TemplateScene& scene, const WindowPart& part, int end, const Cleared& cleared, const Store& store,
           cudaStream_t stream) {
    const int outputs = (strip - part.width + 1) / thread_columns * thread_columns;
    LaunchShape shape;
    shape.block = dim3(threads);
    shape.grid = dim3(blocks_for(static_cast<std::size_t>(end), static_cast<std::size_t>(outputs)),
                      blocks_for(static_cast<std::size_t>(scene.rows), segment));
    const bool in_pairs = scene.channels * (scene.left + part.x) % 8 == 0;
    if (scene.channels == 3)
        launch(in_pairs ? windows_kernel<3, true, Store> : windows_kernel<3, false, Store>, shape, stream, scene, part,
               outputs, end, cleared, store);
    else
        launch(in_pairs ? windows_kernel<1, true, Store> : windows_kernel<1, false, Store>, shape, stream, scene, part,
               outputs, end, cleared, store);
}

WindowPart whole(const TemplateWords& pattern) {
    return {0, 0, pattern.width, pattern.height};
}

}  // namespace

void window_thresholds(const TemplateScene& scene, const WindowPart& part, float factor,
                       const PositionPlane& thresholds, const Cleared& cleared, cudaStream_t stream) {
    const auto area = static_cast<unsigned>(part.width) * static_cast<unsigned>(part.height);
    start(scene, part, thresholds.stride, cleared, ThresholdStore{thresholds, area, factor}, stream);
}

void window_scores(const TemplateScene& scene, const TemplateWords& pattern, const TemplateSums& sums,
                   const PositionPlane& products, const Exclusions& exclusions, double* scores, cudaStream_t stream) {
    start(scene, whole(pattern), scene.columns, {}, ScoreStore{products, sums, exclusions, scores}, stream);
}

void window_map(const TemplateScene& scene, const TemplateWords& pattern, const TemplateSums& sums,
                const PositionPlane& products, MatchMethod method, View<float> map, cudaStream_t stream) {
    start(scene, whole(pattern), scene.columns, {}, MapStore{products, sums, method, map}, stream);
}

}  // namespace vedette::cuda
