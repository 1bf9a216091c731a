#include "fallback.h"

#include "candidate.h"
#include "evidence.h"
#include "exact_score.h"
#include "feature_fallback.h"
#include "refine_scale.h"
#include "sized_search.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace vedette::host {
namespace {

// Hints that are followed to full resolution: more where a pattern is small, for it has more look-alikes and costs
// less.
constexpr std::size_t kLeastFollowed = 4;
constexpr std::size_t kMostFollowed = 32;
constexpr std::size_t kFollowedPixels = 1 << 16;  // all together
// Pixels around a refined place where the best position is looked for: colour may prefer another than gray.
constexpr std::uint32_t kMargin = 1;

// The pattern at one size, judged at the best position near one place. Nothing when it does not fit there, when the
// size is its own, or when it has too little structure left.
std::optional<vdt_match> judge_place(Screen& screen, Pattern& pattern, const FindQuery& query,
                                     const RefinedScale& place, const Workers& workers) {
    const ColorMode mode = color_mode(screen, pattern, query.color);
    const double shrinking = std::min(place.factor, 1.0);
    const std::shared_ptr<const PatternForm> form = pattern.form(mode, shrinking, workers);
    if (form == nullptr || form->appearance().flat()) return std::nullopt;
    const bool small = form->width() < pattern.width() || form->height() < pattern.height();
    Scene scene{mode,
                screen.part(mode, std::max(place.factor, 1.0), place.x, place.y, pattern.width() * place.factor,
                            pattern.height() * place.factor, kMargin + 1, workers),
                {},
                {}};
    const ScreenForm& part = scene.form;
    if (!small && part.step_x == 1 && part.step_y == 1) return std::nullopt;
    if (form->samples(workers) < least_samples_of_scaled()) return std::nullopt;
    SizedSearch search{0, 0, place.factor, &scene, form, std::max(query.threshold, judging::kScaledScore), true};
    MatchCandidate best;
    best.search = &search;
    best.score = -1;
    const double left = place.x / part.step_x - part.left;
    const double top = place.y / part.step_y - part.top;
    const PixelView pixels = scene.pixels();
    for (std::uint32_t y = 0; y + form->height() <= pixels.height; ++y) {
        for (std::uint32_t x = 0; x + form->width() <= pixels.width; ++x) {
            if (std::abs(x - left) > kMargin + 0.5 || std::abs(y - top) > kMargin + 0.5) continue;
            MatchCandidate candidate = best;
            candidate.x = x;
            candidate.y = y;
            const Box box = candidate.box();
            if (box.x < query.region.x || box.y < query.region.y ||
                box.x + box.w > static_cast<double>(query.region.x) + query.region.w ||
                box.y + box.h > static_cast<double>(query.region.y) + query.region.h)
                continue;
            candidate.score = exact_score(pixels, form->pixels(), form->mask_pixels(), x, y);
            if (candidate.score > best.score) best = candidate;
        }
    }
    if (best.score < search.least_score) return std::nullopt;
    const Judge judge(query, workers);
    ResidualMeter meter;
    judge.judge(best, meter);
    if (best.reason != VDT_REASON_NONE) return std::nullopt;
    return judge.match(best);
}

// Replaces an outcome by what a fallback found, if it did.
void take(PatternOutcome& outcome, std::uint32_t pattern, PatternOutcome found) {
    if (found.matches.empty()) return;
    for (vdt_match& match : found.matches) match.pattern = pattern;
    found.best.pattern = pattern;
    outcome = std::move(found);
}

void try_other_sizes(Screen& screen, const std::vector<Pattern*>& patterns, const FindQuery& query,
                     const Proposer& propose, const Workers& workers, std::vector<PatternOutcome>& outcomes) {
    std::vector<std::uint32_t> missed;
    std::vector<Pattern*> wanted;
    for (std::uint32_t i = 0; i < patterns.size(); ++i) {
        if (!outcomes[i].open) continue;
        missed.push_back(i);
        wanted.push_back(patterns[i]);
    }
    if (missed.empty()) return;
    const std::vector<std::vector<ScaleHint>> hints = coarse_scales(screen, wanted, query, propose, workers);
    for (std::size_t i = 0; i < missed.size(); ++i) {
        take(outcomes[missed[i]], missed[i],
             find_at_hinted_scale(screen, *wanted[i], query, hints[i], propose, workers));
    }
}

void try_features(Screen& screen, const std::vector<Pattern*>& patterns, const FindQuery& query,
                  const Proposer& propose, const FeatureOperations& features, const Workers& workers,
                  std::vector<PatternOutcome>& outcomes) {
    for (std::uint32_t i = 0; i < patterns.size(); ++i) {
        if (!outcomes[i].open) continue;
        const FeatureFinding finding = find_by_features(screen, *patterns[i], query, features, workers);
        if (finding.hint && (query.fallbacks & VDT_FALLBACK_SCALES) != 0) {
            take(outcomes[i], i, find_at_hinted_scale(screen, *patterns[i], query, {*finding.hint}, propose, workers));
        } else if (finding.match) {
            PatternOutcome found;
            found.matches = {*finding.match};
            found.has_best = true;
            found.best = *finding.match;
            found.margin_is_bound = true;  // the operations name one place
            take(outcomes[i], i, std::move(found));
        }
    }
}

// The searches that were left for later, of the patterns that no fallback found either. These patterns have just been
// seen nowhere, so that each takes one search.
void look_down_to_floor(Screen& screen, const std::vector<Pattern*>& patterns, const FindQuery& query,
                        const Proposer& propose, const Workers& workers, std::vector<PatternOutcome>& outcomes) {
    std::vector<std::uint32_t> left;
    std::vector<Pattern*> wanted;
    for (std::uint32_t i = 0; i < patterns.size(); ++i) {
        if (!outcomes[i].floor_left) continue;
        left.push_back(i);
        wanted.push_back(patterns[i]);
    }
    if (left.empty()) return;
    std::vector<PatternOutcome> found = find_patterns(screen, wanted, query, propose, workers);
    for (std::size_t i = 0; i < left.size(); ++i) {
        for (vdt_match& match : found[i].matches) match.pattern = left[i];
        found[i].best.pattern = left[i];
        outcomes[left[i]] = std::move(found[i]);
    }
}

}  // namespace

PatternOutcome find_at_hinted_scale(Screen& screen, Pattern& pattern, const FindQuery& query,
                                    const std::vector<ScaleHint>& hints, const Proposer& propose,
                                    const Workers& workers) {
    const std::size_t pixels = std::size_t{pattern.width()} * pattern.height();
    const std::size_t followed = std::clamp(kFollowedPixels / pixels, kLeastFollowed, kMostFollowed);
    const std::vector<RefinedScale> places = refine_scales(screen, pattern, query.region, hints, followed, workers);
    std::optional<vdt_match> best;
    for (const RefinedScale& place : places) {
        workers.check();
        const std::optional<vdt_match> match = judge_place(screen, pattern, query, place, workers);
        if (match && (!best || match->score > best->score)) best = match;
    }
    if (!best) return {};
    // All places at that size, judged and reported as those of a size that was asked for.
    FindQuery at_size = query;
    at_size.scales = {best->scale};
    at_size.many_trials = true;
    at_size.floor = 1;
    return find_patterns(screen, {&pattern}, at_size, propose, workers).front();
}

std::vector<PatternOutcome> find_with_fallbacks(Screen& screen, const std::vector<Pattern*>& patterns,
                                                const FindQuery& query, const Proposer& propose,
                                                const FeatureOperations& features, const Workers& workers) {
    // What a fallback finds replaces the best below the threshold, so that one is looked for last; but first where it
    // may say that the pattern is there in another state, for which there is no fallback.
    FindQuery first = query;
    first.floor_later = query.fallbacks != 0 && query.threshold <= judging::kOtherStateScore;
    std::vector<PatternOutcome> outcomes = find_patterns(screen, patterns, first, propose, workers);
    if ((query.fallbacks & VDT_FALLBACK_SCALES) != 0)
        try_other_sizes(screen, patterns, query, propose, workers, outcomes);
    if ((query.fallbacks & VDT_FALLBACK_FEATURES) != 0 && features.extract != nullptr)
        try_features(screen, patterns, query, propose, features, workers, outcomes);
    look_down_to_floor(screen, patterns, query, propose, workers, outcomes);
    return outcomes;
}

}  // namespace vedette::host
