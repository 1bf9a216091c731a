#include "features/top_two.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "formats.h"
#include "parallel.h"

namespace vedette::cpu::features {

namespace {

constexpr std::uint32_t longest_bytes = 512;  // as kernels/match.cc; 512 * 255^2 * 2 also fits 32 bits
constexpr std::uint32_t largest_block = 32;   // of any instruction set
constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max() / 2;
// Train descriptors that a thread goes through before it takes the next queries: packed they fill half of a
// second-level cache of 512 KB.
constexpr std::uint32_t train_piece = 1024;
constexpr std::uint32_t query_piece = 96;

std::uint32_t padded_length(std::uint32_t length) {
    return (length + 3) / 4 * 4;
}
std::uint64_t padded_count(std::uint32_t count) {
    return (std::uint64_t{count} + largest_block - 1) / largest_block * largest_block;
}

// Copies rows as bytes; false when a value is no integer of 0..255. Throws for values that are not finite.
bool to_bytes(const vdt_image& image, std::uint32_t count, std::uint32_t padded, const char* name, std::uint8_t* out) {
    bool whole = true;
    for (std::uint32_t y = 0; y < count; ++y) {
        const float* const row = row_of<const float>(image, 0, y);
        std::uint8_t* const to = out + std::uint64_t{y} * padded;
        std::uint32_t fit = 0, finite = 0;
        for (std::uint32_t x = 0; x < image.width; ++x) {
            const float value = row[x], inside = value >= 0 && value <= 255 ? value : 0;
            const auto number = static_cast<std::int32_t>(inside);
            fit += static_cast<float>(number) == value ? 1U : 0U;
            finite += std::abs(value) <= std::numeric_limits<float>::max() ? 1U : 0U;
            to[x] = static_cast<std::uint8_t>(number);
        }
        if (finite != image.width)
            throw Failure(VDT_E_ARGUMENT, "feature_match: " + std::string(name) + " descriptor " + std::to_string(y) +
                                              " has a value that is not finite");
        whole = whole && fit == image.width;
    }
    return whole;
}

std::int32_t squared_norm(const std::uint8_t* values, std::uint32_t count) {
    std::int32_t sum = 0;
    for (std::uint32_t k = 0; k < count; ++k) sum += std::int32_t{values[k]} * values[k];
    return sum;
}

double exact_distance(const float* a, const float* b, std::uint32_t length) {
    double sum = 0;
    for (std::uint32_t k = 0; k < length; ++k) {
        const double difference = static_cast<double>(a[k]) - static_cast<double>(b[k]);
        sum += difference * difference;
    }
    return sum;
}

}  // namespace

TopTwo::TopTwo(const Device& device, const MatchKernels& kernels, std::uint32_t length, std::uint32_t most_queries,
               std::uint32_t most_train)
    : device_(device), kernels_(kernels), length_(length), padded_(padded_length(length)) {
    neighbors_.resize(most_queries);
    // Also for long descriptors: to_bytes looks at every value.
    query_bytes_.resize(std::uint64_t{most_queries} * padded_);
    train_bytes_.resize(std::uint64_t{most_train} * padded_);
    if (length > longest_bytes) return;
    packed_.resize(padded_count(most_train) / kernels_.block * kernels_.block_bytes(padded_));
    norms_.resize(padded_count(most_train));
    best_.resize(most_queries);
}

std::uint64_t TopTwo::bytes(std::uint32_t length, std::uint32_t most_queries, std::uint32_t most_train) {
    const std::uint64_t padded = padded_length(length);
    return most_queries * (padded + sizeof(Neighbors) + sizeof(NearestTwo)) +
           padded_count(most_train) * (3 * padded + 4);
}

const std::vector<Neighbors>& TopTwo::run(const vdt_image& queries, std::uint32_t query_count, const vdt_image& train,
                                          std::uint32_t train_count, vdt_token* token) {
    neighbors_.resize(query_count);
    const bool query_whole = to_bytes(queries, query_count, padded_, "query", query_bytes_.data());
    const bool train_whole = to_bytes(train, train_count, padded_, "train", train_bytes_.data());
    if (query_whole && train_whole && length_ <= longest_bytes)
        run_bytes(query_count, train_count, token);
    else
        run_floats(queries, query_count, train, train_count, token);
    return neighbors_;
}

void TopTwo::run_bytes(std::uint32_t query_count, std::uint32_t train_count, vdt_token* token) {
    const std::uint32_t block = kernels_.block, blocks = (train_count + block - 1) / block;
    const std::uint64_t block_bytes = kernels_.block_bytes(padded_);
    for (std::uint32_t b = 0; b < blocks; ++b) {
        const std::uint32_t first = b * block, count = std::min(block, train_count - first);
        const std::uint8_t* const rows = train_bytes_.data() + std::uint64_t{first} * padded_;
        kernels_.pack(rows, count, padded_, packed_.data() + b * block_bytes);
        for (std::uint32_t i = 0; i < block; ++i)
            norms_[first + i] = i < count ? squared_norm(rows + std::uint64_t{i} * padded_, padded_) : never;
    }
    const std::uint32_t piece_blocks = train_piece / block;
    parallel_for(
        device_, token, 0, (query_count + query_piece - 1) / query_piece, 1,
        [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
            const std::uint32_t first = begin * query_piece, last = std::min(end * query_piece, query_count);
            for (std::uint32_t q = first; q < last; ++q) best_[q] = {never, never, 0};
            for (std::uint32_t b = 0; b < blocks; b += piece_blocks)
                kernels_.nearest_two(query_bytes_.data() + std::uint64_t{first} * padded_, last - first, padded_,
                                     packed_.data() + b * block_bytes, std::min(piece_blocks, blocks - b),
                                     norms_.data() + std::uint64_t{b} * block, b * block, best_.data() + first);
            for (std::uint32_t q = first; q < last; ++q) {
                const std::int32_t norm = squared_norm(query_bytes_.data() + std::uint64_t{q} * padded_, padded_);
                neighbors_[q] = {static_cast<double>(best_[q].first + norm),
                                 static_cast<double>(best_[q].second + norm), best_[q].index};
            }
        });
}

void TopTwo::run_floats(const vdt_image& queries, std::uint32_t query_count, const vdt_image& train,
                        std::uint32_t train_count, vdt_token* token) {
    // Float distances are within a relative 1e-5 for usual lengths, and n 2^-24 in general.
    const double slack = 1 + std::max(1e-5, length_ * 1.2e-7) * 2;
    parallel_for(device_, token, 0, query_count, 4, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
        for (std::uint32_t q = begin; q < end; ++q) {
            const float* const query = row_of<const float>(queries, 0, q);
            Neighbors best{HUGE_VAL, HUGE_VAL, 0};
            for (std::uint32_t t = 0; t < train_count; ++t) {
                const float* const row = row_of<const float>(train, 0, t);
                // A sum that overflows float rules nothing out.
                const auto rough = static_cast<double>(kernels_.rough_distance(query, row, length_));
                if (rough > best.second * slack && std::isfinite(rough)) continue;
                const double distance = exact_distance(query, row, length_);
                if (distance < best.first) {
                    best.second = best.first;
                    best.first = distance;
                    best.index = t;
                } else if (distance < best.second) {
                    best.second = distance;
                }
            }
            neighbors_[q] = best;
        }
    });
}

}  // namespace vedette::cpu::features
