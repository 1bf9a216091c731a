#include "large.h"

#include <algorithm>
#include <cmath>

namespace vedette::cpu::find {
namespace {

// Column sums over h rows, moved down row by row; then window sums along the row.
class RunningSums {
public:
    RunningSums(const Task& task, const Unit& unit)
        : task_(task), unit_(unit), columns_(unit.columns + task.pattern->w - 1) {
        const auto count = static_cast<std::size_t>(columns_);
        for (int c = 0; c < task.pattern->channels; ++c) sum_[c].assign(count, 0);
        square_.assign(count, 0);
        for (int y = unit.y; y < unit.y + task.pattern->h; ++y) add(y, 1);
    }
    // Moments of the windows of the current row, by column of the unit.
    void windows(std::vector<Moments>& out) const {
        const int w = task_.pattern->w;
        out.resize(static_cast<std::size_t>(unit_.columns));
        Moments window;
        for (int x = 0; x < columns_; ++x) {
            const auto at = static_cast<std::size_t>(x);
            for (int c = 0; c < task_.pattern->channels; ++c) {
                window.sum[c] += sum_[c][at];
                if (x >= w) window.sum[c] -= sum_[c][at - static_cast<std::size_t>(w)];
            }
            window.square += square_[at];
            if (x >= w) window.square -= square_[at - static_cast<std::size_t>(w)];
            if (x >= w - 1) out[static_cast<std::size_t>(x - w + 1)] = window;
        }
    }
    void next(int y) {
        add(y, -1);
        add(y + task_.pattern->h, 1);
    }

private:
    void add(int y, int sign) {
        for (int c = 0; c < task_.pattern->channels; ++c) {
            const std::uint8_t* row = task_.scene->rows(c)[y] + unit_.x;
            for (int x = 0; x < columns_; ++x) {
                const std::int64_t value = row[x] - 128;
                sum_[c][static_cast<std::size_t>(x)] += sign * value;
                square_[static_cast<std::size_t>(x)] += sign * value * value;
            }
        }
    }
    const Task& task_;
    Unit unit_;
    int columns_;
    std::vector<std::int64_t> sum_[max_channels], square_;
};

Moments masked_window(const Task& task, int x, int y) {
    const Pattern& pattern = *task.pattern;
    Moments window;
    for (int c = 0; c < pattern.channels; ++c) {
        window_dots(task, c, &x, 1, y, pattern.mask_coefficients.data(), &window.sum[c]);
        window.sum[c] -= 128 * pattern.area;
        for (int j = 0; j < pattern.h; ++j) {
            const std::uint8_t* row = task.scene->rows(c)[y + j] + x;
            const std::uint8_t* taken = pattern.mask.data() + std::int64_t{j} * pattern.w;
            std::int64_t square = 0;
            for (int i = 0; i < pattern.w; ++i) square += taken[i] * (row[i] - 128) * (row[i] - 128);
            window.square += square;
        }
    }
    return window;
}

// Calls position(x, y, product, window) for every position of the unit, with exact sums of I'T' and of the window.
template <class Position>
void every_position(const Task& task, const Unit& unit, Worker& worker, const Position& position) {
    const Pattern& pattern = *task.pattern;
    std::vector<Moments> windows;
    std::unique_ptr<RunningSums> sums;
    if (!pattern.masked) sums = std::make_unique<RunningSums>(task, unit);
    const bool transformed = task.spectrum != nullptr;
    if (transformed)
        worker.fft.run(*task.kernels, *task.scene, pattern, *task.spectrum, unit.x, unit.y, unit.columns, unit.rows);
    for (int y = unit.y; y < unit.y + unit.rows; ++y) {
        if (sums != nullptr) {
            if (y > unit.y) sums->next(y - 1);
            sums->windows(windows);
        }
        for (int x = unit.x; x < unit.x + unit.columns; ++x) {
            if (transformed) {
                const int column = x - unit.x, line = y - unit.y;
                Moments window;
                if (pattern.masked) {
                    for (int c = 0; c < pattern.channels; ++c)
                        window.sum[c] = static_cast<std::int64_t>(worker.fft.sum(c, line)[column]);
                    window.square = static_cast<std::int64_t>(worker.fft.square(line)[column]);
                } else {
                    window = windows[static_cast<std::size_t>(column)];
                }
                position(x, y, static_cast<std::int64_t>(worker.fft.product(line)[column]), window);
                continue;
            }
            std::int64_t product = 0;
            products_at(task, &x, 1, y, &product);
            position(x, y, product,
                     sums != nullptr ? windows[static_cast<std::size_t>(x - unit.x)] : masked_window(task, x, y));
        }
    }
}

double map_value(const Pattern& pattern, std::uint32_t method, std::int64_t product, const Moments& window) {
    if (method == VDT_MATCH_CCOEFF_NORMED) return exact_score(pattern, product, window);
    if (pattern.area == 0) return 0;
    if (method == VDT_MATCH_CCOEFF) {
        Wide covariance = Wide{pattern.area} * product;
        for (int c = 0; c < pattern.channels; ++c) covariance -= Wide{window.sum[c]} * pattern.moments.sum[c];
        return static_cast<double>(covariance) / static_cast<double>(pattern.area);
    }
    // Sums of the values themselves: I = I' + 128.
    std::int64_t cross = product, scene = window.square, own = pattern.moments.square;
    for (int c = 0; c < pattern.channels; ++c) {
        cross += 128 * (window.sum[c] + pattern.moments.sum[c]) + 16384 * pattern.area;
        scene += 256 * window.sum[c] + 16384 * pattern.area;
        own += 256 * pattern.moments.sum[c] + 16384 * pattern.area;
    }
    const double norm = std::sqrt(static_cast<double>(scene) * static_cast<double>(own));
    if (method == VDT_MATCH_CCORR) return static_cast<double>(cross);
    if (method == VDT_MATCH_CCORR_NORMED) return norm == 0 ? 0 : std::min(1.0, static_cast<double>(cross) / norm);
    const std::int64_t difference = scene + own - 2 * cross;
    if (method == VDT_MATCH_SQDIFF) return static_cast<double>(difference);
    if (norm == 0) return difference == 0 ? 0 : 1;
    const double value = static_cast<double>(difference) / norm;
    return pattern.given_mask ? value : std::min(1.0, value);  // as OpenCV
}

}  // namespace

// In strips of rows whose sums fit 32 bits in every lane (see Dots).
void window_dots(const Task& task, int channel, const std::int32_t* x, int places, int y,
                 const std::int8_t* coefficient, std::int64_t* sum) {
    const Pattern& pattern = *task.pattern;
    const int rows = std::max(1, static_cast<int>(max_area / pattern.stride));
    std::fill(sum, sum + places, 0);
    Dots dots{};
    dots.places = places;
    std::copy(x, x + places, dots.x);
    dots.stride = pattern.stride;
    dots.w = pattern.w;
    for (int j = 0; j < pattern.h; j += rows) {
        dots.rows = task.scene->rows(channel) + y + j;
        dots.coefficient = coefficient + std::int64_t{j} * pattern.stride;
        dots.count = std::min(rows, pattern.h - j);
        task.kernels->dots(dots);
        for (int k = 0; k < places; ++k) sum[k] += dots.sum[k];
    }
}

double large_cost(const Pattern& pattern, Isa isa) {
    // As dense_cost, but one position at a time: about half as fast. Masks: a scalar loop for the squares.
    const double pixels = static_cast<double>(pattern.w) * pattern.h * pattern.channels;
    return 10 + pixels / (isa == Isa::avx512 ? 60 : isa == Isa::avx2 ? 40 : 4) + (pattern.masked ? pixels : 0);
}

void search_large(const Task& task, const Unit& unit, Worker& worker, HitList& hits) {
    every_position(task, unit, worker, [&](int x, int y, std::int64_t product, const Moments& window) {
        offer(task, hits, x, y, product, window);
    });
}

void map_large(const Task& task, std::uint32_t method, const Unit& unit, Worker& worker, const vdt_image& out) {
    every_position(task, unit, worker, [&](int x, int y, std::int64_t product, const Moments& window) {
        auto* const row = reinterpret_cast<float*>(static_cast<std::uint8_t*>(out.plane[0].base) + out.plane[0].offset +
                                                   y * out.plane[0].row_stride);
        row[x] = static_cast<float>(map_value(*task.pattern, method, product, window));
    });
}

}  // namespace vedette::cpu::find
