#include "feature_place.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace vedette::host {
namespace {

// One corner of a picture may be several keypoints, of several sizes and directions.
std::pair<std::int64_t, std::int64_t> spot_of(const vdt_keypoint& keypoint) {
    return {std::llround(static_cast<double>(keypoint.x)), std::llround(static_cast<double>(keypoint.y))};
}

PlaceFlaw flaw_of_turns(const Quad& quad) {
    if (convex_and_not_mirrored(quad)) return PlaceFlaw::none;
    Quad reversed = quad;
    std::reverse(reversed.corner.begin(), reversed.corner.end());
    return convex_and_not_mirrored(reversed) ? PlaceFlaw::mirrored : PlaceFlaw::not_convex;
}

}  // namespace

bool has_enough_places(const std::vector<vdt_keypoint>& keypoints, std::size_t least) {
    std::set<std::pair<std::int64_t, std::int64_t>> spots;
    for (const vdt_keypoint& keypoint : keypoints)
        if (spots.insert(spot_of(keypoint)).second && spots.size() == least) return true;
    return false;
}

Place place_by_features(const std::vector<vdt_keypoint>& pattern, const std::vector<vdt_keypoint>& region,
                        const std::vector<vdt_descriptor_match>& pairs, const Homography& homography,
                        double pattern_width, double pattern_height, double region_width, double region_height) {
    Place place;
    const auto refused = [&place](PlaceFlaw flaw) {
        if (place.flaw == PlaceFlaw::none) place.flaw = flaw;
    };
    std::set<std::pair<std::int64_t, std::int64_t>> of_pattern, of_region;
    std::size_t agreeing = 0;
    for (const vdt_descriptor_match& pair : pairs) {
        if (pair.inlier == 0) continue;
        ++agreeing;
        of_pattern.insert(spot_of(pattern[pair.query]));
        of_region.insert(spot_of(region[pair.train]));
    }
    place.inliers = static_cast<std::uint32_t>(std::min(of_pattern.size(), of_region.size()));
    if (place.inliers < kLeastInliers) refused(PlaceFlaw::few_inliers);
    if (static_cast<double>(agreeing) < kLeastShare * static_cast<double>(pairs.size()))
        refused(PlaceFlaw::small_share);

    place.has_quad = transform_rectangle(homography, pattern_width, pattern_height, place.quad);
    if (!place.has_quad) {
        refused(PlaceFlaw::horizon);
        return place;
    }
    if (const PlaceFlaw flaw = flaw_of_turns(place.quad); flaw != PlaceFlaw::none) {
        refused(flaw);
        return place;
    }
    place.area = area(place.quad) / (pattern_width * pattern_height);
    if (!(place.area >= kLeastArea && place.area <= kMostArea)) refused(PlaceFlaw::area);
    place.inside = share_inside(place.quad, 0, 0, region_width, region_height);
    if (!(place.inside >= kLeastInside)) refused(PlaceFlaw::outside);
    return place;
}

}  // namespace vedette::host
