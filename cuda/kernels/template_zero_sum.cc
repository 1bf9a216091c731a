#include "kernels/template_zero_sum.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace vedette::cuda {

namespace {

// Of a value, root mean square. Rounding then costs a cosine of 0.9999, and nearly all patterns of one size have one
// norm, so that one plane of thresholds serves them and they can be searched at once: of 64 textured parts of real
// screens, 32 x 32, all but one came within 3 %; with 40 they were spread over 45 %.
constexpr double wanted_deviation = 24;
constexpr double most_value = 126;  // one below the largest, for the correction of the sum

// Values of one channel at the taken pixels.
struct Channel {
    std::vector<double> wanted;
    std::vector<std::int8_t> value;
};

}  // namespace

double zero_sum_scale(double deviation, double largest) {
    return std::min(most_value / largest, wanted_deviation / deviation);
}

std::vector<std::int8_t> rounded_to_zero_sum(const std::vector<double>& wanted) {
    std::vector<std::int8_t> values;
    values.reserve(wanted.size());
    int sum = 0;
    for (const double value : wanted) {
        values.push_back(static_cast<std::int8_t>(std::lround(value)));
        sum += values.back();
    }
    // The sum of `wanted` is 0, so the error is at most half a step a value: one step of some of them does.
    const int step = sum > 0 ? -1 : 1;
    const auto steps = static_cast<std::size_t>(std::abs(sum));
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Those that rounding moved furthest the other way.
    const auto gain = [&](std::size_t i) { return step * (wanted[i] - values[i]); };
    const auto cut = order.begin() + static_cast<std::ptrdiff_t>(std::min(steps, order.size()));
    std::nth_element(order.begin(), cut == order.end() ? cut - 1 : cut, order.end(),
                     [&](std::size_t a, std::size_t b) { return gain(a) != gain(b) ? gain(a) > gain(b) : a < b; });
    std::for_each(order.begin(), cut, [&](std::size_t i) { values[i] = static_cast<std::int8_t>(values[i] + step); });
    return values;
}

ZeroSumPattern zero_sum(const Pattern& pattern) {
    const TemplateSums& sums = pattern.sums();
    const auto area = static_cast<double>(sums.area);
    double energy = 0;
    double largest = 0;
    std::vector<Channel> channels(static_cast<std::size_t>(pattern.channels()));
    for (int c = 0; c < pattern.channels(); ++c) {
        Channel& channel = channels[static_cast<std::size_t>(c)];
        const double mean = static_cast<double>(sums.sum[c]) / area;
        for (int y = 0; y < pattern.height(); ++y)
            for (int x = 0; x < pattern.width(); ++x) {
                if (!pattern.taken(x, y)) continue;
                const double value = pattern.pixel(x, y, c) - mean;
                channel.wanted.push_back(value);
                energy += value * value;
                largest = std::max(largest, std::abs(value));
            }
    }
    const double deviation = std::sqrt(energy / (area * pattern.channels()));
    const double scale = zero_sum_scale(deviation, largest);
    double product = 0;
    double norm = 0;
    for (Channel& channel : channels) {
        for (double& wanted : channel.wanted) wanted *= scale;
        channel.value = rounded_to_zero_sum(channel.wanted);
        for (std::size_t i = 0; i < channel.value.size(); ++i) {
            product += channel.wanted[i] * channel.value[i];
            norm += static_cast<double>(channel.value[i]) * channel.value[i];
        }
    }
    ZeroSumPattern result;
    result.norm = std::sqrt(norm);
    result.cosine = norm > 0 ? product / (result.norm * scale * std::sqrt(energy)) : 0;
    std::size_t next = 0;
    for (int y = 0; y < pattern.height(); ++y)
        for (int x = 0; x < pattern.width(); ++x) {
            for (const Channel& channel : channels)
                result.values.push_back(pattern.taken(x, y) ? channel.value[next] : std::int8_t{0});
            if (pattern.taken(x, y)) ++next;
        }
    return result;
}

std::vector<std::int8_t> less_128(const Pattern& pattern) {
    std::vector<std::int8_t> values;
    for (int y = 0; y < pattern.height(); ++y)
        for (int x = 0; x < pattern.width(); ++x)
            for (int c = 0; c < pattern.channels(); ++c)
                values.push_back(static_cast<std::int8_t>(pattern.pixel(x, y, c) - 128));
    return values;
}

WindowPart largest_taken_part(const Pattern& pattern) {
    if (!pattern.masked()) return {0, 0, pattern.width(), pattern.height()};
    // Of each row the heights of the columns of taken pixels above it; then the largest rectangle under that skyline.
    WindowPart best;
    std::vector<int> heights(static_cast<std::size_t>(pattern.width()) + 1, 0);
    std::vector<int> rising;
    for (int y = 0; y < pattern.height(); ++y) {
        rising.clear();
        for (int x = 0; x <= pattern.width(); ++x) {
            int& height = heights[static_cast<std::size_t>(x)];
            height = x < pattern.width() && pattern.taken(x, y) ? height + 1 : 0;
            while (!rising.empty() && heights[static_cast<std::size_t>(rising.back())] >= height) {
                const int tall = heights[static_cast<std::size_t>(rising.back())];
                rising.pop_back();
                const int left = rising.empty() ? 0 : rising.back() + 1;
                if (tall * (x - left) > best.width * best.height) best = {left, y - tall + 1, x - left, tall};
            }
            rising.push_back(x);
        }
    }
    return best;
}

double least_share(const ZeroSumPattern& pattern, double threshold) {
    constexpr double least = 0.1;  // below, most windows of a screen would be candidates
    if (threshold <= 0) return 0;
    // Less what double arithmetic may have added.
    const double cosine = std::min(pattern.cosine, 1.0) - 1e-12;
    if (cosine <= 0) return 0;
    const double share = threshold * cosine - std::sqrt((1 - threshold * threshold) * (1 - cosine * cosine));
    return share < least ? 0 : share;
}

namespace {

// The largest x = v . I / a that a window with v . I >= reach |w| can have: the larger root of
// x^2 = reach^2 (1 + r ((x - inner) / outer)^2); 0 where there is none.
double largest_quotient(double reach, double inner, double outer, double r) {
    if (outer <= 0) return inner;
    const double c = reach * reach * r / (outer * outer);
    if (c <= 1) return 0;
    const double discriminant = c * c * inner * inner - (c - 1) * (c * inner * inner + reach * reach);
    return discriminant < 0 ? inner : std::max(inner, (c * inner + std::sqrt(discriminant)) / (c - 1));
}

}  // namespace

float candidate_factor(const ZeroSumPattern& pattern, const WindowPart& part, double threshold) {
    const double area = static_cast<double>(part.width) * part.height;
    const double share = least_share(pattern, threshold);
    if (area < 2) return 0;
    // Four roundings of 2^-24 follow in float.
    return static_cast<float>(share * pattern.norm / std::sqrt(area) * (1 - 1e-6));
}

QuadNorms quad_norms(const ZeroSumPattern& coefficients, const Pattern& pattern, const WindowPart& part) {
    const QuadPart shared = quad_part(part);
    QuadNorms norms;
    norms.usable = pattern.channels() == 1 && shared.exists();
    if (!norms.usable) return norms;
    norms.share = static_cast<double>(shared.area()) / static_cast<double>(pattern.sums().area);
    for (int k = 0; k < 4; ++k) {
        const int x = shared.x - k % 2;
        const int y = shared.y - k / 2;
        double inside = 0;
        for (int j = y; j < y + shared.rows; ++j) {
            const std::int8_t* const row =
                coefficients.values.data() + static_cast<std::ptrdiff_t>(j) * pattern.width();
            inside = std::accumulate(row + x, row + x + std::ptrdiff_t{2} * shared.pairs, inside,
                                     [](double sum, std::int8_t v) { return sum + v * v; });
        }
        norms.inside[k] = std::sqrt(inside);
        norms.outside[k] = std::sqrt(std::max(0.0, coefficients.norm * coefficients.norm - inside));
    }
    return norms;
}

QuadFactors quad_factors(const ZeroSumPattern& coefficients, const QuadNorms& norms, const WindowPart& part,
                         double threshold) {
    const double share = least_share(coefficients, threshold);
    if (share == 0 || !norms.usable) return {};
    const double reach = share * coefficients.norm;
    double most = 0;
    for (int k = 0; k < 4; ++k) {
        const double quotient = largest_quotient(reach, norms.inside[k], norms.outside[k], norms.share);
        if (quotient == 0) return {};
        most = std::max(most, quotient);
    }
    const double root = std::sqrt(quad_part(part).area());
    // Roundings in float follow here, too.
    QuadFactors factors;
    factors.lower = static_cast<float>(reach / root * (1 - 1e-6));
    factors.upper = std::max(factors.lower, static_cast<float>(most / root * (1 + 1e-6)));
    return factors.upper > quad_most_ratio * factors.lower ? QuadFactors{} : factors;
}

}  // namespace vedette::cuda
