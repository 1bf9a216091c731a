// Filtering of bytes to bytes with a symmetric kernel of odd sides and non-negative weights whose sum is one, in fixed
// point: rows are filtered down from where they lie into a row of words, and that along into the output.
#pragma once

#include <memory>
#include <vector>

#include "filter/filtering.h"
#include "kernels/filter_bytes.h"

namespace vedette::cpu {

// Keeps the scratch of its workers; runs in one call at a time.
class ByteFiltering {
public:
    // Whether a filtering can be done this way.
    static bool takes(const FilterShape& shape, const FilterWeights& weights);
    // Largest difference from the exact value before that is rounded, in gray levels: each weight is off by at most
    // 2^-16 but for the middle one, which makes up for all others; and the words between are rounded once.
    static double error(const FilterWeights& weights);
    static std::uint64_t scratch_bytes(const Device& device, const FilterShape& shape, const FilterWeights& weights);

    ByteFiltering(const Device& device, const FilterShape& shape, const FilterWeights& weights);
    void run(const vdt_image& in, const vdt_image& out, vdt_token* token);

private:
    void run_row(const vdt_image& in, const vdt_image& out, std::uint32_t y, std::int16_t* words,
                 const std::uint8_t** rows) const;

    const Device& device_;
    const ByteFilterKernels& kernels_;
    FilterShape shape_;
    std::uint32_t elements_;                   // of a pixel
    std::uint32_t before_, after_;             // pixels of a row of words beside the image
    std::vector<std::int16_t> across_, down_;  // halves of the weights
    ByteWeights across_line_, down_line_;
    std::vector<std::int32_t> columns_, rows_;   // what stands where, borders included
    std::uint64_t pitch_;                        // words of a worker
    std::vector<std::int16_t> words_;            // [worker][pitch]
    std::vector<const std::uint8_t*> pointers_;  // [worker][row of the kernel]
    bool past_caches_;
    std::vector<std::uint8_t> constant_;  // a row of the border's value
};

}  // namespace vedette::cpu
