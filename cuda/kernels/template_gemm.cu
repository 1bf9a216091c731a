// What becomes of the products of template_gemm_tile.cuh: candidates, by thresholds of positions or of quads, or sums.
#include "kernels/template_gemm_tile.cuh"

namespace vedette::cuda {

namespace {

using namespace gemm;

struct CandidateStore : WholeScene {
    PositionPlane thresholds;
    Candidates candidates;
    Progress* progress;
    int columns;

    __device__ __forceinline__ void operator()(const Accumulators& sums, int x, int y, int rows) const {
        // Four rows at a time: all thresholds are on their way before the first is compared, and one branch serves 32
        // comparisons.
#pragma unroll
        for (int first = 0; first < gemm_rows; first += 4) {
            unsigned reached = 0;
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                if (y + first + r >= rows) continue;
                const std::int32_t* const row = thresholds.values + static_cast<std::size_t>(y + first + r) *
                                                                        static_cast<std::size_t>(thresholds.stride);
#pragma unroll
                for (int part = 0; part < 2; ++part)
#pragma unroll
                    for (int half = 0; half < 2; ++half) {
                        const int2 limit = *reinterpret_cast<const int2*>(row + x + column_of(part, half));
                        const std::int32_t* const sum = &sums.at[first + r][part][2 * half];
                        const int bit = 8 * r + 4 * part + 2 * half;
                        reached |= (sum[0] >= limit.x ? 1u : 0u) << bit | (sum[1] >= limit.y ? 2u : 0u) << bit;
                    }
            }
            if (__ballot_sync(all_lanes, reached != 0) == 0) continue;
            append_candidates(reached, x, y + first, columns, rows, candidates, progress);
        }
    }
};

// With thresholds of quads: a sum d is a candidate's when t <= d <= t + above(t), one unsigned comparison.
struct QuadCandidateStore : WholeScene {
    QuadPlane thresholds;
    Candidates candidates;
    Progress* progress;
    QuadRoom above;
    int columns;

    __device__ __forceinline__ void operator()(const Accumulators& sums, int x, int y, int rows) const {
        append_in_quad_range(sums, thresholds, x, y, columns, rows, candidates, progress, [&](int limit) {
            return SumRange{limit, above.above(limit)};
        });
    }
};

struct SumStore : WholeScene {
    PositionPlane plane;

    __device__ __forceinline__ void operator()(const Accumulators& sums, int x, int y, int rows) const {
#pragma unroll
        for (int r = 0; r < gemm_rows; ++r) {
            if (y + r >= rows) continue;
            std::int32_t* const row =
                plane.values + static_cast<std::size_t>(y + r) * static_cast<std::size_t>(plane.stride);
#pragma unroll
            for (int part = 0; part < 2; ++part)
#pragma unroll
                for (int half = 0; half < 2; ++half)
                    *reinterpret_cast<int2*>(row + x + column_of(part, half)) =
                        int2{sums.at[r][part][2 * half], sums.at[r][part][2 * half + 1]};
        }
    }
};

template <class Store>
void start(const TemplateScene& scene, const GemmOperand& operand, const Store& store, const DeviceLimits& limits,
           bool early, cudaStream_t stream) {
    if (scene.channels == 3)
        start_with<3>(scene, operand, store, limits, early, stream);
    else
        start_with<1>(scene, operand, store, limits, early, stream);
}

}  // namespace

void gemm_prepare(const DeviceLimits& limits) {
    allow_gemm_shared<1, CandidateStore>(limits);
    allow_gemm_shared<3, CandidateStore>(limits);
    allow_gemm_shared<1, QuadCandidateStore>(limits);
    allow_gemm_shared<1, SumStore>(limits);
    allow_gemm_shared<3, SumStore>(limits);
}

void gemm_candidates(const TemplateScene& scene, const GemmOperand& operand, const PositionPlane& thresholds,
                     const Candidates& candidates, Progress* progress, const DeviceLimits& limits,
                     cudaStream_t stream) {
    start(scene, operand, CandidateStore{{}, thresholds, candidates, progress, scene.columns}, limits,
          limits.early_launch, stream);
}

void gemm_candidates(const TemplateScene& scene, const GemmOperand& operand, const QuadPlane& thresholds, float ratio,
                     const Candidates& candidates, Progress* progress, const DeviceLimits& limits,
                     cudaStream_t stream) {
    const QuadCandidateStore store{{}, thresholds, candidates, progress, quad_room(ratio), scene.columns};
    start_with<1>(scene, operand, store, limits, limits.early_launch, stream);
}

void gemm_sums(const TemplateScene& scene, const GemmOperand& operand, const PositionPlane& sums,
               const DeviceLimits& limits, cudaStream_t stream) {
    start(scene, operand, SumStore{{}, sums}, limits, false, stream);
}

}  // namespace vedette::cuda
