#include "color.h"

#include <array>
#include <vector>

namespace vedette::opencv {

namespace {

double opaque(int depth) {
    return depth == CV_8U ? 255 : depth == CV_16U ? 65535 : 0;
}

bool has_alpha(Colors colors) {
    return colors == Colors::bgra || colors == Colors::rgba;
}
bool red_first(Colors colors) {
    return colors == Colors::rgb || colors == Colors::rgba;
}

// By the formula rather than by cv::cvtColor, whose rounding depends on OpenCV's version and on the vendor library it
// was built with.
template <class T>
cv::Mat integer_gray(const cv::Mat& in, int blue, int red) {
    cv::Mat out(in.size(), CV_MAKETYPE(in.depth(), 1));
    const int channels = in.channels();
    for (int y = 0; y < in.rows; ++y) {
        const T* from = in.ptr<T>(y);
        T* to = out.ptr<T>(y);
        for (int x = 0; x < in.cols; ++x, from += channels)  // 65535 * 2^15 + 2^14 still fits into 32 bits
            to[x] = static_cast<T>((3735u * from[blue] + 19235u * from[1] + 9798u * from[red] + (1u << 14)) >> 15);
    }
    return out;
}

cv::Mat float_gray(const cv::Mat& in, int blue, int red) {
    cv::Mat exact, out;
    in.convertTo(exact, CV_64F);
    cv::Mat weights = cv::Mat::zeros(1, in.channels(), CV_64F);
    weights.at<double>(blue) = 0.114;
    weights.at<double>(1) = 0.587;
    weights.at<double>(red) = 0.299;
    cv::transform(exact, out, weights);
    return out;
}

}  // namespace

cv::Mat change_channels(const cv::Mat& in, Colors from, Colors to) {
    if (from == to) return in;
    const int blue = red_first(from) ? 2 : 0, red = 2 - blue;
    if (to == Colors::gray) {
        if (in.depth() == CV_8U) return integer_gray<std::uint8_t>(in, blue, red);
        if (in.depth() == CV_16U) return integer_gray<std::uint16_t>(in, blue, red);
        return float_gray(in, blue, red);
    }
    const bool gray = from == Colors::gray;
    const bool swap = red_first(from) != red_first(to);
    cv::Mat out(in.size(), CV_MAKETYPE(in.depth(), has_alpha(to) ? 4 : 3), cv::Scalar::all(opaque(in.depth())));
    std::vector<int> pairs;
    for (int c = 0; c < 3; ++c) pairs.insert(pairs.end(), {gray ? 0 : swap ? 2 - c : c, c});
    if (has_alpha(from) && has_alpha(to)) pairs.insert(pairs.end(), {3, 3});
    cv::mixChannels(&in, 1, &out, 1, pairs.data(), pairs.size() / 2);
    return out;
}

cv::Mat change_integer_depth(const cv::Mat& in, int depth) {
    if (in.depth() == depth) return in;
    cv::Mat out;
    // (v + 128) / 257 in integers is v / 257 to the nearest: 257 is odd, so there are no ties that could go either way.
    in.convertTo(out, depth, depth == CV_8U ? 1.0 / 257 : 257);
    return out;
}

cv::Mat integers_to_float(const cv::Mat& in, double scale, double offset) {
    cv::Mat exact, out;
    in.convertTo(exact, CV_64F, scale, offset);
    exact.convertTo(out, CV_32F);
    return out;
}

cv::Mat floats_to_integers(const cv::Mat& in, int depth, double scale, double offset) {
    cv::Mat exact, out;
    // In two steps, because OpenCV may fuse the product and the sum, which can tip a value over a rounding edge.
    in.convertTo(exact, CV_64F, scale);
    exact.convertTo(exact, CV_64F, 1, offset);
    cv::Mat flat = exact.reshape(1);
    flat.setTo(0, flat != flat);
    // Before rounding: OpenCV rounds through int, where larger values wrap.
    cv::max(flat, 0, flat);
    cv::min(flat, opaque(depth), flat);
    exact.convertTo(out, depth);
    return out;
}

}  // namespace vedette::opencv
