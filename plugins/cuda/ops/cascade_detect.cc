// cascade_detect: cv::CascadeClassifier::detectMultiScale, window for window. How: cuda/kernels/cascade.h.
#include <vedette/plugin/cpp/cascade_checks.hpp>
#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>

#include <cascade/estimate.h>
#include <cascade/known.h>
#include <cascade/model.h>
#include <cascade/scales.h>
#include <cascade/window_writer.h>

#include <algorithm>
#include <cmath>

#include "operands.h"
#include "ops/cascade_search.h"
#include "ops/grouping.h"

namespace vedette::cuda_plugin {

namespace {

constexpr double group_eps = 0.2;  // of detectMultiScale

enum Variant : std::uint32_t { compacted = 0, straight = 1 };
constexpr const char* variants[] = {"compacted", "straight"};

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8);
    answer.output_formats = 0;
    if (query.input_count == 0) return;
    plugin::check_cascade_detect(plugin::params_of<vdt_cascade_params>(query));
    plugin::check_cascade_detect_images(query);
}

cascade::Search search_of(const vdt_cascade_params& params) {
    return {params.scale_factor, params.min_w, params.min_h, params.max_w, params.max_h};
}

// A weak classifier has 8 sums.
void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    constexpr double sums = 8;
    const auto& params = plugin::params_of<vdt_cascade_params>(query);
    const vdt_image& image = *query.inputs[0];
    const cascade::Estimate expected = cascade::estimate_of(params, image, 32);
    const double pixels = expected.pixels, windows = expected.windows, classifiers = expected.classifiers;
    const double source = static_cast<double>(image.width) * image.height;
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    cost.launches = 3;
    cost.scratch_bytes = static_cast<std::uint64_t>(pixels + windows / 8) + (std::uint64_t{1} << 22);
    cost.shared_bytes = 104u << 10;
    vdt_cost_stage scaling{};
    scaling.work = pixels * 12;
    scaling.span = 4 * 4 * 12;
    scaling.width = pixels / 16;
    scaling.divergence = 1;
    scaling.global_bytes = source + pixels;
    scaling.global_refs = pixels / 8;  // four bytes of different words a pixel, mostly from the last cache
    plugin::add_stage(cost, scaling);
    // Tiles overlap by a window: half as many pixels again. Twice across and down.
    vdt_cost_stage classifying{};
    classifying.work = pixels * 1.5 * 40 + windows * (40 + classifiers * (2.5 * sums + 8));
    classifying.span = 2 * 72 + (1 + classifiers) * (2.5 * sums + 8) * 12;
    classifying.width = windows / 12;
    // Measured on desktops for the compacted form with the same queues (H200): 29 to 35 % idle; straight 79 to 83 %,
    // which is what is expected of windows that fail independently.
    classifying.divergence = query.variant == straight ? expected.divergence : 1.5;
    classifying.global_bytes = pixels * 1.5 + windows / 8;
    classifying.global_refs = classifying.global_bytes / 128;
    classifying.shared_refs = pixels * 1.5 * 10 + windows * (8 + classifiers * (sums + 3));
    plugin::add_stage(cost, classifying);
    vdt_cost_stage dropping{};
    dropping.work = windows / 1e4 * 16;
    dropping.span = 64;
    dropping.width = std::max(1.0, windows / 1e4);
    dropping.divergence = 2;
    dropping.global_refs = windows / 1e4 * 4;
    dropping.global_bytes = dropping.global_refs * 32;
    plugin::add_stage(cost, dropping);
}

class CascadePlan final : public Plan {
public:
    CascadePlan(const Device& device, const vdt_query& query, const vdt_cascade_params& params)
        : operands_(device),
          min_neighbors_(params.min_neighbors),
          search_(device, *cascade::known_model({params.cascade, params.cascade_bytes}), search_of(params),
                  static_cast<std::int32_t>(query.inputs[0]->width), static_cast<std::int32_t>(query.inputs[0]->height),
                  query.variant == straight ? cuda::CascadeVariant::straight : cuda::CascadeVariant::compacted),
          grouping_(device) {}

    vdt_code run(const vdt_call& call) override {
        Operands::Call running(operands_, call);
        cascade::WindowWriter out(*call.lists_out[0], *call.inputs[0]);
        const auto& windows =
            search_.run(operands_.input(0).view<const std::uint8_t>(), operands_.stream(), call.token);
        if (min_neighbors_ == 0) {
            for (const cuda::CascadeWindow& window : windows) {
                const cuda::GroupRectangle r = rectangle_of(window);
                vdt_item item{};
                item.x = static_cast<float>(r.x);
                item.y = static_cast<float>(r.y);
                item.w = static_cast<float>(r.w);
                item.h = static_cast<float>(r.h);
                item.score = window.score;
                item.neighbors = 1;
                out.write(item);
            }
        } else if (!windows.empty()) {
            grouping_.reserve(windows.size(), operands_.stream());
            for (std::size_t index = 0; index < windows.size(); ++index) {
                grouping_.rectangles()[index] = rectangle_of(windows[index]);
                grouping_.scores()[index] = windows[index].score;
            }
            for (const cuda::RectangleGroup& group :
                 grouping_.run(windows.size(), min_neighbors_, group_eps, operands_.stream()))
                out.write(item_of(group));
        }
        running.finish();
        return out.finish();
    }

private:
    // In pixels of the image.
    cuda::GroupRectangle rectangle_of(const cuda::CascadeWindow& window) const {
        const cascade::Scale& scale = search_.scale_of(window);
        const auto scaled = [&](std::uint32_t at) {
            return static_cast<std::int32_t>(
                std::nearbyint(static_cast<float>(at * static_cast<std::uint32_t>(scale.step)) * scale.factor));
        };
        return {scaled(window.column), scaled(window.row), scale.window_w, scale.window_h};
    }

    Operands operands_;
    std::int32_t min_neighbors_;
    CascadeSearch search_;
    Grouping grouping_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<CascadePlan>(device, query, plugin::params_of<vdt_cascade_params>(query));
}

}  // namespace

const Operation cascade_detect_operation = {VDT_OP_CASCADE_DETECT, variants, 2, support, cost, plan};

}  // namespace vedette::cuda_plugin
