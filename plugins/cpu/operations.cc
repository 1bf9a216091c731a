// The entries of the table that ask and run operations. All of them check the same query in the same way, so that what
// op_support promises is what plan_create builds.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "instance.h"

namespace vedette::cpu {

namespace {

using plugin::fail;
using plugin::guard;

constexpr std::array operations = {
    &cascade_detect_operation, &convert_operation, &feature_match_operation, &features_operation,
    &fft2_operation,           &filter_operation,  &group_operation,         &integral_operation,
    &pyramid_operation,        &resize_operation,  &restore_operation,       &template_find_operation,
    &template_map_operation,
};

const OperationEntry& operation_of(const vdt_query& query) {
    for (const OperationEntry* const entry : operations)
        if (entry->op == query.op) return *entry;
    throw Failure(VDT_E_UNSUPPORTED_OP, "operation " + std::to_string(query.op) + " is not done by the cpu backend");
}

// Whether the question is what can be done at all.
bool is_general(const OperationEntry& entry, const vdt_query& query) {
    return query.input_count == 0 && (!entry.no_images || query.params == nullptr);
}

// Checks `query` and answers what can be done for it; throws Failure when nothing can.
const OperationEntry& ask(vdt_device* device, const vdt_query* query, vdt_op_support& support) {
    if (device == nullptr) throw Failure(VDT_E_ARGUMENT, "device is NULL");
    check_query(query);
    const OperationEntry& entry = operation_of(*query);
    if (!is_general(entry, *query) && entry.params_size != 0)
        check_params(query->params, entry.params_size, "the operation");
    support = vdt_op_support{};
    support.struct_size = sizeof support;
    support.level = VDT_SUPPORT_YES;
    support.memory_mask = memory_mask;
    support.variant_count = entry.variant_count;
    support.determinism = VDT_DETERMINISM_EXACT;
    support.row_alignment = 1;
    entry.support(*device_of(device), *query, support);
    return entry;
}

// The same for a question about one variant.
const OperationEntry& ask_variant(vdt_device* device, const vdt_query* query) {
    vdt_op_support support;
    const OperationEntry& entry = ask(device, query, support);
    if (query->variant >= support.variant_count)
        throw Failure(VDT_E_ARGUMENT, "variant " + std::to_string(query->variant) + " does not exist; there are " +
                                          std::to_string(support.variant_count));
    return entry;
}

void check_cost(const vdt_cost* cost) {
    if (cost == nullptr) throw Failure(VDT_E_ARGUMENT, "cost is NULL");
    if (cost->struct_size < sizeof(vdt_cost)) throw Failure(VDT_E_ARGUMENT, "the cost's struct_size is too small");
    if (cost->stage_capacity == 0) return;
    if (cost->stages == nullptr) throw Failure(VDT_E_ARGUMENT, "the cost's stages are NULL though their room is not 0");
    if (cost->stage_size < sizeof(vdt_cost_stage) || cost->stage_size % alignof(vdt_cost_stage) != 0 ||
        reinterpret_cast<std::uintptr_t>(cost->stages) % alignof(vdt_cost_stage) != 0)
        throw Failure(VDT_E_ARGUMENT, "the cost's stages are too small or not aligned");
}

struct Shape {
    vdt_format format = VDT_FORMAT_NONE;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
};

// Behind vdt_plan.
struct PlanRecord {
    std::unique_ptr<Plan> plan;
    std::uint32_t params_size = 0;
    std::vector<Shape> inputs;
    std::vector<Shape> outputs;
    std::atomic_flag running = ATOMIC_FLAG_INIT;
};

PlanRecord* record_of(vdt_plan* plan) noexcept {
    return reinterpret_cast<PlanRecord*>(plan);
}

std::vector<Shape> shapes_of(const vdt_image* const* images, std::uint32_t count) {
    std::vector<Shape> shapes(count);
    for (std::uint32_t index = 0; index < count; ++index)
        shapes[index] = {images[index]->format, images[index]->width, images[index]->height};
    return shapes;
}

void check_shapes(const vdt_image* const* images, std::uint32_t count, const std::vector<Shape>& planned,
                  const char* role) {
    for (std::uint32_t index = 0; index < count; ++index) {
        const vdt_image& image = *images[index];
        const Shape& shape = planned[index];
        const bool same =
            image.format == shape.format &&
            (shape.format == VDT_FORMAT_NONE || (image.width == shape.width && image.height == shape.height));
        if (!same)
            throw Failure(VDT_E_ARGUMENT, std::string(role) + " " + std::to_string(index) +
                                              " is not of the format and size that the plan was made for");
    }
}

// Marks a plan as running; two runs of one plan at a time would share its scratch.
class Running {
public:
    explicit Running(PlanRecord& record) : record_(record) {
        if (record_.running.test_and_set(std::memory_order_acquire))
            throw Failure(VDT_E_THREAD, "this plan is running in another thread; make one plan for each thread");
    }
    ~Running() { record_.running.clear(std::memory_order_release); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

private:
    PlanRecord& record_;
};

}  // namespace

vdt_code op_support(vdt_device* device, const vdt_query* query, vdt_op_support* support, vdt_error* error) noexcept {
    return guard(error, [&]() -> vdt_code {
        if (support == nullptr) return fail(error, VDT_E_ARGUMENT, "support is NULL");
        if (support->struct_size < sizeof(vdt_op_support))
            return fail(error, VDT_E_ARGUMENT, "the answer's struct_size is too small");
        const std::uint32_t struct_size = support->struct_size;
        *support = vdt_op_support{};
        support->struct_size = struct_size;
        vdt_op_support answer;
        ask(device, query, answer);
        answer.struct_size = struct_size;
        *support = answer;
        return VDT_OK;
    });
}

vdt_code op_variant(vdt_device* device, const vdt_query* query, vdt_variant_info* info, vdt_error* error) noexcept {
    return guard(error, [&]() -> vdt_code {
        if (info == nullptr) return fail(error, VDT_E_ARGUMENT, "info is NULL");
        if (info->struct_size < sizeof(vdt_variant_info))
            return fail(error, VDT_E_ARGUMENT, "the variant info's struct_size is too small");
        const OperationEntry& entry = ask_variant(device, query);
        info->flags = 0;
        const char* const name = entry.variants[query->variant];
        const std::size_t length = std::min(std::strlen(name), sizeof info->name - 1);
        std::memset(info->name, 0, sizeof info->name);
        std::memcpy(info->name, name, length);
        return VDT_OK;
    });
}

vdt_code op_cost(vdt_device* device, const vdt_query* query, vdt_cost* cost, vdt_error* error) noexcept {
    return guard(error, [&]() -> vdt_code {
        check_cost(cost);
        const OperationEntry& entry = ask_variant(device, query);
        if (is_general(entry, *query)) return fail(error, VDT_E_ARGUMENT, "costs need a query with images");
        if (entry.cost == nullptr) return fail(error, VDT_E_UNSUPPORTED, "no costs are given for this operation");
        cost->flags = 0;
        cost->stage_count = 0;
        cost->launches = 0;
        cost->bytes_to_device = 0;
        cost->bytes_to_host = 0;
        cost->scratch_bytes = 0;
        cost->shared_bytes = 0;
        cost->constant_bytes = 0;
        entry.cost(*device_of(device), *query, *cost);
        return VDT_OK;
    });
}

vdt_code plan_create(vdt_device* device, const vdt_query* query, vdt_plan** plan, vdt_error* error) noexcept {
    return guard(error, [&]() -> vdt_code {
        if (plan == nullptr) return fail(error, VDT_E_ARGUMENT, "plan is NULL");
        *plan = nullptr;
        const OperationEntry& entry = ask_variant(device, query);
        if (is_general(entry, *query)) return fail(error, VDT_E_ARGUMENT, "a plan needs a query with images");
        auto record = std::make_unique<PlanRecord>();
        record->params_size = entry.params_size;
        record->inputs = shapes_of(query->inputs, query->input_count);
        record->outputs = shapes_of(query->outputs, query->output_count);
        record->plan = entry.plan(*device_of(device), *query);
        *plan = reinterpret_cast<vdt_plan*>(record.release());
        return VDT_OK;
    });
}

vdt_code plan_run(vdt_plan* plan, const vdt_call* call, vdt_error* error) noexcept {
    return guard(error, [&]() -> vdt_code {
        if (plan == nullptr) return fail(error, VDT_E_ARGUMENT, "plan is NULL");
        PlanRecord& record = *record_of(plan);
        check_call(call, record.inputs.size(), record.outputs.size());
        check_shapes(call->inputs, call->input_count, record.inputs, "input");
        check_shapes(call->outputs, call->output_count, record.outputs, "output");
        if (record.params_size != 0) check_params(call->params, record.params_size, "the call");
        const Running running(record);
        return record.plan->run(*call);
    });
}

void plan_destroy(vdt_plan* plan) noexcept {
    delete record_of(plan);
}

vdt_code resident_create(vdt_device* device, const vdt_image* image, vdt_resident** resident,
                         vdt_error* error) noexcept {
    return guard(error, [&]() -> vdt_code {
        if (resident == nullptr) return fail(error, VDT_E_ARGUMENT, "resident is NULL");
        *resident = nullptr;
        if (device == nullptr) return fail(error, VDT_E_ARGUMENT, "device is NULL");
        check_image(image, Pixels::present, "image", 0);
        if (image->format == VDT_FORMAT_NONE) return fail(error, VDT_E_ARGUMENT, "there is no image to keep");
        *resident = reinterpret_cast<vdt_resident*>(std::make_unique<Resident>(*image).release());
        return VDT_OK;
    });
}

void resident_destroy(vdt_resident* resident) noexcept {
    delete reinterpret_cast<Resident*>(resident);
}

}  // namespace vedette::cpu
