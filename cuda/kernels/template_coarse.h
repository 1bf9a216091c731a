// Large patterns are first compared by the means of blocks of 2 x 2 or 4 x 4 pixels, at every position: a product of a
// quarter or a sixteenth of the size. What that leaves of a tile of 256 x 16 positions is tested one by one, or, where
// much is left, by the product of the pattern itself on that tile.
//
// Let v be the means of the pattern's blocks as eight-bit integers of sum 0, spread over their pixels: a stand-in of
// the pattern as any other (template_zero_sum.h). Then v . I is the sum over the blocks of v_b S_b, S_b the sum of the
// window's pixels in block b. The kernels have means rounded to M_b = S_b / step^2 - e_b, all e_b within
// coarse_rounding() of one middle, which counts for nothing, since the sum of v is 0: the product of the means is off
// by at most that times sum |v_b|.
#pragma once

#include "kernels/template_gemm.h"
#include "kernels/template_windows.h"

#include <cstddef>
#include <cstdint>

namespace vedette::cuda {

// Sides of a block.
inline constexpr int coarse_largest_step = 4;
constexpr bool is_coarse_step(int step) {
    return step == 2 || step == coarse_largest_step;
}
// Of a mean, half of all that rounding can make of it.
constexpr double coarse_rounding(int step) {
    return step == 2 ? 0.375 : 0.46875;
}

// Positions that are kept or given up together.
inline constexpr int coarse_tile_columns = gemm_tile_columns;
inline constexpr int coarse_tile_rows = 16;
// Positions of a tile that are tested one by one. With more the whole tile goes through the product (H200, 64 x 64 to
// 256 x 256: a tile's product takes as long as 20 to 50 tests).
inline constexpr unsigned coarse_most_of_tile = 32;

// A screen's block means. Phase (a, b) has those of the blocks that begin at columns step * X + a and rows step * Y +
// b; the phases lie one after another, b * step + a.
struct PhasePlanes {
    std::uint8_t* bytes = nullptr;  // device memory, 16 bytes aligned
    int step = 0;
    int width = 0;   // of a phase, a multiple of 16
    int height = 0;  // of a phase
    std::size_t phase_bytes() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
    std::size_t all_bytes() const {
        return static_cast<std::size_t>(step) * static_cast<std::size_t>(step) * phase_bytes();
    }
};
// Of the part of a gray screen that a pattern of width x height is searched in; `bytes` stays NULL.
PhasePlanes phase_planes(const TemplateScene& scene, int width, int height, int step);

// Queues them. `cleared` is set to zero beside. `early`: begins while the kernel before it on the stream, which was not
// launched early itself, still runs.
void screen_phases(const TemplateScene& scene, const PhasePlanes& planes, const Cleared& cleared, bool early,
                   cudaStream_t stream);

// What the coarse product leaves, in device memory; counts begin as zeros.
struct CoarseLeft {
    std::uint32_t* words = nullptr;  // the length of the list, how many positions are left of each tile, the list
    int tiles_across = 0;
    int tiles_down = 0;
    VEDETTE_CUDA_BOTH std::uint32_t* count() const { return words; }
    VEDETTE_CUDA_BOTH std::uint32_t* tiles() const { return words + 1; }
    VEDETTE_CUDA_BOTH std::uint32_t* places() const { return words + 1 + tiles_across * tiles_down; }
    int counters() const { return 1 + tiles_across * tiles_down; }
    // Words in all. Positions of a tile are listed up to coarse_most_of_tile only, so that the list never overflows.
    std::size_t size() const {
        return static_cast<std::size_t>(counters()) +
               static_cast<std::size_t>(tiles_across) * static_cast<std::size_t>(tiles_down) * coarse_most_of_tile;
    }
};
// `words` stays NULL.
CoarseLeft coarse_left(const TemplateScene& scene);

// The coarse bound: `operand` of the pattern's block means; thresholds t of quads in units of their product, INT32_MAX
// where nothing can be found. Positions whose sum is at least t - slack and at most upper (t + 1) + slack are left.
struct CoarseBound {
    GemmOperand operand;
    int slack = 0;
    float upper = 1;
};
// The bound of the pattern itself, by the same thresholds: sums between lower t and upper (t + 1).
struct FineBound {
    GemmOperand operand;
    float lower = 0;
    float upper = 0;
};

// Queues: positions of `scene` that both bounds, or of tiles with few the coarse one alone, leave become candidates.
// progress->tiles counts the tiles that went through both.
void coarse_candidates(const TemplateScene& scene, const PhasePlanes& planes, const QuadPlane& thresholds,
                       const CoarseBound& coarse, const FineBound& fine, const CoarseLeft& left,
                       const Candidates& candidates, Progress* progress, const DeviceLimits& limits,
                       cudaStream_t stream);

// As gemm_prepare.
void coarse_prepare(const DeviceLimits& limits);

}  // namespace vedette::cuda
