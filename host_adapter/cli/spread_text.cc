#include "spread_text.h"

#include "library.h"
#include "restore/point_spread.h"
#include "table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <string_view>

namespace vedette::cli {

namespace {

using host::kMostReach;

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

SpreadText from_image(const std::string& path) {
    vdt_pixels pixels{};
    pixels.struct_size = sizeof pixels;
    checked([&](vdt_error* error) { return vdt_pixels_from_file(path.c_str(), &pixels, error); });
    const std::unique_ptr<vdt_pixels, Destroy<vdt_pixels_free>> owner(&pixels);
    if (std::max(pixels.width, pixels.height) > 2 * kMostReach + 1) {
        throw bad_spread(path, format("the image is %u x %u pixels; at most %d x %d can be used", pixels.width,
                                      pixels.height, 2 * kMostReach + 1, 2 * kMostReach + 1));
    }
    const std::uint32_t channels = pixels.format == VDT_FORMAT_GRAY8 ? 1 : (pixels.format == VDT_FORMAT_BGR8 ? 3 : 4);
    SpreadText spread;
    spread.kind = VDT_SPREAD_WEIGHTS;
    spread.width = pixels.width;
    spread.height = pixels.height;
    double sum = 0;
    for (std::uint32_t y = 0; y < pixels.height; ++y) {
        const auto* const row = static_cast<const unsigned char*>(pixels.data) + y * pixels.stride;
        for (std::uint32_t x = 0; x < pixels.width; ++x) {
            double weight = 0;
            for (std::uint32_t c = 0; c < std::min(channels, 3u); ++c) {
                weight += row[x * channels + c];
            }
            spread.weights.push_back(weight);
            sum += weight;
        }
    }
    if (sum <= 0) {
        throw bad_spread(path, "the image is black everywhere; its gray values are the weights of the spread");
    }
    return spread;
}

}  // namespace

SpreadText parse_point_spread(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string kind = colon == std::string::npos ? "" : text.substr(0, colon);
    SpreadText spread;
    if (kind != "gaussian" && kind != "disk" && kind != "motion") {
        return from_image(text);
    }
    spread.kind = kind == "gaussian" ? VDT_SPREAD_GAUSSIAN : (kind == "disk" ? VDT_SPREAD_DISK : VDT_SPREAD_MOTION);
    std::string_view rest = std::string_view(text).substr(colon + 1);
    bool good = take_number(rest, spread.size);
    if (good && spread.kind == VDT_SPREAD_MOTION) {
        good = !rest.empty() && rest.front() == ',';
        if (good) {
            rest.remove_prefix(1);
            good = take_number(rest, spread.angle);
        }
    }
    if (!good || !rest.empty()) {
        throw bad_spread(text,
                         "a point-spread function is gaussian:SIGMA, disk:RADIUS, motion:LENGTH,ANGLE or the "
                         "path of an image");
    }
    const auto [least, most] = host::spread_range(spread.kind);
    if (spread.size < least || spread.size > most) {
        throw bad_spread(text, format("the size must be a number of pixels from %g to %.4g", least, most));
    }
    return spread;
}

}  // namespace vedette::cli
