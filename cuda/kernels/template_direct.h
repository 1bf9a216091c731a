// Exact sums at every position, or at single ones, straight from the pixels: the ways that do for every pattern, mask
// and size. template_gemm.h is faster for most.
#pragma once

#include "kernels/template_hits.h"
#include "kernels/template_score.h"
#include "runtime/device.h"
#include "runtime/view.h"

#include <cuda_runtime_api.h>

namespace vedette::cuda {

// Words of a pattern row that direct_* kernels take at a time; rows of the pattern's words are padded to whole chunks.
// Of interleaved colour a multiple of three, so that every chunk begins with the same channel.
constexpr int direct_chunk_words(int channels) {
    return channels == 3 ? 12 : 16;
}

// The searched part of a screen: rows are those of the whole image, width in bytes.
struct TemplateScene {
    View<const std::uint8_t> bytes;
    int channels = 1;
    int left = 0;  // of the region, pixels
    int top = 0;
    int columns = 0;  // positions
    int rows = 0;
};

// Pattern::words in device memory.
struct TemplateWords {
    const std::uint32_t* pixels = nullptr;
    const std::uint32_t* mask = nullptr;
    int width = 0;  // pixels
    int height = 0;
    int words = 0;   // that hold something
    int stride = 0;  // words
};

// Queues template_map. `map` has columns x rows values.
void direct_map(const TemplateScene& scene, const TemplateWords& pattern, const TemplateSums& sums, MatchMethod method,
                View<float> map, cudaStream_t stream);

// Queues the exact score of every position: scores[y * columns + x], `no_score` where the position is excluded.
void direct_scores(const TemplateScene& scene, const TemplateWords& pattern, const TemplateSums& sums,
                   const Exclusions& exclusions, double* scores, cudaStream_t stream);

// The exact test of single positions. With candidates.places NULL of all columns x rows positions.
struct PlaceTest {
    TemplateWords pattern;
    TemplateSums sums;
    Exclusions exclusions;
    Candidates candidates;
    HitTest test;
};

// Queues it; positions that reach the threshold become hits.
void direct_test(const TemplateScene& scene, const PlaceTest& test, const DeviceLimits& limits, cudaStream_t stream);

}  // namespace vedette::cuda
