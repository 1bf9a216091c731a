#include "find_options.h"

#include "../core/failure.h"
#include "../core/struct_out.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace vedette::host {
namespace {

// A range of factors that still leaves something to see of an ordinary element on an ordinary screen.
constexpr double kLeastScale = 0.05;
constexpr double kMostScale = 20;
constexpr std::uint32_t kMostScales = 256;
constexpr std::uint32_t kMostResults = 100000;
constexpr std::uint32_t kMostExcluded = 4096;
constexpr double kMostSeconds = 1e6;
constexpr std::uint32_t kAllFallbacks = VDT_FALLBACK_SCALES | VDT_FALLBACK_FEATURES;

[[noreturn]] void refuse(const std::string& text) {
    throw Failure(VDT_E_ARGUMENT, text);
}

std::string text_of(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

std::string text_of(const vdt_rect& r) {
    return std::to_string(r.x) + "," + std::to_string(r.y) + "," + std::to_string(r.w) + "," + std::to_string(r.h);
}

// Written so that NaN fails.
void require_range(const char* name, double value, double least, double most) {
    if (value >= least && value <= most) return;
    refuse(std::string("`") + name + "` is " + text_of(value) + "; it must be between " + text_of(least) + " and " +
           text_of(most) + ".");
}

void require_flag(const char* name, std::uint32_t value) {
    if (value > 1) refuse(std::string("`") + name + "` is " + std::to_string(value) + "; it must be 0 or 1.");
}

Window check_region(const vdt_rect& region, std::uint32_t width, std::uint32_t height) {
    if (region.x == 0 && region.y == 0 && region.w == 0 && region.h == 0) return {0, 0, width, height};
    const bool inside = region.x >= 0 && region.y >= 0 && region.w > 0 && region.h > 0 &&
                        std::int64_t{region.x} + region.w <= width && std::int64_t{region.y} + region.h <= height;
    if (!inside)
        refuse("The region " + text_of(region) + " (x,y,w,h) does not lie inside the screen of " +
               std::to_string(width) + " x " + std::to_string(height) + " pixels.");
    return {static_cast<std::uint32_t>(region.x), static_cast<std::uint32_t>(region.y),
            static_cast<std::uint32_t>(region.w), static_cast<std::uint32_t>(region.h)};
}

std::vector<vdt_rect> check_excluded(const vdt_rect* exclude, std::uint32_t count) {
    if (count == 0) return {};
    if (exclude == nullptr) refuse("`exclude` is NULL but `exclude_count` is " + std::to_string(count) + ".");
    if (count > kMostExcluded)
        refuse("`exclude_count` is " + std::to_string(count) + "; at most " + std::to_string(kMostExcluded) +
               " areas can be excluded.");
    for (std::uint32_t i = 0; i < count; ++i)
        if (exclude[i].w <= 0 || exclude[i].h <= 0)
            refuse("The excluded area " + text_of(exclude[i]) + " (x,y,w,h) is empty.");
    return {exclude, exclude + count};
}

std::vector<double> check_scales(const double* scales, std::uint32_t count) {
    if (scales == nullptr && count == 0) return {1};
    if (scales == nullptr) refuse("`scales` is NULL but `scale_count` is " + std::to_string(count) + ".");
    if (count == 0) refuse("`scale_count` is 0 but `scales` is not NULL; give at least one factor.");
    if (count > kMostScales)
        refuse("`scale_count` is " + std::to_string(count) + "; at most " + std::to_string(kMostScales) +
               " factors can be tried in one find.");
    std::vector<double> factors;
    for (std::uint32_t i = 0; i < count; ++i) {
        require_range("scales", scales[i], kLeastScale, kMostScale);
        if (std::find(factors.begin(), factors.end(), scales[i]) == factors.end()) factors.push_back(scales[i]);
    }
    return factors;
}

vdt_find_options defaults() {
    vdt_find_options options{};
    options.struct_size = sizeof options;
    options.threshold = 0.75;
    options.floor = 0.6;
    options.strictness = 1;
    options.overlap = 0.5;
    options.verify = 1;
    options.max_results = 400;
    options.fallbacks = kAllFallbacks;
    return options;
}

}  // namespace

CheckedOptions check_options(const vdt_find_options* options, std::uint32_t screen_width, std::uint32_t screen_height) {
    vdt_find_options given = defaults();
    if (options != nullptr) {
        // The first version of the struct ended with `backend`.
        constexpr std::size_t kNeeded = offsetof(vdt_find_options, backend) + sizeof(options->backend);
        if (options->struct_size < kNeeded)
            refuse("`options` has struct_size " + std::to_string(options->struct_size) + "; it must be at least " +
                   std::to_string(kNeeded) + ": call vdt_find_options_init first.");
        std::memcpy(&given, options, std::min<std::size_t>(options->struct_size, sizeof given));
    }
    if (given.color > VDT_COLOR_BGR) refuse("`color` is " + std::to_string(given.color) + "; it must be 0, 1 or 2.");
    require_range("threshold", given.threshold, -1, 1);
    require_range("floor", given.floor, -1, 1);
    require_range("strictness", given.strictness, 0.25, 4);
    require_range("overlap", given.overlap, 0, 1);
    require_range("time_limit", given.time_limit, 0, kMostSeconds);
    require_flag("verify", given.verify);
    require_flag("all", given.all);
    if (given.max_results == 0 || given.max_results > kMostResults)
        refuse("`max_results` is " + std::to_string(given.max_results) + "; it must be between 1 and " +
               std::to_string(kMostResults) + ".");

    CheckedOptions checked;
    checked.query.color = given.color;
    checked.query.threshold = given.threshold;
    checked.query.floor = given.floor;
    checked.query.strictness = given.strictness;
    checked.query.overlap = given.overlap;
    checked.query.verify = given.verify == 1;
    checked.query.all = given.all == 1;
    checked.query.max_results = given.max_results;
    checked.query.region = check_region(given.region, screen_width, screen_height);
    checked.query.exclude = check_excluded(given.exclude, given.exclude_count);
    checked.query.scales = check_scales(given.scales, given.scale_count);
    if ((given.fallbacks & ~kAllFallbacks) != 0)
        refuse("`fallbacks` is " + std::to_string(given.fallbacks) +
               "; it must be a sum of VDT_FALLBACK_... values, 0 to " + std::to_string(kAllFallbacks) + ".");
    checked.query.fallbacks = given.scales == nullptr && given.verify == 1 ? given.fallbacks : 0;
    checked.time_limit = given.time_limit;
    checked.cancel = given.cancel;
    if (given.backend != nullptr && std::strcmp(given.backend, "auto") != 0) checked.backend = given.backend;
    return checked;
}

}  // namespace vedette::host

void vdt_find_options_init(vdt_find_options* options) noexcept {
    vedette::host::fill_defaults(options, vedette::host::defaults());
}
