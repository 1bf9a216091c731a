#include <algorithm>
#include <cstring>

#include "ops/integral_sums.h"
#include "parallel.h"
#include "processor.h"

namespace vedette::cpu {

namespace {

constexpr std::uint32_t pieces_per_band = 2;  // in the first loop, so that the last band's worker has its share
constexpr std::uint32_t fewest_rows = 32;     // of a band: below, the sums of columns are too large a part of the work
// Images below this many pixels take less time than waking a second thread (2-core Zen 3 VM, AVX2: 15 us).
constexpr std::uint64_t fewest_pixels = 1u << 16;
constexpr std::uint32_t rows_between_checks = 128;

}  // namespace

void IntegralTarget::clear_first_row() const {
    std::memset(row<unsigned char>(0), 0, row_bytes(*layout_of(image->format), image->width));
}

std::uint32_t ByteSums::band_count(const Device& device, std::uint32_t width, std::uint32_t height) {
    if (std::uint64_t{width} * height < fewest_pixels) return 1;
    return std::max(1u, std::min(device.workers, height / fewest_rows));
}

std::uint64_t ByteSums::scratch_bytes(const Device& device, std::uint32_t width, std::uint32_t height,
                                      std::uint32_t targets) {
    const std::uint64_t bands = band_count(device, width, height);
    return width * targets * ((bands - 1) * pieces_per_band * sizeof(std::uint32_t) + bands * sizeof(std::uint64_t));
}

ByteSums::ByteSums(const Device& device, std::uint32_t width, std::uint32_t height, bool sums, bool squares,
                   std::uint64_t output_bytes)
    : device_(device),
      kernels_(integral_kernels_of(device.isa)),
      width_(width),
      height_(height),
      bands_(band_count(device, width, height)),
      streams_(goes_past_caches(std::uint64_t{width} * height + output_bytes)) {
    band_rows_ = (height + bands_ - 1) / bands_;
    bands_ = (height + band_rows_ - 1) / band_rows_;
    piece_rows_ = (band_rows_ + pieces_per_band - 1) / pieces_per_band;
    const std::uint64_t carried = std::uint64_t{bands_ - 1} * width;
    for (Scratch* const scratch : {sums ? &sums_ : nullptr, squares ? &squares_ : nullptr}) {
        if (scratch == nullptr) continue;
        scratch->columns.resize(carried * pieces_per_band);
        scratch->above.resize(std::uint64_t{bands_} * width);
    }
}

void ByteSums::run(const vdt_image& in, const IntegralTarget* targets, std::uint32_t count, vdt_token* token) {
    if (bands_ > 1) {
        parallel_for(device_, token, 0, (bands_ - 1) * pieces_per_band, 1,
                     [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                         for (std::uint32_t piece = begin; piece < end; ++piece) add_piece(in, piece);
                     });
    }
    parallel_for(device_, token, 0, bands_, 1, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
        for (std::uint32_t band = begin; band < end; ++band) run_band(in, targets, count, band, token);
    });
}

// Sums of the columns of a part of a band.
void ByteSums::add_piece(const vdt_image& in, std::uint32_t piece) {
    const std::uint32_t first = piece / pieces_per_band * band_rows_ + piece % pieces_per_band * piece_rows_;
    const std::uint32_t rows =
        piece % pieces_per_band == 0 ? piece_rows_ : band_rows_ - piece_rows_ * (pieces_per_band - 1);
    const auto* const row = row_of<const std::uint8_t>(in, 0, first);
    const auto sum_columns = [&](Scratch& scratch, const auto kernel) {
        if (scratch.columns.empty()) return;
        std::uint32_t* const columns = scratch.columns.data() + std::uint64_t{piece} * width_;
        std::fill(columns, columns + width_, 0u);
        kernel(row, in.plane[0].row_stride, rows, width_, columns);
    };
    sum_columns(sums_, kernels_.add_columns);
    sum_columns(squares_, kernels_.add_squared_columns);
}

// All outputs row by row, so that pixels are read from memory once.
void ByteSums::run_band(const vdt_image& in, const IntegralTarget* targets, std::uint32_t count, std::uint32_t band,
                        vdt_token* token) {
    const std::uint32_t begin = band * band_rows_;
    const std::uint32_t end = std::min(height_, begin + band_rows_);
    for (std::uint32_t index = 0; index < count; ++index) {
        if (band == 0) targets[index].clear_first_row();
        sum_above(targets[index], band);
    }
    for (std::uint32_t y = begin; y < end; ++y) {
        if (y % rows_between_checks == 0) throw_if_cancelled(device_, token);
        for (std::uint32_t index = 0; index < count; ++index) run_row(in, targets[index], band, y);
    }
}

void ByteSums::run_row(const vdt_image& in, const IntegralTarget& target, std::uint32_t band, std::uint32_t y) {
    const IntegralKernels& k = kernels_;
    if (target.is_real() && target.is_squared())
        run_row(k.squared_f64, k.stream_squared_f64, in, target, band, y);
    else if (target.is_real())
        run_row(k.sum_f64, k.stream_sum_f64, in, target, band, y);
    else if (target.is_squared())
        run_row(k.squared_i64, k.stream_squared_i64, in, target, band, y);
    else
        run_row(k.sum_i32, k.stream_sum_i32, in, target, band, y);
}

template <class Sum>
void ByteSums::run_row(void (*kernel)(const std::uint8_t*, std::uint32_t, const Sum*, Sum*),
                       void (*stream)(const std::uint8_t*, std::uint32_t, Sum*, Sum*), const vdt_image& in,
                       const IntegralTarget& target, std::uint32_t band, std::uint32_t y) {
    const auto* const pixels = row_of<const std::uint8_t>(in, 0, y);
    Sum* const out = target.row<Sum>(y + 1);
    out[0] = 0;
    Scratch& scratch = target.is_squared() ? squares_ : sums_;
    auto* const kept = static_cast<Sum*>(static_cast<void*>(scratch.above.data() + std::uint64_t{band} * width_));
    if (streams_)
        stream(pixels, width_, kept, out + 1);
    else
        kernel(pixels, width_, y == band * band_rows_ ? kept : target.row<Sum>(y) + 1, out + 1);
}

void ByteSums::sum_above(const IntegralTarget& target, std::uint32_t band) {
    Scratch& scratch = target.is_squared() ? squares_ : sums_;
    if (target.is_real())
        sum_above<double>(scratch, band);
    else if (target.is_squared())
        sum_above<std::uint64_t>(scratch, band);
    else
        sum_above<std::uint32_t>(scratch, band);
}

// The row of sums that ends above a band: whole columns of all pieces before it, added up from left to right.
template <class Sum>
void ByteSums::sum_above(Scratch& scratch, std::uint32_t band) {
    static_assert(sizeof(Sum) <= sizeof(std::uint64_t));
    const std::uint32_t* const columns = scratch.columns.data();
    auto* const above = static_cast<Sum*>(static_cast<void*>(scratch.above.data() + std::uint64_t{band} * width_));
    const std::uint64_t pieces = std::uint64_t{band} * pieces_per_band;
    std::uint64_t sum = 0;
    for (std::uint32_t x = 0; x < width_; ++x) {
        for (std::uint64_t piece = 0; piece < pieces; ++piece) sum += columns[piece * width_ + x];
        above[x] = static_cast<Sum>(sum);
    }
}

}  // namespace vedette::cpu
