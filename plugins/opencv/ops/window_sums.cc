#include "window_sums.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace vedette::opencv {

namespace {

constexpr std::int64_t max_transform = std::int64_t{1} << 24;  // values; see the bound in the header

cv::Size positions_of(const cv::Size& pattern, const cv::Size& scene) {
    return {scene.width - pattern.width + 1, scene.height - pattern.height + 1};
}

// Size of the transforms. Below 512 a side the calls cost more than the work; four times the pattern wastes at most
// half of the work on overlap, and large patterns have to do with less. Never more than the scene needs. {} = too
// large.
cv::Size transform_size(const cv::Size& pattern, const cv::Size& scene) {
    for (const double factor : {4.0, 2.0, 1.25}) {
        const auto side = [factor](int pattern_side, int scene_side) {
            return cv::getOptimalDFTSize(std::min(scene_side, std::max(512, cvCeil(factor * pattern_side))));
        };
        const cv::Size size(side(pattern.width, scene.width), side(pattern.height, scene.height));
        if (std::int64_t{size.width} * size.height <= max_transform) return size;
    }
    return {};
}

// Sums over all windows of `size` from an integral image.
cv::Mat window_sums(const cv::Mat& integral, const cv::Size& size) {
    const cv::Size positions(integral.cols - size.width, integral.rows - size.height);
    const auto corner = [&](int x, int y) { return integral(cv::Rect(cv::Point(x, y), positions)); };
    return corner(size.width, size.height) - corner(0, size.height) - corner(size.width, 0) + corner(0, 0);
}

cv::Mat sum_of_channels(const cv::Mat& in) {
    if (in.channels() == 1) return in;
    cv::Mat out;
    cv::transform(in, out, cv::Mat::ones(1, in.channels(), CV_64F));
    return out;
}

std::vector<cv::Mat> channels_of(const cv::Mat& in) {
    std::vector<cv::Mat> channels;
    cv::split(in, channels);
    return channels;
}

// The inverse transform of `spectrum`, where positions are.
cv::Mat inverse(const cv::Mat& spectrum, const cv::Size& positions) {
    cv::Mat values;
    constexpr int flags = cv::DFT_INVERSE | cv::DFT_SCALE | cv::DFT_REAL_OUTPUT;
    cv::dft(spectrum, values, flags, spectrum.cols == 1 ? 0 : positions.height);
    return values(cv::Rect(cv::Point(0, 0), positions));
}

// The spectrum of the correlation of what has the spectra `scene` and `pattern`.
cv::Mat correlation(const cv::Mat& scene, const cv::Mat& pattern) {
    cv::Mat product;
    cv::mulSpectrums(scene, pattern, product, 0, true);
    return product;
}

std::int64_t whole(double value) {
    return std::llrint(value);
}

}  // namespace

bool WindowSums::can_hold(const cv::Size& pattern, const cv::Size& scene) {
    return !transform_size(pattern, scene).empty();
}

WindowSums::WindowSums(const cv::Mat& pattern, const cv::Mat& mask, const cv::Size& scene)
    : pattern_size_(pattern.size()), transform_size_(transform_size(pattern.size(), scene)) {
    CV_Assert(can_hold(pattern.size(), scene));
    cv::Mat taken, ones;
    if (mask.empty()) {
        taken = pattern;
    } else {
        cv::threshold(mask, ones, 0, 1, cv::THRESH_BINARY);
        pattern.copyTo(taken, ones);  // into new memory, which OpenCV fills with 0
        mask_spectrum_ = transformed(ones);
    }
    count_ = mask.empty() ? static_cast<std::int64_t>(pattern.total()) : cv::countNonZero(ones);
    for (const cv::Mat& channel : channels_of(taken)) {
        sums_.push_back(whole(cv::sum(channel)[0]));
        squares_ += whole(cv::norm(channel, cv::NORM_L2SQR));
        pattern_spectra_.push_back(transformed(channel));
    }
    const cv::Size step(transform_size_.width - pattern_size_.width + 1,
                        transform_size_.height - pattern_size_.height + 1);
    const cv::Size all = positions_of(pattern_size_, scene);
    for (int y = 0; y < all.height; y += step.height)
        for (int x = 0; x < all.width; x += step.width)
            tiles_.emplace_back(x, y, std::min(step.width, all.width - x), std::min(step.height, all.height - y));
}

Wide WindowSums::variance() const {
    Wide variance = Wide{count_} * squares_;
    for (const std::int64_t sum : sums_) variance -= Wide{sum} * sum;
    return variance;
}

cv::Mat WindowSums::transformed(const cv::Mat& channel) const {
    cv::Mat padded = cv::Mat::zeros(transform_size_, CV_64F);
    cv::Mat filled = padded(cv::Rect(cv::Point(0, 0), channel.size()));
    channel.convertTo(filled, CV_64F);
    // OpenCV refuses the hint that the rows below are 0 when there is but one column.
    cv::dft(padded, padded, 0, padded.cols == 1 ? 0 : channel.rows);
    return padded;
}

WindowSums::Tile WindowSums::sums(const cv::Mat& scene, const cv::Rect& tile) const {
    const cv::Size positions = tile.size();
    const cv::Mat patch =
        scene(cv::Rect(tile.x, tile.y, tile.width + pattern_size_.width - 1, tile.height + pattern_size_.height - 1));
    Tile result;
    result.pattern_ = this;
    std::vector<cv::Mat> spectra;
    for (const cv::Mat& channel : channels_of(patch)) spectra.push_back(transformed(channel));
    cv::Mat product = correlation(spectra[0], pattern_spectra_[0]);
    for (std::size_t c = 1; c < spectra.size(); ++c) product += correlation(spectra[c], pattern_spectra_[c]);
    result.product_ = inverse(product, positions);
    if (mask_spectrum_.empty()) {
        cv::Mat sum, squared;
        cv::integral(patch, sum, squared, CV_64F, CV_64F);
        result.sums_ = window_sums(sum, pattern_size_);
        result.squares_ = sum_of_channels(window_sums(squared, pattern_size_));
        return result;
    }
    std::vector<cv::Mat> sums;
    for (const cv::Mat& spectrum : spectra) sums.push_back(inverse(correlation(spectrum, mask_spectrum_), positions));
    cv::merge(sums, result.sums_);
    cv::Mat values, squared;
    patch.convertTo(values, CV_64F);
    cv::multiply(values, values, squared);
    result.squares_ = inverse(correlation(transformed(sum_of_channels(squared)), mask_spectrum_), positions);
    return result;
}

Moments WindowSums::Tile::at(int row, int column) const {
    Moments moments;
    moments.product = whole(product_.at<double>(row, column));
    moments.squares = whole(squares_.at<double>(row, column));
    const Wide n = pattern_->count_;
    moments.covariance = n * moments.product;
    moments.variance = n * moments.squares;
    const std::size_t channels = pattern_->sums_.size();
    const double* sums = sums_.ptr<double>(row) + static_cast<std::size_t>(column) * channels;
    for (std::size_t c = 0; c < channels; ++c) {
        const std::int64_t sum = whole(sums[c]);
        moments.covariance -= Wide{sum} * pattern_->sums_[c];
        moments.variance -= Wide{sum} * sum;
    }
    return moments;
}

}  // namespace vedette::opencv
