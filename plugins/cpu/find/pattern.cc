#include "pattern.h"

#include <algorithm>
#include <cmath>

#include "scene.h"

namespace vedette::cpu::find {
namespace {

bool is_taken(const vdt_image* mask, std::uint32_t x, std::uint32_t y) {
    return mask == nullptr || mask->format == VDT_FORMAT_NONE || row_start(*mask, y)[x] != 0;
}

void add_coefficients(Pattern& pattern) {
    // Rows padded with zeros to whole vectors of the widest set.
    pattern.stride = (pattern.w + 31) / 32 * 32;
    const auto stride = static_cast<std::size_t>(pattern.stride);
    const auto rows = static_cast<std::size_t>(pattern.h);
    pattern.coefficients.assign(static_cast<std::size_t>(pattern.channels) * rows * stride, 0);
    if (pattern.masked) pattern.mask_coefficients.assign(rows * stride, 0);
    for (int y = 0; y < pattern.h; ++y)
        for (int x = 0; x < pattern.w; ++x) {
            if (!pattern.taken(x, y)) continue;
            const std::size_t at = static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x);
            for (int c = 0; c < pattern.channels; ++c)
                pattern.coefficients[static_cast<std::size_t>(c) * rows * stride + at] =
                    static_cast<std::int8_t>(pattern.pixel(c, x, y) - 128);
            if (pattern.masked) pattern.mask_coefficients[at] = 1;
        }
}

}  // namespace

Pattern read_pattern(const vdt_image& image, const vdt_image* mask) {
    Pattern pattern;
    pattern.w = static_cast<int>(image.width);
    pattern.h = static_cast<int>(image.height);
    pattern.channels = image.format == VDT_FORMAT_BGR8 ? 3 : 1;
    const std::size_t plane = std::size_t{image.width} * image.height;
    pattern.pixels.resize(plane * static_cast<std::size_t>(pattern.channels));
    std::vector<std::uint8_t> taken(plane);
    for (std::uint32_t y = 0; y < image.height; ++y) {
        const std::uint8_t* row = row_start(image, y);
        for (std::uint32_t x = 0; x < image.width; ++x) {
            const std::size_t at = std::size_t{y} * image.width + x;
            taken[at] = is_taken(mask, x, y) ? 1 : 0;
            for (int c = 0; c < pattern.channels; ++c) {
                const std::uint8_t value =
                    row[x * static_cast<std::uint32_t>(pattern.channels) + static_cast<std::uint32_t>(c)];
                pattern.pixels[static_cast<std::size_t>(c) * plane + at] = value;
                if (taken[at] == 0) continue;
                const std::int64_t shifted = value - 128;
                pattern.moments.sum[c] += shifted;
                pattern.moments.square += shifted * shifted;
            }
            pattern.area += taken[at];
        }
    }
    // A mask that takes everything changes no sum.
    pattern.given_mask = mask != nullptr && mask->format != VDT_FORMAT_NONE;
    pattern.masked = static_cast<std::size_t>(pattern.area) != plane;
    if (pattern.masked) pattern.mask = std::move(taken);
    pattern.variance = variance_of(pattern.moments, pattern.area, pattern.channels);
    pattern.norm =
        pattern.area == 0 ? 0 : std::sqrt(static_cast<double>(pattern.variance) / static_cast<double>(pattern.area));
    add_coefficients(pattern);
    return pattern;
}

double exact_score(const Pattern& pattern, std::int64_t product, const Moments& window) {
    if (pattern.small()) {
        // All below 2^52: the same values as below without 128-bit arithmetic, which is slow to convert.
        std::int64_t variance = pattern.area * window.square, covariance = pattern.area * product;
        for (int c = 0; c < pattern.channels; ++c) {
            variance -= window.sum[c] * window.sum[c];
            covariance -= window.sum[c] * pattern.moments.sum[c];
        }
        if (variance == 0 || pattern.variance == 0) return 0;
        const double root =
            std::sqrt(static_cast<double>(variance) * static_cast<double>(static_cast<std::int64_t>(pattern.variance)));
        return std::clamp(static_cast<double>(covariance) / root, -1.0, 1.0);
    }
    const Wide variance = variance_of(window, pattern.area, pattern.channels);
    if (variance == 0 || pattern.variance == 0) return 0;
    Wide covariance = Wide{pattern.area} * product;
    for (int c = 0; c < pattern.channels; ++c) covariance -= Wide{window.sum[c]} * pattern.moments.sum[c];
    const double root = std::sqrt(static_cast<double>(variance) * static_cast<double>(pattern.variance));
    return std::clamp(static_cast<double>(covariance) / root, -1.0, 1.0);
}

}  // namespace vedette::cpu::find
