// cascade_detect: cv::CascadeClassifier::detectMultiScale, window for window. How: cascade/detector.h.
#include <vedette/plugin/cpp/cascade_checks.hpp>

#include <algorithm>
#include <cmath>

#include "cascade/detector.h"
#include "cascade/estimate.h"
#include "cascade/known.h"
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

// Work of 32-bit lanes, from the kernels' instructions (AVX2): of 16 or 32 pixels at a time some make eight lanes.
constexpr double blending = 4;       // a pixel of a source row, for every scaled row
constexpr double resampling = 12.5;  // and below: a pixel of a scaled image
constexpr double summing = 11, squaring = 10;
constexpr double squares_of_row = 13;  // a pixel of a row of windows
constexpr double normalising = 40;     // a window
constexpr double deciding = 22;        // a window's weak classifier: 8 sums, a feature of them, its comparison
constexpr double sums = 8;
// Four vectors go together, so that of those that are left in a stage one and a half are empty.
constexpr double empty_vectors = 1.5;

// Weak classifiers that vectors of `lanes` windows meet, a vector: bands of 16 rows and 256 columns go through the
// stages one after the other.
double issued_classifiers(const cascade::Estimate& expected, double lanes) {
    double bands = 0, issued = 0;
    for (const cascade::Scale& scale : expected.scales)
        bands += std::ceil(scale.rows / 16.0) * std::ceil(scale.columns / 256.0);
    const double vectors = expected.windows / lanes;
    for (const cascade::StageEstimate& stage : expected.stages) {
        const double of_band = vectors * stage.together / bands;
        // That a band has any: as if they were independent.
        issued += stage.classifiers * bands * (of_band + empty_vectors * (1 - std::exp(-of_band)));
    }
    return issued / vectors;
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const vdt_cascade_params& params = params_of(query.params);
    const vdt_image& image = *query.inputs[0];
    const double lanes = instruction_lanes(device.isa);
    const cascade::Estimate expected = cascade::estimate_of(params, image, static_cast<std::uint32_t>(lanes));
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    cost.launches = 1;
    cost.scratch_bytes = cascade::Detector::scratch_bytes(device, expected.model);
    if (expected.windows == 0) return;
    // Sections of 128 rows of windows, and strips of 256, each with the pixels under it.
    double making = 0, made = 0;
    for (const cascade::Scale& scale : expected.scales) {
        const double sections = std::ceil(scale.rows / 128.0), strips = std::ceil(scale.columns / 256.0);
        const double rows = scale.height + (sections - 1) * expected.model.height;
        const double columns = scale.width + (strips - 1) * expected.model.width;
        made += rows * columns;
        making += rows * columns * (blending * static_cast<double>(scale.factor) + resampling + summing + squaring) +
                  scale.rows * columns * squares_of_row;
    }
    vdt_cost_stage scaling{};
    scaling.work = making;
    scaling.span = image.height;
    scaling.width = expected.windows;
    scaling.divergence = 1;
    scaling.global_bytes = static_cast<double>(image.width) * image.height;
    scaling.global_refs = scaling.global_bytes / 64;
    scaling.shared_refs = made * 6;
    add_stage(cost, scaling);
    const double issued = issued_classifiers(expected, lanes);
    vdt_cost_stage classifying{};
    classifying.work = expected.windows * (normalising + expected.classifiers * deciding);
    classifying.span = (1 + expected.classifiers) * sums;
    classifying.width = expected.windows;
    classifying.divergence = expected.windows * (normalising + std::max(issued, expected.classifiers) * deciding) /
                             std::max(classifying.work, 1.0);
    classifying.shared_refs = expected.windows * (8 + issued * sums);
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
          detector_(device, *cascade::known_model({params.cascade, params.cascade_bytes}),
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
