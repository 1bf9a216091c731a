// Sums over the rectangle of every position, and what is made of them.
#pragma once

#include "kernels/template_gemm.h"

namespace vedette::cuda {

// Part of a pattern's window: its place in the window and size. At most 256 wide.
struct WindowPart {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
};

// Queues the threshold of every position: max(1, floor(factor * sqrt(n sum I^2 - sum_c (sum I_c)^2))), sums over the
// part, n its pixels; INT32_MAX beyond the last column.
void window_thresholds(const TemplateScene& scene, const WindowPart& part, float factor,
                       const PositionPlane& thresholds, const Cleared& cleared, cudaStream_t stream);

// The same for quads: what is in all four windows of the positions (2 a, 2 b) to (2 a + 1, 2 b + 1) of a part, in whole
// pairs of columns from 2 a on. A part that is too small has none of it.
struct QuadPart {
    int x = 0;  // of the pairs, from 2 a on
    int y = 0;  // of the rows, from 2 b on
    int pairs = 0;
    int rows = 0;
    bool exists() const { return pairs > 0 && rows > 1; }
    int area() const { return 2 * pairs * rows; }
};
constexpr QuadPart quad_part(const WindowPart& part) {
    return {part.x + 2, part.y + 1, part.width / 2 - 1, part.height - 1};
}

// A quad's threshold is at least 1; `flat` where all pixels of its part have one value, which no window of a score over
// 0 has.
struct QuadLimits {
    float factor = 0;
    int flat = 1;
};

// Queues the threshold of every quad, as window_thresholds of single positions but over quad_part(part): about an
// eighth of the work. Gray only.
void quad_thresholds(const TemplateScene& scene, const WindowPart& part, const QuadLimits& made_by,
                     const QuadPlane& thresholds, const Cleared& cleared, const DeviceLimits& limits,
                     cudaStream_t stream);

// Queues exact scores (as direct_scores) from the sums of I (T - 128) over all positions. Without a mask.
void window_scores(const TemplateScene& scene, const TemplateWords& pattern, const TemplateSums& sums,
                   const PositionPlane& products, const Exclusions& exclusions, double* scores, cudaStream_t stream);

// The same for template_map.
void window_map(const TemplateScene& scene, const TemplateWords& pattern, const TemplateSums& sums,
                const PositionPlane& products, MatchMethod method, View<float> map, cudaStream_t stream);

}  // namespace vedette::cuda
