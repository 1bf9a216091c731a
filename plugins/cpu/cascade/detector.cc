#include "cascade/detector.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "formats.h"
#include "kernels/per_isa.h"
#include "parallel.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(CascadeKernels, cascade_kernels)

namespace cascade {

namespace {

// Rows of windows of a section: many, so that the rows above them that it sums up too are few beside its own.
constexpr std::uint32_t section_rows = 128;
constexpr std::uint32_t band_rows = cascade_most_rows;
constexpr std::uint32_t strip_columns = cascade_most_columns;

std::uint32_t multiple(std::uint32_t value, std::uint32_t of) {
    return (value + of - 1) / of * of;
}

// Pixels of a strip's row, rounded up to what kernels write.
std::uint32_t strip_pixels(const Model& model, std::uint32_t step) {
    return multiple((strip_columns - 1) * step + static_cast<std::uint32_t>(model.width), cascade_slack);
}

// Rows of pixels of a band.
std::uint32_t band_pixels(const Model& model, std::uint32_t step) {
    return (band_rows - 1) * step + static_cast<std::uint32_t>(model.height);
}

Layout layout_for(const Model& model, std::uint32_t step) {
    Layout layout;
    const std::uint32_t pixels = strip_pixels(model, step);
    // An odd number of cache lines: rows do not meet in the same places of a cache.
    const auto padded = [](std::uint32_t elements) { return multiple(elements + cascade_slack, 32) + 16; };
    if (step == 1) {
        layout.pitch = static_cast<std::int32_t>(padded(pixels + 1));
    } else {
        layout.half = static_cast<std::int32_t>(padded(pixels / 2 + 1));
        layout.pitch = static_cast<std::int32_t>(multiple(2 * static_cast<std::uint32_t>(layout.half), 32) + 16);
    }
    if (model.has_tilted) layout.tilted = layout.pitch * static_cast<std::int32_t>(band_pixels(model, step) + 1);
    return layout;
}

}  // namespace

// Of one worker.
struct Detector::Scratch {
    Scratch(const Model& model, const Layout (&layouts)[2], std::uint32_t image_width) {
        std::size_t sums_size = 0, pixel_size = 0, width = 0, pitch = 0;
        for (const std::uint32_t step : {1u, 2u}) {
            const std::size_t rows = band_pixels(model, step) + 1;
            const auto step_pitch = static_cast<std::size_t>(layouts[step - 1].pitch);
            width = std::max<std::size_t>(width, strip_pixels(model, step) + cascade_slack);
            pitch = std::max(pitch, step_pitch);
            sums_size = std::max(sums_size, rows * step_pitch * (model.has_tilted ? 2 : 1));
            pixel_size = std::max(pixel_size, rows + step);
        }
        pixel_pitch = width;
        sums.resize(sums_size + cascade_slack);
        pixels.resize(pixel_size * width);
        blended.resize(std::size_t{image_width} + 2 * cascade_slack);
        square_columns.resize(width);
        squares_pitch = pitch;
        squares.resize(pitch * band_rows);
        if (model.has_tilted)
            for (auto* const diagonal : {&prefix, &falling, &rising}) diagonal->resize(width + 2);
        vectors.resize(std::size_t{cascade_most_rows} * cascade_most_columns);
        skip.resize(section_rows);
    }

    std::size_t pixel_pitch = 0, squares_pitch = 0;
    std::vector<std::int32_t> sums;
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint16_t> blended;
    std::vector<std::uint32_t> square_columns, squares;
    std::vector<std::uint32_t> prefix, falling, rising;
    std::vector<CascadeVector> vectors;
    std::vector<std::uint8_t> skip;
    float norm[cascade_most_rows][cascade_norm_pitch] = {};
    std::uint64_t passed[cascade_most_rows][cascade_mask_words] = {};
    std::uint64_t candidates[cascade_most_rows][cascade_mask_words] = {};
    std::vector<Found>* found = nullptr;
};

Detector::~Detector() = default;

std::uint64_t Detector::scratch_bytes(const Device& device, const Model& model) {
    std::uint64_t largest = 0;
    for (const std::uint32_t step : {1u, 2u}) {
        const std::uint64_t rows = band_pixels(model, step) + 1,
                            pitch = static_cast<std::uint64_t>(layout_for(model, step).pitch);
        const std::uint64_t sums = pitch * (rows * (model.has_tilted ? 2 : 1) + band_rows) * sizeof(std::int32_t);
        largest = std::max(largest, sums + rows * strip_pixels(model, step));
    }
    return device.workers * (largest + sizeof(Scratch));
}

Detector::Detector(const Device& device, Model model, const Search& search, std::uint32_t width, std::uint32_t height)
    : device_(device), kernels_(select_cascade_kernels(device.isa)), model_(std::move(model)) {
    const auto w = static_cast<int>(width), h = static_cast<int>(height);
    for (std::uint32_t step : {1u, 2u}) {
        layouts_[step - 1] = layout_for(model_, step);
        programs_[step - 1] = std::make_unique<Program>(model_, layouts_[step - 1]);
    }
    for (const Scale& scale : scales_of(model_, search, w, h)) {
        if (scale.columns == 0 || scale.rows == 0) continue;
        const auto level = static_cast<std::uint32_t>(levels_.size());
        levels_.push_back(
            {scale, scale.width == w && scale.height == h, resampling_axis(h, scale.height), Columns(w, scale.width)});
        const auto rows = static_cast<std::uint32_t>(scale.rows);
        for (std::uint32_t row = 0; row < rows; row += section_rows)
            sections_.push_back({level, row, std::min(section_rows, rows - row)});
    }
    // The largest first, so that the last ones to be done are small.
    by_size_.resize(sections_.size());
    std::iota(by_size_.begin(), by_size_.end(), 0u);
    const auto size = [&](std::uint32_t section) {
        return std::int64_t{sections_[section].rows} * levels_[sections_[section].level].scale.columns;
    };
    std::stable_sort(by_size_.begin(), by_size_.end(), [&](auto a, auto b) { return size(a) > size(b); });
    found_in_.resize(sections_.size());
    for (std::uint32_t worker = 0; worker < device.workers; ++worker)
        scratch_.push_back(std::make_unique<Scratch>(model_, layouts_, width));
}

const std::vector<Found>& Detector::run(const vdt_image& image, vdt_token* token) {
    found_.clear();
    if (sections_.empty()) return found_;
    parallel_for(device_, token, 0, static_cast<std::uint32_t>(sections_.size()), 1,
                 [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
                     for (std::uint32_t i = begin; i < end; ++i)
                         search_section(image, by_size_[i], *scratch_[worker], token);
                 });
    for (const std::vector<Found>& found : found_in_) found_.insert(found_.end(), found.begin(), found.end());
    return found_;
}

void Detector::search_section(const vdt_image& image, std::uint32_t index, Scratch& scratch, vdt_token* token) {
    const Section& section = sections_[index];
    const Scale& scale = levels_[section.level].scale;
    scratch.found = &found_in_[index];
    scratch.found->clear();
    std::fill(scratch.skip.begin(), scratch.skip.end(), std::uint8_t{0});
    for (std::uint32_t column = 0; column < static_cast<std::uint32_t>(scale.columns); column += strip_columns)
        search_strip(image, section, column, scratch, token);
    // Strips come one after the other; rows go across all of them.
    std::sort(scratch.found->begin(), scratch.found->end(),
              [](const Found& a, const Found& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
}

// One row of the scaled image: `count` pixels from x on.
void Detector::make_row(const vdt_image& image, const Level& level, std::uint32_t y, std::uint32_t x,
                        std::uint32_t count, Scratch& scratch, std::uint8_t* out) const {
    if (level.is_source) {
        std::memcpy(out, row_of<const std::uint8_t>(image, 0, y) + x, count);
        return;
    }
    const auto above = static_cast<std::uint32_t>(level.rows.first[y]);
    const std::int32_t first = level.columns.first(static_cast<int>(x));
    const std::int32_t last = level.columns.first(static_cast<int>(x + count - 1)) + 1;
    kernels_.blend(row_of<const std::uint8_t>(image, 0, above) + first,
                   row_of<const std::uint8_t>(image, 0, above + 1) + first, level.rows.weight[y],
                   static_cast<std::uint32_t>(last - first + 1), scratch.blended.data());
    kernels_.resample(scratch.blended.data(), first, level.columns.view(), x, count, out);
}

void Detector::search_strip(const vdt_image& image, const Section& section, std::uint32_t column, Scratch& scratch,
                            vdt_token* token) {
    const Level& level = levels_[section.level];
    const Scale& scale = level.scale;
    const CascadeProgram& program = program_of(level).view();
    const Layout& layout = layout_of(level);
    const auto step = static_cast<std::uint32_t>(scale.step), half = static_cast<std::uint32_t>(layout.half);
    const auto window_h = static_cast<std::uint32_t>(model_.height);
    const std::uint32_t columns = std::min(strip_columns, static_cast<std::uint32_t>(scale.columns) - column);
    const std::uint32_t left = column * step;
    const std::uint32_t width = (columns - 1) * step + static_cast<std::uint32_t>(model_.width);
    const bool is_haar = model_.kind == FeatureKind::haar;
    const auto pitch = static_cast<std::size_t>(layout.pitch);
    const auto sums_row = [&](std::uint32_t y) { return scratch.sums.data() + y * pitch; };
    // Rows of pixels begin one step above the band's first: the squares of those leave the sums.
    const auto pixel_row = [&](std::uint32_t y) { return scratch.pixels.data() + (y + step) * scratch.pixel_pitch; };

    std::fill_n(sums_row(0), pitch, 0);
    if (model_.has_tilted) {
        std::fill_n(sums_row(0) + layout.tilted, pitch, 0);
        std::fill(scratch.falling.begin(), scratch.falling.end(), 0u);
        std::fill(scratch.rising.begin(), scratch.rising.end(), 0u);
    }
    std::fill(scratch.square_columns.begin(), scratch.square_columns.end(), 0u);
    std::uint32_t made = 0;  // rows of pixels of the band
    for (std::uint32_t row = 0; row < section.rows; row += band_rows) {
        throw_if_cancelled(device_, token);
        const std::uint32_t rows = std::min(band_rows, section.rows - row);
        if (row != 0) {
            // What the last band ends with is what this one begins with.
            const std::uint32_t moved = band_rows * step;
            made -= moved;
            std::memmove(sums_row(0), sums_row(moved), (made + 1) * pitch * sizeof(std::int32_t));
            if (model_.has_tilted)
                std::memmove(sums_row(0) + layout.tilted, sums_row(moved) + layout.tilted,
                             (made + 1) * pitch * sizeof(std::int32_t));
            std::memmove(scratch.pixels.data(), scratch.pixels.data() + moved * scratch.pixel_pitch,
                         (made + step) * scratch.pixel_pitch);
        }
        const std::uint32_t top = (section.first_row + row) * step;
        for (const std::uint32_t needed = (rows - 1) * step + window_h; made < needed; ++made) {
            std::uint8_t* const pixels = pixel_row(made);
            make_row(image, level, top + made, left, width, scratch, pixels);
            if (half == 0)
                kernels_.integrate(pixels, width, sums_row(made), sums_row(made + 1));
            else
                kernels_.integrate_halves(pixels, width, half, sums_row(made), sums_row(made + 1));
            if (model_.has_tilted)
                kernels_.integrate_tilted(pixels, width, half, scratch.prefix.data(), scratch.falling.data(),
                                          scratch.rising.data(), sums_row(made + 1) + layout.tilted);
        }
        if (is_haar) {
            std::uint32_t* const squares = scratch.square_columns.data();
            for (std::uint32_t y = 0; y < rows; ++y) {
                if (row + y == 0)
                    for (std::uint32_t i = 1; i + 1 < window_h; ++i)
                        kernels_.move_squares(pixel_row(i), nullptr, width, squares);
                else
                    for (std::uint32_t i = 0; i < step; ++i)
                        kernels_.move_squares(pixel_row(y * step + window_h - 2 - i),
                                              pixel_row(y * step) - i * scratch.pixel_pitch, width, squares);
                kernels_.sum_squares(squares, width, half, scratch.squares.data() + y * scratch.squares_pitch);
            }
        }
        CascadeWindows windows{};
        windows.sums = sums_row(0);
        windows.sum_pitch = static_cast<std::int64_t>(pitch * step);
        windows.rows = rows;
        windows.columns = columns;
        windows.skip = scratch.skip.data() + row;
        windows.passed = scratch.passed;
        windows.scratch = scratch.candidates;
        windows.norm = scratch.norm;
        windows.vectors = scratch.vectors.data();
        windows.squares = scratch.squares.data();
        windows.squares_pitch = static_cast<std::int64_t>(scratch.squares_pitch);
        windows.squares_first = layout.column(1);
        windows.squares_last = layout.column(model_.width - 1);
        kernels_.classify(program, windows);

        for (std::uint32_t y = 0; y < rows; ++y)
            for (std::uint32_t word = 0; word * 64 < columns; ++word)
                for (std::uint64_t bits = scratch.passed[y][word]; bits != 0; bits &= bits - 1) {
                    const std::uint32_t x = word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
                    const auto scaled = [&](std::uint32_t at) {
                        return static_cast<std::int32_t>(std::nearbyint(static_cast<float>(at) * scale.factor));
                    };
                    scratch.found->push_back(
                        {scaled(left + x * step), scaled(top + y * step), scale.window_w, scale.window_h,
                         kernels_.score(program, windows.sums + y * windows.sum_pitch + x, scratch.norm[y][x])});
                }
    }
}

}  // namespace cascade

}  // namespace vedette::cpu
