// Help for plugins written in C++; not part of the ABI. `make_table` fills the plugin's table from a class of static
// functions, each wrapped in the catch-all of guard.hpp; `negotiate` is the body of the entry.
//
//     struct Backend {
//         static constexpr const char* id = "mine";
//         static constexpr const char* version = "1.0.0";
//         static constexpr const char* description = "one line for people";
//         static vdt_code create(const vdt_host*, const vdt_option*, uint32_t, vdt_self**, vdt_error*);
//         ...  // named and typed as the slots of vdt_plugin; they may throw
//     };
//     static constexpr vdt_plugin table = vedette::plugin::make_table<Backend>();
//     const vdt_plugin* VDT_PLUGIN_ENTRY(uint32_t min, uint32_t max, vdt_error* why) noexcept {
//         return vedette::plugin::negotiate(min, max, table, why);
//     }
#ifndef VEDETTE_PLUGIN_CPP_TABLE_HPP
#define VEDETTE_PLUGIN_CPP_TABLE_HPP

#include <cstdio>

#include "guard.hpp"

namespace vedette::plugin {

namespace detail {

inline vdt_error* error_of(vdt_error* error) noexcept {
    return error;
}
template <class First, class... Rest>
vdt_error* error_of(First, Rest... rest) noexcept {
    return error_of(rest...);
}

// A function pointer for the table that runs Function and lets no exception out.
template <auto Function>
struct Wrapped;

template <class... Arguments, vdt_code (*Function)(Arguments...)>
struct Wrapped<Function> {
    static vdt_code call(Arguments... arguments) noexcept {
        return guard(error_of(arguments...), [&] { return Function(arguments...); });
    }
};

template <class Argument, void (*Function)(Argument)>
struct Wrapped<Function> {
    static void call(Argument argument) noexcept {
        // Nobody can be told: what gives things back has no error record.
        (void)guard(nullptr, [&] { return Function(argument), vdt_code{VDT_OK}; });
    }
};

template <const void* (*Function)(vdt_self*, const char*)>
struct Wrapped<Function> {
    static const void* call(vdt_self* self, const char* id) noexcept {
        const void* found = nullptr;
        (void)guard(nullptr, [&] { return found = Function(self, id), vdt_code{VDT_OK}; });
        return found;
    }
};

}  // namespace detail

// The table of Backend. Obligatory: id, version, description, create, destroy, device_count, device_info, device_open,
// device_close, op_support, op_variant, plan_create, plan_run, plan_destroy. Used when Backend has them: op_cost,
// probe, resident_create with resident_destroy, extension, and `streams`, a static vdt_streams.
template <class Backend>
constexpr vdt_plugin make_table() noexcept {
    using detail::Wrapped;
    vdt_plugin table{};
    table.struct_size = sizeof table;
    table.abi_minor = VDT_ABI_MINOR;
    table.id = Backend::id;
    table.version = Backend::version;
    table.description = Backend::description;
    table.create = Wrapped<&Backend::create>::call;
    table.destroy = Wrapped<&Backend::destroy>::call;
    table.device_count = Wrapped<&Backend::device_count>::call;
    table.device_info = Wrapped<&Backend::device_info>::call;
    table.device_open = Wrapped<&Backend::device_open>::call;
    table.device_close = Wrapped<&Backend::device_close>::call;
    table.op_support = Wrapped<&Backend::op_support>::call;
    table.op_variant = Wrapped<&Backend::op_variant>::call;
    table.plan_create = Wrapped<&Backend::plan_create>::call;
    table.plan_run = Wrapped<&Backend::plan_run>::call;
    table.plan_destroy = Wrapped<&Backend::plan_destroy>::call;
    if constexpr (requires { &Backend::op_cost; }) table.op_cost = Wrapped<&Backend::op_cost>::call;
    if constexpr (requires { &Backend::probe; }) table.probe = Wrapped<&Backend::probe>::call;
    if constexpr (requires { &Backend::resident_create; }) {
        table.resident_create = Wrapped<&Backend::resident_create>::call;
        table.resident_destroy = Wrapped<&Backend::resident_destroy>::call;
    }
    if constexpr (requires { &Backend::streams; }) table.streams = &Backend::streams;
    if constexpr (requires { &Backend::extension; }) table.extension = Wrapped<&Backend::extension>::call;
    return table;
}

// The entry's answer: `table` when the host's range of minor versions meets 0 .. table.abi_minor, else NULL with a
// sentence that names both ranges.
inline const vdt_plugin* negotiate(uint32_t host_minor_min, uint32_t host_minor_max, const vdt_plugin& table,
                                   vdt_error* why) noexcept {
    if (host_minor_min <= table.abi_minor && host_minor_min <= host_minor_max) return &table;
    char text[VDT_ERROR_TEXT_BYTES];
    std::snprintf(text, sizeof text, "%.60s: the host speaks ABI 1.%u to 1.%u, this plugin 1.0 to 1.%u", table.id,
                  unsigned{host_minor_min}, unsigned{host_minor_max}, unsigned{table.abi_minor});
    fail(why, VDT_E_ABI, text);
    return nullptr;
}

}  // namespace vedette::plugin
#endif
