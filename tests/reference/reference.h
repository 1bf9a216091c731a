// Independent reference values: brute force in exact integers or double precision, written for reading, not for speed.
// Used by the operation tests and by the conformance program. Depends on the plugin ABI's headers only.
#pragma once

#include <vedette/plugin/ops.h>

#include <cstdint>
#include <vector>

namespace vedette::reference {

// Value of a channel of a pixel as a double, whatever the format, read through the view's strides. Channel order as the
// format's name. Host memory only.
double pixel(const vdt_image& image, std::uint32_t x, std::uint32_t y, std::uint32_t channel);
std::uint32_t channels(vdt_format format);
std::uint32_t bytes_per_pixel(vdt_format format);  // of one plane

// A plane of doubles, row by row.
struct Plane {
    std::uint32_t width = 0, height = 0, channels = 1;
    std::vector<double> value;  // (y * width + x) * channels + channel
    double at(std::uint32_t x, std::uint32_t y, std::uint32_t channel = 0) const {
        return value[(static_cast<std::size_t>(y) * width + x) * channels + channel];
    }
};

// Each gives the exact result of the operation as ops.h defines it; values of integer outputs are integers.
Plane convert(const vdt_image& in, vdt_format out, const vdt_convert_params& params);
Plane resize(const vdt_image& in, vdt_format out, std::uint32_t width, std::uint32_t height,
             const vdt_resize_params& params);
Plane integral(const vdt_image& in, std::uint32_t which);  // one VDT_INTEGRAL_ flag
Plane filter(const vdt_image& in, vdt_format out, const vdt_filter_params& params);
Plane pyramid_level(const vdt_image& in, std::uint32_t method);
Plane fft2(const vdt_image& in, vdt_format out, const vdt_fft2_params& params);
// The restored image and the point-spread function at the end (which only blind restoration changes).
std::vector<Plane> restore(const vdt_image& blurred, const vdt_image& spread, const vdt_restore_params& params);
Plane template_map(const vdt_image& scene, const vdt_image& pattern, const vdt_image* mask, std::uint32_t method);

// Score of template_find at one position, by exact integers.
double score_at(const vdt_image& scene, const vdt_image& pattern, const vdt_image* mask, std::uint32_t x,
                std::uint32_t y);
// The whole list of template_find for `pattern_count` patterns (inputs laid out as ops.h says), before max_results cuts
// it.
std::vector<vdt_item> template_find(const vdt_image* const* inputs, const vdt_template_find_params& params);

// groupRectangles.
std::vector<vdt_item> group(const std::vector<vdt_item>& items, const vdt_group_params& params);

}  // namespace vedette::reference
