// cascade_detect: cv::CascadeClassifier::detectMultiScale, window for window. How: ops/cascade_search.h.
#include <vedette/plugin/cpp/cascade_checks.hpp>
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/loop.hpp>

#include <cascade/estimate.h>
#include <cascade/known.h>
#include <cascade/window_writer.h>

#include "operands.h"
#include "ops/cascade_search.h"
#include "ops/grouping.h"

#include <algorithm>
#include <cmath>

namespace vedette::opencl {

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

// A weak classifier has 8 sums. The classifier itself is not parsed for an estimate: it is taken for one of upright
// Haar features with 25 stages.
void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    constexpr double sums = 8, stages = 25;
    const auto& params = plugin::params_of<vdt_cascade_params>(query);
    const vdt_image& image = *query.inputs[0];
    const cascade::Estimate expected = cascade::estimate_of(params, image, 32);
    const double pixels = expected.pixels, windows = expected.windows, classifiers = expected.classifiers;
    const double source = static_cast<double>(image.width) * image.height;
    const auto variant = query.variant == straight ? CascadeVariant::straight : CascadeVariant::compacted;
    const double passes = 1 + static_cast<double>(cascade_passes(variant, static_cast<std::uint32_t>(stages)).size());
    const double limit = static_cast<double>(cascade_batch_pixels(device.limits()));
    const double batches = std::max(1.0, std::ceil(pixels / limit));
    const double largest = std::max(source, std::min(pixels, limit));
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    cost.bytes_to_host = 16.0 * 1024;
    cost.scratch_bytes =
        static_cast<std::uint64_t>(largest * (1 + 2 * sizeof(std::uint32_t)) + windows / batches * (1 + 2 * 16.0 / 4));
    const auto add = [&](const vdt_cost_stage& stage, double launches) {
        plugin::add_stage(cost, stage);
        cost.launches += static_cast<std::uint32_t>(launches);
    };
    add(plugin::even_stage(pixels * 20, 80, pixels / 4, source + pixels, transaction_bytes), batches);
    // Sums and squares, as integral makes them: each pixel twice.
    const double bytes = pixels * (1 + sizeof(std::uint32_t));
    for (const double square : {1.0, 2.0}) {
        const double tile = 64 + integral_tile_width;
        add(plugin::even_stage(pixels * 4 * square, 2 * tile * square * batches, pixels / 64, pixels + bytes,
                               transaction_bytes),
            4 * batches);
    }
    vdt_cost_stage classifying{};
    classifying.work = windows * (60 + classifiers * (2.5 * sums + 8));
    classifying.span = (60 + (1 + classifiers) * (2.5 * sums + 8)) * batches;
    classifying.width = windows / batches;
    // Lists hold windows through one, two or four stages, half of which fail in each; straight ones wait for the one
    // that lives longest. On a processor a work-item waits for no other.
    classifying.divergence = device.limits().kind == Kind::cpu     ? 1
                             : variant == CascadeVariant::straight ? expected.divergence
                                                                   : 1.4;
    // Tables are read once from memory; corners beside each other come from the caches.
    classifying.global_bytes = pixels * 2 * sizeof(std::uint32_t) + windows * (1 + 16.0);
    classifying.global_refs = windows * (8 + classifiers * sums) / 16;
    add(classifying, batches * passes);
}

class CascadePlan final : public Plan {
public:
    CascadePlan(const Device& device, const vdt_query& query, const vdt_cascade_params& params)
        : operands_(device),
          min_neighbors_(params.min_neighbors),
          search_(device, *cascade::known_model({params.cascade, params.cascade_bytes}), search_of(params),
                  static_cast<std::int32_t>(query.inputs[0]->width), static_cast<std::int32_t>(query.inputs[0]->height),
                  query.variant == straight ? CascadeVariant::straight : CascadeVariant::compacted) {
        if (min_neighbors_ != 0) grouping_ = std::make_unique<Grouping>(device);
    }

    vdt_code run(const vdt_call& call) override {
        plugin::throw_if_cancelled(*operands_.device().host, call.token);
        Operands::Call running(operands_, call);
        cascade::WindowWriter out(*call.lists_out[0], *call.inputs[0]);
        const auto& windows = search_.run(operands_.input(0).plane(), operands_.queue());
        if (min_neighbors_ == 0)
            for (const CascadeWindow& window : windows) out.write(item_of({rectangle_of(window), 1, window.score}));
        else if (!windows.empty())
            group(windows, out);
        running.finish();
        return out.finish();
    }

private:
    void group(const std::vector<CascadeWindow>& windows, cascade::WindowWriter& out) {
        grouping_->reserve(windows.size());
        for (std::size_t index = 0; index < windows.size(); ++index) {
            grouping_->rectangles()[index] = rectangle_of(windows[index]);
            grouping_->scores()[index] = windows[index].score;
        }
        for (const RectangleGroup& group : grouping_->run(windows.size(), min_neighbors_, group_eps, operands_.queue()))
            out.write(item_of(group));
    }

    // In pixels of the image.
    GroupRectangle rectangle_of(const CascadeWindow& window) const {
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
    std::unique_ptr<Grouping> grouping_;  // where windows are grouped
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<CascadePlan>(device, query, plugin::params_of<vdt_cascade_params>(query));
}

}  // namespace

extern const Operation cascade_detect_operation;
const Operation cascade_detect_operation = {VDT_OP_CASCADE_DETECT, variants, 2, support, cost, plan};

}  // namespace vedette::opencl
