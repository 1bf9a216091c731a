// Candidates of many patterns of one size at once, on the tensor cores: as gemm_candidates with thresholds of quads,
// but a product's columns are patterns, so that nothing is multiplied twice and the screen is read once.
#pragma once

#include "kernels/template_windows.h"

#include <cstdint>
#include <vector>

namespace vedette::cuda {

// Patterns that half of the kernel's accumulators serve; it runs with one or two halves.
inline constexpr int many_half = 32;
inline constexpr int many_most = 2 * many_half;
// Fewer patterns are searched faster one after another (H200, 4K, 32 x 32: 41 us each, or 1110 us for 64 at once; for
// 32 half of that is assumed).
inline constexpr int many_least = 14;

// Whether patterns of this size (gray) can be searched at once: all of them lie in the shared memory of a block.
bool many_takes(int width, int height, int patterns, const DeviceLimits& limits);

// `coefficients` of up to many_most patterns, height rows of width each, as the kernel reads them.
std::vector<std::uint32_t> many_words(const std::vector<const std::vector<std::int8_t>*>& coefficients, int width,
                                      int height);

struct ManyOperand {
    const std::uint32_t* words = nullptr;  // device memory
    int width = 0;
    int height = 0;
    int patterns = 0;
};

// Pattern p of the operand appends to places[p * capacity ...) and counts in progress[slot[p]]; room[p] is quad_room()
// of its own ratio.
struct ManyCandidates {
    std::uint32_t* places = nullptr;
    std::uint32_t capacity = 0;
    Progress* progress = nullptr;
    std::uint32_t slot[many_most] = {};
    QuadRoom room[many_most] = {};
};

// Allows the kernels the shared memory that they need; when a plan is made.
void many_prepare(const DeviceLimits& limits);

// Queues: positions whose sum with a pattern lies between their quad's threshold and the pattern's room above it become
// its candidates.
void many_candidates(const TemplateScene& scene, const ManyOperand& operand, const QuadPlane& thresholds,
                     const ManyCandidates& candidates, const DeviceLimits& limits, cudaStream_t stream);

}  // namespace vedette::cuda
