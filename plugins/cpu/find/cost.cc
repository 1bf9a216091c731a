#include "cost.h"

#include <vedette/plugin/cpp/template_scales.hpp>

#include <algorithm>
#include <cmath>

#include "../stages.h"
#include "finder.h"

namespace vedette::cpu::find {
namespace {

// What is expected of screens where the pixels were not looked at: blocks of the bound, and windows that survive it.
// Medians over real desktops at a threshold of 0.9 [pruned search, section 3].
constexpr double usual_blocks = 48;
constexpr double usual_survivors = 0.01;
// Operations a position: window sums (two scans, differences), and a score in double.
constexpr double operations_of_sums = 14;
constexpr double operations_of_score = 14;
constexpr double operations_of_test = 16;

Pattern shape_of(const vdt_image& image, const vdt_image& mask) {
    Pattern pattern;
    pattern.w = static_cast<int>(image.width);
    pattern.h = static_cast<int>(image.height);
    pattern.channels = image.format == VDT_FORMAT_BGR8 ? 3 : 1;
    pattern.masked = mask.format != VDT_FORMAT_NONE;
    return pattern;
}

// Every score of columns x rows positions; `bytes` beyond the last cache.
void add_exhaustive(const Device& device, const Pattern& pattern, int columns, int rows, double bytes, vdt_cost& cost) {
    const double positions = static_cast<double>(columns) * rows;
    const double area = static_cast<double>(pattern.w) * pattern.h * pattern.channels;
    const Exhaustive way = choose_exhaustive(pattern, columns, rows, device.isa);
    const double rest = positions * (operations_of_sums * pattern.channels + operations_of_score);
    if (way.transform == 0) {
        // With a mask its sums and squares are correlations of their own.
        const double products = positions * area * (pattern.masked ? 3 : 1);
        add_loop(cost, 2 * products + rest, 2 * area, positions, bytes, products / 2);
        return;
    }
    const double side = way.transform;
    const FftBlock block = fft_block(pattern, way.transform);
    const double blocks =
        std::ceil(static_cast<double>(columns) / block.columns) * std::ceil(static_cast<double>(rows) / block.rows);
    const double transforms = blocks * (pattern.masked ? 2.0 * pattern.channels + 3 : pattern.channels + 1);
    // A radix-2 transform of N complex values takes 5 N log2 N operations and passes log2 N times over them.
    const double doublings = 2 * std::log2(side);
    add_loop(cost, transforms * 5 * side * side * doublings + rest, 5 * doublings, blocks * side * side, bytes,
             transforms * 2 * side * side * doublings);
    cost.scratch_bytes += static_cast<std::uint64_t>(device.workers * 4 * side * side * sizeof(double));
}

bool prunes(const Pattern& pattern, double threshold) {
    return threshold >= 0.3 && pattern.small() && pattern.w >= 8 && pattern.h >= 8;
}

}  // namespace

void cost_of_map(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& scene = *query.inputs[0];
    const Pattern pattern = shape_of(*query.inputs[1], *query.inputs[2]);
    const int columns = static_cast<int>(scene.width) - pattern.w + 1;
    const int rows = static_cast<int>(scene.height) - pattern.h + 1;
    const double bytes =
        static_cast<double>(scene.width) * scene.height * pattern.channels + 4.0 * columns * static_cast<double>(rows);
    cost.flags = VDT_COST_EXACT;
    add_exhaustive(device, pattern, columns, rows, bytes, cost);
}

namespace {

// A search of all patterns at one factor.
void add_search(const Device& device, const vdt_query& query, double factor, vdt_cost& cost) {
    const auto& params = *static_cast<const vdt_template_find_params*>(query.params);
    vdt_rect region = plugin::region_of(*query.inputs[0], params);
    region.w = static_cast<std::int32_t>(plugin::scene_side(static_cast<std::uint32_t>(region.w), factor));
    region.h = static_cast<std::int32_t>(plugin::scene_side(static_cast<std::uint32_t>(region.h), factor));
    for (std::size_t p = 0; p < params.pattern_count; ++p) {
        Pattern pattern = shape_of(*query.inputs[1 + 2 * p], *query.inputs[2 + 2 * p]);
        pattern.w = static_cast<int>(plugin::pattern_side(static_cast<std::uint32_t>(pattern.w), factor));
        pattern.h = static_cast<int>(plugin::pattern_side(static_cast<std::uint32_t>(pattern.h), factor));
        if (pattern.w > region.w || pattern.h > region.h) continue;
        const int columns = region.w - pattern.w + 1, rows = region.h - pattern.h + 1;
        const double positions = static_cast<double>(columns) * rows;
        const double bytes = static_cast<double>(region.w) * region.h * pattern.channels;
        const double area = static_cast<double>(pattern.w) * pattern.h * pattern.channels;
        const double tested =
            operations_of_sums * pattern.channels + 2 * usual_blocks * pattern.channels + operations_of_test;
        if (!prunes(pattern, params.threshold) || tested > 2 * area + operations_of_score) {
            add_exhaustive(device, pattern, columns, rows, bytes, cost);
            continue;
        }
        add_loop(cost, positions * (tested + usual_survivors * 2 * area), 2 * area + usual_blocks, positions, bytes,
                 positions * usual_blocks * pattern.channels);
        cost.scratch_bytes +=
            static_cast<std::uint64_t>(device.workers) * static_cast<std::uint64_t>(pattern.h + 16) * 640 * 8;
    }
}

}  // namespace

void cost_of_find(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const auto& params = *static_cast<const vdt_template_find_params*>(query.params);
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    if (params.scale_count == 0) add_search(device, query, 1, cost);
    for (std::uint32_t i = 0; i < params.scale_count; ++i) add_search(device, query, params.scales[i], cost);
    // One fork-join serves all patterns of a scene.
    cost.launches = std::min(cost.launches, std::max(1U, params.scale_count));
}

}  // namespace vedette::cpu::find
