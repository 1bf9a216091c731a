// What template_find takes: patterns of one size share thresholds and, where they are many, the products.
#include "template_cost.h"
#include "template_finder.h"

#include <kernels/template_many.h>

#include <search/sample.h>

#include <vedette/plugin/cpp/template_checks.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace vedette::cuda_plugin {

namespace {

// Windows that the matrix kernels leave to be tested one by one: those whose score, but for rounding, reaches the
// threshold. As many as on usual screens (estimate) where the pixels cannot be looked at.
double expected_candidates(const vdt_query& query, const vdt_rect& region, std::size_t pattern, double positions) {
    constexpr double usual = 1000;
    const vdt_image &image = *query.inputs[1 + 2 * pattern], &mask = *query.inputs[2 + 2 * pattern];
    if (mask.format != VDT_FORMAT_NONE) return usual;
    const double threshold = plugin::params_of<vdt_template_find_params>(query).threshold;
    const auto share =
        search::sampled_hits(*query.inputs[0], region, image, threshold, std::min(usual / positions, 1.0));
    return share ? *share * positions : usual;
}

// Patterns of one shape that are searched in one way.
struct Alike {
    TemplateShape shape;
    std::vector<std::size_t> patterns;
};

TemplateShape shape_of(const vdt_query& query, std::size_t p) {
    const vdt_image& pattern = *query.inputs[1 + 2 * p];
    return {static_cast<int>(pattern.width), static_cast<int>(pattern.height), template_channels(pattern.format),
            query.inputs[2 + 2 * p]->format != VDT_FORMAT_NONE};
}

// Of the block means that come first, 0 where none do.
int step_of(const TemplateShape& shape) {
    return shape.channels == 1 && !shape.masked && cuda::gemm_takes(shape.width, shape.height, 1)
               ? largest_step_for(shape.width, shape.height)
               : 0;
}

class FindCost {
public:
    FindCost(const Device& device, const vdt_query& query, vdt_cost& cost)
        : device_(device),
          query_(query),
          params_(plugin::params_of<vdt_template_find_params>(query)),
          region_(plugin::region_of(*query.inputs[0], params_)),
          way_(static_cast<FindWay>(query.variant)),
          cost_(cost) {}

    void add_all() {
        std::map<std::tuple<int, int, int, bool>, Alike> alike;
        for (std::size_t p = 0; p < params_.pattern_count; ++p) {
            const TemplateShape shape = shape_of(query_, p);
            if (shape.width > region_.w || shape.height > region_.h) continue;
            Alike& group = alike[{shape.width, shape.height, shape.channels, shape.masked}];
            group.shape = shape;
            group.patterns.push_back(p);
        }
        for (const auto& [key, group] : alike) add(group);
    }

private:
    void add(const Alike& group) {
        const TemplateShape& shape = group.shape;
        const double columns = region_.w - shape.width + 1;
        const double rows = region_.h - shape.height + 1;
        const double positions = columns * rows;
        // Low thresholds leave no bound for a masked pattern (estimate: the pixels decide where).
        constexpr double least_masked_threshold = 0.3;
        const bool by_matrix = cuda::gemm_takes(shape.width, shape.height, shape.channels) &&
                               (!shape.masked || params_.threshold > least_masked_threshold);
        if (!by_products(way_) || !by_matrix) {
            for (std::size_t i = 0; i < group.patterns.size(); ++i) {
                if (way_ == FindWay::windows) {
                    add_window_stage(cost_, shape, positions);
                } else {
                    add_direct_stage(cost_, shape, columns, rows, 16);
                    ++cost_.launches;
                }
            }
            return;
        }
        if (way_ == FindWay::blocks && add_by_blocks(group, columns, rows)) return;
        bool thresholds = false;  // are counted
        for (std::size_t first = 0; first < group.patterns.size();) {
            const auto count = static_cast<int>(std::min<std::size_t>(group.patterns.size() - first, cuda::many_most));
            const bool at_once = shape.channels == 1 && !shape.masked &&
                                 cuda::many_takes(shape.width, shape.height, count, device_.cuda.limits);
            // Many at once are judged by the kernel that multiplies, however many positions reach the threshold.
            if (at_once) {
                add_many_stage(cost_, shape, columns, rows, count);
                first += static_cast<std::size_t>(count);
                continue;
            }
            if (!thresholds) {
                if (shape.channels == 1)
                    add_quad_stage(cost_, shape, columns, rows);
                else
                    add_sums_stage(cost_, shape, columns, rows, 4);
                thresholds = true;
            }
            add_product_stage(cost_, shape, columns, rows);
            const double candidates = expected_candidates(query_, region_, group.patterns[first], positions);
            const auto most =
                most_candidates(std::int64_t{shape.width} * shape.height * shape.channels, shape.masked, positions);
            if (candidates <= most) {
                if (candidates > 0) add_window_stage(cost_, shape, candidates);
            } else {  // every score is computed
                add_product_stage(cost_, shape, columns, rows);
                add_sums_stage(cost_, shape, columns, rows, 12);
            }
            ++first;
        }
    }

    // False where block means are not compared first.
    bool add_by_blocks(const Alike& group, double columns, double rows) {
        const TemplateShape& shape = group.shape;
        const int step = step_of(shape);
        if (step == 0) return false;
        add_quad_stage(cost_, shape, columns, rows);
        add_phase_stage(cost_, shape, columns, rows);
        // Tiles that go through the product of the whole pattern, too (4K screens of real programs, patterns of 64 x 64
        // to 256 x 256: an eighth at 0.9, a quarter at 0.8, half at 0.6).
        const double share = std::clamp(1.2 - 1.2 * params_.threshold, 0.02, 1.0);
        for (const std::size_t pattern : group.patterns) {
            add_product_stage(cost_, {shape.width / step, shape.height / step, 1, false}, columns, rows);
            add_product_stage(cost_, shape, columns, rows * share);
            add_window_stage(cost_, shape, expected_candidates(query_, region_, pattern, columns * rows));
        }
        return true;
    }

    const Device& device_;
    const vdt_query& query_;
    const vdt_template_find_params& params_;
    const vdt_rect region_;
    const FindWay way_;
    vdt_cost& cost_;
};

}  // namespace

void cost_of_template_find(const Device& device, const vdt_query& query, vdt_cost& cost) {
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    FindCost(device, query, cost).add_all();
    // Counts and the first hits come to the host; that is queued behind the kernels and waits with them.
    ++cost.launches;
}

const char* way_of_template_find(const Device& device, const vdt_query& query) {
    const auto& params = plugin::params_of<vdt_template_find_params>(query);
    bool colored = false;
    bool masked = false;
    bool by_blocks = false;
    for (std::size_t p = 0; p < params.pattern_count; ++p) {
        const TemplateShape shape = shape_of(query, p);
        colored = colored || shape.channels == 3;
        masked = masked || shape.masked;
        by_blocks = by_blocks || step_of(shape) > 0;
    }
    const auto way = static_cast<FindWay>(query.variant);
    if (way == FindWay::direct) return "direct sums";
    if (way == FindWay::windows) return "window by window";
    // Single thresholds instead of those of quads, and other kernels.
    if (colored) return "matrix products, colour";
    if (masked) return "matrix products, masked";
    if (way == FindWay::blocks && by_blocks) return "block means first";
    const TemplateShape first = shape_of(query, 0);
    const auto count = static_cast<int>(std::min<std::size_t>(params.pattern_count, cuda::many_most));
    return cuda::many_takes(first.width, first.height, count, device.cuda.limits) ? "matrix products, many patterns"
                                                                                  : "matrix products";
}

}  // namespace vedette::cuda_plugin
