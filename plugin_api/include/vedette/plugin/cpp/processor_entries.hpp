// Help for plugins written in C++; not part of the ABI. Instance and device of a backend that works on this machine's
// processor, in host memory, and keeps nothing of its own: for `struct Backend : ProcessorEntries<Backend>`, which adds
// id, version, description and operations() (operation_entries.hpp). Its plans run their loops on the host's pool
// (loop.hpp).
#ifndef VEDETTE_PLUGIN_CPP_PROCESSOR_ENTRIES_HPP
#define VEDETTE_PLUGIN_CPP_PROCESSOR_ENTRIES_HPP

#include <memory>

#include "instance_entries.hpp"
#include "operation_entries.hpp"

namespace vedette::plugin {

// Behind vdt_self and vdt_device. The host outlives both.
struct Processor {
    const vdt_host* host;
};

template <class Backend>
struct ProcessorEntries : InstanceEntries<Backend>, OperationEntries<Backend> {
    using Instance = Processor;
    using Device = Processor;

    static std::unique_ptr<Processor> make_instance(const vdt_host& host, Options&) {
        return std::make_unique<Processor>(Processor{&host});
    }
    static uint32_t count_devices(const Processor&) { return 1; }
    static void describe_device(const Processor&, uint32_t, vdt_device_info& info) {
        info.kind = VDT_DEVICE_CPU;
        set_text(info.name, "CPU");
        set_text(info.uid, "cpu:0");
        set_text(info.driver, Backend::version);
        info.max_width = info.max_height = VDT_MAX_DIMENSION;
        info.max_pixels = Limits{}.max_pixels;
        info.memory_mask = Limits{}.memory_mask;
    }
    static std::unique_ptr<Processor> open_device(const Processor& instance, uint32_t) {
        return std::make_unique<Processor>(instance);
    }
    static Limits limits(const Processor&) { return {}; }
};

}  // namespace vedette::plugin
#endif
