// What goes to OpenCV: the same values, and the same exceptions.
#include "boost_test.h"
#include "comparison.h"

namespace vedette::preload_test {
namespace {

namespace bdata = boost::unit_test::data;

void expect_from_opencv(cv::InputArray image, cv::InputArray pattern, int method, cv::InputArray mask = cv::noArray()) {
    expect_original(image, pattern, method, mask);
    const std::string line = last_log_line();
    BOOST_TEST(line.find(": cpu:0 ") == std::string::npos, line);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(unusual)

BOOST_DATA_TEST_CASE(degenerate_templates, bdata::make({1, 3, 4}), channels) {
    const cv::Mat image = picture({60, 40}, CV_8UC(channels), 1);
    const cv::Mat flat(7, 9, image.type(), cv::Scalar::all(90)), black(7, 9, image.type(), cv::Scalar::all(0));
    expect_from_opencv(image, flat, cv::TM_CCOEFF_NORMED);
    expect_from_opencv(image, image({5, 5, 1, 1}), cv::TM_CCOEFF_NORMED);
    expect_from_opencv(image, black, cv::TM_SQDIFF_NORMED);
    expect_from_opencv(image, black, cv::TM_CCORR_NORMED);
    expect_from_opencv(image, black, cv::TM_CCOEFF_NORMED);
    // The others are well defined, also for a pattern of one pixel.
    for (const int method : {cv::TM_SQDIFF, cv::TM_CCORR, cv::TM_CCOEFF, cv::TM_SQDIFF_NORMED, cv::TM_CCORR_NORMED}) {
        Case one;
        one.image = image;
        one.method = method;
        one.pattern = flat;
        expect_same(one, true);
        one.pattern = image({5, 5, 1, 1});
        expect_same(one, true);
    }
}

BOOST_DATA_TEST_CASE(degenerate_masks, bdata::xrange(6), method) {
    const cv::Mat image = picture({60, 40}, CV_8UC3, 1), pattern = image({10, 10, 9, 7});
    expect_from_opencv(image, pattern, method, cv::Mat(pattern.size(), CV_8U, cv::Scalar(0)));
    // Weights, and channels that differ.
    expect_from_opencv(image, pattern, method, cv::Mat(pattern.size(), CV_32F, cv::Scalar(0.5)));
    expect_from_opencv(image, pattern, method, cv::Mat(pattern.size(), CV_8UC3, cv::Scalar(1, 0, 1)));
}

BOOST_DATA_TEST_CASE(other_types, bdata::xrange(6), method) {
    const cv::Mat bytes = picture({60, 40}, CV_8UC1, 1);
    cv::Mat words, doubles, fractions;
    bytes.convertTo(words, CV_16U, 257);
    bytes.convertTo(doubles, CV_64F);
    bytes.convertTo(fractions, CV_32F, 1. / 255);
    const cv::Rect part(10, 10, 9, 7);
    expect_from_opencv(words, words(part), method);
    expect_from_opencv(doubles, doubles(part), method);
    expect_from_opencv(fractions, fractions(part), method);
    expect_from_opencv(bytes, words(part), method);
    // An exception, or memory that nobody wrote.
    for (const bool empty_image : {false, true}) {
        const auto code = [&](MatchTemplate match) {
            try {
                cv::Mat result;
                match(empty_image ? cv::Mat() : bytes, empty_image ? bytes : cv::Mat(), result, method, cv::noArray());
                return 0;
            } catch (const cv::Exception& exception) {
                return exception.code;
            }
        };
        BOOST_TEST(code(cv::matchTemplate) == code(opencv_match_template()));
        BOOST_TEST(last_log_line().find(": cpu:0 ") == std::string::npos);
    }
    cv::Mat odd;
    bytes.convertTo(odd, CV_32F);
    cv::Mat odd_pattern = odd(part).clone();
    for (const float value : {-1.F, 256.F, 0.25F, 1e30F}) {
        odd.at<float>(3, 3) = value;
        expect_from_opencv(odd, odd_pattern, method);
    }
    odd.at<float>(3, 3) = std::numeric_limits<float>::quiet_NaN();
    expect_from_opencv(odd, odd_pattern, method);
}

BOOST_DATA_TEST_CASE(other_sizes, bdata::xrange(6), method) {
    const cv::Mat image = picture({60, 40}, CV_8UC1, 1), wide = picture({70, 20}, CV_8UC1, 2);
    const cv::Mat larger = picture({70, 50}, CV_8UC1, 2);
    expect_from_opencv(image, wide, method);    // larger in one direction: an exception
    expect_from_opencv(image, larger, method);  // in both: OpenCV exchanges them
    expect_from_opencv(image, image({1, 1, 9, 7}), method, cv::Mat(5, 5, CV_8U, cv::Scalar(1)));
    expect_from_opencv(image, image({1, 1, 9, 7}), method, cv::Mat(7, 9, CV_16U, cv::Scalar(1)));
    expect_from_opencv(image, image({1, 1, 9, 7}), method, cv::Mat(7, 9, CV_8UC2, cv::Scalar(1, 1)));
}

BOOST_AUTO_TEST_CASE(other_methods) {
    const cv::Mat image = picture({60, 40}, CV_8UC1, 1);
    for (const int method : {-1, 6, 1000, -2147483647}) expect_from_opencv(image, image({1, 1, 9, 7}), method);
}

BOOST_AUTO_TEST_CASE(other_arrays) {
    const cv::Mat image = picture({60, 40}, CV_8UC1, 1), pattern = image({10, 10, 9, 7}).clone();
    const int method = cv::TM_SQDIFF;
    expect_from_opencv(image.getUMat(cv::ACCESS_READ), pattern.getUMat(cv::ACCESS_READ), method);
    const std::vector<unsigned char> row = {9, 8, 1, 2, 3}, piece = {1, 2};
    expect_from_opencv(row, piece, method);
    cv::Mat expected;
    opencv_match_template()(image, pattern, expected, method, cv::noArray());
    cv::UMat device;
    cv::matchTemplate(image, pattern, device, method);
    BOOST_TEST(cv::norm(device.getMat(cv::ACCESS_READ), expected, cv::NORM_INF) <=
               1e-4 * cv::norm(expected, cv::NORM_INF));
    cv::Mat_<float> typed;
    cv::matchTemplate(image, pattern, typed, method);
    BOOST_TEST(cv::norm(typed, expected, cv::NORM_INF) <= 1e-4 * cv::norm(expected, cv::NORM_INF));
    cv::matchTemplate(image + 0, pattern, typed, method);
    BOOST_TEST(cv::norm(typed, expected, cv::NORM_INF) <= 1e-4 * cv::norm(expected, cv::NORM_INF));
    cv::Mat_<double> wrong;
    BOOST_CHECK_THROW(cv::matchTemplate(image, pattern, wrong, method), cv::Exception);
}

// A result that is an input: OpenCV's business.
BOOST_AUTO_TEST_CASE(result_is_an_input) {
    const cv::Mat image = picture({60, 40}, CV_32FC1, 1), pattern(1, 1, CV_32F, cv::Scalar(3));
    cv::Mat ours = image.clone(), theirs = image.clone();
    cv::matchTemplate(ours, pattern, ours, cv::TM_SQDIFF);
    opencv_match_template()(theirs, pattern, theirs, cv::TM_SQDIFF, cv::noArray());
    BOOST_TEST(cv::norm(ours, theirs, cv::NORM_INF) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::preload_test
