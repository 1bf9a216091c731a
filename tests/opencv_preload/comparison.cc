#include "comparison.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "boost_test.h"

namespace vedette::preload_test {
namespace {

std::array<double, 6> largest{};

// How large the terms are from which OpenCV's float arithmetic makes a value: root of the largest energy of a window
// times the pattern's. Its result is good to a few units in the last place of that, and no better.
double term_size(const Case& one) {
    cv::Mat image, pattern;
    one.image.reshape(1).convertTo(image, CV_64F);
    one.pattern.reshape(1).convertTo(pattern, CV_64F);
    cv::Mat integral, squares;
    cv::integral(one.image.reshape(1), integral, squares, CV_64F, CV_64F);
    const int w = one.pattern.cols * one.pattern.channels(), h = one.pattern.rows;
    double most = 0;
    for (int y = 0; y + h < squares.rows; ++y)
        for (int x = 0; x + w < squares.cols; ++x)
            most = std::max(most, squares.at<double>(y + h, x + w) - squares.at<double>(y, x + w) -
                                      squares.at<double>(y + h, x) + squares.at<double>(y, x));
    return std::sqrt(most * pattern.dot(pattern));
}

// Window energies about the mean (CCOEFF_NORMED) or as they are, under the mask; a double for each cell.
cv::Mat window_energies(const Case& one) {
    cv::Mat energies(one.image.rows - one.pattern.rows + 1, one.image.cols - one.pattern.cols + 1, CV_64F);
    cv::Mat image;
    one.image.convertTo(image, CV_64F);
    const int channels = one.image.channels();
    for (int y = 0; y < energies.rows; ++y)
        for (int x = 0; x < energies.cols; ++x) {
            double energy = 0;
            for (int c = 0; c < channels; ++c) {
                double sum = 0, square = 0, count = 0;
                for (int j = 0; j < one.pattern.rows; ++j)
                    for (int i = 0; i < one.pattern.cols; ++i) {
                        if (!one.mask.empty() && one.mask.reshape(1).at<unsigned char>(j, i * one.mask.channels()) == 0)
                            continue;
                        const double value = image.ptr<double>(y + j)[(x + i) * channels + c];
                        sum += value;
                        square += value * value;
                        ++count;
                    }
                energy += one.method == cv::TM_CCOEFF_NORMED ? square - sum * sum / count : square;
            }
            energies.at<double>(y, x) = std::max(energy, 0.0);
        }
    return energies;
}

double pattern_energy(Case one) {
    one.image = one.pattern;
    return window_energies(one).at<double>(0, 0);
}

bool is_normed(int method) {
    return method % 2 == 1;
}

}  // namespace

MatchTemplate opencv_match_template() {
    static const auto function = [] {
        void* const library = ::dlopen(VEDETTE_OPENCV_IMGPROC, RTLD_NOW);
        void* const found = ::dlsym(library, "_ZN2cv13matchTemplateERKNS_11_InputArrayES2_RKNS_12_OutputArrayEiS2_");
        return reinterpret_cast<MatchTemplate>(found);
    }();
    return function;
}

std::string last_log_line() {
    std::ifstream file(std::getenv("VEDETTE_LOG"));
    std::string line, last;
    while (std::getline(file, line)) last = line;
    return last;
}

double largest_difference(int method) {
    return largest[static_cast<std::size_t>(method)];
}

void expect_same(const Case& one, bool by_vedette) {
    cv::Mat ours, theirs;
    cv::matchTemplate(one.image, one.pattern, ours, one.method, one.mask);
    const std::string line = last_log_line();
    BOOST_TEST((line.find(": cpu:0 ") != std::string::npos) == by_vedette, line);
    opencv_match_template()(one.image, one.pattern, theirs, one.method, one.mask);
    BOOST_TEST_REQUIRE(ours.type() == CV_32FC1);
    BOOST_TEST_REQUIRE((ours.size() == theirs.size()));
    if (!by_vedette) {
        for (int y = 0; y < ours.rows; ++y)
            BOOST_TEST(std::memcmp(ours.ptr(y), theirs.ptr(y), static_cast<std::size_t>(ours.cols) * 4) == 0);
        return;
    }
    // Roundings of OpenCV's transforms, on the scale of their terms.
    const double terms = term_size(one), noise = terms / (1 << 21);
    const cv::Mat energies = is_normed(one.method) ? window_energies(one) : cv::Mat();
    const double pattern = is_normed(one.method) ? pattern_energy(one) : 0;
    int wrong = 0;
    for (int y = 0; y < ours.rows; ++y)
        for (int x = 0; x < ours.cols; ++x) {
            const double a = static_cast<double>(ours.at<float>(y, x)), b = static_cast<double>(theirs.at<float>(y, x));
            if (!std::isfinite(a)) ++wrong;
            if (!std::isfinite(b)) continue;  // OpenCV divided by nothing
            double allowed = 1e-4 * std::max(std::fabs(b), 1.0) + noise;
            if (is_normed(one.method)) {
                const double norm = std::sqrt(energies.at<double>(y, x) * pattern);
                if (norm <= noise * 16) continue;  // what OpenCV gives there is its rounding error
                allowed = 1e-4 * std::max(std::fabs(b), 1.0) + noise * 4 / norm;
                if (norm > noise * 1e5) {
                    double& most = largest[static_cast<std::size_t>(one.method)];
                    most = std::max(most, std::fabs(a - b) / std::max(std::fabs(b), 1.0));
                }
            } else {
                double& most = largest[static_cast<std::size_t>(one.method)];
                most = std::max(most, std::fabs(a - b) / std::max(terms, 1.0));
            }
            if (std::fabs(a - b) > allowed && wrong++ == 0)
                BOOST_TEST_MESSAGE("at " << x << "," << y << ": " << a << " instead of " << b << ", allowed "
                                         << allowed);
        }
    BOOST_TEST(wrong == 0, wrong << " cells of " << ours.total() << " differ; " << line);
}

void expect_original(cv::InputArray image, cv::InputArray pattern, int method, cv::InputArray mask) {
    const auto outcome = [&](MatchTemplate match, cv::Mat& result) {
        try {
            match(image, pattern, result, method, mask);
            return 0;
        } catch (const cv::Exception& exception) {
            return exception.code;
        }
    };
    cv::Mat ours, theirs;
    const int our_code = outcome(cv::matchTemplate, ours), their_code = outcome(opencv_match_template(), theirs);
    BOOST_TEST(our_code == their_code);
    BOOST_TEST_REQUIRE((ours.size() == theirs.size()));
    BOOST_TEST_REQUIRE(ours.type() == theirs.type());
    for (int y = 0; y < ours.rows; ++y)
        BOOST_TEST(std::memcmp(ours.ptr(y), theirs.ptr(y), static_cast<std::size_t>(ours.cols) * ours.elemSize()) == 0);
}

cv::Mat picture(cv::Size size, int type, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    cv::Mat bytes(size, CV_MAKETYPE(CV_8U, CV_MAT_CN(type)));
    for (int y = 0; y < size.height; ++y)
        for (int i = 0; i < size.width * bytes.channels(); ++i) {
            const int paper = (y / 6) % 3 == 0 ? 30 + 60 * ((i / bytes.channels() / 5) % 3) : 220;
            bytes.ptr(y)[i] = static_cast<unsigned char>(paper + static_cast<int>(random() % 25));
        }
    cv::Mat made;
    bytes.convertTo(made, CV_MAT_DEPTH(type));
    return made;
}

cv::Mat random_mask(cv::Size size, double taken, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    cv::Mat mask(size, CV_8U);
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
            mask.at<unsigned char>(y, x) = static_cast<double>(random() % 1000) < taken * 1000 ? 255 : 0;
    mask.at<unsigned char>(0, 0) = 1;
    return mask;
}

}  // namespace vedette::preload_test
