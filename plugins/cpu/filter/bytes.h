// Filtering of bytes to bytes in fixed point (filter/fixed_point.h): rows are filtered down from where they lie into a
// row of words, and that along into the output.
#pragma once

#include <memory>
#include <vector>

#include "filter/filtering.h"
#include "kernels/filter_bytes.h"

namespace vedette::cpu {

// Keeps the scratch of its workers; runs in one call at a time.
class ByteFiltering {
public:
    static std::uint64_t scratch_bytes(const Device& device, const FilterShape& shape, const FilterWeights& weights);

    // Rows that one thread takes at a time.
    static std::uint32_t grain_of(const FilterShape& shape);

    // `fixed`: what fixed_weights gave for `weights`, not empty.
    ByteFiltering(const Device& device, const FilterShape& shape, const FilterWeights& weights, FixedWeights fixed);
    void run(const vdt_image& in, const vdt_image& out, vdt_token* token);

private:
    void run_row(const vdt_image& in, const vdt_image& out, std::uint32_t y, std::int16_t* words,
                 const std::uint8_t** rows) const;

    const Device& device_;
    const ByteFilterKernels& kernels_;
    FilterShape shape_;
    std::uint32_t elements_;        // of a pixel
    std::uint32_t before_, after_;  // pixels of a row of words beside the image
    FixedWeights fixed_;
    ByteWeights across_line_, down_line_;
    std::vector<std::int32_t> columns_, rows_;   // what stands where, borders included
    std::uint64_t pitch_;                        // words of a worker
    std::vector<std::int16_t> words_;            // [worker][pitch]
    std::vector<const std::uint8_t*> pointers_;  // [worker][row of the kernel]
    bool past_caches_;
    std::vector<std::uint8_t> constant_;  // a row of the border's value
};

}  // namespace vedette::cpu
