// vedette/opencv.hpp against OpenCV's own functions of the same names.
#define BOOST_TEST_MODULE opencv_header
#include <vedette/opencv.hpp>

#include <algorithm>
#include <opencv2/objdetect.hpp>
#include <set>

#include "boost_test.h"

namespace vedette {
namespace {

namespace bdata = boost::unit_test::data;

cv::Mat noise(cv::Size size, int type, std::uint64_t seed) {
    cv::RNG random(seed);
    cv::Mat made(size, type);
    random.fill(made, cv::RNG::UNIFORM, 0, 256);
    cv::GaussianBlur(made, made, {5, 5}, 1.5);
    return made;
}

double difference(const cv::Mat& a, const cv::Mat& b) {
    BOOST_TEST_REQUIRE((a.size() == b.size() && a.type() == b.type()));
    return cv::norm(a, b, cv::NORM_INF) / std::max(1., cv::norm(b, cv::NORM_INF));
}

}  // namespace

BOOST_DATA_TEST_CASE(match_template, bdata::xrange(6) * bdata::xrange(1, 5), method, channels) {
    const cv::Mat image = noise({160, 120}, CV_8UC(channels), 3)({3, 2, 140, 110});
    const cv::Mat pattern = image({40, 30, 21, 17});
    cv::Mat ours, theirs;
    const opencv::Run run = opencv::matchTemplate(image, pattern, ours, method);
    BOOST_TEST((run.backend == "OpenCV") == (channels == 2 || channels == 4));
    cv::matchTemplate(image, pattern, theirs, method);
    BOOST_TEST(difference(ours, theirs) < 1e-4);
    cv::Mat mask(pattern.size(), CV_8U, cv::Scalar(0));
    mask({2, 3, 15, 11}) = 1;
    opencv::matchTemplate(image, pattern, ours, method, mask);
    cv::matchTemplate(image, pattern, theirs, method, mask);
    BOOST_TEST(difference(ours, theirs) < 1e-4);
    cv::UMat device;
    opencv::matchTemplate(image, pattern, device, method);
    cv::matchTemplate(image, pattern, theirs, method);
    BOOST_TEST(difference(device.getMat(cv::ACCESS_READ), theirs) < 1e-4);
}

BOOST_AUTO_TEST_CASE(match_template_of_other_kinds) {
    const cv::Mat image = noise({60, 40}, CV_8U, 3);
    cv::Mat real, ours, theirs;
    image.convertTo(real, CV_32F, 0.01);
    BOOST_TEST(opencv::matchTemplate(real, real({3, 4, 9, 7}), ours, cv::TM_SQDIFF).backend == "OpenCV");
    cv::matchTemplate(real, real({3, 4, 9, 7}), theirs, cv::TM_SQDIFF);
    BOOST_TEST(difference(ours, theirs) == 0);
    BOOST_CHECK_THROW(opencv::matchTemplate(image, noise({70, 10}, CV_8U, 1), ours, 0), cv::Exception);
    BOOST_CHECK_THROW(opencv::matchTemplate(image, image, ours, 6), cv::Exception);
    // Always finite.
    opencv::matchTemplate(image, cv::Mat(7, 9, CV_8U, cv::Scalar(90)), ours, cv::TM_CCOEFF_NORMED);
    BOOST_TEST(cv::countNonZero(ours) == 0);
}

BOOST_AUTO_TEST_CASE(backends) {
    const auto pairs = opencv::getAvailableBackends();
    BOOST_TEST((std::find(pairs.begin(), pairs.end(), std::pair<std::string, int>("cpu", 0)) != pairs.end()));
    BOOST_TEST((opencv::getAvailableTargets("cpu") == std::vector<int>{0}));
    BOOST_TEST(opencv::getAvailableTargets("none").empty());
    opencv::setPreferableBackend("cpu");
    opencv::setPreferableTarget(0);
    const cv::Mat image = noise({60, 40}, CV_8U, 3);
    cv::Mat scores;
    const opencv::Run run = opencv::matchTemplate(image, image({3, 4, 9, 7}), scores, cv::TM_CCORR);
    BOOST_TEST(run.backend == "cpu");
    BOOST_TEST(run.milliseconds > 0);
    BOOST_TEST(!run.why.empty());
    BOOST_CHECK_THROW(opencv::setPreferableBackend("none"), Error);
    BOOST_CHECK_THROW(opencv::setPreferableTarget(77), Error);
    opencv::setPreferableBackend("auto");
}

BOOST_AUTO_TEST_CASE(cascade_classifier) {
    const std::string file = VEDETTE_CASCADES "/haarcascade_frontalface_default.xml";
    cv::CascadeClassifier reference;
    if (!std::ifstream(file) || !reference.load(file)) {
        BOOST_TEST_MESSAGE("skipped: " << file << " is not there; install opencv-data");
        return;
    }
    opencv::CascadeClassifier empty, damaged(__FILE__), absent("/nonexistent.xml"), classifier(file);
    BOOST_TEST(empty.empty());
    BOOST_TEST(damaged.empty());
    BOOST_TEST(absent.empty());
    BOOST_TEST_REQUIRE(!classifier.empty());
    std::vector<cv::Rect> ours, theirs;
    std::vector<int> our_counts, their_counts;
    BOOST_CHECK_THROW(empty.detectMultiScale(noise({60, 60}, CV_8U, 1), ours), cv::Exception);
    for (const int neighbors : {0, 1})
        for (const int channels : {1, 3}) {
            // Blobs, of which some windows pass for faces.
            cv::Mat image = noise({200, 150}, CV_8UC(channels), 12);
            cv::GaussianBlur(image, image, {0, 0}, 6);
            cv::normalize(image, image, 0, 255, cv::NORM_MINMAX);
            classifier.detectMultiScale(image, ours, our_counts, 1.05, neighbors);
            reference.detectMultiScale(image, theirs, their_counts, 1.05, neighbors);
            const auto key = [](const cv::Rect& r) { return std::vector<int>{r.x, r.y, r.width, r.height}; };
            std::multiset<std::vector<int>> a, b;
            for (const cv::Rect& r : ours) a.insert(key(r));
            for (const cv::Rect& r : theirs) b.insert(key(r));
            BOOST_TEST((a == b), "neighbors " << neighbors << ": " << a.size() << " instead of " << b.size());
            BOOST_TEST(ours.size() == our_counts.size());
            if (neighbors == 0) BOOST_TEST(!b.empty(), "nothing was compared");
        }
}

BOOST_AUTO_TEST_CASE(sift) {
    const cv::Mat image = noise({320, 240}, CV_8UC3, 9);
    const cv::Ptr<cv::Feature2D> ours = opencv::SIFT::create(), theirs = cv::SIFT::create();
    std::vector<cv::KeyPoint> a, b;
    cv::Mat rows_a, rows_b;
    ours->detectAndCompute(image, cv::noArray(), a, rows_a);
    theirs->detectAndCompute(image, cv::noArray(), b, rows_b);
    BOOST_TEST(rows_a.rows == static_cast<int>(a.size()));
    BOOST_TEST(rows_a.cols == 128);
    BOOST_TEST(b.size() > 50u);
    // The same points with the same descriptors, but for one in fifty on a decision's edge.
    std::size_t same = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j)
            if (cv::norm(a[i].pt - b[j].pt) < 0.1F && std::abs(a[i].angle - b[j].angle) < 1) {
                same += cv::norm(rows_a.row(static_cast<int>(i)), rows_b.row(static_cast<int>(j))) < 40 ? 1 : 0;
                break;
            }
    BOOST_TEST(same * 50 >= b.size() * 49, same << " of " << b.size() << " and " << a.size());
    BOOST_TEST(a.size() <= b.size() + b.size() / 50);
    ours->detect(image, a);
    BOOST_TEST(a.size() == static_cast<std::size_t>(rows_a.rows));
    const cv::Ptr<cv::Feature2D> few = opencv::SIFT::create(20);
    few->detect(image, a);
    BOOST_TEST(a.size() == 20u);
    BOOST_CHECK_THROW(ours->compute(image, b, rows_b), cv::Exception);
}

}  // namespace vedette
