// Hits of many patterns of one size at once, on the tensor cores: exact sums of products, whose columns are patterns,
// so that nothing is multiplied twice and the screen is read once, and the scores that follow from them.
#pragma once

#include "kernels/template_direct.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace vedette::cuda {

// Patterns that half of the kernel's accumulators serve; it runs with one or two halves.
inline constexpr int many_half = 32;
inline constexpr int many_most = 2 * many_half;
// Fewer patterns are searched faster one after another (H200, 4K, 32 x 32: 41 us each, or 1110 us for 64 at once by
// many_kernel; for 32 half of that is assumed. wide_kernel, which takes more than many_half, is faster still).
inline constexpr int many_least = 14;

// Whether patterns of this size (gray, without masks) can be searched at once: all of them lie in the shared memory of
// a block.
bool many_takes(int width, int height, int patterns, const DeviceLimits& limits);

// Pixels less 128 of up to many_most patterns, height rows of width each, as the kernel reads them.
std::vector<std::uint32_t> many_words(const std::vector<std::vector<std::int8_t>>& pixels, int width, int height,
                                      const DeviceLimits& limits);

struct ManyOperand {
    const std::uint32_t* words = nullptr;  // device memory
    int width = 0;
    int height = 0;
    int patterns = 0;
};

// What becomes a hit of pattern p of the operand. With n the pattern's pixels, m the sum of its pixels less 128, V_T
// and V_I n times the sum of squares less the squared sum of pattern and window, S the window's sum and D the sum of
// products with the pixels less 128: score = (n D - m S) / sqrt(V_I V_T). So D - mean S >= share sqrt(V_I) at a
// threshold t with mean = m / n and share = t sqrt(V_T) / n; in single precision with room for rounding, and then
// exactly.
struct ManyTests {
    const PlaceTest* tests = nullptr;  // device memory; `candidates` are not used
    std::uint32_t* taken = nullptr;    // a word of device memory that is 0 before
    float mean[many_most] = {};
    float share[many_most];
    ManyTests() {
        for (float& of : share) of = std::numeric_limits<float>::infinity();
    }
    // `test` becomes number p. Its threshold is over 0.
    void set(int p, const PlaceTest& test);
};

// Allows the kernels the shared memory that they need; when a plan is made.
void many_prepare(const DeviceLimits& limits);

// Queues: positions that reach their pattern's threshold become its hits.
void many_hits(const TemplateScene& scene, const ManyOperand& operand, const ManyTests& tests,
               const DeviceLimits& limits, cudaStream_t stream);

}  // namespace vedette::cuda
