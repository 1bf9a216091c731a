#include "feature_checks.h"

#include <algorithm>
#include <cmath>

namespace vedette::ops {

double distance(const vdt_keypoint& a, Point b) {
    return std::hypot(static_cast<double>(a.x) - b.x, static_cast<double>(a.y) - b.y);
}

double turn(double a, double b) {
    const double d = std::fabs(a - b);
    return std::min(d, 360 - d);
}

void check_well_formed(const Keypoints& found, const TestImage& image) {
    float response = INFINITY;
    for (std::size_t i = 0; i < found.points.size(); ++i) {
        const vdt_keypoint& point = found.points[i];
        BOOST_REQUIRE(point.x >= 0 && point.x < static_cast<float>(image.width()));
        BOOST_REQUIRE(point.y >= 0 && point.y < static_cast<float>(image.height()));
        BOOST_REQUIRE(point.size > 0 && point.angle >= 0 && point.angle < 360);
        BOOST_REQUIRE(point.response <= response);
        response = point.response;
        double squares = 0;
        for (const float value : found.descriptors[i]) {
            BOOST_REQUIRE(value >= 0 && value <= 255 && value == std::floor(value));
            squares += static_cast<double>(value) * static_cast<double>(value);
        }
        // 512, less what rounding and saturation take.
        BOOST_REQUIRE(std::sqrt(squares) > 400 && std::sqrt(squares) < 530);
    }
}

}  // namespace vedette::ops
