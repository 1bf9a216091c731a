#include "cascade/estimate.h"

#include <vedette/plugin/cpp/expectation.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "cascade/scales.h"

namespace vedette::cascade {

namespace {

// The number in the first element of that name, 0 when there is none.
int number_in(std::string_view text, std::string_view tag) {
    const std::size_t at = text.find(tag);
    return at == std::string_view::npos ? 0 : std::atoi(std::string(text.substr(at + tag.size(), 16)).c_str());
}

// Weak classifiers of the stages of OpenCV's frontalface_default, 2,913 in all, and the share of windows that passes a
// stage: with it a window that is not flat meets 25 of them, as counted on real screenshots.
constexpr double stages[] = {9,   16,  27,  32,  52,  53,  62,  72,  83,  91,  99,  115, 127,
                             135, 136, 137, 159, 155, 169, 196, 197, 181, 199, 211, 200};
constexpr double passes_stage = 0.41;
constexpr double usual_textured = 0.65;  // on real screenshots

// Whether a window of `side` times the classifier's has a standard deviation of more than 10, which OpenCV calls flat
// otherwise: from 12 x 12 of its pixels.
bool is_textured(const vdt_image& image, std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height) {
    constexpr std::uint32_t points = 12;
    double sum = 0, square = 0;
    for (std::uint32_t j = 0; j < points; ++j) {
        const auto* const row = plugin::row_of<const std::uint8_t>(image, 0, y + height * j / points);
        for (std::uint32_t i = 0; i < points; ++i) {
            const double value = row[x + width * i / points];
            sum += value;
            square += value * value;
        }
    }
    constexpr double count = points * points, flat = 10;
    return square / count - (sum / count) * (sum / count) > flat * flat;
}

// Small windows are the most: half of the sample is at the classifier's own size, a quarter at 1.5 times that, ...
double textured_share(const vdt_image& image, const Model& model) {
    constexpr std::uint32_t samples = 64;
    if (!plugin::has_pixels(image) || plugin::layout_of(image.format)->pixel_elements != 1) return usual_textured;
    std::uint32_t looked_at = 0, textured = 0;
    double scale = 1;
    for (std::uint32_t left = samples / 2; left != 0; left /= 2, scale *= 1.5) {
        const auto width = static_cast<std::uint32_t>(model.width * scale),
                   height = static_cast<std::uint32_t>(model.height * scale);
        if (width > image.width || height > image.height) break;
        for (std::uint32_t k = 0; k < left; ++k, ++looked_at) {
            const plugin::SamplePlace place =
                plugin::sample_place(looked_at, image.width - width + 1, image.height - height + 1);
            textured += is_textured(image, place.x, place.y, width, height) ? 1 : 0;
        }
    }
    return plugin::rate_of(textured, looked_at);
}

}  // namespace

Estimate estimate_of(const vdt_cascade_params& params, const vdt_image& image, double bundle) {
    const std::string_view head(params.cascade, std::min<std::uint64_t>(params.cascade_bytes, 1u << 14));
    Estimate estimate;
    estimate.model.width = std::clamp(number_in(head, "<width>"), 20, 4096);
    estimate.model.height = std::clamp(number_in(head, "<height>"), 20, 4096);
    const Search search{params.scale_factor, params.min_w, params.min_h, params.max_w, params.max_h};
    for (const Scale& scale :
         scales_of(estimate.model, search, static_cast<int>(image.width), static_cast<int>(image.height))) {
        estimate.pixels += static_cast<double>(scale.width) * scale.height;
        estimate.windows += static_cast<double>(scale.columns) * scale.rows;
    }
    // The test for flat windows is a stage without classifiers.
    std::array<double, std::size(stages) + 1> work{}, passes;
    std::copy(std::begin(stages), std::end(stages), work.begin() + 1);
    passes.fill(passes_stage);
    passes[0] = textured_share(image, estimate.model);
    estimate.classifiers = plugin::expected_work({work, passes});
    estimate.divergence = plugin::expected_divergence({work, passes}, bundle);
    return estimate;
}

}  // namespace vedette::cascade
