#include "point_spread.h"

#include "library.h"
#include "table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace vedette::cli {

namespace {

Problem bad_spread(const std::string& text, const std::string& wanted) {
    return Problem(VDT_E_ARGUMENT, "--psf " + text + ": " + wanted + ".");
}

// The number at the beginning of `text`, which loses it; false when there is none.
bool take_number(std::string_view& text, double& value) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || !std::isfinite(value)) {
        return false;
    }
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    return true;
}

PointSpread empty_spread(double farthest) {
    PointSpread spread;
    spread.reach = std::max(1, static_cast<int>(std::ceil(farthest)));
    spread.weights.assign(static_cast<std::size_t>(spread.side()) * static_cast<std::size_t>(spread.side()), 0.0);
    return spread;
}

// Each weight is the share of `density` on its pixel: the mean over samples inside.
template <class Density>
PointSpread sampled(double farthest, const Density& density) {
    constexpr int samples = 16;
    PointSpread spread = empty_spread(farthest);
    for (int y = -spread.reach; y <= spread.reach; ++y) {
        for (int x = -spread.reach; x <= spread.reach; ++x) {
            for (int j = 0; j < samples; ++j) {
                for (int i = 0; i < samples; ++i) {
                    spread.at(x, y) += density(x + (i + 0.5) / samples - 0.5, y + (j + 0.5) / samples - 0.5);
                }
            }
        }
    }
    spread.normalise();
    return spread;
}

PointSpread gaussian(double sigma) {
    return sampled(3 * sigma, [sigma](double x, double y) { return std::exp(-(x * x + y * y) / (2 * sigma * sigma)); });
}

PointSpread disk(double radius) {
    return sampled(radius, [radius](double x, double y) { return x * x + y * y <= radius * radius ? 1.0 : 0.0; });
}

// A straight, even movement: points along the way, each shared by the four pixels around it.
PointSpread motion(double length, double degrees) {
    const double angle = degrees * std::numbers::pi / 180;
    PointSpread spread = empty_spread(length / 2 + 1);
    const int points = 1 + 32 * static_cast<int>(std::ceil(length));
    for (int i = 0; i < points; ++i) {
        const double along = ((i + 0.5) / points - 0.5) * length;
        const double x = along * std::cos(angle), y = -along * std::sin(angle);
        const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
        const double right_share = x - left, low_share = y - top;
        spread.at(left, top) += (1 - right_share) * (1 - low_share);
        spread.at(left + 1, top) += right_share * (1 - low_share);
        spread.at(left, top + 1) += (1 - right_share) * low_share;
        spread.at(left + 1, top + 1) += right_share * low_share;
    }
    spread.normalise();
    return spread;
}

PointSpread from_image(const std::string& path) {
    vdt_pixels pixels{};
    pixels.struct_size = sizeof pixels;
    checked([&](vdt_error* error) { return vdt_pixels_from_file(path.c_str(), &pixels, error); });
    const std::unique_ptr<vdt_pixels, Destroy<vdt_pixels_free>> owner(&pixels);
    const auto width = static_cast<int>(pixels.width), height = static_cast<int>(pixels.height);
    if (width > 2 * most_reach + 1 || height > 2 * most_reach + 1) {
        throw bad_spread(path, format("the image is %d x %d pixels; at most %d x %d can be used", width, height,
                                      2 * most_reach + 1, 2 * most_reach + 1));
    }
    const int channels = pixels.format == VDT_FORMAT_GRAY8 ? 1 : (pixels.format == VDT_FORMAT_BGR8 ? 3 : 4);
    PointSpread spread = empty_spread(std::max(width, height) / 2);
    for (int y = 0; y < height; ++y) {
        const auto* const row = static_cast<const unsigned char*>(pixels.data) + y * pixels.stride;
        for (int x = 0; x < width; ++x) {
            for (int c = 0; c < std::min(channels, 3); ++c) {
                spread.at(x - width / 2, y - height / 2) += row[x * channels + c];
            }
        }
    }
    if (!spread.normalise()) {
        throw bad_spread(path, "the image is black everywhere; its gray values are the weights of the spread");
    }
    return spread;
}

}  // namespace

bool PointSpread::normalise() {
    double sum = 0;
    for (const double weight : weights) {
        sum += weight;
    }
    if (sum <= 0) {
        return false;
    }
    for (double& weight : weights) {
        weight /= sum;
    }
    return true;
}

double PointSpread::width() const {
    double mean_x = 0, mean_y = 0, squares = 0;
    for (int y = -reach; y <= reach; ++y) {
        for (int x = -reach; x <= reach; ++x) {
            mean_x += x * at(x, y);
            mean_y += y * at(x, y);
            squares += (x * x + y * y) * at(x, y);
        }
    }
    return std::sqrt(std::max(0.0, squares - mean_x * mean_x - mean_y * mean_y) / 2);
}

PointSpread parse_point_spread(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string kind = colon == std::string::npos ? "" : text.substr(0, colon);
    if (kind != "gaussian" && kind != "disk" && kind != "motion") {
        return from_image(text);
    }
    std::string_view rest = std::string_view(text).substr(colon + 1);
    double size = 0, angle = 0;
    bool good = take_number(rest, size);
    if (good && kind == "motion") {
        good = !rest.empty() && rest.front() == ',';
        if (good) {
            rest.remove_prefix(1);
            good = take_number(rest, angle);
        }
    }
    if (!good || !rest.empty()) {
        throw bad_spread(text,
                         "a point-spread function is gaussian:SIGMA, disk:RADIUS, motion:LENGTH,ANGLE or the "
                         "path of an image");
    }
    const double most = kind == "gaussian" ? most_reach / 3.0 : (kind == "disk" ? most_reach : 2.0 * (most_reach - 1));
    const double least = kind == "gaussian" ? 0.2 : 0.5;
    if (size < least || size > most) {
        throw bad_spread(text, format("the size must be a number of pixels from %g to %.4g", least, most));
    }
    return kind == "gaussian" ? gaussian(size) : (kind == "disk" ? disk(size) : motion(size, angle));
}

std::vector<float> wrapped_spread(const PointSpread& spread, int side) {
    std::vector<float> square(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    for (int y = -spread.reach; y <= spread.reach; ++y) {
        for (int x = -spread.reach; x <= spread.reach; ++x) {
            square[static_cast<std::size_t>((y + side) % side * side + (x + side) % side)] =
                static_cast<float>(spread.at(x, y));
        }
    }
    return square;
}

PointSpread unwrapped_spread(const std::vector<float>& square, int side, int reach) {
    PointSpread spread = empty_spread(reach);
    for (int y = -spread.reach; y <= spread.reach; ++y) {
        for (int x = -spread.reach; x <= spread.reach; ++x) {
            spread.at(x, y) = double{square[static_cast<std::size_t>((y + side) % side * side + (x + side) % side)]};
        }
    }
    spread.normalise();
    return spread;
}

}  // namespace vedette::cli
