// Every question and every plan goes through `answer`, so that what op_support promises is what plan_create builds.
#include "operations.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include "calls.h"
#include "check.h"

namespace vedette::opencv {

namespace {

constexpr std::array operations = {
    &convert_operation,      &resize_operation,         &integral_operation, &filter_operation,  &pyramid_operation,
    &template_map_operation, &template_find_operation,  &fft2_operation,     &restore_operation,
#ifdef VEDETTE_OPENCV_CASCADE
    &group_operation,        &cascade_detect_operation,
#endif
#ifdef VEDETTE_OPENCV_FEATURES
    &features_operation,     &feature_match_operation,
#endif
};

const OperationEntry& operation_of(vdt_op op) {
    for (const OperationEntry* entry : operations)
        if (entry->op == op) return *entry;
    throw Failure(VDT_E_UNSUPPORTED_OP, "operation " + std::to_string(op) + " is not done by the opencv backend");
}

// A question without images asks what can be done at all. `group` has no images: there the parameters tell.
bool is_general(const OperationEntry& entry, const vdt_query& query) {
    return query.input_count == 0 && (entry.most_inputs != 0 || query.params == nullptr);
}
// What can be done for `query`; throws Failure when nothing can.
const OperationEntry& answer(vdt_device* device, const vdt_query* query, vdt_op_support& support) {
    if (device == nullptr) throw Failure(VDT_E_ARGUMENT, "device is NULL");
    check_query(query);
    const OperationEntry& entry = operation_of(query->op);
    support = {};
    support.struct_size = sizeof support;
    support.level = VDT_SUPPORT_YES;
    support.input_formats = entry.input_formats;
    support.output_formats = entry.output_formats;
    support.memory_mask = memory_mask;
    support.variant_count = 1;
    support.row_alignment = 1;
    promise_exact(support);
    if (is_general(entry, *query)) {
        // Without a shape no tolerance can be stated but the widest: whether values are exact depends on the formats.
        promise_within(support, 0);
        return entry;
    }
    check_count(query->input_count, entry.least_inputs, entry.most_inputs, "inputs");
    check_count(query->output_count, entry.least_outputs, entry.most_outputs, "outputs");
    check_params(query->params, entry.params_size);
    if (query->input_count != 0) check_format(*query->inputs[0], entry.input_formats, "the first input");
    if (query->output_count != 0) check_format(*query->outputs[0], entry.output_formats, "the first output");
    entry.support(*query, support);
    return entry;
}

const OperationEntry& answer_for_variant(vdt_device* device, const vdt_query* query) {
    vdt_op_support support;
    const OperationEntry& entry = answer(device, query, support);
    if (query->variant >= support.variant_count)
        throw Failure(VDT_E_ARGUMENT, "there is no variant " + std::to_string(query->variant) + "; there is only 0");
    return entry;
}

struct Shape {
    vdt_format format;
    std::uint32_t width, height;
};

std::vector<Shape> shapes_of(const vdt_image* const* images, std::uint32_t count) {
    std::vector<Shape> shapes;
    for (std::uint32_t i = 0; i < count; ++i)
        shapes.push_back({images[i]->format, images[i]->width, images[i]->height});
    return shapes;
}

void check_shapes(const std::vector<Shape>& planned, const vdt_image* const* images, std::uint32_t count,
                  const char* role) {
    bool same = count == planned.size();
    for (std::uint32_t i = 0; same && i < count; ++i) {
        const vdt_image& image = *images[i];
        same =
            image.format == planned[i].format &&
            (image.format == VDT_FORMAT_NONE || (image.width == planned[i].width && image.height == planned[i].height));
    }
    if (!same)
        throw Failure(VDT_E_ARGUMENT, std::string("the ") + role +
                                          "s of the call are not of the number, formats and sizes that the plan was "
                                          "made for");
}

// Behind vdt_plan.
struct PlanRecord {
    const OperationEntry* entry = nullptr;
    const vdt_host* host = nullptr;
    std::vector<Shape> inputs, outputs;
    std::unique_ptr<Plan> plan;
    std::atomic_flag running = ATOMIC_FLAG_INIT;
};

PlanRecord* record_of(vdt_plan* plan) noexcept {
    return reinterpret_cast<PlanRecord*>(plan);
}

// Holds a plan for one run.
class Running {
public:
    explicit Running(std::atomic_flag& flag) : flag_(flag) {
        if (flag_.test_and_set(std::memory_order_acquire))
            throw Failure(VDT_E_THREAD, "this plan is running in another thread; make one plan for each thread");
    }
    ~Running() { flag_.clear(std::memory_order_release); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

private:
    std::atomic_flag& flag_;
};

}  // namespace

vdt_code op_support(vdt_device* device, const vdt_query* query, vdt_op_support* support, vdt_error* error) noexcept {
    return guarded(error, [&]() -> vdt_code {
        if (support == nullptr || support->struct_size < sizeof(vdt_op_support))
            throw Failure(VDT_E_ARGUMENT, "support is NULL or its struct_size is too small");
        const std::uint32_t struct_size = support->struct_size;
        *support = {};
        support->struct_size = struct_size;
        vdt_op_support found;
        answer(device, query, found);
        found.struct_size = struct_size;
        *support = found;
        return VDT_OK;
    });
}

vdt_code op_variant(vdt_device* device, const vdt_query* query, vdt_variant_info* info, vdt_error* error) noexcept {
    return guarded(error, [&]() -> vdt_code {
        if (info == nullptr || info->struct_size < sizeof(vdt_variant_info))
            throw Failure(VDT_E_ARGUMENT, "info is NULL or its struct_size is too small");
        answer_for_variant(device, query);
        info->flags = 0;
        std::snprintf(info->name, sizeof info->name, "reference");
        return VDT_OK;
    });
}

vdt_code plan_create(vdt_device* device, const vdt_query* query, vdt_plan** plan, vdt_error* error) noexcept {
    return guarded(error, [&]() -> vdt_code {
        if (plan == nullptr) throw Failure(VDT_E_ARGUMENT, "plan is NULL");
        *plan = nullptr;
        auto record = std::make_unique<PlanRecord>();
        record->entry = &answer_for_variant(device, query);
        if (is_general(*record->entry, *query))
            throw Failure(VDT_E_ARGUMENT, "a plan needs the images and parameters that it is for");
        record->host = device_of(device)->host;
        record->inputs = shapes_of(query->inputs, query->input_count);
        record->outputs = shapes_of(query->outputs, query->output_count);
        without_opencv_threads([&] { record->plan = record->entry->plan(*device_of(device), *query); });
        *plan = reinterpret_cast<vdt_plan*>(record.release());
        return VDT_OK;
    });
}

// OpenCV allocates inside its own functions, so this backend cannot run without allocating.
vdt_code plan_run(vdt_plan* plan, const vdt_call* call, vdt_error* error) noexcept {
    return guarded(error, [&]() -> vdt_code {
        if (plan == nullptr) throw Failure(VDT_E_ARGUMENT, "plan is NULL");
        PlanRecord& record = *record_of(plan);
        check_call(call,
                   {static_cast<std::uint32_t>(record.inputs.size()), static_cast<std::uint32_t>(record.outputs.size()),
                    record.entry->lists_in, record.entry->lists_out, record.entry->item_in, record.entry->item_out});
        check_shapes(record.inputs, call->inputs, call->input_count, "input");
        check_shapes(record.outputs, call->outputs, call->output_count, "output");
        check_params(call->params, record.entry->params_size);
        const Running running(record.running);
        check_cancelled(*record.host, call->token);
        vdt_code code = VDT_OK;
        without_opencv_threads([&] { code = record.plan->run(*call); });
        return code;
    });
}

void plan_destroy(vdt_plan* plan) noexcept {
    delete record_of(plan);
}

}  // namespace vedette::opencv
