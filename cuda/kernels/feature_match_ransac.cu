// The homography that most pairs follow. Samples are judged side by side, and then the rule of one after another is
// applied, so that the result does not depend on which was judged first.
#include "kernels/feature_match.h"

#include "device/memory.cuh"
#include "device/warp.cuh"
#include "kernels/feature_match_homography.cuh"
#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

constexpr unsigned sample = 4;
constexpr int score_warps = 8;

// The iteration before which drawing ends when the sample of this iteration was the best: so many that with probability
// 0.999 one has right pairs only when this share of pairs is right, and at least this one.
__device__ unsigned stop_after(unsigned iteration, unsigned fitting, unsigned pairs) {
    const double share = static_cast<double>(fitting) / static_cast<double>(pairs);
    const double all_right = share * share * share * share;
    const double needed = all_right >= 1 ? 1 : ceil(log(0.001) / log1p(-all_right));
    const double stop = fmax(needed, static_cast<double>(iteration) + 1);
    return stop < 4e9 ? static_cast<unsigned>(stop) : 0xffffffffu;
}

// A warp judges a sample: all lanes find its homography (300 operations), then each looks at every 32nd pair (20
// operations and 16 bytes, from the first cache). Samples that those before have made needless are left out: blocks
// start in order, so most are. 110 samples of 1,000 pairs: 2.2 M operations, a few us, mostly one sample's latency.
__global__ void __launch_bounds__(32 * score_warps) score_kernel(MatchMemory memory, RansacParameters parameters) {
    const unsigned pairs = memory.state->pairs, iteration = blockIdx.x * score_warps + threadIdx.x / 32;
    if (pairs < sample || iteration >= parameters.max_iterations) return;
    const unsigned stop = __shfl_sync(all_lanes, load_relaxed(&memory.state->stop), 0);
    if (iteration >= stop) return;
    Homography candidate;
    unsigned count = 0;
    if (candidate_of(memory.pair_places, pairs, parameters.seed, iteration, candidate)) {
        const double squared = parameters.reprojection * parameters.reprojection;
        for (unsigned pair = lane_index(); pair < pairs; pair += 32)
            count += fits(candidate, memory.pair_places[pair], squared) ? 1u : 0u;
        count = warp_sum(count);
    }
    if (lane_index() != 0) return;
    memory.counts[iteration] = count;
    if (count != 0) atomicMin(&memory.state->stop, stop_after(iteration, count, pairs));
}

constexpr int threads = 128;
constexpr int warps = threads / 32;
constexpr int unknowns = 8;  // the ninth entry is 1
constexpr int sums = 28;

// A block's sums over its threads, in every thread, the same in every run.
struct BlockSums {
    double part[sums][threads];
    double total[sums];

    template <int count>
    __device__ void add_up(double (&values)[count]) {
        static_assert(count <= sums);
        __syncthreads();  // the totals of the last time have been read
#pragma unroll
        for (int k = 0; k < count; ++k) part[k][threadIdx.x] = values[k];
        __syncthreads();
        for (int k = static_cast<int>(threadIdx.x) / 32; k < count; k += warps) {
            double sum = 0;
            for (int w = 0; w < warps; ++w) sum += part[k][32 * w + static_cast<int>(lane_index())];
            sum = warp_sum(sum);
            if (lane_index() == 0) total[k] = sum;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < count; ++k) values[k] = total[k];
    }
};

// The normal equations of rows (x, y, 1, 0, 0, 0, -u x, -u y) w = du and (0, 0, 0, x, y, 1, -v x, -v y) w = dv: their
// 28 different sums, the last the sum of du^2 + dv^2.
__device__ __forceinline__ void add_rows(double (&s)[sums], double x, double y, double w, double u, double v, double du,
                                         double dv) {
    const double px = x * w, py = y * w;
    const double xx = px * px, xy = px * py, xw = px * w, yy = py * py, yw = py * w;
    const double products[5] = {xx, xy, yy, xw, yw};
    s[0] += xx, s[1] += xy, s[2] += xw, s[3] += yy, s[4] += yw, s[5] += w * w;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
        s[6 + k] = fma(-u, products[k], s[6 + k]);
        s[11 + k] = fma(-v, products[k], s[11 + k]);
    }
    const double q = u * u + v * v, e = u * du + v * dv;
    s[16] = fma(q, xx, s[16]), s[17] = fma(q, xy, s[17]), s[18] = fma(q, yy, s[18]);
    s[19] = fma(du, px, s[19]), s[20] = fma(du, py, s[20]), s[21] = fma(du, w, s[21]);
    s[22] = fma(dv, px, s[22]), s[23] = fma(dv, py, s[23]), s[24] = fma(dv, w, s[24]);
    s[25] = fma(-e, px, s[25]), s[26] = fma(-e, py, s[26]);
    s[27] += du * du + dv * dv;
}

// Solves the equations by Cholesky's decomposition, the diagonal enlarged by a factor 1 + damping; false when the
// matrix is not positive.
__device__ bool solve(const double (&s)[sums], double damping, double (&solution)[unknowns]) {
    double a[unknowns][unknowns] = {
        {s[0]},
        {s[1], s[3]},
        {s[2], s[4], s[5]},
        {0, 0, 0, s[0]},
        {0, 0, 0, s[1], s[3]},
        {0, 0, 0, s[2], s[4], s[5]},
        {s[6], s[7], s[9], s[11], s[12], s[14], s[16]},
        {s[7], s[8], s[10], s[12], s[13], s[15], s[17], s[18]},
    };
    double right[unknowns] = {s[19], s[20], s[21], s[22], s[23], s[24], s[25], s[26]};
    double inverse[unknowns];
    bool positive = true;
#pragma unroll
    for (int j = 0; j < unknowns; ++j) {
        const double before = a[j][j];
        double pivot = before * (1 + damping);
#pragma unroll
        for (int k = 0; k < j; ++k) pivot = fma(-a[j][k], a[j][k], pivot);
        positive = positive && pivot > 1e-14 * before;
        inverse[j] = 1 / sqrt(pivot);
#pragma unroll
        for (int i = j + 1; i < unknowns; ++i) {
            double sum = a[i][j];
#pragma unroll
            for (int k = 0; k < j; ++k) sum = fma(-a[i][k], a[j][k], sum);
            a[i][j] = sum * inverse[j];
        }
        double sum = right[j];
#pragma unroll
        for (int k = 0; k < j; ++k) sum = fma(-a[j][k], right[k], sum);
        right[j] = sum * inverse[j];
    }
#pragma unroll
    for (int i = unknowns - 1; i >= 0; --i) {
        double sum = right[i];
#pragma unroll
        for (int k = i + 1; k < unknowns; ++k) sum = fma(-a[k][i], solution[k], sum);
        solution[i] = sum * inverse[i];
    }
    return positive;
}

// What the threads of the block share.
struct Fit {
    BlockSums sums;
    double solution[unknowns];
    bool solved;
    unsigned counts[warps];
    unsigned first;
    unsigned long long best[warps];
};

__device__ unsigned block_count(Fit& fit, unsigned value) {
    value = warp_sum(value);
    __syncthreads();
    if (lane_index() == 0) fit.counts[threadIdx.x / 32] = value;
    __syncthreads();
    unsigned sum = 0;
    for (int w = 0; w < warps; ++w) sum += fit.counts[w];
    return sum;
}

// By one thread for all: a division takes as long as hundreds of additions.
__device__ bool block_solve(Fit& fit, const double (&equations)[sums], double damping, double (&solution)[unknowns]) {
    if (threadIdx.x == 0) {
        double found[unknowns];
        fit.solved = solve(equations, damping, found);
        for (int k = 0; k < unknowns; ++k) fit.solution[k] = found[k];
    }
    __syncthreads();
    for (int k = 0; k < unknowns; ++k) solution[k] = fit.solution[k];
    const bool solved = fit.solved;
    __syncthreads();
    return solved;
}

// A change of coordinates (x - middle) * scale.
struct Normalization {
    double x, y, scale;
};

// Pairs that fit, normalised.
template <class Body>
__device__ __forceinline__ void for_fitting(const MatchMemory& memory, unsigned pairs, const Normalization& from,
                                            const Normalization& to, const Body& body) {
    for (unsigned i = threadIdx.x; i < pairs; i += threads) {
        if (memory.fits[i] == 0) continue;
        const float4 pair = memory.pair_places[i];
        body((static_cast<double>(pair.x) - from.x) * from.scale, (static_cast<double>(pair.y) - from.y) * from.scale,
             (static_cast<double>(pair.z) - to.x) * to.scale, (static_cast<double>(pair.w) - to.y) * to.scale);
    }
}

// Whether scatter with these second moments has two axes.
__device__ bool spans_area(double xx, double xy, double yy) {
    const double half = (xx + yy) / 2, spread = hypot((xx - yy) / 2, xy);
    constexpr double least_ratio = 1e-6;  // of variances
    return half - spread > least_ratio * (half + spread);
}

// The step's equations at `h`; the last of them is the sum of squared distances, not finite when a point lies on the
// horizon.
__device__ void equations_at(Fit& fit, const MatchMemory& memory, unsigned pairs, const Normalization& from,
                             const Normalization& to, const double (&h)[unknowns], double (&equations)[sums]) {
    for (int k = 0; k < sums; ++k) equations[k] = 0;
    for_fitting(memory, pairs, from, to, [&](double x, double y, double to_x, double to_y) {
        const double w = 1 / (h[6] * x + h[7] * y + 1);
        const double u = (h[0] * x + h[1] * y + h[2]) * w, v = (h[3] * x + h[4] * y + h[5]) * w;
        add_rows(equations, x, y, w, u, v, to_x - u, to_y - v);
    });
    fit.sums.add_up(equations);
}

// Least squares over the pairs that are marked: the linear solution, then Levenberg-Marquardt on the distances in the
// second set. False when the pairs do not fix a homography. Every pass over the pairs takes about 60 operations a pair
// and a sum over the block, about 1 us up to 1,000 pairs (estimate); every solution about 2 us.
__device__ bool refit(Fit& fit, const MatchMemory& memory, unsigned pairs, unsigned fitting, Homography& homography) {
    if (fitting < sample) return false;
    const auto count = static_cast<double>(fitting);
    Normalization from{0, 0, 1}, to{0, 0, 1};
    double middle[4] = {};
    for_fitting(memory, pairs, from, to, [&](double x, double y, double u, double v) {
        middle[0] += x, middle[1] += y, middle[2] += u, middle[3] += v;
    });
    fit.sums.add_up(middle);
    from.x = middle[0] / count, from.y = middle[1] / count, to.x = middle[2] / count, to.y = middle[3] / count;
    double distance[2] = {};
    for_fitting(memory, pairs, from, to, [&](double x, double y, double u, double v) {
        distance[0] += sqrt(x * x + y * y), distance[1] += sqrt(u * u + v * v);
    });
    fit.sums.add_up(distance);
    from.scale = distance[0] > 0 ? sqrt(2.0) * count / distance[0] : 1;
    to.scale = distance[1] > 0 ? sqrt(2.0) * count / distance[1] : 1;

    double equations[sums] = {};
    double moments[6] = {};
    for_fitting(memory, pairs, from, to, [&](double x, double y, double u, double v) {
        add_rows(equations, x, y, 1, u, v, u, v);
        moments[0] += x * x, moments[1] += x * y, moments[2] += y * y;
        moments[3] += u * u, moments[4] += u * v, moments[5] += v * v;
    });
    fit.sums.add_up(moments);
    fit.sums.add_up(equations);
    if (!spans_area(moments[0], moments[1], moments[2]) || !spans_area(moments[3], moments[4], moments[5]))
        return false;
    double h[unknowns];
    if (!block_solve(fit, equations, 0, h)) return false;

    constexpr int most_steps = 12;
    double damping = 1e-3;
    equations_at(fit, memory, pairs, from, to, h, equations);
    for (int step = 0; step < most_steps; ++step) {
        double next[unknowns], next_equations[sums];
        if (!block_solve(fit, equations, damping, next)) break;
        for (int k = 0; k < unknowns; ++k) next[k] += h[k];
        equations_at(fit, memory, pairs, from, to, next, next_equations);
        const double before = equations[sums - 1], after = next_equations[sums - 1];
        if (!(after <= before) && isfinite(before)) {
            damping *= 10;
            continue;
        }
        for (int k = 0; k < unknowns; ++k) h[k] = next[k];
        for (int k = 0; k < sums; ++k) equations[k] = next_equations[k];
        damping *= 0.1;
        if (before - after <= 1e-12 * before) break;
    }

    const double normalized[9] = {h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], 1};
    const double in[9] = {from.scale, 0, -from.scale * from.x, 0, from.scale, -from.scale * from.y, 0, 0, 1};
    const double out[9] = {1 / to.scale, 0, to.x, 0, 1 / to.scale, to.y, 0, 0, 1};
    double turned[9];
    product(normalized, in, turned);
    product(out, turned, homography.h);
    bool finite = true;
    for (int k = 0; k < 9; ++k) finite = finite && isfinite(homography.h[k]);
    if (!finite) return false;

    // Positive on the side of the horizon where the first pair lies.
    unsigned first = 0xffffffff;
    for (unsigned i = threadIdx.x; i < pairs && first == 0xffffffff; i += threads)
        if (memory.fits[i] != 0) first = i;
    first = warp_min(first);
    __syncthreads();
    if (threadIdx.x == 0) fit.first = 0xffffffff;
    __syncthreads();
    if (lane_index() == 0) atomicMin(&fit.first, first);
    __syncthreads();
    const float4 inside = memory.pair_places[fit.first];
    const double(&g)[9] = homography.h;
    if (g[6] * static_cast<double>(inside.x) + g[7] * static_cast<double>(inside.y) + g[8] < 0)
        for (double& value : homography.h) value = -value;
    return true;
}

__device__ unsigned count_fitting(Fit& fit, const MatchMemory& memory, unsigned pairs, const Homography& homography,
                                  double squared) {
    unsigned count = 0;
    for (unsigned i = threadIdx.x; i < pairs; i += threads)
        count += fits(homography, memory.pair_places[i], squared) ? 1u : 0u;
    return block_count(fit, count);
}

// A pair is marked and looked at by the same thread.
__device__ void mark_fitting(const MatchMemory& memory, unsigned pairs, const Homography& homography, double squared) {
    for (unsigned i = threadIdx.x; i < pairs; i += threads)
        memory.fits[i] = fits(homography, memory.pair_places[i], squared) ? 1 : 0;
}

// The first sample with most fitting pairs, of those before the end, and its count; a count of 0 when there is none.
__device__ unsigned best_sample(Fit& fit, const MatchMemory& memory, unsigned end, unsigned& count) {
    unsigned long long best = 0;
    for (unsigned i = threadIdx.x; i < end; i += threads) {
        const unsigned long long key = static_cast<unsigned long long>(memory.counts[i]) << 32 | (0xffffffffu - i);
        best = key > best ? key : best;
    }
    best = warp_max(best);
    if (lane_index() == 0) fit.best[threadIdx.x / 32] = best;
    __syncthreads();
    for (int w = 0; w < warps; ++w) best = fit.best[w] > best ? fit.best[w] : best;
    count = static_cast<unsigned>(best >> 32);
    return 0xffffffffu - static_cast<unsigned>(best);
}

__device__ bool find_homography(Fit& fit, const MatchMemory& memory, const RansacParameters& parameters, unsigned pairs,
                                Homography& homography) {
    if (pairs < sample) return false;
    const unsigned stop = memory.state->stop;
    unsigned best = 0;
    const unsigned drawn =
        best_sample(fit, memory, stop < parameters.max_iterations ? stop : parameters.max_iterations, best);
    if (best < sample) return false;
    candidate_of(memory.pair_places, pairs, parameters.seed, drawn, homography);
    const double squared = parameters.reprojection * parameters.reprojection;
    mark_fitting(memory, pairs, homography, squared);
    constexpr int most_refits = 5;
    for (int round = 0; round < most_refits; ++round) {
        Homography better;
        if (!refit(fit, memory, pairs, best, better)) {
            if (round == 0) return false;
            break;
        }
        const unsigned fitting = count_fitting(fit, memory, pairs, better, squared);
        if (fitting < best) break;
        const bool same = fitting == best && round != 0;
        best = fitting;
        homography = better;
        mark_fitting(memory, pairs, homography, squared);
        if (same) break;
    }
    const double last = homography.h[8];
    if (last != 0)
        for (double& value : homography.h) value /= last;
    return true;
}

// One block fits the homography and writes what the host reads, over the bus, as it is known here how much that is.
__global__ void __launch_bounds__(threads)
    fit_kernel(MatchMemory memory, RansacParameters parameters, View<double> out) {
    __shared__ Fit fit;
    const unsigned pairs = memory.state->pairs;
    Homography homography{};
    const bool found = find_homography(fit, memory, parameters, pairs, homography);
    if (threadIdx.x < 9) {
        double value = 0;
#pragma unroll
        for (int k = 0; k < 9; ++k)
            if (found && static_cast<int>(threadIdx.x) == k) value = homography.h[k];
        out.row(static_cast<int>(threadIdx.x) / 3)[threadIdx.x % 3] = value;
    }
    for (unsigned i = threadIdx.x; i < pairs; i += threads) {
        uint4 pair = memory.pairs[i];
        pair.w = found ? memory.fits[i] : 0;
        memory.results[i] = pair;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    *memory.header = MatchHeader{pairs, memory.state->bad_query, memory.state->bad_train, memory.state->fractional};
    *memory.state = MatchState{};
}

}  // namespace

void fit_pairs(const RansacParameters& parameters, const MatchMemory& memory, const View<double>& homography,
               cudaStream_t stream) {
    LaunchShape shape;
    if (parameters.max_iterations != 0) {
        shape.grid = dim3(blocks_for(parameters.max_iterations, score_warps));
        shape.block = dim3(32 * score_warps);
        launch(score_kernel, shape, stream, memory, parameters);
    }
    shape.grid = dim3(1);
    shape.block = dim3(threads);
    launch(fit_kernel, shape, stream, memory, parameters, homography);
}

}  // namespace vedette::cuda
