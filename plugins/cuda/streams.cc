#include "streams.h"

#include "operands.h"
#include "resident.h"

#include <vedette/plugin/cpp/check.hpp>

namespace vedette::cuda_plugin {

namespace {

using plugin::guard;
using plugin::need;
using StreamHandle = plugin::Handle<vdt_stream, StreamRecord>;
using EventHandle = plugin::Handle<vdt_event, EventRecord>;

struct BufferRecord {
    const Device* device;
    cuda::Block<std::byte> block;
};
using BufferHandle = plugin::Handle<vdt_buffer, BufferRecord>;

// Body of an entry that acts on `device`.
template <class Body>
vdt_code on_device(vdt_error* error, const Device* device, const Body& body) noexcept {
    return guard(error, [&]() -> vdt_code {
        if (device == nullptr) throw Failure(VDT_E_ARGUMENT, "device, stream or event is NULL");
        device->check_usable();
        return translated(*device, [&]() -> vdt_code {
            const cuda::Current current(device->cuda.limits.ordinal);
            return body();
        });
    });
}

template <class Handle, class Opaque>
const Device* owner(Opaque* handle) noexcept {
    return handle == nullptr ? nullptr : Handle::object(handle)->device;
}

// Gives an object of the runtime back on its device. In a forked child the driver's state is not ours to touch.
template <class Handle, class Opaque>
void give_back(Opaque* handle) noexcept {
    if (handle == nullptr) return;
    const Device* const device = owner<Handle>(handle);
    (void)on_device(nullptr, device, [&]() -> vdt_code {
        Handle::destroy(handle);
        return VDT_OK;
    });
}

vdt_code stream_create(vdt_device* device, vdt_stream** stream, vdt_error* error) noexcept {
    if (stream == nullptr) return plugin::fail(error, VDT_E_ARGUMENT, "stream is NULL");
    *stream = nullptr;
    const Device* const opened = DeviceHandle::object(device);
    return on_device(error, opened, [&]() -> vdt_code {
        *stream = StreamHandle::give(std::make_unique<StreamRecord>(StreamRecord{opened, cuda::make_stream()}));
        return VDT_OK;
    });
}

vdt_code stream_sync(vdt_stream* stream, vdt_error* error) noexcept {
    return on_device(error, owner<StreamHandle>(stream), [&]() -> vdt_code {
        cuda::synchronize(stream_of(stream));
        return VDT_OK;
    });
}

void stream_destroy(vdt_stream* stream) noexcept {
    if (stream == nullptr) return;
    (void)stream_sync(stream, nullptr);
    give_back<StreamHandle>(stream);
}

vdt_code event_create(vdt_device* device, vdt_event** event, vdt_error* error) noexcept {
    if (event == nullptr) return plugin::fail(error, VDT_E_ARGUMENT, "event is NULL");
    *event = nullptr;
    const Device* const opened = DeviceHandle::object(device);
    return on_device(error, opened, [&]() -> vdt_code {
        *event = EventHandle::give(std::make_unique<EventRecord>(EventRecord{opened, cuda::make_event()}));
        return VDT_OK;
    });
}

vdt_code event_record(vdt_event* event, vdt_stream* stream, vdt_error* error) noexcept {
    if (stream == nullptr) return plugin::fail(error, VDT_E_ARGUMENT, "stream is NULL");
    return on_device(error, owner<EventHandle>(event), [&]() -> vdt_code {
        cuda::check(cudaEventRecord(event_of(event), stream_of(stream)), "recording an event");
        return VDT_OK;
    });
}

vdt_code event_query(vdt_event* event, vdt_error* error) noexcept {
    return on_device(error, owner<EventHandle>(event), [&]() -> vdt_code {
        const cudaError_t code = cudaEventQuery(event_of(event));
        if (code == cudaErrorNotReady) {
            (void)cudaGetLastError();
            return VDT_NOT_READY;
        }
        cuda::check(code, "asking for an event");
        return VDT_OK;
    });
}

vdt_code event_wait_host(vdt_event* event, vdt_error* error) noexcept {
    return on_device(error, owner<EventHandle>(event), [&]() -> vdt_code {
        cuda::check(cudaEventSynchronize(event_of(event)), "waiting for an event");
        return VDT_OK;
    });
}

vdt_code event_wait_stream(vdt_event* event, vdt_stream* stream, vdt_error* error) noexcept {
    if (stream == nullptr) return plugin::fail(error, VDT_E_ARGUMENT, "stream is NULL");
    return on_device(error, owner<EventHandle>(event), [&]() -> vdt_code {
        cuda::check(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0), "making a stream wait");
        return VDT_OK;
    });
}

void event_destroy(vdt_event* event) noexcept {
    give_back<EventHandle>(event);
}

vdt_code buffer_create(vdt_device* device, std::uint32_t memory, std::uint64_t bytes, vdt_buffer** buffer,
                       void** address, vdt_error* error) noexcept {
    if (buffer == nullptr || address == nullptr)
        return plugin::fail(error, VDT_E_ARGUMENT, "buffer or address is NULL");
    *buffer = nullptr;
    *address = nullptr;
    const Device* const opened = DeviceHandle::object(device);
    return on_device(error, opened, [&]() -> vdt_code {
        if (memory != VDT_MEMORY_DEVICE && memory != VDT_MEMORY_PINNED)
            throw Failure(VDT_E_UNSUPPORTED_MEMORY, "buffers of the cuda backend are device or pinned memory");
        if (bytes == 0) throw Failure(VDT_E_SIZE, "a buffer of 0 bytes was asked for");
        auto record = std::make_unique<BufferRecord>();
        record->device = opened;
        record->block =
            cuda::Block<std::byte>(memory == VDT_MEMORY_DEVICE ? opened->cuda.memory : opened->cuda.pinned, bytes);
        *address = record->block.data();
        *buffer = BufferHandle::give(std::move(record));
        return VDT_OK;
    });
}

void buffer_destroy(vdt_buffer* buffer) noexcept {
    if (buffer == nullptr) return;
    // The pool hands blocks out again at once, and cudaFree would have waited for what is queued.
    (void)on_device(nullptr, owner<BufferHandle>(buffer), [&]() -> vdt_code {
        cuda::check(cudaDeviceSynchronize(), "waiting for the device");
        return VDT_OK;
    });
    give_back<BufferHandle>(buffer);
}

vdt_code image_copy(vdt_device* device, const vdt_image* from, const vdt_image* to, vdt_stream* stream, vdt_event* done,
                    vdt_error* error) noexcept {
    const Device* const opened = DeviceHandle::object(device);
    return on_device(error, opened, [&]() -> vdt_code {
        const plugin::Limits limits = limits_of(*opened, device);
        plugin::check_image(from, plugin::Pixels::present, limits, {"the source", 0});
        plugin::check_image(to, plugin::Pixels::present, limits, {"the target", 0});
        if (from->format == VDT_FORMAT_NONE || from->format != to->format || from->width != to->width ||
            from->height != to->height)
            throw Failure(VDT_E_ARGUMENT, "source and target of a copy must have one format and size");
        if (done != nullptr && stream == nullptr)
            throw Failure(VDT_E_ARGUMENT, "done is an event of a stream, but stream is NULL");
        Operands operands(*opened);
        vdt_call call{};
        call.struct_size = sizeof call;
        call.input_count = 1;
        call.output_count = 1;
        call.inputs = &from;
        call.outputs = &to;
        call.stream = stream;
        call.done = done;
        Operands::Call running(operands, call);
        operands.copy_input_to_output();
        running.finish();
        // The operands' memory ends here.
        running.wait();
        return VDT_OK;
    });
}

}  // namespace

const vdt_streams stream_table = {
    .struct_size = sizeof(vdt_streams),
    .flags = 0,
    .stream_create = stream_create,
    .stream_sync = stream_sync,
    .stream_destroy = stream_destroy,
    .event_create = event_create,
    .event_record = event_record,
    .event_query = event_query,
    .event_wait_host = event_wait_host,
    .event_wait_stream = event_wait_stream,
    .event_destroy = event_destroy,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .image_copy = image_copy,
};

}  // namespace vedette::cuda_plugin
