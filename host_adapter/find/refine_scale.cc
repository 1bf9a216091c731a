#include "refine_scale.h"

#include "kernels/kernels.h"
#include "resample.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

namespace vedette::host {
namespace {

// How much finer each copy is than the one before.
constexpr double kFiner = 2;
// Steps in size at one level, one direction: the list of factors is never further from the truth than that.
constexpr int kMostSteps = 4;
// How well a small pattern fits depends on where in its pixels it begins, and that changes with each size: no slope to
// climb, so the sizes around are all tried. Larger ones cannot shift without falling out of step.
constexpr std::size_t kPhaseSide = 64;
constexpr double kPhaseStep = 1.012;
constexpr int kPhaseSteps = 4;
// Positions looked at on each side of the expected one, when a level is new and when only the size has changed.
constexpr std::int64_t kFirstReach = 2;
constexpr std::int64_t kReach = 1;
// Hints that climb at their own level, where a climb costs little.
constexpr std::size_t kMostStarting = 64;
// Of the hints at a finer level, relative to those that reach full resolution.
constexpr std::size_t kBroader = 2;

// One size of the pattern beside one copy of the screen.
struct Trial {
    double factor = 1;
    double x = 0, y = 0;
    double score = -1;
    double reduction = 1;
    std::size_t longer = 1;  // side of the compared pattern, pixels
    double hinted = 1;       // the factor of the hint: often that of a display setting, and then exact
};

// A pattern at one size.
struct Shape {
    Image pixels, mask;  // mask empty: every pixel counts
    std::uint64_t counted = 1;
    // Of a gray pattern, whose pixels and mask are then 0 where they do not count and the mask 255 elsewhere.
    std::uint64_t sum = 0, squares = 0;
};

double correlation_of_sums(double screen_variance, double pattern_variance, double both) {
    if (screen_variance <= 0 || pattern_variance <= 0) return 0;
    return both / std::sqrt(screen_variance * pattern_variance);
}

// n times the sum of products, less the product of the sums.
double spread(std::uint64_t n, std::uint64_t products, std::uint64_t p, std::uint64_t q) {
    return static_cast<double>(n) * static_cast<double>(products) - static_cast<double>(p) * static_cast<double>(q);
}

void take_gray_sums(Shape& shape) {
    shape.counted = 0;
    for (std::uint32_t v = 0; v < shape.pixels.height(); ++v) {
        std::uint8_t* pixels = shape.pixels.row(v);
        std::uint8_t* counts = shape.mask.empty() ? nullptr : shape.mask.row(v);
        for (std::uint32_t u = 0; u < shape.pixels.width(); ++u) {
            if (counts != nullptr) {
                counts[u] = counts[u] != 0 ? 255 : 0;
                pixels[u] &= counts[u];
                if (counts[u] == 0) continue;
            }
            ++shape.counted;
            shape.sum += pixels[u];
            shape.squares += std::uint64_t{pixels[u]} * pixels[u];
        }
    }
}

double gray_correlation(const PixelView& screen, const Shape& shape, std::uint32_t x, std::uint32_t y) {
    const FindKernels& kernels = find_kernels();
    std::uint64_t sum = 0, squares = 0, products = 0;
    for (std::uint32_t v = 0; v < shape.pixels.height(); ++v)
        kernels.add_products(screen.row(y + v) + x, shape.pixels.row(v),
                             shape.mask.empty() ? nullptr : shape.mask.row(v), shape.pixels.width(), &sum, &squares,
                             &products);
    return correlation_of_sums(spread(shape.counted, squares, sum, sum),
                               spread(shape.counted, shape.squares, shape.sum, shape.sum),
                               spread(shape.counted, products, sum, shape.sum));
}

// Correlation over all channels; sums of one row fit 32 bits.
double correlation(const PixelView& screen, const Shape& shape, std::uint32_t x, std::uint32_t y) {
    if (screen.channels == 1) return gray_correlation(screen, shape, x, y);
    const std::uint32_t width = shape.pixels.width();
    const std::uint32_t channels = screen.channels;
    double screen_variance = 0, pattern_variance = 0, both = 0;
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
        std::uint64_t n = 0, s = 0, t = 0, ss = 0, tt = 0, st = 0;
        for (std::uint32_t v = 0; v < shape.pixels.height(); ++v) {
            const std::uint8_t* a = screen.row(y + v) + std::size_t{x} * channels + channel;
            const std::uint8_t* b = shape.pixels.row(v) + channel;
            const std::uint8_t* counts = shape.mask.empty() ? nullptr : shape.mask.row(v);
            std::uint32_t row_n = 0, row_s = 0, row_t = 0, row_ss = 0, row_tt = 0, row_st = 0;
            for (std::uint32_t u = 0; u < width; ++u) {
                const std::uint32_t taken = counts == nullptr || counts[u] != 0 ? 1 : 0;
                const std::uint32_t p = a[u * channels] * taken, q = b[u * channels] * taken;
                row_n += taken;
                row_s += p;
                row_t += q;
                row_ss += p * p;
                row_tt += q * q;
                row_st += p * q;
            }
            n += row_n;
            s += row_s;
            t += row_t;
            ss += row_ss;
            tt += row_tt;
            st += row_st;
        }
        screen_variance += spread(n, ss, s, s);
        pattern_variance += spread(n, tt, t, t);
        both += spread(n, st, s, t);
    }
    return correlation_of_sums(screen_variance, pattern_variance, both);
}

// The sizes of a pattern that were asked for, each made once: hints of one factor climb through the same ones. Any
// thread.
class Shapes {
public:
    Shapes(const Image& pixels, const Image* mask) : pixels_(pixels), mask_(mask) {}

    std::shared_ptr<const Shape> at(double factor) {
        const std::uint32_t width = std::min(pixels_.width(), scaled_side(pixels_.width(), factor));
        const std::uint32_t height = std::min(pixels_.height(), scaled_side(pixels_.height(), factor));
        {
            const std::lock_guard lock(mutex_);
            const auto found = made_.find({width, height});
            if (found != made_.end()) return found->second;
        }
        // Outside the lock: two threads may make the same one, and one of them is kept.
        auto shape = std::make_shared<Shape>();
        shape->pixels = shrink(pixels_, width, height, Workers());
        if (mask_ != nullptr) shape->mask = shrink_mask(*mask_, width, height, shape->counted);
        if (pixels_.format() == VDT_FORMAT_GRAY8) take_gray_sums(*shape);
        const std::lock_guard lock(mutex_);
        return made_.emplace(std::pair{width, height}, std::move(shape)).first->second;
    }

private:
    const Image& pixels_;
    const Image* mask_;
    std::mutex mutex_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::shared_ptr<const Shape>> made_;
};

// Tries sizes and places of one pattern on one screen. One thread.
class Climber {
public:
    Climber(const Image& screen, Shapes& shapes, const Window& region, const Workers& workers)
        : screen_(screen), shapes_(shapes), full_(shapes.at(1)), region_(region), workers_(workers) {}

    // The best size and place near `from` at this reduction.
    Trial climb(const Trial& from, double reduction) {
        Trial best = place(from, from.factor, reduction, kFirstReach);
        step_towards_best(best, 1, [&](double) { return reduction; });
        return best;
    }

    // The best size and place near `from` at full resolution.
    Trial arrive(const Trial& from) {
        const auto full = [](double factor) { return std::max(factor, 1.0); };
        Trial best = place(from, from.factor, full(from.factor), kFirstReach);
        const Trial hinted = place(from, from.hinted, full(from.hinted), kFirstReach);
        if (hinted.score > best.score) best = hinted;
        step_towards_best(best, 1, full);
        step_towards_best(best, 0.5, full);
        if (best.longer > kPhaseSide) return best;
        const Trial centre = best;
        for (int i = -kPhaseSteps; i <= kPhaseSteps; ++i) {
            const double factor = centre.factor * std::pow(kPhaseStep, i);
            if (factor < kLeastScaleFound || factor > kMostScaleFound) continue;
            const Trial next = place(centre, factor, full(factor), kReach);
            if (next.score > best.score) best = next;
        }
        return best;
    }

private:
    // Changes the size by `pixels` of the compared pattern's longer side as long as that helps.
    template <class Reduction>
    void step_towards_best(Trial& best, double pixels, Reduction&& reduction_of) {
        const double step = pixels / static_cast<double>(best.longer);
        for (const double direction : {1 + step, 1 / (1 + step)}) {
            for (int i = 0; i < kMostSteps; ++i) {
                const double factor = best.factor * direction;
                if (factor < kLeastScaleFound || factor > kMostScaleFound) break;
                const Trial next = place(best, factor, reduction_of(factor), kReach);
                if (next.score <= best.score) break;
                best = next;
            }
        }
    }

    // The best place near `near` for this size.
    Trial place(const Trial& near, double factor, double reduction, std::int64_t reach) {
        workers_.check();
        Trial trial{factor, near.x, near.y, -1, reduction, near.longer, near.hinted};
        const std::uint32_t width = std::min(screen_.width(), scaled_side(screen_.width(), 1 / reduction));
        const std::uint32_t height = std::min(screen_.height(), scaled_side(screen_.height(), 1 / reduction));
        const double step_x = static_cast<double>(screen_.width()) / width;
        const double step_y = static_cast<double>(screen_.height()) / height;
        const std::shared_ptr<const Shape> shape = shapes_.at(std::min(factor / reduction, 1.0));
        if (shape->counted == 0) return trial;
        const std::uint32_t shape_width = shape->pixels.width();
        const std::uint32_t shape_height = shape->pixels.height();
        trial.longer = std::max(shape_width, shape_height);
        // Grows or shrinks about its middle.
        const double middle_x = near.x + full_->pixels.width() * (near.factor - factor) / 2;
        const double middle_y = near.y + full_->pixels.height() * (near.factor - factor) / 2;
        Window part;
        const auto span = [&](double at, double step, std::uint32_t begin, std::uint32_t size, std::uint32_t whole,
                              std::uint32_t length, std::uint32_t& out_begin, std::uint32_t& out_size) {
            const auto centre = static_cast<std::int64_t>(std::floor(at / step + 0.5));
            const auto least = static_cast<std::int64_t>(std::floor(begin / step + 1e-9));
            const auto most = std::min<std::int64_t>(
                whole, static_cast<std::int64_t>(std::ceil((static_cast<double>(begin) + size) / step - 1e-9)));
            const std::int64_t first = std::max(least, std::min(centre - reach, most - length));
            const std::int64_t end = std::min(most, std::max(centre + reach, first) + length);
            if (first < 0 || end - first < length) return false;
            out_begin = static_cast<std::uint32_t>(first);
            out_size = static_cast<std::uint32_t>(end - first);
            return true;
        };
        if (!span(middle_x, step_x, region_.x, region_.w, width, shape_width, part.x, part.w) ||
            !span(middle_y, step_y, region_.y, region_.h, height, shape_height, part.y, part.h))
            return trial;
        const PixelView pixels = screen_part(width, height, part);
        for (std::uint32_t y = 0; y + shape_height <= part.h; ++y) {
            for (std::uint32_t x = 0; x + shape_width <= part.w; ++x) {
                const double score = correlation(pixels, *shape, x, y);
                if (score <= trial.score) continue;
                trial.score = score;
                trial.x = (part.x + x) * step_x;
                trial.y = (part.y + y) * step_y;
            }
        }
        return trial;
    }

    // A view of `part` of the screen at this size; kept while it covers what is asked for.
    PixelView screen_part(std::uint32_t width, std::uint32_t height, const Window& part) {
        if (width == screen_.width() && height == screen_.height()) return view(screen_, part.x, part.y, part);
        const bool covered = !part_.empty() && part_width_ == width && part_height_ == height && part.x >= at_.x &&
                             part.y >= at_.y && part.x + part.w <= at_.x + at_.w && part.y + part.h <= at_.y + at_.h;
        if (!covered) {
            part_ = shrink_part(screen_, width, height, part, Workers());
            part_width_ = width;
            part_height_ = height;
            at_ = part;
        }
        return view(part_, part.x - at_.x, part.y - at_.y, part);
    }

    static PixelView view(const Image& image, std::uint32_t x, std::uint32_t y, const Window& part) {
        const std::uint32_t channels = image.format() == VDT_FORMAT_GRAY8 ? 1 : 3;
        return {image.row(y) + std::size_t{x} * channels, static_cast<std::ptrdiff_t>(image.stride()), part.w, part.h,
                channels};
    }

    const Image& screen_;
    Shapes& shapes_;
    const std::shared_ptr<const Shape> full_;
    const Window region_;
    const Workers& workers_;
    Image part_;
    std::uint32_t part_width_ = 0, part_height_ = 0;
    Window at_;
};

bool better(const Trial& p, const Trial& q) {
    return p.score > q.score;
}

// Two trials of the same element: neither size nor place differs by more than a pixel or two of their copies.
bool same(const Trial& p, const Trial& q, const Image& pattern) {
    const double pixel = 2 * std::max(p.reduction, q.reduction);
    return std::abs(p.x - q.x) <= pixel && std::abs(p.y - q.y) <= pixel &&
           std::abs(p.factor - q.factor) * std::max(pattern.width(), pattern.height()) <= pixel;
}

void keep_best(std::vector<Trial>& trials, std::size_t most, const Image& pattern) {
    std::stable_sort(trials.begin(), trials.end(), better);
    std::vector<Trial> kept;
    for (const Trial& trial : trials) {
        if (kept.size() == most) break;
        if (trial.score <= 0) continue;
        if (std::none_of(kept.begin(), kept.end(), [&](const Trial& other) { return same(trial, other, pattern); }))
            kept.push_back(trial);
    }
    trials = std::move(kept);
}

}  // namespace

std::vector<RefinedScale> refine_scales(Screen& screen, Pattern& pattern, const Window& region,
                                        const std::vector<ScaleHint>& hints, std::size_t most, const Workers& workers) {
    const ColorMode mode = coarse_mode(pattern, workers);
    const ScreenForm full = screen.form(mode, 1, workers);
    const std::shared_ptr<const PatternForm> form = pattern.form(mode, 1, workers);
    const Image& pixels = form->image().image();
    const Image* mask = form->mask() != nullptr ? &form->mask()->image() : nullptr;
    Shapes shapes(pixels, mask);
    std::vector<Trial> going;
    for (const ScaleHint& hint : hints)
        going.push_back({hint.factor, hint.x, hint.y, hint.score, hint.reduction, 1, hint.factor});
    // All climb one level at a time, so that those that fall behind can be left.
    const auto each = [&](auto&& move) {
        workers.run(static_cast<std::uint32_t>(going.size()), 1,
                    [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                        Climber climber(full.image->image(), shapes, region, workers);
                        for (std::uint32_t i = begin; i < end; ++i) going[i] = move(climber, going[i]);
                    });
    };
    const auto finer = [](const Trial& trial) {
        const double next = trial.reduction / kFiner;
        return next > std::max(trial.factor, 1.0) ? next : 0;
    };
    keep_best(going, std::max(most, kMostStarting), pixels);
    each([](Climber& climber, const Trial& trial) { return climber.climb(trial, trial.reduction); });
    keep_best(going, most * kBroader, pixels);
    while (std::any_of(going.begin(), going.end(), finer)) {
        each([&](Climber& climber, const Trial& trial) {
            const double reduction = finer(trial);
            return reduction > 0 ? climber.climb(trial, reduction) : trial;
        });
        keep_best(going, most * kBroader, pixels);
    }
    keep_best(going, most, pixels);
    each([](Climber& climber, const Trial& trial) { return climber.arrive(trial); });
    keep_best(going, most, pixels);
    std::vector<RefinedScale> refined;
    for (const Trial& trial : going) refined.push_back({trial.factor, trial.x, trial.y, trial.score});
    return refined;
}

}  // namespace vedette::host
