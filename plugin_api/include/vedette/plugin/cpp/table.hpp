// Help for plugins written in C++; not part of the ABI. `make_table` fills the plugin's table from a class of static
// functions, each wrapped in the catch-all of guard.hpp; `negotiate` is the body of the entry.
//
//     struct Backend {
//         static constexpr const char* id = "mine";
//         static constexpr const char* version = "1.0.0";
//         static constexpr const char* description = "one line for people";
//         static vdt_code create(const vdt_host*, const vdt_option*, uint32_t, vdt_self**, vdt_error*);
//         ...  // named and typed as the slots of vdt_plugin; they may throw. Most can be inherited: the structs of
//              // instance_entries.hpp, operation_entries.hpp, resident_entries.hpp and stream_entries.hpp check all
//              // that the host hands in and leave to Backend what is its own.
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
template <class Backend, auto Function>
struct Wrapped;

template <class Backend, class... Arguments, vdt_code (*Function)(Arguments...)>
struct Wrapped<Backend, Function> {
    static vdt_code call(Arguments... arguments) noexcept {
        const auto body = [&]() -> vdt_code { return Function(arguments...); };
        return guard(error_of(arguments...), [&]() -> vdt_code {
            if constexpr (requires { Backend::translate(body); })
                return Backend::translate(body);
            else
                return body();
        });
    }
};

template <class Backend, class Argument, void (*Function)(Argument)>
struct Wrapped<Backend, Function> {
    static void call(Argument argument) noexcept {
        // Nobody can be told: what gives things back has no error record.
        (void)guard(nullptr, [&] { return Function(argument), vdt_code{VDT_OK}; });
    }
};

template <class Backend, const void* (*Function)(vdt_self*, const char*)>
struct Wrapped<Backend, Function> {
    static const void* call(vdt_self* self, const char* id) noexcept {
        const void* found = nullptr;
        (void)guard(nullptr, [&] { return found = Function(self, id), vdt_code{VDT_OK}; });
        return found;
    }
};

}  // namespace detail

// The table of streams, events and buffers of Backend, which has every function of vdt_streams (stream_entries.hpp).
template <class Backend>
constexpr vdt_streams make_streams() noexcept {
    using detail::Wrapped;
    vdt_streams streams{};
    streams.struct_size = sizeof streams;
    streams.stream_create = Wrapped<Backend, &Backend::stream_create>::call;
    streams.stream_sync = Wrapped<Backend, &Backend::stream_sync>::call;
    streams.stream_destroy = Wrapped<Backend, &Backend::stream_destroy>::call;
    streams.event_create = Wrapped<Backend, &Backend::event_create>::call;
    streams.event_record = Wrapped<Backend, &Backend::event_record>::call;
    streams.event_query = Wrapped<Backend, &Backend::event_query>::call;
    streams.event_wait_host = Wrapped<Backend, &Backend::event_wait_host>::call;
    streams.event_wait_stream = Wrapped<Backend, &Backend::event_wait_stream>::call;
    streams.event_destroy = Wrapped<Backend, &Backend::event_destroy>::call;
    streams.buffer_create = Wrapped<Backend, &Backend::buffer_create>::call;
    streams.buffer_destroy = Wrapped<Backend, &Backend::buffer_destroy>::call;
    streams.image_copy = Wrapped<Backend, &Backend::image_copy>::call;
    return streams;
}

namespace detail {

template <class Backend>
inline constexpr vdt_streams streams_of = make_streams<Backend>();

}  // namespace detail

// The table of Backend. Obligatory: id, version, description, create, destroy, device_count, device_info, device_open,
// device_close, op_support, op_variant, plan_create, plan_run, plan_destroy. Used when Backend has them: op_cost,
// probe, resident_create with resident_destroy, extension, and `streams`, a static vdt_streams (make_streams). Also
// when it has it: translate(body), which returns body() and throws Failure for what body throws of a foreign library.
template <class Backend>
constexpr vdt_plugin make_table() noexcept {
    using detail::Wrapped;
    vdt_plugin table{};
    table.struct_size = sizeof table;
    table.abi_minor = VDT_ABI_MINOR;
    table.id = Backend::id;
    table.version = Backend::version;
    table.description = Backend::description;
    table.create = Wrapped<Backend, &Backend::create>::call;
    table.destroy = Wrapped<Backend, &Backend::destroy>::call;
    table.device_count = Wrapped<Backend, &Backend::device_count>::call;
    table.device_info = Wrapped<Backend, &Backend::device_info>::call;
    table.device_open = Wrapped<Backend, &Backend::device_open>::call;
    table.device_close = Wrapped<Backend, &Backend::device_close>::call;
    table.op_support = Wrapped<Backend, &Backend::op_support>::call;
    table.op_variant = Wrapped<Backend, &Backend::op_variant>::call;
    table.plan_create = Wrapped<Backend, &Backend::plan_create>::call;
    table.plan_run = Wrapped<Backend, &Backend::plan_run>::call;
    table.plan_destroy = Wrapped<Backend, &Backend::plan_destroy>::call;
    if constexpr (requires { &Backend::op_cost; }) table.op_cost = Wrapped<Backend, &Backend::op_cost>::call;
    if constexpr (requires { &Backend::probe; }) table.probe = Wrapped<Backend, &Backend::probe>::call;
    if constexpr (requires { &Backend::resident_create; }) {
        table.resident_create = Wrapped<Backend, &Backend::resident_create>::call;
        table.resident_destroy = Wrapped<Backend, &Backend::resident_destroy>::call;
    }
    if constexpr (requires { &Backend::streams; })
        table.streams = &Backend::streams;
    else if constexpr (requires { &Backend::stream_create; })
        table.streams = &detail::streams_of<Backend>;
    if constexpr (requires { &Backend::extension; }) table.extension = Wrapped<Backend, &Backend::extension>::call;
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
