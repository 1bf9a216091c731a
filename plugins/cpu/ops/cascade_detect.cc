// cascade_detect: cv::CascadeClassifier::detectMultiScale, window for window. How: cascade/detector.h.
#include <vedette/plugin/cpp/list.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cascade/detector.h"
#include "group/grouping.h"
#include "stages.h"

namespace vedette::cpu {

namespace {

constexpr double group_eps = 0.2;  // of detectMultiScale
// Below it the scales from one window to the image are thousands.
constexpr double least_scale_factor = 1.001;

const vdt_cascade_params& params_of(const void* params) {
    return *static_cast<const vdt_cascade_params*>(params);
}

void check_params(const vdt_cascade_params& params) {
    if (params.flags != 0) throw Failure(VDT_E_ARGUMENT, "cascade_detect: flags must be 0");
    if (params.cascade == nullptr || params.cascade_bytes == 0)
        throw Failure(VDT_E_ARGUMENT, "cascade_detect: there is no cascade");
    if (!std::isfinite(params.scale_factor) || params.scale_factor <= 1)
        throw Failure(VDT_E_ARGUMENT, "cascade_detect: scale_factor must be a finite number above 1");
    if (params.scale_factor < least_scale_factor)
        throw Failure(VDT_E_UNSUPPORTED, "cascade_detect: this backend needs a scale_factor of at least 1.001");
    if (params.min_neighbors < 0) throw Failure(VDT_E_ARGUMENT, "cascade_detect: min_neighbors must not be below 0");
    if (params.min_w < 0 || params.min_h < 0 || params.max_w < 0 || params.max_h < 0)
        throw Failure(VDT_E_ARGUMENT, "cascade_detect: sizes must not be below 0");
}

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8);
    answer.output_formats = 0;
    if (query.input_count == 0) return;
    check_params(params_of(query.params));
    if (query.input_count != 1 || query.output_count != 0)
        throw Failure(VDT_E_ARGUMENT, "cascade_detect takes one input and no output image");
    if (query.inputs[0]->format != VDT_FORMAT_GRAY8)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, "cascade_detect: the input must be GRAY8");
}

// The number in the first element of that name, 0 when there is none.
int number_in(std::string_view text, std::string_view tag) {
    const std::size_t at = text.find(tag);
    return at == std::string_view::npos ? 0 : std::atoi(std::string(text.substr(at + tag.size(), 16)).c_str());
}

// Figures of frontalface_default on real screenshots: a third of all windows is flat, and the others meet 25 weak
// classifiers each, of 8 sums, before they fail. The classifier itself is not parsed for an estimate.
void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    constexpr double classifiers = 25, sums = 8, textured = 0.65;
    const vdt_cascade_params& params = params_of(query.params);
    const vdt_image& image = *query.inputs[0];
    const std::string_view head(params.cascade, std::min<std::uint64_t>(params.cascade_bytes, 1u << 14));
    cascade::Model model;
    model.width = std::clamp(number_in(head, "<width>"), 20, 4096);
    model.height = std::clamp(number_in(head, "<height>"), 20, 4096);
    const cascade::Search search{params.scale_factor, params.min_w, params.min_h, params.max_w, params.max_h};
    double pixels = 0, windows = 0;
    for (const cascade::Scale& scale :
         scales_of(model, search, static_cast<int>(image.width), static_cast<int>(image.height))) {
        pixels += static_cast<double>(scale.width) * scale.height;
        windows += static_cast<double>(scale.columns) * scale.rows;
    }
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
    classifying.work = windows * (20 + textured * classifiers * (2 * sums + 4));
    classifying.span = classifiers * sums;
    classifying.width = windows;
    classifying.divergence = 2.5;  // lanes that are carried along behind failed windows
    classifying.shared_refs = windows * (8 + textured * classifiers * sums);
    add_stage(cost, classifying);
}

// Fills the output list. Where rounding has put a side outside the image it is cut off, as OpenCV does after grouping.
class WindowWriter {
public:
    WindowWriter(vdt_list& list, const vdt_image& image)
        : list_(list), width_(static_cast<float>(image.width)), height_(static_cast<float>(image.height)) {}

    void write(vdt_item item) {
        item.w = std::min(item.w, width_ - item.x);
        item.h = std::min(item.h, height_ - item.y);
        if (item.w <= 0 || item.h <= 0) return;
        list_.count_found(1);
        list_.write(item);
    }
    void write(const cascade::Found& found) {
        vdt_item item{};
        item.x = static_cast<float>(found.x);
        item.y = static_cast<float>(found.y);
        item.w = static_cast<float>(found.w);
        item.h = static_cast<float>(found.h);
        item.score = found.score;
        item.neighbors = 1;
        write(item);
    }
    vdt_code finish() { return list_.finish(); }

private:
    plugin::ListWriter<> list_;
    float width_, height_;
};

class CascadePlan final : public Plan {
public:
    CascadePlan(const Device& device, const vdt_image& image, const vdt_cascade_params& params)
        : device_(device),
          min_neighbors_(params.min_neighbors),
          detector_(device, cascade::read_model({params.cascade, params.cascade_bytes}),
                    {params.scale_factor, params.min_w, params.min_h, params.max_w, params.max_h}, image.width,
                    image.height) {}

    vdt_code run(const vdt_call& call) override {
        WindowWriter out(*call.lists_out[0], *call.inputs[0]);
        const std::vector<cascade::Found>& found = detector_.run(*call.inputs[0], call.token);
        if (min_neighbors_ == 0)
            for (const cascade::Found& window : found) out.write(window);
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
