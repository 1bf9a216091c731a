#include "taps.h"

#include <algorithm>

namespace vedette::opencv {

// Counted in whole units of 1 / out of an input pixel, so that edges that coincide do coincide.
Taps area_taps(int in, int out) {
    Taps taps(static_cast<std::size_t>(out));
    for (std::int64_t x = 0; x < out; ++x) {
        const std::int64_t begin = x * in, end = begin + in;
        for (std::int64_t i = begin / out; i * out < end; ++i) {
            const std::int64_t cover = std::min(end, (i + 1) * out) - std::max(begin, i * out);
            taps[static_cast<std::size_t>(x)].push_back({static_cast<int>(i), static_cast<double>(cover) / in});
        }
    }
    return taps;
}

Taps aligned_taps(int in, int out) {
    Taps taps(static_cast<std::size_t>(out));
    for (std::int64_t x = 0; x < out; ++x) {
        std::vector<Tap>& at = taps[static_cast<std::size_t>(x)];
        if (x == out - 1) {
            at = {{in - 1, 1.0}};
            continue;
        }
        const std::int64_t position = x * (in - 1);  // in units of 1 / (out - 1)
        const int low = static_cast<int>(position / (out - 1));
        const double fraction = static_cast<double>(position % (out - 1)) / (out - 1);
        at = {{low, 1 - fraction}, {std::min(low + 1, in - 1), fraction}};
    }
    return taps;
}

void sum_rows(const cv::Mat& in, const std::vector<Tap>& taps, cv::Mat out) {
    out = cv::Scalar::all(0);
    for (const Tap& tap : taps) cv::scaleAdd(in.row(tap.index), tap.weight, out, out);
}

}  // namespace vedette::opencv
