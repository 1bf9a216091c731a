#include "channel_map.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <vector>

namespace vedette::compat {
namespace {

constexpr int most_channels = 4;

bool is_normed(int method) {
    return method % 2 == 1;
}

float* out_row(const MapCall& call, int y) {
    return reinterpret_cast<float*>(reinterpret_cast<unsigned char*>(call.out) + y * call.out_step);
}

// What a channel adds everywhere when it has one value on both sides, as alpha mostly has.
double constant_part(int method, double image, double pattern, double pixels) {
    switch (method) {
        case VDT_MATCH_SQDIFF:
            return (image - pattern) * (image - pattern) * pixels;
        case VDT_MATCH_CCORR:
            return image * pattern * pixels;
        default:
            return 0;
    }
}

// Adds the map of channel `channel` to the output.
bool add_channel(const Session& session, const Raster& image, const Raster& pattern, const Raster& mask,
                 const PatternFacts& facts, int channel, int method, const MapCall& call, MapAnswer& answer) {
    const ByteImage image_part = channels_of(image, channel, 1), pattern_part = channels_of(pattern, channel, 1);
    const int image_value = constant_value(image_part.raster()), pattern_value = constant_value(pattern_part.raster());
    const int width = image.width - pattern.width + 1, height = image.height - pattern.height + 1;
    if (image_value >= 0 && pattern_value >= 0) {
        const auto part =
            static_cast<float>(constant_part(method, image_value, pattern_value, static_cast<double>(facts.pixels)));
        if (part == 0) return true;
        for (int y = 0; y < height; ++y) {
            float* const row = out_row(call, y);
            for (int x = 0; x < width; ++x) row[x] += part;
        }
        return true;
    }
    std::vector<float> map(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    if (!run_map(session, image_part.raster(), pattern_part.raster(), mask, method, map.data(),
                 std::ptrdiff_t{width} * static_cast<std::ptrdiff_t>(sizeof(float)), answer))
        return false;
    for (int y = 0; y < height; ++y) {
        float* const row = out_row(call, y);
        const float* const part = map.data() + std::ptrdiff_t{y} * width;
        for (int x = 0; x < width; ++x) row[x] += part[x];
    }
    return true;
}

struct Sums {
    std::array<std::int64_t, most_channels> value{};
    std::int64_t square = 0;  // over all channels

    void add(const unsigned char* pixel, int channels) {
        for (int c = 0; c < channels; ++c) {
            value[static_cast<std::size_t>(c)] += pixel[c];
            square += std::int64_t{pixel[c]} * pixel[c];
        }
    }
    Sums& operator+=(const Sums& other) {
        for (std::size_t c = 0; c < most_channels; ++c) value[c] += other.value[c];
        square += other.square;
        return *this;
    }
    Sums& operator-=(const Sums& other) {
        for (std::size_t c = 0; c < most_channels; ++c) value[c] -= other.value[c];
        square -= other.square;
        return *this;
    }
    // Sum over channels of (sum)^2 / pixels.
    double mean_square(double pixels) const {
        double sum = 0;
        for (const std::int64_t channel : value) sum += static_cast<double>(channel) * static_cast<double>(channel);
        return sum / pixels;
    }
};

Sums sums_of(const Raster& raster) {
    Sums sums;
    for (int y = 0; y < raster.height; ++y)
        for (int x = 0; x < raster.width; ++x)
            sums.add(raster.data + y * raster.step + std::ptrdiff_t{x} * raster.channels, raster.channels);
    return sums;
}

// A score from its numerator and the window's sums. The rules for windows of hardly any variance and for quotients
// above 1 are OpenCV's, number by number.
float normed(double numerator, const Sums& window, double pixels, double pattern_norm, int method) {
    const auto square = static_cast<double>(window.square);
    const double mean = method == VDT_MATCH_CCOEFF_NORMED ? window.mean_square(pixels) : 0;
    const double variance = std::max(square - mean, 0.0);
    const bool none = variance <= std::min(0.5, 10 * static_cast<double>(FLT_EPSILON) * square);
    const double norm = none ? 0 : std::sqrt(variance) * pattern_norm;
    if (std::fabs(numerator) < norm) return static_cast<float>(numerator / norm);
    if (std::fabs(numerator) < norm * 1.125) return numerator > 0 ? 1.0F : -1.0F;
    return method == VDT_MATCH_SQDIFF_NORMED ? 1.0F : 0.0F;
}

// Divides the numerators in the output. Window sums slide down by columns, then along the row.
void norm(const Raster& image, const Raster& pattern, const MapCall& call) {
    const int channels = image.channels, width = image.width - pattern.width + 1;
    const double pixels = static_cast<double>(pattern.width) * pattern.height;
    const Sums whole = sums_of(pattern);
    const auto square = static_cast<double>(whole.square);
    const double pattern_norm =
        std::sqrt(std::max(square - (call.method == VDT_MATCH_CCOEFF_NORMED ? whole.mean_square(pixels) : 0), 0.0));
    std::vector<Sums> columns(static_cast<std::size_t>(image.width));
    const auto pixel_at = [&](int x, int y) { return image.data + y * image.step + std::ptrdiff_t{x} * channels; };
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            Sums& column = columns[static_cast<std::size_t>(x)];
            column.add(pixel_at(x, y), channels);
            if (y < pattern.height) continue;
            Sums gone;
            gone.add(pixel_at(x, y - pattern.height), channels);
            column -= gone;
        }
        const int top = y - pattern.height + 1;
        if (top < 0) continue;
        float* const row = out_row(call, top);
        Sums window;
        for (int x = 0; x < pattern.width; ++x) window += columns[static_cast<std::size_t>(x)];
        for (int x = 0; x < width; ++x) {
            row[x] = normed(static_cast<double>(row[x]), window, pixels, pattern_norm, call.method);
            if (x + 1 == width) break;
            window += columns[static_cast<std::size_t>(x + pattern.width)];
            window -= columns[static_cast<std::size_t>(x)];
        }
    }
}

}  // namespace

bool run_channel_map(const Session& session, const Raster& image, const Raster& pattern, const Raster& mask,
                     const PatternFacts& facts, const MapCall& call, MapAnswer& answer) {
    const int method = is_normed(call.method) ? call.method - 1 : call.method;
    const int together = image.channels == 4 ? 3 : 1;
    {
        const ByteImage image_part = channels_of(image, 0, together), pattern_part = channels_of(pattern, 0, together);
        if (!run_map(session, image_part.raster(), pattern_part.raster(), mask, method, call.out, call.out_step,
                     answer))
            return false;
    }
    if (!add_channel(session, image, pattern, mask, facts, together, method, call, answer)) return false;
    if (is_normed(call.method)) norm(image, pattern, call);
    return true;
}

}  // namespace vedette::compat
