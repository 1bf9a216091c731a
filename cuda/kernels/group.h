// Grouping of rectangles as OpenCV's groupRectangles does it: similar rectangles are joined, also through others, and
// become their mean; groups of too few, and small groups inside stronger ones, are dropped.
// [OpenCV modules/objdetect/src/cascadedetect.cpp: SimilarRects, groupRectangles]
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace vedette::cuda {

// Sides in whole pixels, x and y in +-2^24, w and h in 0 .. 2^24.
struct alignas(16) GroupRectangle {
    std::int32_t x, y, w, h;
};

struct RectangleGroup {
    double score;  // the best of those joined; no number when the first one's is none
    std::int32_t x, y, w, h;
    std::int32_t joined;
    std::uint32_t first;  // the lowest index of those joined
};

// The result, in memory that the device and the host reach. Room for half as many groups as there are rectangles.
struct RectangleGroups {
    std::uint32_t* count;
    RectangleGroup* groups;  // by `first`
};

// Device memory for up to `count` rectangles (2^30 at most). Its first `cleared_bytes` are cleared once; calls with one
// scratch follow each other.
struct GroupScratch {
    std::size_t cleared_bytes;
    std::size_t bytes;
};
GroupScratch group_scratch(std::size_t count);

// Queues the grouping of `count` rectangles (at least 1) with their scores. `capacity`: what the scratch was sized for.
// `threshold` at least 1: a group must join more. `eps` finite and at least 0. `call`: another one for each call with
// this scratch, counting from 1. The result does not depend on the order in which threads run.
void group(const GroupRectangle* rectangles, const double* scores, std::uint32_t count, std::int32_t threshold,
           double eps, std::byte* scratch, std::size_t capacity, std::uint32_t call, const RectangleGroups& result,
           cudaStream_t stream);

}  // namespace vedette::cuda
