// feature_match: the two nearest train descriptors of every query descriptor, exactly, by L2; the pairs that pass the
// ratio test; the homography that most of them follow. Everything stays on the device until the pairs are read back.
#pragma once

#include "runtime/device.h"
#include "runtime/view.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace vedette::cuda {

// Descriptors up to this length whose values are integers 0..255 are compared by the tensor cores.
inline constexpr std::uint32_t longest_byte_descriptor = 128;

// How the products of two sets are cut into blocks.
struct MatchSplit {
    std::uint32_t queries = 0, train = 0;
    std::uint32_t padded_queries = 0, padded_train = 0;  // rows of the packed sets
    std::uint32_t chunk = 0, chunks = 0;                 // train descriptors of a block of nearest_bytes
    std::uint32_t float_chunk = 0, float_chunks = 0;     // of nearest_floats
};
// `queries`, `train`: at least one each.
MatchSplit match_split(const DeviceLimits& limits, std::uint32_t queries, std::uint32_t train);

// What a run leaves for the next kernel. Kept in device memory in its initial state from run to run: fit_pairs restores
// it.
struct MatchState {
    std::uint32_t bad_query = 0xffffffff, bad_train = 0xffffffff;  // first row with a value that is not finite
    std::uint32_t fractional = 0;                                  // some value is no integer of 0..255
    std::uint32_t blocks_done = 0;
    std::uint32_t pairs = 0;
    std::uint32_t stop = 0xffffffff;  // samples from here on are not drawn
};

struct MatchHeader {
    std::uint32_t pairs, bad_query, bad_train, fractional;
};

// Device memory, but for what is said to be pinned. Sizes: match_sizes.
struct MatchMemory {
    std::uint8_t* query_bytes = nullptr;  // 128 a row
    std::uint8_t* train_bytes = nullptr;
    std::int32_t* query_norms = nullptr;
    std::int32_t* train_keys = nullptr;  // see feature_match_bytes.cu
    std::byte* partials = nullptr;
    uint2* nearest = nullptr;              // train row, distance's bits
    std::uint32_t* passed = nullptr;       // a bit for each query
    const float2* query_places = nullptr;  // of the keypoints
    const float2* train_places = nullptr;
    float4* pair_places = nullptr;  // x, y in the query's picture and in the train set's
    uint4* pairs = nullptr;         // query, train, distance's bits, 0
    std::uint32_t* counts = nullptr;
    std::uint8_t* fits = nullptr;
    MatchState* state = nullptr;
    MatchHeader* header = nullptr;  // pinned
    uint4* results = nullptr;       // pinned; as vdt_descriptor_match
};

struct MatchSizes {
    std::size_t query_rows, train_rows, partial_bytes, passed_words;
};
MatchSizes match_sizes(const MatchSplit& split);

// Bytes, norms and what the values are.
void pack_descriptors(const View<const float>& queries, const View<const float>& train, const MatchSplit& split,
                      const MatchMemory& memory, cudaStream_t stream);

// Candidates for the two nearest of every query. The first does nothing when the state says fractional.
void nearest_bytes(const MatchSplit& split, const MatchMemory& memory, cudaStream_t stream);
void nearest_floats(const View<const float>& queries, const View<const float>& train, const MatchSplit& split,
                    const MatchMemory& memory, cudaStream_t stream);

// Pairs with distance < ratio * distance of the second nearest, in order of queries. `bytes`: after nearest_bytes.
void choose_pairs(bool bytes, double ratio, const MatchSplit& split, const MatchMemory& memory, cudaStream_t stream);

struct RansacParameters {
    std::uint32_t max_iterations = 0;  // room for as many counts
    double reprojection = 3;           // pixels
    std::uint64_t seed = 0;
};
// The homography as plugins/common/features/ransac.h finds it, zeros where there is none, and the results and header.
void fit_pairs(const RansacParameters& parameters, const MatchMemory& memory, const View<double>& homography,
               cudaStream_t stream);

}  // namespace vedette::cuda
