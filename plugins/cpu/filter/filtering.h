// Filtering of whole images. The output is cut into bands of rows, and into strips of columns where the rows are very
// wide; each piece runs down its rows, keeping the last rows it needs as floats in the caches.
#pragma once

#include <memory>
#include <vector>

#include "filter/border.h"
#include "filter/fixed_point.h"
#include "kernels/filter.h"
#include "op.h"
#include "pixels.h"

namespace vedette::cpu {

using imaging::FilterWeights;
using imaging::FixedWeights;
using imaging::outside;
using imaging::positions_with_border;

// What a filtering is made for.
struct FilterShape {
    vdt_format in_format, out_format;
    std::uint32_t width, height;
    std::uint32_t border;
    float border_value;
    float delta;
};

// Keeps the scratch of its workers; runs in one call at a time.
class Filtering {
public:
    Filtering(const Device& device, const FilterShape& shape, FilterWeights weights);
    void run(const vdt_image& in, const vdt_image& out, vdt_token* token);

    static std::uint64_t scratch_bytes(const Device& device, const FilterShape& shape, const FilterWeights& weights);
    // Parts of the image that one thread takes at a time.
    static std::uint32_t piece_count(const Device& device, const FilterShape& shape, const FilterWeights& weights);

private:
    // Elements that are filtered side by side: all channels of interleaved pixels, or one channel of each.
    struct Group {
        std::uint32_t in_plane, in_first, in_step;
        std::uint32_t out_plane, out_first, out_step;
        std::uint32_t elements;  // of a pixel
    };
    // How the work is cut, and what of it a worker keeps. Lengths are floats.
    struct Layout {
        std::uint32_t elements;
        std::uint32_t strip_pixels, strips, band_rows, bands;
        std::uint64_t framed, filtered;  // a strip's row with its border; a strip's row
        std::uint64_t ring_row, worker;
        std::uint32_t ring_rows, rows_at_once;
    };
    struct Piece {
        std::uint32_t left, width;  // pixels
        std::uint32_t top, bottom;
    };

    static Layout layout_of(const Device& device, const FilterShape& shape, const FilterWeights& weights);
    static std::vector<Group> groups_of(const FilterShape& shape);
    void run_piece(const vdt_image& in, const vdt_image& out, const Group& group, const Piece& piece,
                   std::uint32_t worker, vdt_token* token) const;
    // Row `row` filtered along, into `out`; `framed` is scratch.
    void run_along(const vdt_image& in, const Group& group, const Piece& piece, std::int32_t row, float* framed,
                   float* out) const;
    void frame_row(const vdt_image& in, const Group& group, const Piece& piece, std::int32_t row, float* framed) const;
    void read(const vdt_image& in, const Group& group, std::uint32_t row, std::uint32_t pixel, std::uint32_t count,
              float* out) const;
    void write(const vdt_image& out, const Group& group, std::uint32_t row, std::uint32_t pixel, std::uint32_t count,
               const float* values) const;

    const Device& device_;
    const FilterKernels& kernels_;
    FilterShape shape_;
    FilterWeights weights_;
    LineWeights across_, down_;  // of weights_
    Layout layout_;
    std::vector<Group> groups_;
    std::vector<std::int32_t> columns_, rows_;  // what stands where, borders included
    std::unique_ptr<float[]> scratch_;
    std::unique_ptr<const float*[]> ring_;  // [worker][ring row]
    bool past_caches_;
};

}  // namespace vedette::cpu
