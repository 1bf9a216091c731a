#include "flat_map.h"

#include "kernels/kernels.h"
#include "lab.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace vedette::host {
namespace {

// Distances are held as 16-bit numbers in 1/256 CIELAB: sums over a column of 65535 pixels fit into 32 bits. Distances
// of 256 and more, between the corners of the gamut only, count as 256.
constexpr double kUnits = 256;  // as the kernel `distances` has them

// CIELAB distances of a row of pixels to a colour; scratch of one thread.
class DistanceRow {
public:
    DistanceRow(const Appearance& pattern, std::uint32_t count)
        : pattern_(pattern), count_(count), pitch_(row_pitch(count)), lab_(pitch_ * pattern.channels()) {
        for (std::size_t c = 0; c < 3; ++c) mean_[c] = static_cast<float>(pattern.mean()[c]);
    }

    void read(const std::uint8_t* pixels) {
        if (pattern_.channels() == 3)
            lab_of_bgr(pixels, count_, lab_.data(), lab_.data() + pitch_, lab_.data() + 2 * pitch_);
        else
            lightness_of_gray(pixels, count_, lab_.data());
    }
    // In units.
    void distances(std::uint16_t* out) const {
        const float* const rows[3] = {lab_.data(), lab_.data() + pitch_, lab_.data() + 2 * pitch_};
        find_kernels().distances(rows, mean_, pattern_.channels(), count_, out);
    }
    double distance(std::uint32_t x) const {
        double squares = 0;
        for (std::uint32_t c = 0; c < pattern_.channels(); ++c) {
            const double difference = static_cast<double>(lab_[c * pitch_ + x]) - pattern_.mean()[c];
            squares += difference * difference;
        }
        return std::sqrt(squares);
    }

private:
    const Appearance& pattern_;
    const std::uint32_t count_;
    const std::size_t pitch_;
    std::vector<float> lab_;
    float mean_[3];
};

// A run of pixels of a mask's row that count.
struct Run {
    std::uint32_t y, begin, end;
};

std::vector<Run> runs_of(const PixelView& mask) {
    std::vector<Run> runs;
    for (std::uint32_t y = 0; y < mask.height; ++y) {
        const std::uint8_t* row = mask.row(y);
        for (std::uint32_t x = 0; x < mask.width;) {
            if (row[x] == 0) {
                ++x;
                continue;
            }
            const std::uint32_t begin = x;
            while (x < mask.width && row[x] != 0) ++x;
            runs.push_back({y, begin, x});
        }
    }
    return runs;
}

// The largest rectangle of pixels that all count: for each row the heights of the columns above it are a histogram,
// whose largest rectangle a stack finds.
Window largest_rectangle(const PixelView& mask) {
    Window best;
    std::vector<std::uint32_t> height(mask.width + 1, 0);
    std::vector<std::uint32_t> stack;
    for (std::uint32_t y = 0; y < mask.height; ++y) {
        for (std::uint32_t x = 0; x < mask.width; ++x) height[x] = mask.row(y)[x] != 0 ? height[x] + 1 : 0;
        stack.clear();
        for (std::uint32_t x = 0; x <= mask.width; ++x) {
            while (!stack.empty() && height[stack.back()] >= height[x]) {
                const std::uint32_t tall = height[stack.back()];
                stack.pop_back();
                const std::uint32_t left = stack.empty() ? 0 : stack.back() + 1;
                if (std::uint64_t{x - left} * tall > std::uint64_t{best.w} * best.h)
                    best = {left, y + 1 - tall, x - left, tall};
            }
            stack.push_back(x);
        }
    }
    return best;
}

struct Best {
    std::uint64_t sum = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t position = 0;
    bool any = false;

    void offer(std::uint64_t offered, std::uint64_t at) {
        any = true;
        if (offered < sum || (offered == sum && at < position)) {
            sum = offered;
            position = at;
        }
    }
};

class Mapper {
public:
    Mapper(const FlatQuery& query, const Workers& workers) : query_(query), workers_(workers), region_(query.region) {
        const Appearance& pattern = *query.pattern;
        map_.width = region_.w - pattern.width() + 1;
        map_.height = region_.h - pattern.height() + 1;
        rectangle_ = {0, 0, pattern.width(), pattern.height()};
        if (!query.mask.empty()) {
            runs_ = runs_of(query.mask);
            rectangle_ = largest_rectangle(query.mask);
        }
        limit_ = query.limit * kUnits * static_cast<double>(pattern.counted());
    }

    FlatMap run() {
        measure_pixels();
        map_.level.assign(std::size_t{map_.width} * map_.height, kFlatFar);
        // Long bands: each sums the rows above its first position anew.
        const std::uint32_t grain = std::max(64U, (map_.height + workers_.count() * 2 - 1) / (workers_.count() * 2));
        workers_.run(map_.height, grain, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
            const Best best = band(begin, end);
            const std::lock_guard lock(mutex_);
            if (best.any) best_.offer(best.sum, best.position);
        });
        map_.any = best_.any;
        map_.nearest_x = static_cast<std::uint32_t>(best_.position % map_.width);
        map_.nearest_y = static_cast<std::uint32_t>(best_.position / map_.width);
        return std::move(map_);
    }

private:
    void measure_pixels() {
        const std::uint32_t channels = query_.pattern->channels();
        distance_.resize(std::size_t{region_.w} * region_.h);
        if (!runs_.empty()) prefix_.resize(std::size_t{region_.w + 1} * region_.h);
        workers_.run(region_.h, 0, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
            DistanceRow pixels(*query_.pattern, region_.w);
            for (std::uint32_t y = begin; y < end; ++y) {
                std::uint16_t* row = distance_.data() + std::size_t{y} * region_.w;
                pixels.read(query_.screen.row(region_.y + y) + std::size_t{region_.x} * channels);
                pixels.distances(row);
                if (prefix_.empty()) continue;
                std::uint32_t* sums = prefix_.data() + std::size_t{y} * (region_.w + 1);
                for (std::uint32_t x = 0; x < region_.w; ++x) sums[x + 1] = sums[x] + row[x];
            }
        });
    }

    // Sum over the pixels that count; stops early once it is above `enough`.
    std::uint64_t masked_sum(std::uint32_t x, std::uint32_t y, std::uint64_t enough) const {
        std::uint64_t sum = 0;
        for (const Run& run : runs_) {
            const std::uint32_t* sums = prefix_.data() + std::size_t{y + run.y} * (region_.w + 1) + x;
            sum += sums[run.end] - sums[run.begin];
            if (sum > enough) break;
        }
        return sum;
    }

    // Marks the positions of row y whose rectangle meets an excluded area.
    void mark_excluded(std::uint32_t y, std::vector<char>& excluded) const {
        std::fill(excluded.begin(), excluded.end(), 0);
        if (query_.exclude == nullptr) return;
        const std::int64_t top = std::int64_t{region_.y} + y;
        for (const vdt_rect& area : *query_.exclude) {
            if (top + query_.pattern->height() <= area.y || top >= std::int64_t{area.y} + area.h) continue;
            const std::int64_t first = std::int64_t{area.x} - query_.pattern->width() + 1 - region_.x;
            const std::int64_t last = std::int64_t{area.x} + area.w - region_.x;  // exclusive
            for (std::int64_t x = std::max<std::int64_t>(first, 0); x < std::min<std::int64_t>(last, map_.width); ++x)
                excluded[static_cast<std::size_t>(x)] = 1;
        }
    }

    Best band(std::uint32_t begin, std::uint32_t end) {
        const std::size_t pitch = region_.w;
        std::vector<std::uint32_t> columns(pitch, 0);  // sums over the rectangle's height
        std::vector<char> excluded(map_.width, 0);
        const auto add_row = [&](std::uint32_t y) {
            const std::uint16_t* row = distance_.data() + std::size_t{y} * pitch;
            for (std::size_t x = 0; x < pitch; ++x) columns[x] += row[x];
        };
        for (std::uint32_t y = 0; y < rectangle_.h; ++y) add_row(begin + rectangle_.y + y);
        Best best;
        for (std::uint32_t y = begin; y < end; ++y) {
            if (y > begin) {
                const std::uint16_t* gone = distance_.data() + std::size_t{y - 1 + rectangle_.y} * pitch;
                for (std::size_t x = 0; x < pitch; ++x) columns[x] -= gone[x];
                add_row(y + rectangle_.y + rectangle_.h - 1);
            }
            mark_excluded(y, excluded);
            const std::uint32_t* from = columns.data() + rectangle_.x;
            std::uint64_t sum = 0;
            for (std::uint32_t x = 0; x + 1 < rectangle_.w; ++x) sum += from[x];
            for (std::uint32_t x = 0; x < map_.width; ++x) {
                sum += from[x + rectangle_.w - 1];
                if (excluded[x] == 0) position(x, y, sum, best);
                sum -= from[x];
            }
        }
        return best;
    }

    void position(std::uint32_t x, std::uint32_t y, std::uint64_t sum, Best& best) {
        const std::uint64_t at = std::uint64_t{y} * map_.width + x;
        if (!runs_.empty()) {
            // All differences are at least 0, so the rectangle's sum is a bound.
            const std::uint64_t enough =
                std::max(static_cast<std::uint64_t>(limit_), best.any ? best.sum : ~std::uint64_t{0});
            if (sum > enough) return;
            sum = masked_sum(x, y, enough);
            if (sum > enough) return;
        }
        best.offer(sum, at);
        if (static_cast<double>(sum) > limit_) return;
        const double step = limit_ > 0 ? static_cast<double>(sum) * kFlatSteps / limit_ : 0;
        const auto level = static_cast<std::uint16_t>(step);
        map_.level[at] = sum > 0 && level == 0 ? std::uint16_t{1} : level;
    }

    const FlatQuery& query_;
    const Workers& workers_;
    const Window region_;
    Window rectangle_;       // all of it counts; pixels of the pattern
    std::vector<Run> runs_;  // empty: the rectangle is the pattern
    double limit_ = 0;       // of the sum
    std::vector<std::uint16_t> distance_;
    std::vector<std::uint32_t> prefix_;
    FlatMap map_;
    std::mutex mutex_;
    Best best_;
};

}  // namespace

FlatMap flat_map(const FlatQuery& query, const Workers& workers) {
    return Mapper(query, workers).run();
}

double flat_distance(const FlatQuery& query, std::uint32_t x, std::uint32_t y) {
    const Appearance& pattern = *query.pattern;
    DistanceRow pixels(pattern, pattern.width());
    double sum = 0;
    for (std::uint32_t v = 0; v < pattern.height(); ++v) {
        pixels.read(query.screen.row(y + v) + std::size_t{x} * pattern.channels());
        for (std::uint32_t u = 0; u < pattern.width(); ++u)
            if (query.mask.empty() || query.mask.row(v)[u] != 0) sum += pixels.distance(u);
    }
    return sum / static_cast<double>(pattern.counted());
}

}  // namespace vedette::host
