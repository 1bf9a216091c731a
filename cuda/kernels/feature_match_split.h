// Sizes that the kernels of feature_match share.
#pragma once

#include <cstdint>

namespace vedette::cuda {

inline constexpr std::uint32_t byte_rows = 256;       // queries of a block of nearest_bytes
inline constexpr std::uint32_t byte_tile = 64;        // train descriptors in shared memory at a time
inline constexpr std::uint32_t longest_chunk = 1024;  // a thread sees 256 columns of it, counted by eight bits
inline constexpr std::uint32_t float_tile = 64;       // queries, and train descriptors, of nearest_floats

// Candidate of nearest_floats.
struct NearestFloats {
    double first, second;  // squared distances
    std::uint32_t train;
    std::uint32_t unused;
};

}  // namespace vedette::cuda
