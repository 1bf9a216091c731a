// cascade_detect: cv::CascadeClassifier::detectMultiScale, window for window. How: cascade/detector.h.
#include <vedette/plugin/cpp/cascade_checks.hpp>

#include <algorithm>
#include <cmath>

#include "cascade/detector.h"
#include "cascade/estimate.h"
#include "cascade/window_writer.h"
#include "group/grouping.h"
#include "stages.h"

namespace vedette::cpu {

namespace {

constexpr double group_eps = 0.2;  // of detectMultiScale

const vdt_cascade_params& params_of(const void* params) {
    return *static_cast<const vdt_cascade_params*>(params);
}

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8);
    answer.output_formats = 0;
    if (query.input_count == 0) return;
    plugin::check_cascade_detect(params_of(query.params));
    plugin::check_cascade_detect_images(query);
}

// A weak classifier has 8 sums. The classifier itself is not parsed for an estimate.
void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    constexpr double sums = 8;
    // Windows side by side live and die together, more or less: a vector of them like two.
    constexpr double groups = 2;
    const vdt_cascade_params& params = params_of(query.params);
    const vdt_image& image = *query.inputs[0];
    const auto [model, pixels, windows, classifiers, divergence] = cascade::estimate_of(params, image, groups);
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    cost.launches = 1;
    cost.scratch_bytes = cascade::Detector::scratch_bytes(device, model);
    vdt_cost_stage scaling{};
    scaling.work = pixels * 6;  // two products, one rounding, two sums
    scaling.span = image.height;
    scaling.width = image.width;
    scaling.divergence = 1;
    scaling.global_bytes = static_cast<double>(image.width) * image.height;
    scaling.global_refs = scaling.global_bytes / 64;
    scaling.shared_refs = pixels * 4;
    add_stage(cost, scaling);
    vdt_cost_stage classifying{};
    classifying.work = windows * (20 + classifiers * (2 * sums + 4));
    classifying.span = (1 + classifiers) * sums;
    classifying.width = windows;
    classifying.divergence = divergence;
    classifying.shared_refs = windows * (8 + classifiers * sums);
    add_stage(cost, classifying);
}

vdt_item item_of(const cascade::Found& found) {
    vdt_item item{};
    item.x = static_cast<float>(found.x);
    item.y = static_cast<float>(found.y);
    item.w = static_cast<float>(found.w);
    item.h = static_cast<float>(found.h);
    item.score = found.score;
    item.neighbors = 1;
    return item;
}

class CascadePlan final : public Plan {
public:
    CascadePlan(const Device& device, const vdt_image& image, const vdt_cascade_params& params)
        : device_(device),
          min_neighbors_(params.min_neighbors),
          detector_(device, cascade::read_model({params.cascade, params.cascade_bytes}),
                    {params.scale_factor, params.min_w, params.min_h, params.max_w, params.max_h}, image.width,
                    image.height) {}

    vdt_code run(const vdt_call& call) override {
        cascade::WindowWriter out(*call.lists_out[0], *call.inputs[0]);
        const std::vector<cascade::Found>& found = detector_.run(*call.inputs[0], call.token);
        if (min_neighbors_ == 0)
            for (const cascade::Found& window : found) out.write(item_of(window));
        else
            for (const vdt_item& group : grouping_.run(device_, call.token, found, min_neighbors_, group_eps))
                out.write(group);
        return out.finish();
    }

private:
    const Device& device_;
    std::int32_t min_neighbors_;
    cascade::Detector detector_;
    Grouping grouping_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<CascadePlan>(device, *query.inputs[0], params_of(query.params));
}

constexpr const char* variants[] = {"strips"};

}  // namespace

const OperationEntry cascade_detect_operation = {VDT_OP_CASCADE_DETECT, variants, 1, support, cost, plan};

}  // namespace vedette::cpu
