#include "cascade/estimate.h"

#include <vedette/plugin/cpp/expectation.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "cascade/known.h"
#include "cascade/stage_sample.h"

namespace vedette::cascade {

namespace {

// The number in the first element of that name, 0 when there is none.
int number_in(std::string_view text, std::string_view tag) {
    const std::size_t at = text.find(tag);
    return at == std::string_view::npos ? 0 : std::atoi(std::string(text.substr(at + tag.size(), 16)).c_str());
}

// Weak classifiers of the stages of OpenCV's frontalface_default, 2,913 in all.
constexpr double usual_stages[] = {9,   16,  27,  32,  52,  53,  62,  72,  83,  91,  99,  115, 127,
                                   135, 136, 137, 159, 155, 169, 196, 197, 181, 199, 211, 200};
// Windows that are not flat, and those that pass a stage: on real screenshots and drawn ones with frontalface_default
// 0.23 to 0.61, then 0.35 to 0.41 with those that are skipped, then 0.46 to 0.65.
constexpr double usual_textured = 0.5, usual_first = 0.4, usual_pass = 0.55;
// Windows side by side that pass or fail as one: with it groups of 8 are as full after each stage as they are on those
// screens.
constexpr double windows_alike = 3;
// Windows side by side that are looked at; more of them would leave too few places.
constexpr std::uint32_t most_lanes = 16;

// What the text's head tells when nothing else does.
Model head_of(std::string_view text) {
    const std::string_view head = text.substr(0, std::size_t{1} << 14);
    Model model;
    model.width = std::clamp(number_in(head, "<width>"), 20, 4096);
    model.height = std::clamp(number_in(head, "<height>"), 20, 4096);
    return model;
}

std::shared_ptr<const Model> model_in(std::string_view text) {
    try {
        return known_model(text);
    } catch (const std::exception&) {
        return nullptr;  // the plan says what is wrong with it
    }
}

bool can_look(const Model& model, const vdt_image& image) {
    return can_sample(model) && plugin::has_pixels(image) && image.format == VDT_FORMAT_GRAY8;
}

// Shares from what a sample of groups of `lanes` met; where it met little, from what is usual (plugin::rate_of).
// Wider groups: `groups` of them that go in lock-step.
void add_shares(const StageSample& sample, std::uint32_t lanes, double groups, std::vector<StageEstimate>& stages) {
    double entering = 1, together = 1;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const double usual = i == 0 ? usual_textured : i == 1 ? usual_first : usual_pass;
        const auto met = [&](const std::vector<std::uint32_t>& counts, double prior) {
            return counts.empty() ? prior : plugin::rate_of(counts[i + 1], counts[i], prior);
        };
        const double alive = std::max(lanes * entering / together, 1.0);
        entering *= met(sample.windows, usual);
        together *= met(sample.groups, plugin::any_busy(usual, alive / windows_alike));
        // At least one window of a group, and at most all.
        together = std::clamp(together, entering, std::min(1.0, entering * lanes));
        stages[i].entering = entering;
        stages[i].together = plugin::any_busy(together, groups);
    }
}

}  // namespace

Estimate estimate_of(const vdt_cascade_params& params, const vdt_image& image, std::uint32_t lanes) {
    const std::string_view text(params.cascade, static_cast<std::size_t>(params.cascade_bytes));
    const std::shared_ptr<const Model> model = model_in(text);
    Estimate estimate;
    if (model == nullptr) {
        estimate.model = head_of(text);
        for (const double classifiers : usual_stages) estimate.stages.push_back({classifiers, 0, 0});
    } else {
        estimate.model.kind = model->kind;
        estimate.model.width = model->width;
        estimate.model.height = model->height;
        for (const Stage& stage : model->stages) estimate.stages.push_back({static_cast<double>(stage.trees), 0, 0});
    }
    const Search search{params.scale_factor, params.min_w, params.min_h, params.max_w, params.max_h};
    for (const Scale& scale :
         scales_of(estimate.model, search, static_cast<int>(image.width), static_cast<int>(image.height))) {
        if (scale.columns == 0 || scale.rows == 0) continue;
        estimate.scales.push_back(scale);
        estimate.pixels += static_cast<double>(scale.width) * scale.height;
        estimate.windows += static_cast<double>(scale.columns) * scale.rows;
    }
    StageSample sample;
    const std::uint32_t together = std::min(lanes, most_lanes);
    if (model != nullptr && can_look(*model, image)) sample = sample_stages(*model, estimate.scales, image, together);
    add_shares(sample, together, static_cast<double>(lanes) / together, estimate.stages);
    double issued = 0;
    for (const StageEstimate& stage : estimate.stages) {
        estimate.classifiers += stage.classifiers * stage.entering;
        issued += stage.classifiers * stage.together;
    }
    if (estimate.classifiers > 0) estimate.divergence = std::max(issued / estimate.classifiers, 1.0);
    return estimate;
}

}  // namespace vedette::cascade
