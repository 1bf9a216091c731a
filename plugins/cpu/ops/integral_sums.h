// The ways of summing behind integral. Each is made for one shape of image, keeps the scratch of its runs, and runs in
// one call at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "formats.h"
#include "kernels/integral.h"
#include "op.h"

namespace vedette::cpu {

// The kernels of an instruction set.
const IntegralKernels& integral_kernels_of(Isa isa) noexcept;

// One output, (w + 1) x (h + 1): its image, and which sums it takes (a VDT_INTEGRAL_ flag).
struct IntegralTarget {
    const vdt_image* image;
    std::uint32_t flag;

    template <class Sum>
    Sum* row(std::uint32_t y) const {
        return row_of<Sum>(*image, 0, y);
    }
    bool is_real() const { return image->format == VDT_FORMAT_F64; }
    bool is_squared() const { return flag == VDT_INTEGRAL_SQUARED; }
    // Writes row 0.
    void clear_first_row() const;
};

// Sums and sums of squares of bytes; exact.
//
// The image is cut into bands of rows, one for each worker, and the bands run down on their own: each writes one
// stretch of memory. (Strips of columns would share a cache line, and what the processor fetches ahead, in every row.)
// What lies above a band it takes from the sums of whole columns, which a first loop takes over all bands but the last.
// So pixels are read twice, from cache where the image fits, and sums are written once: past the caches where they
// would not stay there, since a plain store to memory reads it first; the row above is kept beside.
class ByteSums {
public:
    // `output_bytes`: of all outputs together.
    ByteSums(const Device& device, std::uint32_t width, std::uint32_t height, bool sums, bool squares,
             std::uint64_t output_bytes);
    static std::uint64_t scratch_bytes(const Device& device, std::uint32_t width, std::uint32_t height,
                                       std::uint32_t targets);
    // 1 where there is nothing to run side by side.
    static std::uint32_t band_count(const Device& device, std::uint32_t width, std::uint32_t height);
    void run(const vdt_image& in, const IntegralTarget* targets, std::uint32_t count, vdt_token* token);

private:
    struct Scratch {
        std::vector<std::uint32_t> columns;  // [piece][column]
        std::vector<std::uint64_t> above;    // [band][column], or doubles
    };
    void add_piece(const vdt_image& in, std::uint32_t piece);
    void run_band(const vdt_image& in, const IntegralTarget* targets, std::uint32_t count, std::uint32_t band,
                  vdt_token* token);
    void run_row(const vdt_image& in, const IntegralTarget& target, std::uint32_t band, std::uint32_t y);
    template <class Sum>
    void run_row(void (*kernel)(const std::uint8_t*, std::uint32_t, const Sum*, Sum*),
                 void (*stream)(const std::uint8_t*, std::uint32_t, Sum*, Sum*), const vdt_image& in,
                 const IntegralTarget& target, std::uint32_t band, std::uint32_t y);
    void sum_above(const IntegralTarget& target, std::uint32_t band);
    template <class Sum>
    void sum_above(Scratch& scratch, std::uint32_t band);

    const Device& device_;
    const IntegralKernels& kernels_;
    std::uint32_t width_;
    std::uint32_t height_;
    std::uint32_t bands_;
    std::uint32_t band_rows_;   // of all but the last
    std::uint32_t piece_rows_;  // of a band's first piece
    bool streams_;
    Scratch sums_;
    Scratch squares_;
};

// Sums and sums of squares of floats, in double. Rows are summed from left to right, then columns from top to bottom,
// so that every sum is rounded in the same order whatever the number of workers and the instruction set.
void integrate_reals(const Device& device, const vdt_image& in, const IntegralTarget* targets, std::uint32_t count,
                     vdt_token* token);

// Tilted sums, of bytes or floats, in 32-bit integers (modulo 2^32) or doubles. Values do not depend on the number of
// workers. How: integral_tilted.cc.
class TiltedSums {
public:
    TiltedSums(const Device& device, std::uint32_t width, std::uint32_t height);
    static std::uint64_t scratch_bytes(const Device& device, std::uint32_t width, std::uint32_t height);
    // Parts of the columns that run side by side.
    static std::uint32_t tile_count(const Device& device, std::uint32_t width, std::uint32_t height);
    void run(const vdt_image& in, const IntegralTarget& target, vdt_token* token);

private:
    struct Layout;
    // Output rows begin .. end - 1 of columns left .. right - 1.
    struct Tile {
        std::uint32_t begin, end, left, right;
    };
    static Layout layout_of(const Device& device, std::uint32_t width, std::uint32_t height);
    template <class Sum>
    void run_as(const vdt_image& in, const IntegralTarget& target, vdt_token* token);
    // `above`, `below`: the falling lines, then the rising ones, through the `columns` columns of the row above the
    // block and of its last row. `whole`: for each row what a line enters with on the right. `lines`: scratch.
    template <class Sum, class PrefixOf>
    void run_tile(const IntegralTarget& target, const Tile& tile, std::uint32_t columns, const PrefixOf& prefix_of,
                  const Sum* whole, const Sum* above, Sum* below, Sum* lines) const;

    const Device& device_;
    const IntegralKernels& kernels_;
    std::unique_ptr<std::byte[]> scratch_;
};

}  // namespace vedette::cpu
