// Help for plugins written in C++; not part of the ABI. The entries that ask about operations and run them. All of them
// check the same query in the same way, so that what op_support promises is what plan_create builds.
#ifndef VEDETTE_PLUGIN_CPP_OPERATION_ENTRIES_HPP
#define VEDETTE_PLUGIN_CPP_OPERATION_ENTRIES_HPP

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "cost.hpp"
#include "instance_entries.hpp"
#include "operation.hpp"

namespace vedette::plugin {

// Marks an answer as bit for bit what ops.h says, or as within an absolute tolerance of it.
inline void promise_exact(vdt_op_support& support) noexcept {
    support.determinism = VDT_DETERMINISM_EXACT;
    support.tolerance = 0;
}
inline void promise_within(vdt_op_support& support, double tolerance) noexcept {
    support.determinism = VDT_DETERMINISM_TOLERANCE;
    support.tolerance = tolerance;
}

namespace detail {

template <class Backend>
Limits limits_of(vdt_device* device) {
    Limits limits = Backend::limits(*Handle<vdt_device, typename Backend::Device>::object(device));
    limits.device = device;
    return limits;
}

// An operation of a backend that a query is about.
template <class Backend>
struct Asked {
    const Operation<typename Backend::Device>& operation;
    const Signature& signature;
    bool general;
};

template <class Backend>
Asked<Backend> find_operation(const vdt_query& query) {
    const Signature* const signature = signature_of(query.op);
    for (const Operation<typename Backend::Device>* operation : Backend::operations())
        if (signature != nullptr && operation->op == query.op)
            return {*operation, *signature, is_general(*signature, query)};
    throw Failure(VDT_E_UNSUPPORTED_OP,
                  "operation " + std::to_string(query.op) + " is not done by the " + Backend::id + " backend");
}

// Checks `query` and answers what can be done for it; throws Failure when nothing can.
template <class Backend>
Asked<Backend> ask(vdt_device* device, const vdt_query* query, vdt_op_support& support) {
    auto& opened = Handle<vdt_device, typename Backend::Device>::need(device, "device");
    check_query(query);
    const Asked<Backend> asked = find_operation<Backend>(*query);
    const auto& operation = asked.operation;
    const Limits limits = limits_of<Backend>(device);
    support = vdt_op_support{};
    support.struct_size = sizeof support;
    support.level = VDT_SUPPORT_YES;
    support.input_formats = operation.input_formats;
    support.output_formats = operation.output_formats;
    support.memory_mask = limits.memory_mask;
    support.variant_count = operation.variant_count;
    support.row_alignment = 1;
    promise_exact(support);
    const bool formats_given = operation.input_formats != 0 || operation.output_formats != 0;
    if (asked.general && formats_given) {
        // Whether values are exact may depend on the formats, and no tolerance holds for all shapes.
        promise_within(support, 0);
        return asked;
    }
    if (!asked.general) {
        check_operands(*query, asked.signature, limits);
        if (operation.input_formats != 0) check_format(*query->inputs[0], operation.input_formats, "the first input");
        if (operation.output_formats != 0)
            check_format(*query->outputs[0], operation.output_formats, "the first output");
    }
    operation.support(opened, *query, support);
    return asked;
}

// The same for a question about one variant.
template <class Backend>
Asked<Backend> ask_variant(vdt_device* device, const vdt_query* query) {
    vdt_op_support support;
    const Asked<Backend> asked = ask<Backend>(device, query, support);
    if (query->variant >= support.variant_count)
        throw Failure(VDT_E_ARGUMENT, "there is no variant " + std::to_string(query->variant) + "; there are " +
                                          std::to_string(support.variant_count) + ", counted from 0");
    return asked;
}

struct Shape {
    vdt_format format;
    uint32_t width, height;
};

inline std::vector<Shape> shapes_of(const vdt_image* const* images, uint32_t count) {
    std::vector<Shape> shapes(count);
    for (uint32_t index = 0; index < count; ++index)
        shapes[index] = {images[index]->format, images[index]->width, images[index]->height};
    return shapes;
}

inline void check_shapes(const vdt_image* const* images, const std::vector<Shape>& planned, const char* role) {
    for (uint32_t index = 0; index < planned.size(); ++index) {
        const vdt_image& image = *images[index];
        const Shape& shape = planned[index];
        const bool same =
            image.format == shape.format &&
            (shape.format == VDT_FORMAT_NONE || (image.width == shape.width && image.height == shape.height));
        if (!same)
            throw Failure(VDT_E_ARGUMENT,
                          Role{role, index}.text() + " is not of the format and size that the plan was made for");
    }
}

// Behind vdt_plan.
template <class Backend>
struct PlanRecord {
    typename Backend::Device* device;
    vdt_device* handle;
    const Signature* signature;
    std::vector<Shape> inputs, outputs;
    std::unique_ptr<Plan> plan;
    std::atomic_flag running = ATOMIC_FLAG_INIT;
};

// Holds a plan for one run; two at a time would share its scratch.
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

}  // namespace detail

// op_support, op_variant, plan_create, plan_run and plan_destroy, for `struct Backend : OperationEntries<Backend>`.
// Backend says what is its own:
//
//     using Device;  // the class behind vdt_device
//     static constexpr const char* id;
//     static [a range of const Operation<Device>*] operations();
//     static Limits limits(const Device& device);
//
// and may put its own in the place of two functions below, to make a device current or to keep a library's threads
// away.
template <class Backend>
struct OperationEntries {
    template <class Device>
    static std::unique_ptr<Plan> make_plan(const Operation<Device>& operation, Device& device, const vdt_query& query) {
        return operation.plan(device, query);
    }
    template <class Device>
    static vdt_code run_plan(Plan& plan, Device&, const vdt_call& call) {
        return plan.run(call);
    }

    static vdt_code op_support(vdt_device* device, const vdt_query* query, vdt_op_support* support, vdt_error*) {
        need_struct(support, "support");
        clear_struct(*support);
        vdt_op_support answer;
        detail::ask<Backend>(device, query, answer);
        answer.struct_size = support->struct_size;
        *support = answer;
        return VDT_OK;
    }

    static vdt_code op_variant(vdt_device* device, const vdt_query* query, vdt_variant_info* info, vdt_error*) {
        need_struct(info, "info");
        const auto asked = detail::ask_variant<Backend>(device, query);
        info->flags = 0;
        const auto way = asked.operation.way;
        set_text(info->name, way == nullptr || asked.general
                                 ? asked.operation.variants[query->variant]
                                 : way(*Handle<vdt_device, typename Backend::Device>::object(device), *query));
        return VDT_OK;
    }

    static vdt_code plan_create(vdt_device* device, const vdt_query* query, vdt_plan** plan, vdt_error*) {
        need(plan, "plan");
        *plan = nullptr;
        const auto asked = detail::ask_variant<Backend>(device, query);
        if (asked.general) throw Failure(VDT_E_ARGUMENT, "a plan needs the images and parameters that it is for");
        auto record = std::make_unique<Record>();
        record->device = Handle<vdt_device, typename Backend::Device>::object(device);
        record->handle = device;
        record->signature = &asked.signature;
        record->inputs = detail::shapes_of(query->inputs, query->input_count);
        record->outputs = detail::shapes_of(query->outputs, query->output_count);
        record->plan = Backend::make_plan(asked.operation, *record->device, *query);
        *plan = Handle<vdt_plan, Record>::give(std::move(record));
        return VDT_OK;
    }

    static vdt_code plan_run(vdt_plan* plan, const vdt_call* call, vdt_error*) {
        Record& record = Handle<vdt_plan, Record>::need(plan, "plan");
        check_call(call, *record.signature, static_cast<uint32_t>(record.inputs.size()),
                   static_cast<uint32_t>(record.outputs.size()), detail::limits_of<Backend>(record.handle));
        detail::check_shapes(call->inputs, record.inputs, "input");
        detail::check_shapes(call->outputs, record.outputs, "output");
        const detail::Running running(record.running);
        return Backend::run_plan(*record.plan, *record.device, *call);
    }

    static void plan_destroy(vdt_plan* plan) { Handle<vdt_plan, Record>::destroy(plan); }

private:
    using Record = detail::PlanRecord<Backend>;
};

// op_cost, for a Backend that also is OperationEntries<Backend>.
template <class Backend>
struct CostEntry {
    static vdt_code op_cost(vdt_device* device, const vdt_query* query, vdt_cost* cost, vdt_error*) {
        check_cost(cost);
        const auto asked = detail::ask_variant<Backend>(device, query);
        if (asked.general) throw Failure(VDT_E_ARGUMENT, "costs need a query with images and parameters");
        if (asked.operation.cost == nullptr) throw Failure(VDT_E_UNSUPPORTED, "no costs are given for this operation");
        clear_cost(*cost);
        asked.operation.cost(*Handle<vdt_device, typename Backend::Device>::object(device), *query, *cost);
        return VDT_OK;
    }
};

}  // namespace vedette::plugin
#endif
