// The table and entry of one plugin with one fault: compiled once for each, with VEDETTE_FAULT naming it.
#include "fault_backend.h"

#include <fcntl.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <thread>

namespace vedette::fault {

constexpr Fault chosen = Fault::VEDETTE_FAULT;
const Fault fault = chosen;

namespace {

[[noreturn]] void crash() {
    // Not abort(): its message would hide whether the program under test says what happened.
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
    std::_Exit(99);
}

[[noreturn]] void hang() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Keeps what is leaked from being optimised away, and from being reported by a sanitizer as well.
void* volatile leaked = nullptr;

template <class T>
T* make_on(const vdt_host* host) {
    void* const memory = host->alloc(host->ctx, sizeof(T), alignof(T));
    if (memory == nullptr) refuse(VDT_E_OUT_OF_MEMORY, "out of host memory");
    return new (memory) T{};
}

template <class T>
void drop(T* object) {
    if (object == nullptr) return;
    const vdt_host* const host = object->host;
    object->~T();
    if (fault == Fault::leak_host_memory && std::is_same_v<T, vdt_device>) {
        leaked = object;
        return;
    }
    host->free(host->ctx, object);
}

void demand(bool condition, const char* text) {
    if (!condition) refuse(VDT_E_ARGUMENT, text);
}

// For pointers, and the sizes of what they point to.
void demand_pointers(bool condition) {
    if (fault != Fault::trust_pointers) demand(condition, "a NULL, or struct_size too small");
}

void check_links(const vdt_link* link) {
    for (; link != nullptr; link = link->next)
        if (link->kind & VDT_LINK_MUST_UNDERSTAND) refuse(VDT_E_UNSUPPORTED, "a required block is not known here");
}

void check_query(const vdt_device* device, const vdt_query* query) {
    demand_pointers(device != nullptr && query != nullptr && query->struct_size >= sizeof *query);
    check_links(query->next);
    if (query->op != VDT_OP_TEMPLATE_FIND) refuse(VDT_E_UNSUPPORTED_OP, "only template_find is done here");
    if (query->input_count == 0) return;
    demand(query->output_count == 0, "template_find has no output images");
    check_inputs(query->inputs, query->input_count, static_cast<const vdt_template_find_params*>(query->params), false);
}

bool same_shape(const vdt_image& a, const vdt_image& b) {
    return a.format == b.format && a.width == b.width && a.height == b.height && a.memory == b.memory;
}

struct Backend {
    static constexpr const char* id = fault == Fault::wrong_id ? "Somebody Else" : "fault";
    static constexpr const char* version = "1.0.0";
    static constexpr const char* description = "a backend of the tests";

    static vdt_code create(const vdt_host* host, const vdt_option* options, std::uint32_t option_count, vdt_self** self,
                           vdt_error*) {
        demand_pointers(host != nullptr && host->struct_size >= sizeof *host && self != nullptr);
        demand(options != nullptr || option_count == 0, "options are NULL");
        *self = nullptr;
        if (fault == Fault::crash_in_create) crash();
        if (fault == Fault::hang_in_create) hang();
        if (fault == Fault::fail_in_create) refuse(VDT_E_INTERNAL, "the fault plugin fails on purpose");
        if (option_count > 0 && fault != Fault::any_option)
            throw plugin::Failure(VDT_E_OPTION, std::string("there is no option \"") + options[0].key + "\"");
        if (fault == Fault::leak_memory) {
            leaked = new char[1 << 20];
            std::memset(leaked, 1, 1 << 20);
        }
        if (fault == Fault::leak_file) (void)open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (fault == Fault::leak_thread) std::thread(hang).detach();
        if (fault == Fault::print) std::puts("hello");
        *self = make_on<vdt_self>(host);
        (*self)->host = host;
        return VDT_OK;
    }
    static void destroy(vdt_self* self) { drop(self); }

    static vdt_code device_count(vdt_self* self, std::uint32_t* count, vdt_error* error) {
        demand_pointers(self != nullptr && count != nullptr);
        *count = fault == Fault::no_device ? 0 : fault == Fault::same_uid ? 2 : 1;
        if (*count == 0) plugin::fail(error, VDT_E_NO_DEVICE, "the fault plugin has no device on purpose");
        return VDT_OK;
    }
    static vdt_code device_info(vdt_self* self, std::uint32_t index, vdt_device_info* info, vdt_error*) {
        demand_pointers(self != nullptr && info != nullptr && info->struct_size >= sizeof *info);
        demand(index < (fault == Fault::same_uid ? 2u : 1u), "there is no such device");
        const std::uint32_t size = info->struct_size;
        *info = vdt_device_info{};
        info->struct_size = size;
        info->kind = VDT_DEVICE_CPU;
        std::snprintf(info->name, sizeof info->name, "fault device %u", unsigned{index});
        std::snprintf(info->uid, sizeof info->uid, "cpu:0");
        info->max_width = info->max_height = VDT_MAX_DIMENSION;
        info->max_pixels = std::uint64_t{VDT_MAX_DIMENSION} * VDT_MAX_DIMENSION;
        info->memory_mask = 1u << VDT_MEMORY_HOST;
        return VDT_OK;
    }
    static vdt_code device_open(vdt_self* self, std::uint32_t index, vdt_device** device, vdt_error*) {
        demand_pointers(self != nullptr && device != nullptr);
        *device = nullptr;
        demand(index < (fault == Fault::same_uid ? 2u : 1u), "there is no such device");
        if (fault == Fault::fail_to_open)
            refuse(VDT_E_NO_DRIVER, "the fault plugin does not open its device on purpose");
        *device = make_on<vdt_device>(self->host);
        (*device)->host = self->host;
        return VDT_OK;
    }
    static void device_close(vdt_device* device) { drop(device); }

    static vdt_code op_support(vdt_device* device, const vdt_query* query, vdt_op_support* support, vdt_error*) {
        demand_pointers(support != nullptr && support->struct_size >= sizeof *support);
        check_query(device, query);
        const std::uint32_t size = support->struct_size;
        *support = vdt_op_support{};
        support->struct_size = size;
        support->level = VDT_SUPPORT_YES;
        support->input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8) | VDT_FORMAT_BIT(VDT_FORMAT_BGR8);
        support->memory_mask = 1u << VDT_MEMORY_HOST;
        support->variant_count = 1;
        support->determinism = VDT_DETERMINISM_EXACT;
        support->row_alignment = 1;
        return VDT_OK;
    }
    static vdt_code op_variant(vdt_device* device, const vdt_query* query, vdt_variant_info* info, vdt_error*) {
        demand_pointers(info != nullptr && info->struct_size >= sizeof *info);
        check_query(device, query);
        demand(query->variant == 0, "there is one variant");
        info->flags = 0;
        std::snprintf(info->name, sizeof info->name, "full");
        return VDT_OK;
    }
    static vdt_code op_cost(vdt_device* device, const vdt_query* query, vdt_cost* cost, vdt_error*) {
        demand_pointers(cost != nullptr && cost->struct_size >= sizeof *cost);
        check_query(device, query);
        demand(query->input_count > 0, "costs need sizes");
        cost->flags = VDT_COST_ESTIMATE;
        cost->stage_count = 1;
        cost->launches = 1;
        cost->bytes_to_device = cost->bytes_to_host = 0;
        cost->scratch_bytes = cost->shared_bytes = cost->constant_bytes = 0;
        if (cost->stage_capacity == 0) return VDT_OK;
        demand(cost->stages != nullptr && cost->stage_size >= sizeof(vdt_cost_stage), "no room for a stage");
        const vdt_image &scene = *query->inputs[0], &pattern = *query->inputs[1];
        cost->stages[0] = vdt_cost_stage{};
        cost->stages[0].work = static_cast<double>(scene.width) * scene.height * pattern.width * pattern.height;
        cost->stages[0].width = fault == Fault::bad_costs ? std::numeric_limits<double>::quiet_NaN() : scene.height;
        cost->stages[0].divergence = 1;
        return VDT_OK;
    }

    static vdt_code plan_create(vdt_device* device, const vdt_query* query, vdt_plan** plan, vdt_error*) {
        demand_pointers(plan != nullptr);
        *plan = nullptr;
        check_query(device, query);
        demand(query->variant == 0 && query->input_count > 0, "no such variant, or no sizes");
        if (fault == Fault::refuse_plan) refuse(VDT_E_UNSUPPORTED, "the fault plugin refuses on purpose");
        vdt_plan* const made = make_on<vdt_plan>(device->host);
        made->host = device->host;
        for (std::uint32_t i = 0; i < query->input_count; ++i) made->shapes.images.push_back(*query->inputs[i]);
        *plan = made;
        return VDT_OK;
    }
    static vdt_code plan_run(vdt_plan* plan, const vdt_call* call, vdt_error*) {
        demand_pointers(plan != nullptr && call != nullptr && call->struct_size >= sizeof *call);
        check_links(call->next);
        const auto* params = static_cast<const vdt_template_find_params*>(call->params);
        demand(call->input_count == plan->shapes.images.size() && call->output_count == 0,
               "the plan was made for other inputs");
        check_inputs(call->inputs, call->input_count, params, true);
        if (fault != Fault::trust_sizes)
            for (std::uint32_t i = 0; i < call->input_count; ++i)
                demand(same_shape(*call->inputs[i], plan->shapes.images[i]), "the plan was made for other sizes");
        demand(call->list_out_count == 1 && call->lists_out != nullptr && call->lists_out[0] != nullptr,
               "there is no list");
        const vdt_list& list = *call->lists_out[0];
        demand(list.struct_size >= sizeof list && list.item_size >= sizeof(vdt_item) &&
                   (list.items != nullptr || list.capacity == 0),
               "the list has no room or its items are too small");
        if (fault == Fault::crash_in_run) crash();
        if (fault == Fault::hang_in_run) hang();
        if (fault == Fault::guarded_throw) throw std::runtime_error("the fault plugin throws on purpose");
        if (fault == Fault::refuse_run) refuse(VDT_E_UNSUPPORTED, "the fault plugin refuses on purpose");
        if (fault == Fault::device_lost) refuse(VDT_E_DEVICE_LOST, "the fault plugin loses its device on purpose");
        if (fault == Fault::out_of_memory) refuse(VDT_E_OUT_OF_MEMORY, "the fault plugin is out of memory on purpose");
        if (fault == Fault::unknown_code) return -12345;
        return find(*plan->host, *call, *params);
    }
    static void plan_destroy(vdt_plan* plan) { drop(plan); }

    static const void* extension(vdt_self*, const char*) { return nullptr; }
};

// Slots that break the rule that no exception leaves the plugin, which a C++ compiler would enforce: hence the casts.
vdt_code throw_from_create(const vdt_host*, const vdt_option*, std::uint32_t, vdt_self**, vdt_error*) {
    throw std::runtime_error("the fault plugin throws on purpose");
}
vdt_code throw_from_run(vdt_plan*, const vdt_call*, vdt_error*) {
    throw std::runtime_error("the fault plugin throws on purpose");
}

[[maybe_unused]] vdt_plugin faulty_table() {
    vdt_plugin table = plugin::make_table<Backend>();
    if (fault == Fault::small_table) table.struct_size = offsetof(vdt_plugin, plan_create);
    if (fault == Fault::null_slot) table.plan_run = nullptr;
    if (fault == Fault::throw_in_create) table.create = reinterpret_cast<decltype(table.create)>(throw_from_create);
    if (fault == Fault::throw_in_run) table.plan_run = reinterpret_cast<decltype(table.plan_run)>(throw_from_run);
    return table;
}

struct OnLoad {
    OnLoad() {
        if (fault == Fault::crash_on_load) crash();
    }
};
const OnLoad on_load;

}  // namespace
}  // namespace vedette::fault

#ifndef VEDETTE_FAULT_WITHOUT_ENTRY
const vdt_plugin* VDT_PLUGIN_ENTRY(std::uint32_t host_minor_min, std::uint32_t host_minor_max,
                                   vdt_error* why) noexcept {
    using namespace vedette;
    using vedette::fault::Fault;
    static const vdt_plugin table = fault::faulty_table();
    if (fault::fault == Fault::crash_in_entry) fault::crash();
    if (fault::fault == Fault::hang_in_entry) fault::hang();
    if (fault::fault == Fault::null_table) return nullptr;
    if (fault::fault == Fault::foreign_version && host_minor_max < 7) {
        plugin::fail(why, VDT_E_ABI, "fault: the host speaks ABI 1.0 to 1.0, this plugin 1.7 to 1.9");
        return nullptr;
    }
    return plugin::negotiate(host_minor_min, host_minor_max, table, why);
}
#endif
