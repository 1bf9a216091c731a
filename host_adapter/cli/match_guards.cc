#include "match_guards.h"

#include "table.h"

#include <algorithm>

namespace vedette::cli {

namespace {

using host::PlaceFlaw;

std::string reason_against(const host::Place& place, std::uint32_t pairs) {
    switch (place.flaw) {
        case PlaceFlaw::none:
            break;
        case PlaceFlaw::few_inliers:
            return format("only %u pairs of keypoints agree on a place; a match has at least %u", place.inliers,
                          host::kLeastInliers);
        case PlaceFlaw::small_share:
            return format("only %u of %u pairs of keypoints agree on a place; a match has at least a quarter",
                          place.inliers, pairs);
        case PlaceFlaw::horizon:
            return "the pattern's corners map to both sides of the horizon";
        case PlaceFlaw::mirrored:
            return "the place is mirrored";
        case PlaceFlaw::not_convex:
            return "the pattern's corners map to no convex figure";
        case PlaceFlaw::area:
            return format("the place has %.3g times the pattern's area; a match has %.3g to %.3g times", place.area,
                          host::kLeastArea, host::kMostArea);
        case PlaceFlaw::outside:
            return format("only %.0f %% of the place lie on the screen; of a match at least %.0f %%",
                          100 * place.inside, 100 * host::kLeastInside);
    }
    return "";
}

}  // namespace

Judgement judge(const Matching& matching, Extent pattern, Extent screen) {
    Judgement judgement;
    judgement.pairs = static_cast<std::uint32_t>(matching.pairs.size());
    const host::Place place = host::place_by_features(matching.pattern, matching.screen, matching.pairs,
                                                      host::shifted(matching.homography, host::kKeypointToEdge),
                                                      pattern.width, pattern.height, screen.width, screen.height);
    judgement.inliers = place.inliers;
    const bool any =
        std::any_of(matching.homography.begin(), matching.homography.end(), [](double value) { return value != 0; });
    if (!any) {
        judgement.reason = matching.pairs.size() < 4
                               ? format("only %u pairs of keypoints are alike; four are needed", judgement.pairs)
                               : "the pairs of keypoints agree on no place";
        return judgement;
    }
    judgement.has_quad = place.has_quad;
    judgement.quad = place.quad;
    judgement.reason = reason_against(place, judgement.pairs);
    judgement.found = place.flaw == PlaceFlaw::none;
    return judgement;
}

}  // namespace vedette::cli
