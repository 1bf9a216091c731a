// quads_kernel: thresholds of 2 x 2 positions at a time. A block owns a strip of quads and `segment` rows of them; a
// thread 8 columns of the image, four pairs of columns, whose sums over the shared part's height it keeps. From one row
// of quads to the next two image rows leave and two enter, turned so that a word holds a pair of both rows: a dp4a adds
// four pixels. Sums over a part's pairs are differences of sums of all pairs before, within a warp's 128. About 11
// operations a position, a fifth of what single positions take (template_windows.cu); the floor is the image once and a
// word a quad over bandwidth.
#include "kernels/template_windows.h"

#include "device/arithmetic.cuh"
#include "device/previous.cuh"
#include "device/warp.cuh"
#include "kernels/template_rows.cuh"
#include "runtime/launch.h"

#include <algorithm>
#include <climits>

namespace vedette::cuda {

namespace {

constexpr int pairs = thread_columns / 2;
constexpr int threads = 128;
constexpr int strip = threads * pairs;
static_assert(gemm_most_width / 2 <= 32 * pairs, "a window ends in its warp or in the next");
constexpr int kinds = 2;  // of sums: pixels, squares

// Blocks for each multiprocessor that a grid is cut to (H200, 4K: 3 to 6 take the same for 32 x 32, 4 is best or equal
// for larger patterns).
constexpr unsigned wanted_blocks = 4;
// Rows of quads of a block at least: a block reads the part's height before its first row.
constexpr unsigned least_segment = 4;

struct PairSums {
    unsigned at[kinds][pairs] = {};

    __device__ __forceinline__ void add(const Bytes<1>& first, const Bytes<1>& second) {
#pragma unroll
        for (int i = 0; i < pairs; ++i) {
            const unsigned four = __byte_perm(first.word[i / 2], second.word[i / 2], i % 2 == 0 ? 0x5410u : 0x7632u);
            at[0][i] = __dp4a(four, 0x01010101u, at[0][i]);
            at[1][i] = __dp4a(four, four, at[1][i]);
        }
    }
    __device__ __forceinline__ void subtract(const PairSums& other) {
#pragma unroll
        for (int kind = 0; kind < kinds; ++kind)
#pragma unroll
            for (int i = 0; i < pairs; ++i) at[kind][i] -= other.at[kind][i];
    }
};

template <bool in_pairs>
__global__ void __launch_bounds__(threads)
    quads_kernel(TemplateScene scene, QuadPart part, float factor, QuadPlane thresholds, int flat, int outputs,
                 int segment, Cleared cleared) {
    let_next_begin();
    // Sums of the pairs before each one, within its warp's; of two rows in turn, so that one barrier a row does.
    __shared__ unsigned before[2][kinds][pairs][threads + 1];
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = static_cast<int>(lane_index());
    const int strip_pair = static_cast<int>(blockIdx.x) * outputs;
    const int first_row = static_cast<int>(blockIdx.y) * segment;
    const int rows = min(segment, quad_rows(scene.rows) - first_row);
    const Reader<1, in_pairs> reader(scene, scene.left + part.x - 2 + 2 * strip_pair + thread_columns * thread);
    int top = scene.top + part.y + 2 * first_row;
    const int own = pairs * thread;
    const bool stores = own < outputs && strip_pair + own < thresholds.stride;
    // The part begins one pair after the quad's own. That of the thread's first quads ends so many threads further, of
    // its last `rest` ones one more; where that is in the next warp, this warp's total belongs to the sum.
    const int further = (part.pairs + 1) / pairs;
    const int rest = (part.pairs + 1) % pairs;
    const unsigned across = lane + further >= 32 ? ~0u : 0u;
    const unsigned rest_across = lane + further + 1 >= 32 ? ~0u : 0u;
    const auto area = static_cast<unsigned>(2 * part.pairs * part.rows);
    clear_words(cleared);
    if (thread < 2 * kinds) before[thread / kinds][thread % kinds][0][threads] = 0;
    PairSums sums;
    int j = 0;
#pragma unroll 4
    for (; j + 2 <= part.rows; j += 2) sums.add(reader.read(top + j), reader.read(top + j + 1));
    if (j < part.rows) sums.add(reader.read(top + j), Bytes<1>{});
    for (int k = 0; k < rows; ++k, top += 2) {
        // On their way while this row is worked on.
        const Bytes<1> leaves[2] = {reader.read(top), reader.read(top + 1)};
        const Bytes<1> enters[2] = {reader.read(top + part.rows), reader.read(top + part.rows + 1)};
        const int turn = k & 1;
        unsigned start[kinds];
        unsigned total[kinds];
#pragma unroll
        for (int kind = 0; kind < kinds; ++kind) {
            unsigned all = 0;
#pragma unroll
            for (int i = 0; i < pairs; ++i) all += sums.at[kind][i];
            const unsigned through = warp_scan(all);
            total[kind] = __shfl_sync(all_lanes, through, 31);
            start[kind] = through - all;
            unsigned sum = start[kind];
#pragma unroll
            for (int i = 0; i < pairs; ++i) {
                before[turn][kind][i][thread] = sum;
                sum += sums.at[kind][i];
            }
        }
        __syncthreads();
        if (stores) {
            int value[pairs];
#pragma unroll
            for (int i = 0; i < pairs; ++i) {
                const int to = i + 1 + part.pairs;
                const unsigned crosses = i + rest >= pairs ? rest_across : across;
                unsigned window[kinds];
#pragma unroll
                for (int kind = 0; kind < kinds; ++kind) {
                    start[kind] += sums.at[kind][i];
                    window[kind] =
                        before[turn][kind][to % pairs][thread + to / pairs] - start[kind] + (total[kind] & crosses);
                }
                const unsigned long long variance = static_cast<unsigned long long>(area) * window[1] -
                                                    static_cast<unsigned long long>(window[0]) * window[0];
                const int limit = __float2int_rd(factor * approximate_sqrt(__ull2float_rn(variance)));
                const int own_limit = variance == 0 ? flat : max(limit, 1);
                value[i] = 2 * (strip_pair + own + i) < scene.columns ? own_limit : INT_MAX;
            }
            *reinterpret_cast<int4*>(thresholds.values +
                                     static_cast<std::size_t>(first_row + k) *
                                         static_cast<std::size_t>(thresholds.stride) +
                                     strip_pair + own) = int4{value[0], value[1], value[2], value[3]};
        }
        PairSums left;
        left.add(leaves[0], leaves[1]);
        sums.add(enters[0], enters[1]);
        sums.subtract(left);
    }
}

}  // namespace

void quad_thresholds(const TemplateScene& scene, const WindowPart& part, const QuadLimits& made_by,
                     const QuadPlane& thresholds, const Cleared& cleared, const DeviceLimits& limits,
                     cudaStream_t stream) {
    const QuadPart shared = quad_part(part);
    const int outputs = (strip - shared.pairs) / pairs * pairs;
    const unsigned across = blocks_for(static_cast<std::size_t>(thresholds.stride), static_cast<std::size_t>(outputs));
    const auto rows = static_cast<unsigned>(quad_rows(scene.rows));
    const unsigned down = std::max(1u, wanted_blocks * static_cast<unsigned>(limits.multiprocessors) / across);
    const unsigned segment = std::max(least_segment, (rows + down - 1) / down);
    LaunchShape shape;
    shape.block = dim3(threads);
    shape.grid = dim3(across, blocks_for(rows, segment));
    const bool in_pairs = (scene.left + shared.x - 2) % 8 == 0;
    launch(in_pairs ? quads_kernel<true> : quads_kernel<false>, shape, stream, scene, shared, made_by.factor,
           thresholds, made_by.flat, outputs, static_cast<int>(segment), cleared);
}

}  // namespace vedette::cuda
