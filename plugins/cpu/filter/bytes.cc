#include "filter/bytes.h"

#include <algorithm>
#include <cmath>

#include "kernels/per_isa.h"
#include "parallel.h"
#include "processor.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(ByteFilterKernels, byte_filter_kernels)

namespace {

constexpr std::uint32_t piece_pixels = 1u << 14;  // far above the cost of handing out a piece

std::uint64_t words_of(const FilterShape& shape, const FilterWeights& weights) {
    const std::uint64_t elements = pixels_of(shape.in_format).channels;
    return (std::uint64_t{shape.width} + weights.width - 1) * elements + byte_filter_padding;
}

}  // namespace

std::uint64_t ByteFiltering::scratch_bytes(const Device& device, const FilterShape& shape,
                                           const FilterWeights& weights) {
    return device.workers * (words_of(shape, weights) * sizeof(std::int16_t) + weights.height * sizeof(void*)) +
           (std::uint64_t{shape.width} + weights.width + shape.height + weights.height) * sizeof(std::int32_t) +
           std::uint64_t{shape.width} * pixels_of(shape.in_format).channels;
}

ByteFiltering::ByteFiltering(const Device& device, const FilterShape& shape, const FilterWeights& weights,
                             FixedWeights fixed)
    : device_(device),
      kernels_(select_byte_filter_kernels(device.isa)),
      shape_(shape),
      elements_(pixels_of(shape.in_format).channels),
      before_(weights.anchor_x),
      after_(weights.width - 1 - weights.anchor_x),
      fixed_(std::move(fixed)),
      across_line_{fixed_.across.data(), weights.width},
      down_line_{fixed_.down.data(), weights.height},
      columns_(positions_with_border(shape.width, before_, after_, shape.border)),
      rows_(positions_with_border(shape.height, weights.anchor_y, weights.height - 1 - weights.anchor_y, shape.border)),
      pitch_(words_of(shape, weights)),
      words_(pitch_ * device.workers),
      pointers_(std::uint64_t{weights.height} * device.workers),
      past_caches_(goes_past_caches(std::uint64_t{2} * shape.width * shape.height * elements_)) {
    if (shape.border == VDT_BORDER_CONSTANT)
        constant_.assign(std::uint64_t{shape.width} * elements_, static_cast<std::uint8_t>(shape.border_value));
}

std::uint32_t ByteFiltering::grain_of(const FilterShape& shape) {
    return std::max(1u, piece_pixels / shape.width);
}

void ByteFiltering::run(const vdt_image& in, const vdt_image& out, vdt_token* token) {
    parallel_for(device_, token, 0, shape_.height, grain_of(shape_),
                 [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
                     for (std::uint32_t y = begin; y < end; ++y)
                         run_row(in, out, y, words_.data() + pitch_ * worker,
                                 pointers_.data() + std::uint64_t{down_line_.taps} * worker);
                 });
}

void ByteFiltering::run_row(const vdt_image& in, const vdt_image& out, std::uint32_t y, std::int16_t* words,
                            const std::uint8_t** rows) const {
    for (std::uint32_t i = 0; i < down_line_.taps; ++i) {
        const std::int32_t row = rows_[std::size_t{y} + i];
        rows[i] =
            row == outside ? constant_.data() : row_of<const std::uint8_t>(in, 0, static_cast<std::uint32_t>(row));
    }
    const std::uint32_t count = shape_.width * elements_;
    std::int16_t* const inside = words + std::uint64_t{before_} * elements_;
    kernels_.down(rows, down_line_, count, inside);
    // The words of a constant border are its value, as the weights add up to one.
    const auto constant = static_cast<std::int16_t>(
        shape_.border == VDT_BORDER_CONSTANT ? static_cast<int>(shape_.border_value) << byte_word_bits : 0);
    const auto beyond = [&](std::uint32_t i) {
        const std::int32_t column = columns_[i];
        std::int16_t* const pixel = words + std::uint64_t{i} * elements_;
        for (std::uint32_t c = 0; c < elements_; ++c)
            pixel[c] = column == outside ? constant : inside[static_cast<std::uint32_t>(column) * elements_ + c];
    };
    for (std::uint32_t i = 0; i < before_; ++i) beyond(i);
    for (std::uint32_t i = before_ + shape_.width; i < before_ + shape_.width + after_; ++i) beyond(i);
    kernels_.along(words, across_line_, elements_, count, row_of<std::uint8_t>(out, 0, y), past_caches_);
}

}  // namespace vedette::cpu
