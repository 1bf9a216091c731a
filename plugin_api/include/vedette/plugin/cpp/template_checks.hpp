// Help for plugins written in C++; not part of the ABI. What ops.h asks of the operands and parameters of template_find
// and template_map beyond what check.hpp looks at: values, and images against each other. Each check throws Failure
// with one sentence that names the culprit.
#ifndef VEDETTE_PLUGIN_CPP_TEMPLATE_CHECKS_HPP
#define VEDETTE_PLUGIN_CPP_TEMPLATE_CHECKS_HPP

#include <algorithm>
#include <string>

#include "check.hpp"

namespace vedette::plugin {

// Of scenes and patterns.
inline constexpr uint64_t template_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8) | VDT_FORMAT_BIT(VDT_FORMAT_BGR8);

// The region that is searched: the whole scene when the parameters name none. Throws when it reaches outside.
inline vdt_rect region_of(const vdt_image& scene, const vdt_template_find_params& params) {
    const auto w = static_cast<int32_t>(scene.width), h = static_cast<int32_t>(scene.height);
    const vdt_rect& r = params.region;
    if (r.w == 0 && r.h == 0) return {0, 0, w, h};
    if (r.w <= 0 || r.h <= 0 || r.x < 0 || r.y < 0 || r.x > w || r.y > h || r.w > w - r.x || r.h > h - r.y)
        throw Failure(VDT_E_ARGUMENT, "template_find: the region " + std::to_string(r.x) + "," + std::to_string(r.y) +
                                          "," + std::to_string(r.w) + "," + std::to_string(r.h) +
                                          " does not lie inside the scene of " + size_text(scene.width, scene.height));
    return r;
}

// Of a query or a call whose operands check_operands or check_call accepted. A plan checks its calls too: all but the
// images' formats and sizes may have changed. Scale lists are refused (VDT_E_UNSUPPORTED) unless `scales` says that the
// backend has them; their values: check_scales() of template_scales.hpp.
inline void check_template_find(const vdt_image* const* inputs, uint32_t count, const vdt_template_find_params& params,
                                bool scales = false) {
    if ((params.flags & ~uint32_t{VDT_FIND_LOCAL_MAXIMA | VDT_FIND_BEST_ONLY}) != 0)
        throw Failure(VDT_E_ARGUMENT, "template_find: unknown flags " + std::to_string(params.flags));
    if (!(params.threshold >= -1 && params.threshold <= 1))
        throw Failure(VDT_E_ARGUMENT,
                      "template_find: the threshold " + std::to_string(params.threshold) + " is not in -1..1");
    if (params.pattern_count == 0) throw Failure(VDT_E_ARGUMENT, "template_find: pattern_count is 0");
    if (params.max_results == 0) throw Failure(VDT_E_ARGUMENT, "template_find: max_results is 0");
    if (params.exclude_count != 0 && params.exclude == nullptr)
        throw Failure(VDT_E_ARGUMENT, "template_find: exclude_count is not 0 but exclude is NULL");
    if (params.scale_count != 0 && !scales)
        throw Failure(VDT_E_UNSUPPORTED,
                      "template_find: this backend searches at scale 1 only; resize the pattern or the scene first");
    if (uint64_t{params.pattern_count} * 2 + 1 != count)
        throw Failure(VDT_E_ARGUMENT, "template_find: " + std::to_string(params.pattern_count) +
                                          " patterns need a scene and a pattern and a mask each, but there are " +
                                          std::to_string(count) + " inputs");
    const vdt_image& scene = *inputs[0];
    for (uint32_t p = 0; p < params.pattern_count; ++p) {
        const vdt_image& pattern = *inputs[1 + 2 * std::size_t{p}];
        const vdt_image& mask = *inputs[2 + 2 * std::size_t{p}];
        if (pattern.format != scene.format)
            throw Failure(VDT_E_ARGUMENT,
                          "template_find: pattern " + std::to_string(p) + " is not of the scene's format");
        if (mask.format == VDT_FORMAT_NONE) continue;
        if (mask.format != VDT_FORMAT_GRAY8)
            throw Failure(VDT_E_ARGUMENT, "template_find: the mask of pattern " + std::to_string(p) + " is not GRAY8");
        if (mask.width != pattern.width || mask.height != pattern.height)
            throw Failure(VDT_E_SIZE,
                          "template_find: the mask of pattern " + std::to_string(p) + " is not of the pattern's size");
    }
    (void)region_of(scene, params);
}

// Once the pixels are known: `area` are those that the mask of pattern `p` takes; `varies`: they are not all the same.
inline void check_template_pixels(uint32_t p, uint64_t area, bool varies) {
    if (area == 0)
        throw Failure(VDT_E_ARGUMENT, "template_find: the mask of pattern " + std::to_string(p) + " takes no pixel");
    if (!varies)
        throw Failure(VDT_E_ARGUMENT, "template_find: pattern " + std::to_string(p) +
                                          " has no variance (every pixel taken is the same); compare colours instead");
}

// The positions, counted from the region's corner, at which a pattern of w x h would meet `exclude`: its corner lies in
// the excluded rectangle, grown by the pattern's size. May be empty, and reach beyond the last position.
inline vdt_rect excluded_positions(const vdt_rect& exclude, const vdt_rect& region, int32_t w, int32_t h) noexcept {
    const auto within = [](int64_t value, int64_t limit) { return std::clamp<int64_t>(value, 0, limit); };
    const int64_t x0 = within(int64_t{exclude.x} - region.x - w + 1, region.w);
    const int64_t y0 = within(int64_t{exclude.y} - region.y - h + 1, region.h);
    const int64_t x1 = within(int64_t{exclude.x} + exclude.w - region.x, region.w);
    const int64_t y1 = within(int64_t{exclude.y} + exclude.h - region.y, region.h);
    return {static_cast<int32_t>(x0), static_cast<int32_t>(y0), static_cast<int32_t>(x1 - x0),
            static_cast<int32_t>(y1 - y0)};
}

// Of a query or a call; formats of scene and output were checked (Operation::input_formats, output_formats).
inline void check_template_map(const vdt_image* const* inputs, const vdt_image* const* outputs,
                               const vdt_template_map_params& params) {
    const vdt_image &scene = *inputs[0], &pattern = *inputs[1], &mask = *inputs[2], &out = *outputs[0];
    if (params.method > VDT_MATCH_CCOEFF_NORMED)
        throw Failure(VDT_E_ARGUMENT, "template_map: method " + std::to_string(params.method) + " does not exist");
    if (pattern.format != scene.format)
        throw Failure(VDT_E_ARGUMENT, "template_map: the pattern is not of the scene's format");
    if (mask.format != VDT_FORMAT_NONE && mask.format != VDT_FORMAT_GRAY8)
        throw Failure(VDT_E_ARGUMENT, "template_map: the mask is not GRAY8");
    if (mask.format != VDT_FORMAT_NONE && (mask.width != pattern.width || mask.height != pattern.height))
        throw Failure(VDT_E_SIZE, "template_map: the mask is not of the pattern's size");
    if (pattern.width > scene.width || pattern.height > scene.height)
        throw Failure(VDT_E_SIZE, "template_map: the pattern is larger than the scene");
    if (out.width != scene.width - pattern.width + 1 || out.height != scene.height - pattern.height + 1)
        throw Failure(VDT_E_SIZE, "template_map: the output must be " +
                                      size_text(scene.width - pattern.width + 1, scene.height - pattern.height + 1));
}

}  // namespace vedette::plugin
#endif
