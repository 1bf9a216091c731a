#include "arguments.h"

#include "library.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace vedette::cli {

namespace {

// The pieces between `separator`s, each a whole number or a number to its last character; nothing when one is not.
template <class Number>
std::vector<Number> numbers(std::string_view text, char separator) {
    std::vector<Number> result;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
        Number value{};
        const auto [stop, error] = std::from_chars(at, end, value);
        if (error != std::errc() || (stop != end && *stop != separator)) {
            return {};
        }
        result.push_back(value);
        if (stop == end) {
            return result;
        }
        at = stop + 1;
    }
}

Problem bad_value(const std::string& option, const std::string& text, const std::string& wanted) {
    return Problem(VDT_E_ARGUMENT, option + " " + text + ": " + wanted + ".");
}

}  // namespace

vdt_rect parse_rectangle(const std::string& option, const std::string& text) {
    const std::vector<std::int32_t> value = numbers<std::int32_t>(text, ',');
    if (value.size() != 4) {
        throw bad_value(option, text, "a rectangle is four whole numbers X,Y,WIDTH,HEIGHT, for example 100,50,640,480");
    }
    if (value[2] < 1 || value[3] < 1) {
        throw bad_value(option, text, "a rectangle's width and height are at least 1");
    }
    return {value[0], value[1], value[2], value[3]};
}

PixelSize parse_size(const std::string& option, const std::string& text) {
    const std::vector<std::uint32_t> value = numbers<std::uint32_t>(text, 'x');
    if (value.size() != 2) {
        throw bad_value(option, text, "a size is two whole numbers WIDTHxHEIGHT, for example 608x608");
    }
    for (const std::uint32_t side : value) {
        if (side < 1 || side > VDT_MAX_DIMENSION) {
            throw bad_value(option, text, "width and height must be from 1 to " + std::to_string(VDT_MAX_DIMENSION));
        }
    }
    constexpr std::uint64_t most_pixels = std::uint64_t{1} << 29;  // as image files may have
    if (std::uint64_t{value[0]} * value[1] > most_pixels) {
        throw bad_value(option, text, "an image has at most 2^29 pixels");
    }
    return {value[0], value[1]};
}

std::pair<std::int32_t, std::int32_t> parse_window(const std::string& option, const std::string& text) {
    const std::vector<std::int32_t> value = numbers<std::int32_t>(text, ',');
    if (value.empty() || value.size() > 2 || value.front() < 1 || value.back() < 1) {
        throw bad_value(option, text,
                        "a size is one or two whole numbers of at least 1, WIDTH,HEIGHT, for example 48 or 64,32");
    }
    return {value.front(), value.back()};
}

std::vector<double> parse_scales(const std::string& option, const std::string& text) {
    const std::vector<double> value = numbers<double>(text, ':');
    if (value.size() != 3) {
        throw bad_value(option, text,
                        "scales are auto, none, or three numbers FIRST:LAST:STEP, for example 0.5:2:0.25");
    }
    const double first = value[0];
    const double last = value[1];
    const double step = value[2];
    if (!std::isfinite(first) || !std::isfinite(last) || !std::isfinite(step) || first <= 0 || last < first ||
        step <= 0) {
        throw bad_value(option, text, "FIRST and STEP must be above 0 and LAST not below FIRST");
    }
    // A thousandth of a step forgives decimal steps that binary numbers do not hold exactly.
    const double steps = std::floor((last - first) / step + 1e-3);
    if (steps >= max_scales) {
        throw bad_value(option, text,
                        "that is more than " + std::to_string(max_scales) + " scales; take a larger STEP");
    }
    std::vector<double> scales;
    for (double i = 0; i <= steps; ++i) {
        scales.push_back(first + i * step);
    }
    return scales;
}

void require_range(const std::string& option, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
        char text[160];
        std::snprintf(text, sizeof text, "%s must be a number from %g to %g, not %g.", option.c_str(), least, most,
                      value);
        throw Problem(VDT_E_ARGUMENT, text);
    }
}

}  // namespace vedette::cli
