// features: against OpenCV on real screens, against closed forms, and for what changed pictures keep.
#include <algorithm>
#include <cmath>
#include <set>

#include "feature_pictures.h"

#ifdef VEDETTE_TESTS_OPENCV_FEATURES
#include <opencv2/features2d.hpp>
#endif

namespace vedette::ops {

namespace {

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

#ifdef VEDETTE_TESTS_OPENCV_FEATURES

Keypoints by_opencv(const TestImage& image, const vdt_features_params& params = usual_features()) {
    cv::Mat pixels(static_cast<int>(image.height()), static_cast<int>(image.width()), CV_8U);
    for (std::uint32_t y = 0; y < image.height(); ++y)
        for (std::uint32_t x = 0; x < image.width(); ++x)
            pixels.at<unsigned char>(static_cast<int>(y), static_cast<int>(x)) =
                static_cast<unsigned char>(image.at(x, y));
    const auto sift = cv::SIFT::create(0, static_cast<int>(params.octave_layers), params.contrast_threshold,
                                       params.edge_threshold, params.sigma);
    std::vector<cv::KeyPoint> points;
    cv::Mat descriptors;
    sift->detectAndCompute(pixels, cv::noArray(), points, descriptors);
    Keypoints found;
    for (std::size_t i = 0; i < points.size(); ++i) {
        vdt_keypoint point{};
        point.x = points[i].pt.x;
        point.y = points[i].pt.y;
        point.size = points[i].size;
        point.angle = points[i].angle;
        point.response = points[i].response;
        point.octave = points[i].octave;
        found.points.push_back(point);
        Descriptor descriptor;
        std::copy_n(descriptors.ptr<float>(static_cast<int>(i)), descriptor_length, descriptor.begin());
        found.descriptors.push_back(descriptor);
    }
    found.needed = found.points.size();
    return found;
}

struct Agreement {
    double place = 0;       // share of keypoints that the other has within half a pixel, of nearly the same size
    double direction = 0;   // share that the other has with a direction within 5 degrees, too
    double descriptor = 0;  // of those: mean distance of the descriptors (their norm is 512)
};

Agreement agreement_of(const Keypoints& from, const Keypoints& to) {
    std::vector<std::size_t> order(to.points.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return to.points[a].y < to.points[b].y; });
    Agreement agreement;
    double described = 0;
    for (std::size_t i = 0; i < from.points.size(); ++i) {
        const vdt_keypoint& point = from.points[i];
        auto at = std::lower_bound(order.begin(), order.end(), point.y - 0.5F,
                                   [&](std::size_t a, float y) { return to.points[a].y < y; });
        bool place = false;
        double nearest = 5;
        std::size_t same = to.points.size();
        for (; at != order.end() && to.points[*at].y <= point.y + 0.5F; ++at) {
            const vdt_keypoint& other = to.points[*at];
            if (distance(other, {static_cast<double>(point.x), static_cast<double>(point.y)}) > 0.5 ||
                std::fabs(std::log(other.size / point.size)) > 0.1F)
                continue;
            place = true;
            const double angle = turn(static_cast<double>(other.angle), static_cast<double>(point.angle));
            if (angle > nearest) continue;
            nearest = angle;
            same = *at;
        }
        agreement.place += place ? 1 : 0;
        if (same == to.points.size()) continue;
        ++described;
        double squares = 0;
        for (std::size_t k = 0; k < descriptor_length; ++k) {
            const double d = static_cast<double>(from.descriptors[i][k]) - static_cast<double>(to.descriptors[same][k]);
            squares += d * d;
        }
        agreement.descriptor += std::sqrt(squares);
    }
    const auto count = static_cast<double>(from.points.size());
    agreement.place /= count;
    agreement.direction = described / count;
    agreement.descriptor /= described;
    return agreement;
}

void check_agreement(const TestImage& image, const vdt_features_params& params = usual_features()) {
    const Keypoints is = features_of(backend(), image, TestImage::none(), params, 60000),
                    should = by_opencv(image, params);
    BOOST_REQUIRE_MESSAGE(is.code == VDT_OK, is.text);
    check_well_formed(is, image);
    const Agreement found = agreement_of(should, is), right = agreement_of(is, should);
    BOOST_TEST_MESSAGE(is.points.size() << " keypoints, OpenCV " << should.points.size() << "; OpenCV's found "
                                        << found.place << " / " << found.direction << ", ours right " << right.place
                                        << " / " << right.direction << ", descriptors differ by " << found.descriptor);
    BOOST_CHECK_GE(found.place, 0.97);
    BOOST_CHECK_GE(right.place, 0.97);
    BOOST_CHECK_GE(found.direction, 0.96);
    BOOST_CHECK_GE(right.direction, 0.96);
    BOOST_CHECK_LE(found.descriptor, 12);
}

#endif

}  // namespace

BOOST_AUTO_TEST_SUITE(features)

#ifdef VEDETTE_TESTS_OPENCV_FEATURES

BOOST_AUTO_TEST_CASE(as_opencv_on_screens) {
    if (!backend_has(VDT_OP_FEATURES, "features")) return;
    check_agreement(sample_screen());
    for (const char* const name : {"opencv/box.png", "opencv/box_in_scene.png"}) {
        const TestImage picture = real_picture(name);
        if (picture.format() != VDT_FORMAT_NONE) check_agreement(picture);
    }
}

BOOST_AUTO_TEST_CASE(as_opencv_with_other_parameters) {
    if (!backend_has(VDT_OP_FEATURES, "features")) return;
    const TestImage screen = sample_screen();
    vdt_features_params params = usual_features();
    params.octave_layers = 5;
    params.sigma = 1.2;
    params.contrast_threshold = 0.08;
    params.edge_threshold = 6;
    check_agreement(screen, params);
    params = usual_features();
    params.octave_layers = 1;
    params.sigma = 2.1;
    params.contrast_threshold = 0.02;
    params.edge_threshold = 20;
    check_agreement(screen, params);
}

#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
