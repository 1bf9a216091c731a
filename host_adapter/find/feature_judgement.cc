#include "feature_judgement.h"

#include <algorithm>
#include <cstdio>

namespace vedette::host {
namespace {

template <class... Values>
std::string sentence(const char* format, Values... values) {
    char text[128];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

std::string reason_against(const Place& place, std::uint32_t pairs) {
    switch (place.flaw) {
        case PlaceFlaw::none:
            break;
        case PlaceFlaw::few_inliers:
            return sentence("only %u pairs of keypoints agree on a place; a match has at least %u", place.inliers,
                            kLeastInliers);
        case PlaceFlaw::small_share:
            return sentence("only %u of %u pairs of keypoints agree on a place; a match has at least a quarter",
                            place.inliers, pairs);
        case PlaceFlaw::horizon:
            return "the pattern's corners map to both sides of the horizon";
        case PlaceFlaw::mirrored:
            return "the place is mirrored";
        case PlaceFlaw::not_convex:
            return "the pattern's corners map to no convex figure";
        case PlaceFlaw::area:
            return sentence("the place has %.3g times the pattern's area; a match has %.3g to %.3g times", place.area,
                            kLeastArea, kMostArea);
        case PlaceFlaw::outside:
            return sentence("only %.0f %% of the place lie on the screen; of a match at least %.0f %%",
                            100 * place.inside, 100 * kLeastInside);
    }
    return "";
}

}  // namespace

FeatureJudgement judge(const std::vector<vdt_keypoint>& pattern, const std::vector<vdt_keypoint>& screen,
                       const std::vector<vdt_descriptor_match>& pairs, const Homography& homography, Extent of_pattern,
                       Extent of_screen) {
    FeatureJudgement judgement;
    judgement.pairs = static_cast<std::uint32_t>(pairs.size());
    const Place place = place_by_features(pattern, screen, pairs, homography, of_pattern.width, of_pattern.height,
                                          of_screen.width, of_screen.height);
    judgement.inliers = place.inliers;
    const bool any = std::any_of(homography.begin(), homography.end(), [](double value) { return value != 0; });
    if (!any) {
        judgement.reason = pairs.size() < 4
                               ? sentence("only %u pairs of keypoints are alike; four are needed", judgement.pairs)
                               : "the pairs of keypoints agree on no place";
        return judgement;
    }
    judgement.has_quad = place.has_quad;
    judgement.quad = place.quad;
    judgement.reason = reason_against(place, judgement.pairs);
    judgement.found = place.flaw == PlaceFlaw::none;
    return judgement;
}

}  // namespace vedette::host
