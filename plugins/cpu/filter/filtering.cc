#include "filter/filtering.h"

#include <algorithm>

#include "kernels/per_isa.h"
#include "parallel.h"
#include "processor.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(FilterKernels, filter_kernels)

namespace {

// Floats of the rows that a piece keeps: half of a second-level cache (2-core Zen 3 VM: 512 KiB). Strips that fit the
// first-level cache are slower there: memory is read in stretches too short to be fetched ahead.
constexpr std::uint32_t kept_floats = 1u << 16;
constexpr std::uint32_t fewest_strip_floats = 1024;
constexpr std::uint32_t most_rows_at_once =
    4;  // each kept row is read from the second-level cache once for all of them
// A band repeats the rows that its kernel reaches above it: it should be this many times higher.
constexpr std::uint32_t kernels_a_band = 6;
constexpr std::uint32_t bands_a_worker = 4;        // so that workers finish together
constexpr std::uint32_t fewest_pixels = 1u << 14;  // of a piece: more than it costs to hand it out
constexpr std::uint32_t rows_between_checks = 64;

std::uint64_t whole_blocks(std::uint64_t floats) {
    return (floats + filter_padding - 1) / filter_padding * filter_padding;
}

std::uint32_t divided_up(std::uint32_t a, std::uint32_t b) {
    return (a + b - 1) / b;
}

std::uint64_t image_bytes(vdt_format format, const FilterShape& shape) {
    const FormatLayout& layout = *layout_of(format);
    return row_bytes(layout, shape.width) * shape.height * layout.planes;
}

bool is_plain(const FilterShape& shape) {
    return layout_of(shape.in_format)->planes == 1 && layout_of(shape.out_format)->planes == 1;
}

}  // namespace

Filtering::Layout Filtering::layout_of(const Device& device, const FilterShape& shape, const FilterWeights& weights) {
    Layout l{};
    l.elements = is_plain(shape) ? cpu::layout_of(shape.in_format)->pixel_elements : 1;
    const std::uint32_t strip_floats = std::max(fewest_strip_floats, kept_floats / (weights.height + 2));
    l.strip_pixels = divided_up(strip_floats, l.elements);
    // Strips of equal width.
    l.strips = divided_up(shape.width, l.strip_pixels);
    l.strip_pixels = divided_up(shape.width, l.strips);
    const std::uint32_t pixels_high = std::max(kernels_a_band * (weights.height - 1), fewest_pixels / l.strip_pixels);
    l.bands = std::clamp(shape.height / std::max(1u, pixels_high), 1u, device.workers * bands_a_worker);
    // A few more than there are workers would have most of those wait for a second round.
    if (l.bands > device.workers) l.bands -= l.bands % device.workers;
    l.band_rows = divided_up(shape.height, l.bands);
    l.bands = divided_up(shape.height, l.band_rows);
    l.framed = whole_blocks((std::uint64_t{l.strip_pixels} + weights.width - 1) * l.elements) + filter_padding;
    l.filtered = whole_blocks(std::uint64_t{l.strip_pixels} * l.elements) + filter_padding;
    l.ring_row = weights.is_separable() ? l.filtered : l.framed;
    l.rows_at_once = weights.is_separable() ? most_rows_at_once : 1;
    l.ring_rows = weights.height + l.rows_at_once - 1;
    l.worker = l.ring_rows * l.ring_row + l.framed + l.rows_at_once * l.filtered;
    return l;
}

std::vector<Filtering::Group> Filtering::groups_of(const FilterShape& shape) {
    const FormatLayout& in = *cpu::layout_of(shape.in_format);
    const FormatLayout& out = *cpu::layout_of(shape.out_format);
    if (is_plain(shape)) return {{0, 0, 1, 0, 0, 1, in.pixel_elements}};
    std::vector<Group> groups;
    for (std::uint32_t c = 0; c < 3; ++c) {
        Group group{};
        group.in_plane = in.planes == 1 ? 0 : c;
        group.in_first = in.planes == 1 ? c : 0;
        group.in_step = in.pixel_elements;
        group.out_plane = out.planes == 1 ? 0 : c;
        group.out_first = out.planes == 1 ? c : 0;
        group.out_step = out.pixel_elements;
        group.elements = 1;
        groups.push_back(group);
    }
    return groups;
}

std::uint64_t Filtering::scratch_bytes(const Device& device, const FilterShape& shape, const FilterWeights& weights) {
    const Layout l = layout_of(device, shape, weights);
    return device.workers * (l.worker * sizeof(float) + l.ring_rows * sizeof(float*)) +
           (std::uint64_t{shape.width} + weights.width + shape.height + weights.height) * sizeof(std::int32_t);
}

std::uint32_t Filtering::piece_count(const Device& device, const FilterShape& shape, const FilterWeights& weights) {
    const Layout l = layout_of(device, shape, weights);
    return (is_plain(shape) ? 1 : 3) * l.strips * l.bands;
}

Filtering::Filtering(const Device& device, const FilterShape& shape, FilterWeights weights)
    : device_(device),
      kernels_(select_filter_kernels(device.isa)),
      shape_(shape),
      weights_(std::move(weights)),
      across_(weights_.across_line()),
      down_(weights_.down_line()),
      layout_(layout_of(device, shape, weights_)),
      groups_(groups_of(shape)),
      columns_(
          positions_with_border(shape.width, weights_.anchor_x, weights_.width - 1 - weights_.anchor_x, shape.border)),
      rows_(positions_with_border(shape.height, weights_.anchor_y, weights_.height - 1 - weights_.anchor_y,
                                  shape.border)),
      scratch_(std::make_unique<float[]>(layout_.worker * device.workers)),
      ring_(std::make_unique<const float*[]>(std::uint64_t{layout_.ring_rows} * device.workers)),
      past_caches_(goes_past_caches(image_bytes(shape.in_format, shape) + image_bytes(shape.out_format, shape))) {}

void Filtering::run(const vdt_image& in, const vdt_image& out, vdt_token* token) {
    const auto pieces = static_cast<std::uint32_t>(groups_.size()) * layout_.strips * layout_.bands;
    parallel_for(device_, token, 0, pieces, 1, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
        for (std::uint32_t index = begin; index < end; ++index) {
            const std::uint32_t strip = index % layout_.strips;
            const std::uint32_t band = index / layout_.strips % layout_.bands;
            const Group& group = groups_[index / layout_.strips / layout_.bands];
            const std::uint32_t left = strip * layout_.strip_pixels, top = band * layout_.band_rows;
            const Piece piece{left, std::min(layout_.strip_pixels, shape_.width - left), top,
                              std::min(top + layout_.band_rows, shape_.height)};
            run_piece(in, out, group, piece, worker, token);
        }
    });
}

void Filtering::run_piece(const vdt_image& in, const vdt_image& out, const Group& group, const Piece& piece,
                          std::uint32_t worker, vdt_token* token) const {
    float* const ring = scratch_.get() + layout_.worker * worker;
    float* const framed = ring + layout_.ring_rows * layout_.ring_row;
    float* const results = framed + layout_.framed;
    const float** const rows = ring_.get() + std::uint64_t{layout_.ring_rows} * worker;
    const bool separable = weights_.is_separable();
    const bool direct = pixels_of(shape_.out_format).depth == Depth::real32 && group.out_step == 1;
    const std::uint32_t height = weights_.height, count = piece.width * group.elements;
    const std::uint64_t first = std::uint64_t{piece.left} * group.elements;
    const auto slot = [&](std::uint32_t at) { return ring + at % layout_.ring_rows * layout_.ring_row; };
    // Position `at` in rows_ is the first row that output row `at` needs.
    std::uint32_t at = piece.top;
    for (std::uint32_t y = piece.top; y < piece.bottom; y += layout_.rows_at_once) {
        if ((y - piece.top) % rows_between_checks == rows_between_checks - layout_.rows_at_once)
            throw_if_cancelled(device_, token);
        const std::uint32_t out_rows = std::min(layout_.rows_at_once, piece.bottom - y);
        for (; at < y + out_rows + height - 1; ++at) {
            if (separable)
                run_along(in, group, piece, rows_[at], framed, slot(at));
            else
                frame_row(in, group, piece, rows_[at], slot(at));
        }
        for (std::uint32_t j = 0; j < out_rows + height - 1; ++j) rows[j] = slot(y + j);
        float* targets[most_rows_at_once];
        for (std::uint32_t r = 0; r < out_rows; ++r)
            targets[r] = direct ? row_of<float>(out, group.out_plane, y + r) + first : results + r * layout_.filtered;
        if (separable)
            kernels_.down(rows, down_, shape_.delta, count, targets, out_rows, direct && past_caches_);
        else
            kernels_.general(rows, weights_.matrix.data(), weights_.width, height, group.elements, shape_.delta, count,
                             targets[0]);
        for (std::uint32_t r = 0; r < out_rows && !direct; ++r)
            write(out, group, y + r, piece.left, piece.width, targets[r]);
    }
}

void Filtering::run_along(const vdt_image& in, const Group& group, const Piece& piece, std::int32_t row, float* framed,
                          float* out) const {
    const std::uint32_t elements = group.elements;
    const auto run_framed = [&](std::uint32_t left, std::uint32_t width) {
        if (width == 0) return;
        frame_row(in, group, {left, width, 0, 0}, row, framed);
        kernels_.along(framed, across_, elements, width * elements, out + std::uint64_t{left - piece.left} * elements);
    };
    const std::uint32_t right = piece.left + piece.width;
    const std::uint32_t begin = std::max(piece.left, weights_.anchor_x);
    const std::uint32_t reach = weights_.width - 1 - weights_.anchor_x;
    const std::uint32_t end = std::min(right, shape_.width - std::min(shape_.width, reach));
    // The kernel writes and reads whole blocks.
    const std::uint32_t whole = begin < end ? (end - begin) / filter_padding * filter_padding : 0;
    const bool in_place = pixels_of(shape_.in_format).depth == Depth::real32 && group.in_step == 1;
    if (row == outside || !in_place || whole == 0) return run_framed(piece.left, piece.width);
    // Floats are filtered where they lie, but for those near the edges. Stretches from left to right: each may write a
    // little into the next.
    run_framed(piece.left, begin - piece.left);
    const auto* const pixels = row_of<const float>(in, group.in_plane, static_cast<std::uint32_t>(row));
    kernels_.along(pixels + std::uint64_t{begin - weights_.anchor_x} * elements, across_, elements, whole * elements,
                   out + std::uint64_t{begin - piece.left} * elements);
    run_framed(begin + whole, right - begin - whole);
}

// The row of a piece, from the kernel's reach before it to its reach behind it.
void Filtering::frame_row(const vdt_image& in, const Group& group, const Piece& piece, std::int32_t row,
                          float* framed) const {
    const std::uint32_t pixels = piece.width + weights_.width - 1;
    const std::uint32_t elements = group.elements;
    if (row == outside) {
        std::fill(framed, framed + std::uint64_t{pixels} * elements, shape_.border_value);
        return;
    }
    // Framed pixel i stands at position left + i of columns_, column left + i - anchor_x of the image. Those of the
    // image itself are read at once.
    const std::uint32_t before = std::min(pixels, weights_.anchor_x - std::min(weights_.anchor_x, piece.left));
    const std::uint32_t begin = piece.left + before;
    const std::uint32_t end = std::min(piece.left + pixels, shape_.width + weights_.anchor_x);
    const auto y = static_cast<std::uint32_t>(row);
    const auto beyond = [&](std::uint32_t i) {
        const std::int32_t column = columns_[piece.left + i];
        float* const pixel = framed + std::uint64_t{i} * elements;
        if (column == outside)
            std::fill(pixel, pixel + elements, shape_.border_value);
        else
            read(in, group, y, static_cast<std::uint32_t>(column), 1, pixel);
    };
    for (std::uint32_t i = 0; i < before; ++i) beyond(i);
    if (begin < end)
        read(in, group, y, begin - weights_.anchor_x, end - begin, framed + std::uint64_t{before} * elements);
    for (std::uint32_t i = std::max(before, std::max(begin, end) - piece.left); i < pixels; ++i) beyond(i);
}

void Filtering::read(const vdt_image& in, const Group& group, std::uint32_t row, std::uint32_t pixel,
                     std::uint32_t count, float* out) const {
    const std::uint64_t first = std::uint64_t{pixel} * group.elements * group.in_step + group.in_first;
    const std::uint32_t elements = count * group.elements;
    switch (pixels_of(shape_.in_format).depth) {
        case Depth::bits8:
            return kernels_.read8(row_of<const std::uint8_t>(in, group.in_plane, row) + first, group.in_step, elements,
                                  out);
        case Depth::bits16:
            return kernels_.read16(row_of<const std::uint16_t>(in, group.in_plane, row) + first, group.in_step,
                                   elements, out);
        case Depth::real32:
            return kernels_.read_f32(row_of<const float>(in, group.in_plane, row) + first, group.in_step, elements,
                                     out);
    }
}

void Filtering::write(const vdt_image& out, const Group& group, std::uint32_t row, std::uint32_t pixel,
                      std::uint32_t count, const float* values) const {
    const std::uint64_t first = std::uint64_t{pixel} * group.elements * group.out_step + group.out_first;
    const std::uint32_t elements = count * group.elements;
    switch (pixels_of(shape_.out_format).depth) {
        case Depth::bits8:
            return kernels_.write8(values, elements, group.out_step,
                                   row_of<std::uint8_t>(out, group.out_plane, row) + first);
        case Depth::bits16:
            return kernels_.write16(values, elements, group.out_step,
                                    row_of<std::uint16_t>(out, group.out_plane, row) + first);
        case Depth::real32:
            return kernels_.write_f32(values, elements, group.out_step,
                                      row_of<float>(out, group.out_plane, row) + first);
    }
}

}  // namespace vedette::cpu
