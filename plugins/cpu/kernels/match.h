// Kernels of feature_match: the two nearest of many descriptors. Integer results, so the same on every instruction set.
#pragma once

#include <cstdint>

namespace vedette::cpu {

// The two nearest train descriptors of one query descriptor. `first` and `second` are squared distances less the
// query's squared norm (which is the same for all); `index`: of the nearest, the lowest among equals.
struct NearestTwo {
    std::int32_t first, second;
    std::uint32_t index;
};

struct MatchKernels {
    // Train descriptors lie packed in blocks of so many.
    std::uint32_t block;
    // Bytes of a packed block of descriptors of `length` values, a multiple of four.
    std::uint64_t (*block_bytes)(std::uint32_t length);
    // Packs `count` descriptors, at most a block, `length` bytes each; the rest of the block becomes zeros.
    void (*pack)(const std::uint8_t* descriptors, std::uint32_t count, std::uint32_t length, std::uint8_t* packed);
    // Goes through `block_count` packed blocks, the first of which begins at train descriptor `first`, for each of
    // `count` query descriptors, and lowers what stands in best[0 .. count - 1]. norms[i]: squared norm of train
    // descriptor first + i; INT32_MAX / 2 for those that only fill the last block. Blocks come in ascending order.
    void (*nearest_two)(const std::uint8_t* queries, std::uint32_t count, std::uint32_t length,
                        const std::uint8_t* packed, std::uint32_t block_count, const std::int32_t* norms,
                        std::uint32_t first, NearestTwo* best);
    // Sum of squared differences in float, within a relative 1e-5 for lengths up to 4096.
    float (*rough_distance)(const float* a, const float* b, std::uint32_t length);
};

}  // namespace vedette::cpu
