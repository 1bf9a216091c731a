// Help for plugins written in C++; not part of the ABI. What backends with devices of their own have alike.
#ifndef VEDETTE_PLUGIN_CPP_DEVICE_ENTRIES_HPP
#define VEDETTE_PLUGIN_CPP_DEVICE_ENTRIES_HPP

#include <memory>

#include "stream_entries.hpp"

namespace vedette::plugin {

// The makers that OperationEntries, ResidentEntries and StreamEntries ask a Backend for, where
// `on(const Device&, body)` beside Device runs `body` on the device and lets its errors out as Failures.
template <class Device, class Resident, class Stream, class Event, class Buffer>
struct DeviceEntries {
    static std::unique_ptr<Plan> make_plan(const Operation<Device>& operation, Device& device, const vdt_query& query) {
        return on(device, [&] { return operation.plan(device, query); });
    }
    static std::unique_ptr<Resident> make_resident(Device& device, const vdt_image& image) {
        return on(device, [&] { return std::make_unique<Resident>(device, image); });
    }
    static std::unique_ptr<Stream> make_stream(Device& device) {
        return on(device, [&] { return std::make_unique<Stream>(device); });
    }
    static std::unique_ptr<Event> make_event(Device& device) {
        return on(device, [&] { return std::make_unique<Event>(device); });
    }
    static std::unique_ptr<Buffer> make_buffer(Device& device, uint32_t memory, uint64_t bytes) {
        return on(device, [&] { return std::make_unique<Buffer>(device, memory, bytes); });
    }
};

// StreamEntries' copy_image for a backend whose Operands take the images of a call.
template <class Operands, class Device>
void copy_image_by(const Device& device, const vdt_image& from, const vdt_image& to, vdt_stream* stream,
                   vdt_event* done) {
    Operands operands(device);
    const vdt_image* const inputs[] = {&from};
    const vdt_image* const outputs[] = {&to};
    vdt_call call{};
    call.input_count = 1;
    call.output_count = 1;
    call.inputs = inputs;
    call.outputs = outputs;
    call.stream = stream;
    call.done = done;
    typename Operands::Call running(operands, call);
    operands.copy_input_to_output();
    running.finish();
    // The operands' memory ends here.
    running.wait();
}

}  // namespace vedette::plugin
#endif
