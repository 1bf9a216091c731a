#include "cost.h"

#include <vedette/plugin/cpp/expectation.hpp>
#include <vedette/plugin/cpp/template_checks.hpp>
#include <vedette/plugin/cpp/template_scales.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "../stages.h"
#include "finder.h"
#include "search/sample.h"

namespace vedette::cpu::find {
namespace {

// What is expected of screens where the pixels cannot be looked at: blocks of the bound, and windows that survive it.
// Medians over real desktops at a threshold of 0.9 [pruned search, section 3].
constexpr double usual_blocks = 48;
constexpr double usual_survivors = 0.01;
// Where the finder's prices were measured (2-core Zen 3 VM, AVX2), a core does about so many in a nanosecond: a test of
// 48 blocks, 102 operations of gray or 226 of colours as counted here, takes 4.3 or 8.7 [planner.cc].
constexpr double operations_of_nanosecond = 25;
// Of many patterns these are looked at, and stand for the rest.
constexpr std::size_t most_sampled = 4;
// Operations a position: window sums (two scans, differences), and a score in double.
constexpr double operations_of_sums = 14;
constexpr double operations_of_score = 14;
constexpr double operations_of_test = 16, operations_of_masked_test = 30;
// A survivor's: what finding and checking it takes beside the products of its pixels, 25 ns (2-core Zen 3 VM, AVX2).
constexpr double operations_of_survivor = 25 * operations_of_nanosecond;

Pattern shape_of(const vdt_image& image, const vdt_image& mask) {
    Pattern pattern;
    pattern.w = static_cast<int>(image.width);
    pattern.h = static_cast<int>(image.height);
    pattern.channels = image.format == VDT_FORMAT_BGR8 ? 3 : 1;
    pattern.masked = mask.format != VDT_FORMAT_NONE;
    return pattern;
}

// Products that a 32-bit lane adds up in one operation: two 16-bit ones, or four 8-bit ones [vpmaddwd, vpdpbusd].
double products_together(Isa isa) {
    return isa == Isa::avx512 ? 4 : isa == Isa::avx2 ? 2 : 1;
}

// Threads take strips of this many columns, and bands of them (finder.cc).
double strip_pieces(const Pattern& pattern, int columns, int rows, const Device& device) {
    constexpr double strip = 512;
    const double strips = std::ceil(columns / strip);
    const double most = std::max(1.0, std::floor(rows / std::max(8.0, 2.0 * pattern.h)));
    const double few =
        std::clamp(std::floor(rows / std::max(8.0, pattern.h / 2.0)), 1.0, static_cast<double>(device.workers));
    return strips * std::clamp(std::ceil(4 * static_cast<double>(device.workers) / strips), 1.0,
                               std::max(most, strips > 1 ? 1 : few));
}

// Every score of columns x rows positions; `bytes` beyond the last cache.
void add_exhaustive(const Device& device, const Pattern& pattern, int columns, int rows, double bytes, vdt_cost& cost) {
    const double positions = static_cast<double>(columns) * rows;
    const double area = static_cast<double>(pattern.w) * pattern.h * pattern.channels;
    const Exhaustive way = choose_exhaustive(pattern, columns, rows, device.isa);
    const double rest = positions * (operations_of_sums * pattern.channels + operations_of_score);
    if (way.transform == 0) {
        // With a mask its sums and squares are correlations of their own.
        const double products = positions * area * (pattern.masked ? 3 : 1) / products_together(device.isa);
        add_pieces(device, cost, products + rest, 2 * area, strip_pieces(pattern, columns, rows, device), bytes,
                   products);
        return;
    }
    const double side = way.transform;
    const FftBlock block = fft_block(pattern, way.transform);
    const double blocks =
        std::ceil(static_cast<double>(columns) / block.columns) * std::ceil(static_cast<double>(rows) / block.rows);
    const double transforms = blocks * (pattern.masked ? 2.0 * pattern.channels + 3 : pattern.channels + 1);
    // A radix-2 transform of N complex values takes 5 N log2 N operations and passes log2 N times over them. Doubles:
    // half as many at a time.
    const double doublings = 2 * std::log2(side);
    const double passes = transforms * side * side * doublings;
    add_pieces(device, cost, 2 * 5 * passes + rest, 5 * doublings, blocks, bytes, 2 * 2 * passes);
    cost.scratch_bytes += static_cast<std::uint64_t>(device.workers * 4 * side * side * sizeof(double));
}

// Operations of the bound at a position. Blocks go in pairs: a multiply-add of two 16-bit sums and an addition for each
// channel, and a fused one for the pair's detail. Under a mask the sums are added up as well, and the squares
// [masked.h].
double tested_operations(const Pattern& pattern) {
    constexpr double pairs = usual_blocks / 2;
    const double sums = operations_of_sums * pattern.channels;
    return pattern.masked ? sums + pairs * (4 * pattern.channels + 2) + operations_of_masked_test
                          : sums + pairs * (2 * pattern.channels + 1) + operations_of_test;
}

bool may_prune(const Pattern& pattern, double threshold) {
    const double area = static_cast<double>(pattern.w) * pattern.h * pattern.channels;
    return threshold >= 0.3 && pattern.small() && pattern.w >= 8 && pattern.h >= 8 &&
           tested_operations(pattern) <= 2 * area + operations_of_score;
}

// Survivors of the bound for the patterns of a query, as far as its pixels tell.
class Survivors {
public:
    Survivors(const vdt_query& query, const vdt_rect& region) {
        const auto& params = *static_cast<const vdt_template_find_params*>(query.params);
        for (; count_ < std::min<std::size_t>(params.pattern_count, most_sampled); ++count_) {
            shares_[count_] =
                search::sampled_survivors(*query.inputs[0], region, *query.inputs[1 + 2 * count_],
                                          *query.inputs[2 + 2 * count_], params.threshold, usual_survivors)
                    .value_or(usual_survivors);
            mean_ += shares_[count_];
        }
        mean_ /= static_cast<double>(std::max<std::size_t>(count_, 1));
    }
    double of(std::size_t pattern) const { return pattern < count_ ? shares_[pattern] : mean_; }

private:
    std::array<double, most_sampled> shares_{};
    std::size_t count_ = 0;
    double mean_ = 0;
};

// Work of a position when the bound is tried first; 0 when it is not, or is given up because it does not pay.
double pruned_work(const Pattern& pattern, double threshold, double survivors, int columns, int rows,
                   const Device& device) {
    if (!may_prune(pattern, threshold)) return 0;
    const double products = static_cast<double>(pattern.w) * pattern.h * pattern.channels /
                            products_together(device.isa) * (pattern.masked ? 3 : 1);
    const double work =
        plugin::expected_pruned_work(1, tested_operations(pattern), operations_of_survivor + products, survivors);
    const Exhaustive way = choose_exhaustive(pattern, columns, rows, device.isa);
    const double all = way.transform == 0 ? products + operations_of_sums * pattern.channels + operations_of_score
                                          : operations_of_nanosecond * way.cost / columns / rows;
    return work < all ? work : 0;
}

// Colours are taken apart into planes before the search, unless they are kept so.
void add_split(const Device& device, const vdt_image& scene, double pixels, vdt_cost& cost) {
    if (scene.format != VDT_FORMAT_BGR8 || scene.resident != nullptr) return;
    add_pieces(device, cost, pixels * 3, 1, 4 * static_cast<double>(device.workers), pixels * 6, 0);
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
    add_split(device, scene, static_cast<double>(scene.width) * scene.height, cost);
    add_exhaustive(device, pattern, columns, rows, bytes, cost);
}

namespace {

// A search of all patterns at one factor.
void add_search(const Device& device, const vdt_query& query, double factor, vdt_cost& cost) {
    const auto& params = *static_cast<const vdt_template_find_params*>(query.params);
    vdt_rect region = plugin::region_of(*query.inputs[0], params);
    const Survivors survivors(query, region);
    region.w = static_cast<std::int32_t>(plugin::scene_side(static_cast<std::uint32_t>(region.w), factor));
    region.h = static_cast<std::int32_t>(plugin::scene_side(static_cast<std::uint32_t>(region.h), factor));
    add_split(device, *query.inputs[0], static_cast<double>(region.w) * region.h, cost);
    const std::uint32_t before = cost.launches;
    for (std::size_t p = 0; p < params.pattern_count; ++p) {
        Pattern pattern = shape_of(*query.inputs[1 + 2 * p], *query.inputs[2 + 2 * p]);
        pattern.w = static_cast<int>(plugin::pattern_side(static_cast<std::uint32_t>(pattern.w), factor));
        pattern.h = static_cast<int>(plugin::pattern_side(static_cast<std::uint32_t>(pattern.h), factor));
        if (pattern.w > region.w || pattern.h > region.h) continue;
        const int columns = region.w - pattern.w + 1, rows = region.h - pattern.h + 1;
        const double positions = static_cast<double>(columns) * rows;
        const double bytes = static_cast<double>(region.w) * region.h * pattern.channels;
        const double each = pruned_work(pattern, params.threshold, survivors.of(p), columns, rows, device);
        if (each == 0) {
            add_exhaustive(device, pattern, columns, rows, bytes, cost);
            continue;
        }
        add_pieces(device, cost, positions * each, usual_blocks, strip_pieces(pattern, columns, rows, device), bytes,
                   positions * usual_blocks * pattern.channels);
        cost.scratch_bytes +=
            static_cast<std::uint64_t>(device.workers) * static_cast<std::uint64_t>(pattern.h + 16) * 640 * 8;
    }
    // One fork-join serves all patterns of a scene.
    cost.launches = std::min(cost.launches, before + 1);
}

}  // namespace

void cost_of_find(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const auto& params = *static_cast<const vdt_template_find_params*>(query.params);
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    if (params.scale_count == 0) add_search(device, query, 1, cost);
    for (std::uint32_t i = 0; i < params.scale_count; ++i) add_search(device, query, params.scales[i], cost);
}

const char* way_of_map(const Device& device, const vdt_query& query) {
    const Pattern pattern = shape_of(*query.inputs[1], *query.inputs[2]);
    const int columns = static_cast<int>(query.inputs[0]->width) - pattern.w + 1;
    const int rows = static_cast<int>(query.inputs[0]->height) - pattern.h + 1;
    if (choose_exhaustive(pattern, columns, rows, device.isa).transform != 0) return "by transforms";
    return pattern.masked ? "every product, masked" : "every product";
}

const char* way_of_find(const Device& device, const vdt_query& query) {
    const auto& params = *static_cast<const vdt_template_find_params*>(query.params);
    const vdt_rect region = plugin::region_of(*query.inputs[0], params);
    const Survivors survivors(query, region);
    // Of several patterns the first one that fits.
    for (std::size_t p = 0; p < params.pattern_count; ++p) {
        const Pattern pattern = shape_of(*query.inputs[1 + 2 * p], *query.inputs[2 + 2 * p]);
        if (pattern.w > region.w || pattern.h > region.h) continue;
        const int columns = region.w - pattern.w + 1, rows = region.h - pattern.h + 1;
        if (pruned_work(pattern, params.threshold, survivors.of(p), columns, rows, device) != 0)
            return pattern.masked ? "by a bound, masked" : "by a bound";
        if (choose_exhaustive(pattern, columns, rows, device.isa).transform != 0) return "by transforms";
        break;
    }
    return "every product";
}

}  // namespace vedette::cpu::find
