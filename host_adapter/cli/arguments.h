// Values of options that are more than a number or a word. All throw Problem VDT_E_ARGUMENT naming the option.
#pragma once

#include <vedette/vedette.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vedette::cli {

// "X,Y,W,H", whole numbers, W and H at least 1.
vdt_rect parse_rectangle(const std::string& option, const std::string& text);

struct PixelSize {
    std::uint32_t width, height;
};
// "WxH", whole numbers from 1 to VDT_MAX_DIMENSION, together at most 2^29 pixels.
PixelSize parse_size(const std::string& option, const std::string& text);

// "W,H", or "W" for both: whole numbers, at least 1.
std::pair<std::int32_t, std::int32_t> parse_window(const std::string& option, const std::string& text);

// "A:B:STEP": A, A + STEP, A + 2 STEP ... up to B, B itself included when a step lands on it; A and STEP above 0, B at
// least A, at most max_scales values.
inline constexpr unsigned max_scales = 200;
std::vector<double> parse_scales(const std::string& option, const std::string& text);

// Refuses what is no finite number from `least` to `most`.
void require_range(const std::string& option, double value, double least, double most);

}  // namespace vedette::cli
