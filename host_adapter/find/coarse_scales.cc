#include "coarse_scales.h"

#include "evidence.h"
#include "pattern.h"
#include "resample.h"
#include "sized_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace vedette::host {
namespace {

// The factors of display settings and, for the gaps, 1 and the most that is tried.
constexpr double kAnchors[] = {1.0 / 2, 4.0 / 7, 2.0 / 3, 3.0 / 4, 0.8, 0.9,  1,  1.1,
                               1.25,    4.0 / 3, 1.5,     1.75,    2.0, 2.25, 2.4};
constexpr double kLeastFactor = kAnchors[0];
// Between two of them lie as many others, evenly, as keep neighbours within this ratio.
constexpr double kStep = 1.1;

// Shorter side of a coarse pattern, pixels.
constexpr double kCoarseSide = 10;
constexpr double kReductions[] = {1, 1.25, 1.5, 2, 2.5, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
// Gray copies serve a pattern whose lightness deviates by this share of its whole CIELAB deviation.
constexpr double kGrayContrast = 0.3;

// Least score of a hint. Element and coarse pattern may be half a pixel and half a step in size apart; on real screens
// at sizes between those tried, 95 of 100 right hints had 0.65 and more.
constexpr double kCoarseScore = 0.6;
constexpr std::uint32_t kMostHints = 16;  // of each factor
// Hints of a pattern that are worth to be better than: refine_scales() begins with 64, and some of them are one element
// at neighbouring factors.
constexpr std::size_t kEnoughHints = 128;

std::vector<double> make_factors() {
    std::vector<double> factors;
    double last = kLeastFactor;
    for (const double next : kAnchors) {
        const int steps = std::max(1, static_cast<int>(std::ceil(std::log(next / last) / std::log(kStep) - 1e-9)));
        for (int i = 1; i < steps; ++i) factors.push_back(last * std::pow(next / last, static_cast<double>(i) / steps));
        if (next != 1) factors.push_back(next);
        last = next;
    }
    return factors;
}

// Patterns of more pixels have more samples than are needed, or are coarsened so much that looking for them is cheap.
constexpr std::uint32_t kMostCountedPixels = 2048;

// False when the pattern at that size cannot reach the evidence, however well it fits.
bool can_convince(Screen& screen, Pattern& pattern, double factor, const FindQuery& query, const Workers& workers) {
    const double shrinking = std::min(factor, 1.0);
    const std::uint32_t width = scaled_side(pattern.width(), shrinking);
    const std::uint32_t height = scaled_side(pattern.height(), shrinking);
    if (std::uint64_t{width} * height > kMostCountedPixels) return true;
    const auto form = pattern.form(color_mode(screen, pattern, query.color), shrinking, workers);
    return form != nullptr && form->samples(workers) >= least_samples_of_scaled();
}

// The least score that a further hint needs beside these.
double least_score(const std::vector<ScaleHint>& hints) {
    if (hints.size() < kEnoughHints) return kCoarseScore;
    std::vector<double> scores;
    for (const ScaleHint& hint : hints) scores.push_back(hint.score);
    const auto last = scores.begin() + kEnoughHints - 1;
    std::nth_element(scores.begin(), last, scores.end(), std::greater<>());
    return std::max(kCoarseScore, *last);
}

struct Wanted {
    std::uint32_t pattern;
    double factor;
    std::shared_ptr<const PatternForm> form;
};

}  // namespace

const std::vector<double>& automatic_factors() {
    static const std::vector<double> factors = make_factors();
    return factors;
}

ColorMode coarse_mode(Pattern& pattern, const Workers& workers) {
    if (pattern.only_gray()) return ColorMode::Gray;
    // Appearances are of CIELAB: the gray one holds the contrast of lightness alone.
    const double gray = pattern.form(ColorMode::Gray, 1, workers)->appearance().deviation();
    const double color = pattern.form(ColorMode::Color, 1, workers)->appearance().deviation();
    return gray >= kGrayContrast * color ? ColorMode::Gray : ColorMode::Color;
}

double coarse_reduction(std::uint32_t width, std::uint32_t height, double factor) {
    const double least = std::max(factor, 1.0);
    const double most = std::min(width, height) * factor / kCoarseSide;
    double reduction = 0;
    for (const double step : kReductions)
        if (step >= least && (reduction == 0 || step <= most)) reduction = step;
    return reduction;
}

std::vector<std::vector<ScaleHint>> coarse_scales(Screen& screen, const std::vector<Pattern*>& patterns,
                                                  const FindQuery& query, const Proposer& propose,
                                                  const Workers& workers) {
    std::vector<std::vector<ScaleHint>> hints(patterns.size());
    std::map<std::pair<ColorMode, double>, std::vector<Wanted>> by_scene;
    for (std::uint32_t index = 0; index < patterns.size(); ++index) {
        Pattern& pattern = *patterns[index];
        const ColorMode mode = coarse_mode(pattern, workers);
        for (const double factor : automatic_factors()) {
            workers.check();
            if (!can_convince(screen, pattern, factor, query, workers)) continue;
            const double reduction = coarse_reduction(pattern.width(), pattern.height(), factor);
            std::shared_ptr<const PatternForm> form = pattern.form(mode, factor / reduction, workers);
            if (form == nullptr || form->appearance().flat()) continue;
            std::vector<Wanted>& wanted = by_scene[{mode, reduction}];
            // Neighbouring factors of a small pattern round to one size.
            if (wanted.empty() || wanted.back().form != form) wanted.push_back({index, factor, std::move(form)});
        }
    }
    const std::vector<vdt_rect> nothing_excluded;
    // The coarsest first: they cost least, and what they find spares the others hints that would not be followed.
    for (auto scene_wanted = by_scene.rbegin(); scene_wanted != by_scene.rend(); ++scene_wanted) {
        workers.check();
        const auto& [at, wanted] = *scene_wanted;
        const double reduction = at.second;
        const ScreenForm scene = screen.form(at.first, reduction, workers);
        const auto outside = [](std::uint32_t begin, std::uint32_t size, double step, std::uint32_t whole,
                                std::uint32_t& out_begin, std::uint32_t& out_size) {
            out_begin = static_cast<std::uint32_t>(std::floor(begin / step));
            out_size = std::min(whole, static_cast<std::uint32_t>(std::ceil((begin + size) / step))) - out_begin;
        };
        ProposalRequest request{scene.image.get(), {}, kCoarseScore, kMostHints, {}, &nothing_excluded};
        outside(query.region.x, query.region.w, scene.step_x, scene.image->image().width(), request.region.x,
                request.region.w);
        outside(query.region.y, query.region.h, scene.step_y, scene.image->image().height(), request.region.y,
                request.region.h);
        std::vector<const Wanted*> asked;
        for (const Wanted& one : wanted) {
            if (one.form->width() > request.region.w || one.form->height() > request.region.h) continue;
            request.patterns.push_back(one.form.get());
            asked.push_back(&one);
        }
        if (asked.empty()) continue;
        request.threshold = 1;
        for (const Wanted* one : asked)
            request.threshold = std::min(request.threshold, least_score(hints[one->pattern]));
        for (const Proposal& proposal : propose(request))
            hints[asked[proposal.pattern]->pattern].push_back({asked[proposal.pattern]->factor,
                                                               proposal.x * scene.step_x, proposal.y * scene.step_y,
                                                               proposal.score, reduction});
    }
    for (std::vector<ScaleHint>& list : hints)
        std::stable_sort(list.begin(), list.end(),
                         [](const ScaleHint& p, const ScaleHint& q) { return p.score > q.score; });
    return hints;
}

}  // namespace vedette::host
