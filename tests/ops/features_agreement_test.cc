// features: against OpenCV on real screens, and for what is found again, and paired rightly, after a change.
#include <algorithm>
#include <cmath>

#include "feature_checks.h"

#ifdef VEDETTE_TESTS_OPENCV_FEATURES
#include <opencv2/features2d.hpp>
#endif

namespace vedette::ops {

namespace {

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
    BOOST_CHECK_LE(found.descriptor, 4);
}

#endif

// Pairs whose places the homography maps to each other.
std::size_t right_pairs(const Keypoints& query, const Keypoints& train, const Matches& matches,
                        const std::array<double, 9>& homography) {
    std::size_t right = 0;
    for (const vdt_descriptor_match& pair : matches.pairs) {
        const vdt_keypoint& from = query.points[pair.query];
        const Point to = mapped(homography, {static_cast<double>(from.x), static_cast<double>(from.y)});
        right += distance(train.points[pair.train], to) <= 2.5 ? 1U : 0U;
    }
    return right;
}

// How well two pictures were put on each other.
struct Fit {
    std::size_t inliers = 0;
    std::array<double, 9> homography{};
};

Fit fit_of(const Keypoints& query, const Keypoints& train) {
    const Matches matches = matches_of(backend(), query, train);
    BOOST_REQUIRE_MESSAGE(matches.code == VDT_OK, matches.text);
    Fit fit{0, matches.homography};
    for (const vdt_descriptor_match& pair : matches.pairs) fit.inliers += pair.inlier != 0 ? 1U : 0U;
    return fit;
}

// The largest distance between the places that two homographies give the corners of a picture.
double corner_error(const std::array<double, 9>& a, const std::array<double, 9>& b, const TestImage& picture) {
    double largest = 0;
    const double right = picture.width() - 1.0, bottom = picture.height() - 1.0;
    for (const Point corner : {Point{0, 0}, Point{right, 0}, Point{right, bottom}, Point{0, bottom}}) {
        const Point one = mapped(a, corner), other = mapped(b, corner);
        largest = std::max(largest, std::hypot(one.x - other.x, one.y - other.y));
    }
    return largest;
}

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

// What is found again after a change, and paired rightly by descriptors.
BOOST_AUTO_TEST_CASE(changed_pictures) {
    if (!backend_has(VDT_OP_FEATURES, "features") || !backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    const TestImage screen = sample_screen();
    const TestImage picture = screen.crop(screen.width() / 2 - 200, screen.height() / 2 - 150, 400, 300);
    const Change changes[] = {{.angle = 0, .scale = 1, .gain = 0.7, .offset = 30},
                              {.angle = 17},
                              {.angle = 90},
                              {.angle = 200, .scale = 0.8},
                              {.scale = 0.6},
                              {.angle = 5, .scale = 1.6, .gain = 0.8},
                              {.angle = -10, .scale = 0.9, .perspective = 4e-4}};
    const Keypoints before = features_of(backend(), picture);
    for (const Change& change : changes) {
        const std::array<double, 9> h = homography_of(change, picture);
        const Keypoints after = features_of(backend(), changed(picture, change));
        const Matches matches = matches_of(backend(), before, after);
        BOOST_REQUIRE_EQUAL(matches.code, VDT_OK);
        const std::size_t right = right_pairs(before, after, matches, h);
        BOOST_TEST_MESSAGE("turned " << change.angle << ", scaled " << change.scale << ": " << before.points.size()
                                     << " and " << after.points.size() << " keypoints, " << matches.pairs.size()
                                     << " pairs, " << right << " right");
        // The screen repeats itself: many of its corners look alike.
        BOOST_CHECK_GE(static_cast<double>(right), 0.65 * static_cast<double>(matches.pairs.size()));
        BOOST_CHECK_GE(right, 25);
        for (const Point corner : {Point{60, 60}, Point{340, 60}, Point{340, 240}, Point{60, 240}}) {
            const Point is = mapped(matches.homography, corner), should = mapped(h, corner);
            BOOST_CHECK_LE(std::hypot(is.x - should.x, is.y - should.y), 2.5);
        }
#ifdef VEDETTE_TESTS_OPENCV_FEATURES
        const Keypoints their_before = by_opencv(picture), their_after = by_opencv(changed(picture, change));
        const Matches theirs = matches_of(backend(), their_before, their_after);
        BOOST_CHECK_GE(static_cast<double>(right),
                       0.95 * static_cast<double>(right_pairs(their_before, their_after, theirs, h)));
#endif
    }
}

// Pairs that differ in angle, in light, in scale, and in all of them [the protocol of Xu and Wang, J. Computer
// Applications 2016]: every pair is put on each other by its homography, as well as with OpenCV's keypoints.
BOOST_AUTO_TEST_CASE(pairs_that_differ) {
    if (!backend_has(VDT_OP_FEATURES, "features") || !backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    const Change changes[] = {{.angle = 30},
                              {.gain = 0.5, .offset = 20},
                              {.scale = 0.7},
                              {.angle = -50, .scale = 0.8, .gain = 0.7, .offset = 50}};
    std::uint32_t seed = 40;
    double mean_error = 0;
#ifdef VEDETTE_TESTS_OPENCV_FEATURES
    double their_mean_error = 0;
#endif
    for (const auto& [width, height] : {std::pair{320U, 300U}, std::pair{512U, 512U}}) {
        Random random(++seed);
        const TestImage picture = screen_image(random, VDT_FORMAT_GRAY8, width, height);
        const Keypoints before = features_of(backend(), picture);
#ifdef VEDETTE_TESTS_OPENCV_FEATURES
        const Keypoints their_before = by_opencv(picture);
#endif
        for (const Change& change : changes)
            BOOST_TEST_CONTEXT(width << " x " << height << ", turned " << change.angle << ", scaled " << change.scale
                                     << ", light times " << change.gain) {
                const TestImage other = changed(picture, change);
                const std::array<double, 9> truth = homography_of(change, picture);
                const Fit ours = fit_of(before, features_of(backend(), other));
                const double error = corner_error(ours.homography, truth, picture);
                BOOST_CHECK_GE(ours.inliers, 20);
                // One pair at an edge that is wrong by a little less than an inlier may be turns corners by pixels.
                BOOST_CHECK_LE(error, 4);
                mean_error += error / 8;
#ifdef VEDETTE_TESTS_OPENCV_FEATURES
                const Fit theirs = fit_of(their_before, by_opencv(other));
                const double their_error = corner_error(theirs.homography, truth, picture);
                BOOST_TEST_MESSAGE(width << " x " << height << ", turned " << change.angle << ", scaled "
                                         << change.scale << ", light times " << change.gain << ": " << ours.inliers
                                         << " inliers, corners off by " << error << "; with OpenCV's keypoints "
                                         << theirs.inliers << ", " << their_error);
                BOOST_CHECK_GE(static_cast<double>(ours.inliers), 0.95 * static_cast<double>(theirs.inliers));
                their_mean_error += their_error / 8;
#endif
            }
    }
    BOOST_CHECK_LE(mean_error, 1);
#ifdef VEDETTE_TESTS_OPENCV_FEATURES
    BOOST_TEST_MESSAGE("corners off by " << mean_error << " in the mean, with OpenCV's keypoints by "
                                         << their_mean_error);
    BOOST_CHECK_LE(mean_error, their_mean_error + 0.5);
#endif
}

#ifdef VEDETTE_TESTS_OPENCV_FEATURES

// OpenCV's own pair, a box and a desk on which it lies: no truth is known, but OpenCV's.
BOOST_AUTO_TEST_CASE(public_pair) {
    if (!backend_has(VDT_OP_FEATURES, "features") || !backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    const TestImage box = real_picture("opencv/box.png"), scene = real_picture("opencv/box_in_scene.png");
    if (box.format() == VDT_FORMAT_NONE || scene.format() == VDT_FORMAT_NONE) return;
    const Fit ours = fit_of(features_of(backend(), box), features_of(backend(), scene));
    const Fit theirs = fit_of(by_opencv(box), by_opencv(scene));
    const double apart = corner_error(ours.homography, theirs.homography, box);
    BOOST_TEST_MESSAGE(ours.inliers << " inliers, with OpenCV's keypoints " << theirs.inliers << "; corners differ by "
                                    << apart);
    BOOST_CHECK_GE(static_cast<double>(ours.inliers), 0.95 * static_cast<double>(theirs.inliers));
    BOOST_CHECK_LE(apart, 2);
}

#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
