// Values: methods x types x masks x sizes, and rows that lie apart.
#include "boost_test.h"
#include "comparison.h"

namespace vedette::preload_test {
namespace {

namespace bdata = boost::unit_test::data;

struct Sizes {
    int image_w, image_h, pattern_w, pattern_h;
};
std::ostream& operator<<(std::ostream& out, const Sizes& s) {
    return out << s.pattern_w << "x" << s.pattern_h << " on " << s.image_w << "x" << s.image_h;
}
const Sizes sizes[] = {{9, 1, 4, 1},     {1, 9, 1, 5},     {12, 10, 12, 10}, {33, 20, 5, 3},
                       {70, 41, 17, 16}, {67, 50, 33, 35}, {200, 90, 48, 24}};
const int depths[] = {CV_8U, CV_32F};

Case cut(const Sizes& size, int type, int method) {
    Case one;
    one.image = picture({size.image_w, size.image_h}, type, static_cast<std::uint64_t>(size.image_w));
    one.pattern = one.image({(size.image_w - size.pattern_w) / 2, (size.image_h - size.pattern_h) / 2, size.pattern_w,
                             size.pattern_h})
                      .clone();
    one.method = method;
    return one;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(values)

BOOST_AUTO_TEST_CASE(preloaded) {
    BOOST_TEST_REQUIRE(opencv_match_template() != nullptr);
    const MatchTemplate seen = cv::matchTemplate;
    BOOST_TEST((seen != opencv_match_template()), "run with LD_PRELOAD");
}

BOOST_DATA_TEST_CASE(every_method, bdata::make(sizes) * bdata::make(depths) * bdata::xrange(1, 5), size, depth,
                     channels) {
    for (int method = 0; method < 6; ++method)
        BOOST_TEST_CONTEXT("method " << method) expect_same(cut(size, CV_MAKETYPE(depth, channels), method), true);
}

BOOST_DATA_TEST_CASE(masks, bdata::make(sizes) * bdata::xrange(1, 5) * bdata::make({0.3, 0.9}), size, channels, taken) {
    for (int method = 0; method < 6; ++method) {
        const bool divides = method % 2 == 1;
        Case one = cut(size, CV_8UC(channels), method);
        one.mask = random_mask(one.pattern.size(), taken, 5);
        // Under so few pixels a pattern may have no contrast, which is OpenCV's to answer.
        if (divides && one.pattern.total() < 15) continue;
        const bool ours = !divides || channels == 1 || channels == 3;
        BOOST_TEST_CONTEXT("method " << method) expect_same(one, ours);
    }
}

// A mask that takes all, of 1, as many channels, and floats.
BOOST_DATA_TEST_CASE(other_masks, bdata::xrange(6), method) {
    Case one = cut({70, 41, 17, 16}, CV_8UC3, method);
    one.mask = cv::Mat(one.pattern.size(), CV_8U, cv::Scalar(7));
    expect_same(one, true);
    const cv::Mat single = random_mask(one.pattern.size(), 0.5, 9);
    cv::merge(std::vector<cv::Mat>(3, single), one.mask);
    expect_same(one, true);
    cv::Mat real;
    single.convertTo(real, CV_32F, 1. / 255);
    real.at<float>(0, 0) = 1;
    cv::Mat ours, theirs;
    cv::matchTemplate(one.image, one.pattern, ours, method, real);
    BOOST_TEST(last_log_line().find(": cpu:0 ") != std::string::npos);
    opencv_match_template()(one.image, one.pattern, theirs, method, real);
    BOOST_TEST(cv::norm(ours, theirs, cv::NORM_INF) <= 1e-4 * std::max(1., cv::norm(theirs, cv::NORM_INF)));
}

// Parts of larger images, as an input, a mask and a result; what lies around the result stays.
BOOST_DATA_TEST_CASE(parts, bdata::xrange(6) * bdata::make({1, 3, 4}), method, channels) {
    const cv::Mat large = picture({150, 100}, CV_8UC(channels), 3);
    const cv::Mat masks = random_mask({60, 60}, 0.7, 3);
    Case one;
    one.method = method;
    one.image = large({7, 9, 101, 71});
    one.pattern = large({40, 30, 19, 13});
    expect_same(one, true);
    if (channels != 4 || method % 2 == 0) {
        one.mask = masks({3, 5, 19, 13});
        expect_same(one, true);
    }
    cv::Mat whole(80, 120, CV_32F, cv::Scalar(-5)), expected;
    const cv::Rect place(11, 4, 83, 59);
    cv::Mat part = whole(place);
    cv::matchTemplate(one.image, one.pattern, part, method);
    opencv_match_template()(one.image, one.pattern, expected, method, cv::noArray());
    BOOST_TEST(cv::norm(whole(place), expected, cv::NORM_INF) <= 1e-4 * std::max(1., cv::norm(expected, cv::NORM_INF)));
    BOOST_TEST(cv::countNonZero(whole == -5) == static_cast<int>(whole.total()) - place.area());
}

// Screens are mostly flat: there OpenCV gives exact zeros and ones by rules of its own.
BOOST_DATA_TEST_CASE(flat_windows, bdata::xrange(6) * bdata::xrange(1, 5), method, channels) {
    Case one;
    one.method = method;
    for (const double paper : {0., 90., 255.}) {
        one.image = cv::Mat(60, 90, CV_8UC(channels), cv::Scalar::all(paper));
        const cv::Mat thing = picture({12, 9}, CV_8UC(channels), 8);
        thing.copyTo(one.image({40, 20, 12, 9}));
        one.pattern = thing;
        cv::Mat ours, theirs;
        cv::matchTemplate(one.image, one.pattern, ours, method);
        opencv_match_template()(one.image, one.pattern, theirs, method, cv::noArray());
        expect_same(one, true);
        if (method % 2 == 0) continue;
        for (const cv::Point at : {cv::Point(0, 0), cv::Point(70, 5), cv::Point(3, 45)})
            BOOST_TEST(ours.at<float>(at) == theirs.at<float>(at), boost::test_tools::tolerance(1e-4F));
    }
}

// The same best place, which is what tools look at.
BOOST_DATA_TEST_CASE(best_place, bdata::xrange(6), method) {
    const Case one = cut({200, 90, 48, 24}, CV_8UC3, method);
    cv::Mat ours, theirs;
    cv::matchTemplate(one.image, one.pattern, ours, method);
    opencv_match_template()(one.image, one.pattern, theirs, method, cv::noArray());
    cv::Point our_least, our_most, their_least, their_most;
    cv::minMaxLoc(ours, nullptr, nullptr, &our_least, &our_most);
    cv::minMaxLoc(theirs, nullptr, nullptr, &their_least, &their_most);
    if (method == cv::TM_SQDIFF || method == cv::TM_SQDIFF_NORMED)
        BOOST_TEST((our_least == their_least));
    else
        BOOST_TEST((our_most == their_most));
}

BOOST_AUTO_TEST_CASE(differences_seen) {
    for (int method = 0; method < 6; ++method) {
        BOOST_TEST_MESSAGE("method " << method << ": largest difference from OpenCV " << largest_difference(method));
        BOOST_TEST(largest_difference(method) < 1e-4);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::preload_test
