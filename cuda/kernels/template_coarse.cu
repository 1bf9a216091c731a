// The products of block means, and those of the tiles in which they leave much (template_gemm_tile.cuh says how blocks
// and warps share them). The coarse kernel has a layer of blocks for each phase; what its warps find is counted by
// tiles, 16 positions x 4 rows of a phase lie in one of them. The fine kernel has a block for each tile: first all its
// blocks share the list of single positions, then those whose tile has few end.
#include "kernels/template_coarse.h"

#include "kernels/template_gemm_tile.cuh"

#include <climits>
#include <type_traits>

namespace vedette::cuda {

namespace {

using namespace gemm;

template <int step>
struct CoarseStore {
    using Warps = WholeTeam;
    PhasePlanes planes;
    QuadPlane thresholds;
    CoarseBound bound;
    CoarseLeft left;
    int columns;  // of the whole scene
    int rows;

    __device__ __forceinline__ int phase_x() const { return static_cast<int>(blockIdx.z) % step; }
    __device__ __forceinline__ int phase_y() const { return static_cast<int>(blockIdx.z) / step; }

    __device__ __forceinline__ bool begin(TemplateScene& scene) const {
        wait_for_previous();
        scene.bytes.data += static_cast<std::size_t>(blockIdx.z) * static_cast<std::size_t>(planes.width) *
                            static_cast<std::size_t>(planes.height);
        scene.columns = (columns - phase_x() + step - 1) / step;
        scene.rows = (rows - phase_y() + step - 1) / step;
        return true;
    }

    __device__ __forceinline__ void operator()(const Accumulators& sums, int x, int y, int phase_rows) const {
        const int phase_columns = (columns - phase_x() + step - 1) / step;
#pragma unroll
        for (int first = 0; first < gemm_rows; first += 4) {
            unsigned reached = 0;
            visit_pairs(sums, x, y, first, phase_rows, [&](const std::int32_t* sum, const int2& limit, int, int bit) {
                reached |= (sum[0] >= limit.x - bound.slack ? 1u : 0u) << bit |
                           (sum[1] >= limit.y - bound.slack ? 2u : 0u) << bit;
            });
            if (__ballot_sync(all_lanes, reached != 0) == 0) continue;
            // Few get here, so that the upper limit is made for them only.
            visit_pairs(sums, x, y, first, phase_rows,
                        [&](const std::int32_t* sum, const int2& limit, int column, int bit) {
                            if ((reached >> bit & 3u) == 0) return;
                            if (column >= phase_columns || is_over(sum[0], limit.x)) reached &= ~(1u << bit);
                            if (column + 1 >= phase_columns || is_over(sum[1], limit.y)) reached &= ~(2u << bit);
                        });
            append(reached, x, y + first);
        }
    }

private:
    // visit(sums, thresholds, column, bit) of each two neighbours in four rows from y + first on; `bit`: 8 * row + 4 *
    // part + 2 * half.
    template <class Visit>
    __device__ __forceinline__ void visit_pairs(const Accumulators& sums, int x, int y, int first, int phase_rows,
                                                const Visit& visit) const {
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            if (y + first + r >= phase_rows) continue;
            const std::int32_t* const row = row_of(y + first + r);
#pragma unroll
            for (int part = 0; part < 2; ++part)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const int column = x + column_of(part, half);
                    visit(&sums.at[first + r][part][2 * half], limits_of(row, column), column,
                          8 * r + 4 * part + 2 * half);
                }
        }
    }

    __device__ __forceinline__ const std::int32_t* row_of(int y) const {
        return thresholds.values +
               static_cast<std::size_t>((step * y + phase_y()) / 2) * static_cast<std::size_t>(thresholds.stride);
    }

    // The thresholds of the phase's columns x, which is even, and x + 1. Past the last one they are any that exist.
    __device__ __forceinline__ int2 limits_of(const std::int32_t* row, int x) const {
        if constexpr (step == 2) {
            return *reinterpret_cast<const int2*>(row + min(x, thresholds.stride - 2));
        } else {
            const int4 four = *reinterpret_cast<const int4*>(row + min(2 * x, thresholds.stride - 4));
            return phase_x() < 2 ? int2{four.x, four.z} : int2{four.y, four.w};
        }
    }

    __device__ __forceinline__ bool is_over(int sum, int limit) const {
        return static_cast<float>(sum - bound.slack) > (static_cast<float>(limit) + 1) * bound.upper;
    }

    // Bits of `reached`: 8 * row + 4 * part + 2 * half + which of two neighbours.
    __device__ __forceinline__ void append(unsigned reached, int x, int y) const {
        const int lane = static_cast<int>(lane_index());
        // So many lanes share a tile, in either half.
        constexpr int sharing = 4 * (coarse_tile_columns / gemm_shifts) / step;
        static_assert(sharing <= 32 && coarse_tile_rows % (4 * step) == 0);
        const int leader = lane & ~(sharing - 1);
        const int tile_row = (step * y + phase_y()) / coarse_tile_rows;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const unsigned own = half == 0 ? 0x33333333u : 0xccccccccu;
            auto count = static_cast<unsigned>(__popc(reached & own));
#pragma unroll
            for (int distance = sharing / 2; distance > 0; distance /= 2)
                count += __shfl_xor_sync(all_lanes, count, distance);
            const int tile_column = step * (x + gemm_shifts * (lane / 4 + 8 * half)) / coarse_tile_columns;
            unsigned before = 0;
            if (lane == leader && count > 0)
                before = atomicAdd(left.tiles() + tile_row * left.tiles_across + tile_column, count);
            before = __shfl_sync(all_lanes, before, leader);
            // A tile that gets more than its due is not looked at place by place.
            if (before + count > coarse_most_of_tile) reached &= ~own;
        }
        unsigned place = warp_reserve(left.count(), static_cast<unsigned>(__popc(reached)));
        for (; reached != 0; reached &= reached - 1) {
            const int bit = __ffs(static_cast<int>(reached)) - 1;
            const int column = step * (x + column_of(bit >> 2 & 1, bit >> 1 & 1) + (bit & 1)) + phase_x();
            const int row = step * (y + bit / 8) + phase_y();
            left.places()[place++] = static_cast<std::uint32_t>(row) << 16 | static_cast<std::uint32_t>(column);
        }
    }
};

struct FineStore {
    // Few tiles come here, far apart, so that a block's own time counts.
    using Warps = Team<coarse_tile_rows / gemm_rows, 4>;
    QuadPlane thresholds;
    FineBound bound;
    CoarseLeft left;
    Candidates candidates;
    Progress* progress;
    int columns;

    __device__ __forceinline__ bool has_many(int column, int row) const {
        return left.tiles()[row * left.tiles_across + column] > coarse_most_of_tile;
    }

    __device__ __forceinline__ bool begin(TemplateScene&) const {
        wait_for_previous();
        const unsigned count = *left.count();
        const unsigned threads = gridDim.x * gridDim.y * blockDim.x;
        const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
        for (unsigned warp_first = block * blockDim.x + threadIdx.x / 32 * 32; warp_first < count;
             warp_first += threads) {
            const unsigned i = warp_first + lane_index();
            const std::uint32_t place = i < count ? left.places()[i] : 0;
            const bool take = i < count && !has_many(static_cast<int>(place & 0xffffu) / coarse_tile_columns,
                                                     static_cast<int>(place >> 16) / coarse_tile_rows);
            const unsigned to = warp_append(&progress->candidates, take);
            if (take && to < candidates.capacity) candidates.places[to] = place;
        }
        const bool own = has_many(static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y));
        if (own && threadIdx.x == 0) atomicAdd(&progress->tiles, 1u);
        return own;
    }

    __device__ __forceinline__ void operator()(const Accumulators& sums, int x, int y, int rows) const {
        append_in_quad_range(sums, thresholds, x, y, columns, rows, candidates, progress, [&](int limit) {
            if (limit == INT_MAX) return SumRange{INT_MAX, 0};  // no sum is so large
            const int least = max(1, __float2int_rd(static_cast<float>(limit) * bound.lower));
            const int most = __float2int_ru((static_cast<float>(limit) + 1) * bound.upper);
            return most < least ? SumRange{INT_MAX, 0} : SumRange{least, static_cast<unsigned>(most - least)};
        });
    }
};

}  // namespace

CoarseLeft coarse_left(const TemplateScene& scene) {
    CoarseLeft left;
    left.tiles_across = static_cast<int>(blocks_for(static_cast<std::size_t>(scene.columns), coarse_tile_columns));
    left.tiles_down = static_cast<int>(blocks_for(static_cast<std::size_t>(scene.rows), coarse_tile_rows));
    return left;
}

void coarse_prepare(const DeviceLimits& limits) {
    allow_gemm_shared<1, CoarseStore<2>>(limits);
    allow_gemm_shared<1, CoarseStore<4>>(limits);
    allow_gemm_shared<1, FineStore>(limits);
}

void coarse_candidates(const TemplateScene& scene, const PhasePlanes& planes, const QuadPlane& thresholds,
                       const CoarseBound& coarse, const FineBound& fine, const CoarseLeft& left,
                       const Candidates& candidates, Progress* progress, const DeviceLimits& limits,
                       cudaStream_t stream) {
    TemplateScene phase;
    phase.bytes = {planes.bytes, static_cast<std::size_t>(planes.width), planes.width, planes.height};
    phase.columns =
        static_cast<int>(blocks_for(static_cast<std::size_t>(scene.columns), static_cast<std::size_t>(planes.step)));
    phase.rows =
        static_cast<int>(blocks_for(static_cast<std::size_t>(scene.rows), static_cast<std::size_t>(planes.step)));
    const auto start_coarse = [&](auto step) {
        using Store = CoarseStore<decltype(step)::value>;
        start_with<1>(phase, coarse.operand, Store{planes, thresholds, coarse, left, scene.columns, scene.rows}, limits,
                      limits.early_launch, stream, static_cast<unsigned>(planes.step * planes.step));
    };
    if (planes.step == 2)
        start_coarse(std::integral_constant<int, 2>());
    else
        start_coarse(std::integral_constant<int, 4>());
    const FineStore fine_store{thresholds, fine, left, candidates, progress, scene.columns};
    start_with<1>(scene, fine.operand, fine_store, limits, limits.early_launch, stream);
}

}  // namespace vedette::cuda
