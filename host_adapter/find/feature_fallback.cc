#include "feature_fallback.h"

#include "evidence.h"
#include "feature_place.h"
#include "import_pixels.h"
#include "sized_search.h"
#include "warp.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace vedette::host {
namespace {

constexpr double kLeastCorrelation = 0.5;
// Corners this near to those of an upright rectangle, in the pattern's longer side at the quad's size.
constexpr double kUpright = 0.04;

// The strongest features: of a screen as many as fill 16 MiB of descriptors.
constexpr std::uint32_t kMostOfPattern = 4096;
constexpr std::uint32_t kMostOfScreen = 32768;
// A pattern with less of a side has no twelve features at different places.
constexpr std::uint32_t kLeastSide = 16;
// Different places of a pattern with features that a search of the screen asks for: the guards ask for fewer, but not
// all are seen again, least of all the small features of small patterns. 37 real patterns were put on a desktop, turned
// by 20, 90 and 137 degrees and in perspective, and looked for on copies no coarser than feature_reduction() allows. Of
// the trials with 12 places or more these bounds leave out 64, of which one had the inliers that are asked for, and
// keep 272, of which 253 had.
constexpr std::size_t kLeastPlaces = 16, kLeastPlacesOfSmall = 24;
constexpr std::uint32_t kSmallSide = 64;
// The screen is shrunk before it is warped when the element is larger than the pattern by more than this.
constexpr double kMostUnshrunk = 1.5;

// Pixels of a shrunk region, and of a shrunk pattern's shorter side, that are enough. A megapixel of a screen takes two
// cores (Zen 3, AVX2) 110 ms.
constexpr double kEnoughPixels = 1 << 19;
constexpr double kEnoughSide = 40;
// Few of them, so that patterns share the features of a screen.
constexpr double kReductions[] = {1.25, 1.5, 1.75, 2, 2.5, 3, 4, 6, 8};
// Inliers of the homography, pixels of the shrunk copies.
constexpr double kTolerance = 3;

vdt_match match_of(const Quad& quad, double factor, double score) {
    vdt_match match{};
    match.struct_size = sizeof match;
    double left = quad.corner[0].x, top = quad.corner[0].y, right = left, bottom = top;
    for (std::size_t i = 0; i < 4; ++i) {
        const Point& corner = quad.corner[i];
        match.quad[2 * i] = corner.x;
        match.quad[2 * i + 1] = corner.y;
        left = std::min(left, corner.x);
        top = std::min(top, corner.y);
        right = std::max(right, corner.x);
        bottom = std::max(bottom, corner.y);
    }
    match.x = left;
    match.y = top;
    match.w = right - left;
    match.h = bottom - top;
    match.score = score;
    match.scale = factor;
    match.residual = match.residual_limit = match.evidence = -1;
    match.stage = VDT_STAGE_FEATURES;
    match.reason = VDT_REASON_NONE;
    return match;
}

bool meets(const vdt_match& match, const std::vector<vdt_rect>& areas) {
    return std::any_of(areas.begin(), areas.end(), [&](const vdt_rect& area) {
        return match.x < static_cast<double>(area.x) + area.w && match.x + match.w > area.x &&
               match.y < static_cast<double>(area.y) + area.h && match.y + match.h > area.y;
    });
}

// How the screen looks through the homography.
double look(Screen& screen, Pattern& pattern, const FindQuery& query, const Homography& homography,
            const FeatureVerdict& verdict, const Workers& workers) {
    const ColorMode mode = color_mode(screen, pattern, query.color);
    const std::shared_ptr<const PatternForm> form = pattern.form(mode, 1, workers);
    const double factor = verdict.factor > kMostUnshrunk ? verdict.factor : 1;
    const ScreenForm shrunk = screen.form(mode, factor, workers);
    Homography to_shrunk = homography;
    for (std::size_t i = 0; i < 3; ++i) {
        // First from the region to the screen, then to its shrunk copy.
        to_shrunk[i] = (homography[i] + query.region.x * homography[6 + i]) / shrunk.step_x;
        to_shrunk[3 + i] = (homography[3 + i] + query.region.y * homography[6 + i]) / shrunk.step_y;
    }
    return warped_correlation(view_of(shrunk.image->image()), form->pixels(), form->mask_pixels(), to_shrunk, workers);
}

}  // namespace

FeatureVerdict judge_features(const FeatureSet& pattern, const FeatureSet& screen, const FeaturePairs& pairs,
                              std::uint32_t width, std::uint32_t height, const Window& region) {
    FeatureVerdict verdict;
    const Place place = place_by_features(pattern.keypoints, screen.keypoints, pairs.pairs, pairs.homography, width,
                                          height, region.w, region.h);
    if (place.flaw != PlaceFlaw::none) return verdict;
    verdict.quad = place.quad;
    for (Point& corner : verdict.quad.corner) {
        corner.x += region.x;
        corner.y += region.y;
    }
    verdict.factor = std::sqrt(place.area);
    verdict.upright =
        distance_from_upright(verdict.quad, width, height) <= kUpright * std::max(width, height) * verdict.factor;
    verdict.accepted = true;
    return verdict;
}

double feature_reduction(std::uint32_t width, std::uint32_t height, const Window& region) {
    const double enough = std::min(std::sqrt(static_cast<double>(region.w) * region.h / kEnoughPixels),
                                   std::min(width, height) / kEnoughSide);
    double reduction = 1;
    for (const double step : kReductions)
        if (step <= enough) reduction = step;
    return reduction;
}

std::size_t least_feature_places(std::uint32_t width, std::uint32_t height) {
    return std::min(width, height) < kSmallSide ? kLeastPlacesOfSmall : kLeastPlaces;
}

FeatureFinding find_by_features(Screen& screen, Pattern& pattern, const FindQuery& query,
                                const FeatureOperations& operations, const Workers& workers) {
    FeatureFinding finding;
    if (std::min(pattern.width(), pattern.height()) < kLeastSide) return finding;
    workers.check();
    const double reduction = feature_reduction(pattern.width(), pattern.height(), query.region);
    const std::shared_ptr<const FeatureSet> of_pattern =
        pattern.features(operations, reduction, kMostOfPattern, workers);
    const std::size_t places = least_feature_places(pattern.width(), pattern.height());
    if (of_pattern == nullptr || !has_enough_places(of_pattern->keypoints, places)) return finding;
    const std::shared_ptr<const FeatureSet> of_screen =
        screen.features(operations, query.region, reduction, kMostOfScreen, workers);
    if (of_screen == nullptr || !has_enough_places(of_screen->keypoints)) return finding;
    const std::optional<FeaturePairs> pairs = operations.match(*of_pattern, *of_screen, kTolerance * reduction);
    if (!pairs) return finding;
    const FeatureVerdict verdict =
        judge_features(*of_pattern, *of_screen, *pairs, pattern.width(), pattern.height(), query.region);
    if (!verdict.accepted) return finding;
    if (verdict.upright) {
        // A place of the pattern's own size was judged before the fallbacks.
        const bool own_size = std::abs(verdict.factor - 1) <= kUpright;
        if (own_size || verdict.factor < kLeastScaleFound || verdict.factor > kMostScaleFound) return finding;
        const Quad& quad = verdict.quad;
        Point middle;
        for (const Point& corner : quad.corner) {
            middle.x += corner.x / 4;
            middle.y += corner.y / 4;
        }
        finding.hint = {verdict.factor, middle.x - pattern.width() * verdict.factor / 2,
                        middle.y - pattern.height() * verdict.factor / 2, 1, std::max(verdict.factor, 1.0)};
        return finding;
    }
    const double score = look(screen, pattern, query, pairs->homography, verdict, workers);
    if (score < std::max(kLeastCorrelation, query.threshold)) return finding;
    const vdt_match match = match_of(verdict.quad, verdict.factor, score);
    if (!meets(match, query.exclude)) finding.match = match;
    return finding;
}

}  // namespace vedette::host
