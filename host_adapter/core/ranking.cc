#include "ranking.h"

#include "codes.h"
#include "failure.h"
#include "operations.h"
#include "views.h"

#include <algorithm>
#include <cmath>

namespace vedette::host {
namespace {

constexpr std::uint32_t usual_stages = 64;
constexpr std::uint32_t most_stages = 1u << 16;  // more is a count that was never set

// The record that op_cost fills, with room for its stages.
struct Counts {
    vdt_cost cost{};
    std::vector<vdt_cost_stage> stages;

    PluginAnswer ask(Device& device, const vdt_query& query) {
        PluginAnswer answer = ask_with(device, query, usual_stages);
        // Many patterns have many stages.
        if (answer.code >= 0 && cost.stage_count > usual_stages && cost.stage_count <= most_stages)
            answer = ask_with(device, query, cost.stage_count);
        return answer;
    }

private:
    PluginAnswer ask_with(Device& device, const vdt_query& query, std::uint32_t room) {
        stages.assign(room, {});
        cost = {};
        cost.struct_size = sizeof cost;
        cost.stage_capacity = room;
        cost.stage_size = sizeof(vdt_cost_stage);
        cost.stages = stages.data();
        return call_plugin(device.table().op_cost, device.open(), &query, &cost);
    }
};

bool possible(const Counts& counts) {
    const auto count = [](double value) { return std::isfinite(value) && value >= 0; };
    bool good = counts.cost.stage_count <= counts.stages.size() && count(counts.cost.bytes_to_device) &&
                count(counts.cost.bytes_to_host);
    for (std::uint32_t index = 0; good && index < counts.cost.stage_count; ++index) {
        const vdt_cost_stage& stage = counts.stages[index];
        for (const double value : {stage.work, stage.span, stage.width, stage.divergence, stage.global_refs,
                                   stage.global_bytes, stage.shared_refs, stage.constant_refs, stage.atomic_refs})
            good = good && count(value);
    }
    return good;
}

void say(std::string* place, const std::string& text) {
    if (place != nullptr) *place = text;
}

}  // namespace

std::string device_name(const Device& device) {
    return device.backend() + (device.index() == 0 ? "" : ":" + std::to_string(device.index()));
}

std::string Option::device_name() const {
    return host::device_name(*device);
}

namespace {

// Rows that a device keeps apart: those that do not fill whole lines of its memory.
double rows_apart(const vdt_image& image) noexcept {
    constexpr double line = 128;
    const double rows = static_cast<double>(image.height) * std::max<std::uint32_t>(image.plane_count, 1);
    return rows <= 1 || std::fmod(pixel_bytes(image) / rows, line) == 0 ? 0 : rows;
}

}  // namespace

model::Transfers transfers_of(const std::vector<vdt_image>& inputs, const std::vector<vdt_image>& outputs) noexcept {
    model::Transfers transfers;
    for (const vdt_image& image : inputs) {
        if (image.format == VDT_FORMAT_NONE || image.resident != nullptr) continue;
        if (image.memory == VDT_MEMORY_HOST) transfers.to_device_pageable += pixel_bytes(image);
        if (image.memory == VDT_MEMORY_PINNED) transfers.to_device_pinned += pixel_bytes(image);
        if (image.memory != VDT_MEMORY_HOST && image.memory != VDT_MEMORY_PINNED) continue;
        ++transfers.copies;
        transfers.rows_to_device += rows_apart(image);
    }
    for (const vdt_image& image : outputs) {
        if (image.format == VDT_FORMAT_NONE) continue;
        if (image.memory == VDT_MEMORY_HOST) transfers.to_host_pageable += pixel_bytes(image);
        if (image.memory == VDT_MEMORY_PINNED) transfers.to_host_pinned += pixel_bytes(image);
        if (image.memory != VDT_MEMORY_HOST && image.memory != VDT_MEMORY_PINNED) continue;
        ++transfers.copies;
        transfers.rows_to_host += rows_apart(image);
    }
    return transfers;
}

std::vector<Option> options_on(Device& device, DeviceModel& model, const Operation& operation, std::string* why_not) {
    std::vector<Option> options;
    try {
        Views inputs(operation.inputs);
        Views outputs(operation.outputs);
        inputs.show_kept(device);
        vdt_query query = query_of(operation, inputs, outputs);
        PluginAnswer answer;
        const vdt_op_support support = device.support(query, answer);
        if (support.level == VDT_SUPPORT_NO) {
            say(why_not, answer.text.empty() ? code_text(answer.code) : answer.text);
            return options;
        }
        // Descriptors are room for more keypoints than are found: backends copy those that are there, and count them.
        static const std::vector<vdt_image> none;
        const std::vector<vdt_image>& filled = operation.op == VDT_OP_FEATURES ? none : outputs.all();
        const model::Transfers transfers =
            device.has_own_memory() ? transfers_of(inputs.all(), filled) : model::Transfers{};
        Counts counts;
        for (query.variant = 0; query.variant < support.variant_count; ++query.variant) {
            vdt_variant_info info{};
            info.struct_size = sizeof info;
            answer = call_plugin(device.table().op_variant, device.open(), &query, &info);
            if (answer.code >= 0) answer = counts.ask(device, query);
            if (answer.code < 0) {
                if (!VDT_IS_UNSUPPORTED(answer.code)) device.note_failure(answer.code, "op_cost: " + answer.text);
                say(why_not, answer.text.empty() ? code_text(answer.code) : answer.text);
                continue;
            }
            Option option;
            option.variant = query.variant;
            option.variant_name = one_line(info.name, sizeof info.name);
            const model::Profile& profile = model.profile();
            option.efficiency = profile.efficiency(operation.op, profile.fitted_name(option.variant_name, counts.cost));
            if (!possible(counts)) {
                device.note_failure(VDT_E_CONTRACT, "op_cost: the counts of " + option.variant_name + " cannot be");
                say(why_not, "its counts cannot be");
                continue;
            }
            const auto at = [&](model::Pace pace) {
                return model.machine().predict(counts.cost, transfers, option.efficiency, pace);
            };
            option.terms = at(model::Pace::steady);
            option.rested = at(model::Pace::rested);
            option.flags = counts.cost.flags;
            if (!option.terms.fits || !std::isfinite(option.terms.total)) {
                say(why_not, option.variant_name + " needs more shared memory than a processor has");
                continue;
            }
            option.device = device.shared_from_this();
            option.model = &model;
            option.size_class = model::size_class(option.terms.total, option.terms.to_device + option.terms.to_host);
            option.slot = model.slot_of(operation.op, option.variant_name);
            options.push_back(std::move(option));
        }
    } catch (const Failure& failure) {
        say(why_not, failure.text());  // noted when the device is tried
    }
    return options;
}

}  // namespace vedette::host
