// Help for plugins written in C++; not part of the ABI. The entries about streams, events and device memory.
#ifndef VEDETTE_PLUGIN_CPP_STREAM_ENTRIES_HPP
#define VEDETTE_PLUGIN_CPP_STREAM_ENTRIES_HPP

#include <memory>
#include <string>

#include "operation_entries.hpp"

namespace vedette::plugin {

// The functions of vdt_streams, for a Backend that also is OperationEntries<Backend>, whose limits say `streams =
// true`, and that says what is its own:
//
//     using Stream, Event, Buffer;  // the classes behind the handles; ~Stream waits for the stream's work
//     static std::unique_ptr<Stream> make_stream(Device& device);
//     static std::unique_ptr<Event> make_event(Device& device);
//     static std::unique_ptr<Buffer> make_buffer(Device& device, uint32_t memory, uint64_t bytes);  // bytes > 0
//     static void* address_of(Buffer& buffer);
//     static void sync(Stream& stream);                 // like the next two throws what queued work failed with
//     static bool has_fired(Event& event);
//     static void wait_host(Event& event);              // blocks the calling thread
//     static void wait_stream(Event& event, Stream& stream);
//     static void record(Event& event, Stream& stream);
//     // Images of one format and size, checked, not NONE. stream NULL: done on return; done may be NULL.
//     static void copy_image(Device& device, const vdt_image& from, const vdt_image& to, Stream* stream, Event* done);
//
// make_table finds them.
template <class Backend>
struct StreamEntries {
    static vdt_code stream_create(vdt_device* device, vdt_stream** stream, vdt_error*) {
        need(stream, "stream");
        *stream = nullptr;
        *stream = Handle<vdt_stream, typename Backend::Stream>::give(Backend::make_stream(device_of(device)));
        return VDT_OK;
    }
    static vdt_code stream_sync(vdt_stream* stream, vdt_error*) {
        Backend::sync(stream_of(stream));
        return VDT_OK;
    }
    static void stream_destroy(vdt_stream* stream) { Handle<vdt_stream, typename Backend::Stream>::destroy(stream); }

    static vdt_code event_create(vdt_device* device, vdt_event** event, vdt_error*) {
        need(event, "event");
        *event = nullptr;
        *event = Handle<vdt_event, typename Backend::Event>::give(Backend::make_event(device_of(device)));
        return VDT_OK;
    }
    static vdt_code event_record(vdt_event* event, vdt_stream* stream, vdt_error*) {
        Backend::record(event_of(event), stream_of(stream));
        return VDT_OK;
    }
    static vdt_code event_query(vdt_event* event, vdt_error*) {
        return Backend::has_fired(event_of(event)) ? VDT_OK : VDT_NOT_READY;
    }
    static vdt_code event_wait_host(vdt_event* event, vdt_error*) {
        Backend::wait_host(event_of(event));
        return VDT_OK;
    }
    static vdt_code event_wait_stream(vdt_event* event, vdt_stream* stream, vdt_error*) {
        Backend::wait_stream(event_of(event), stream_of(stream));
        return VDT_OK;
    }
    static void event_destroy(vdt_event* event) { Handle<vdt_event, typename Backend::Event>::destroy(event); }

    static vdt_code buffer_create(vdt_device* device, uint32_t memory, uint64_t bytes, vdt_buffer** buffer,
                                  void** address, vdt_error*) {
        need(buffer, "buffer");
        *buffer = nullptr;
        need(address, "address");
        *address = nullptr;
        auto& opened = device_of(device);
        const bool kind_made =
            memory == VDT_MEMORY_PINNED || memory == VDT_MEMORY_DEVICE || memory == VDT_MEMORY_MANAGED;
        if (!kind_made || (Backend::limits(opened).memory_mask & 1u << memory) == 0)
            throw Failure(VDT_E_UNSUPPORTED_MEMORY,
                          "this device makes no buffers in memory of kind " + std::to_string(memory));
        if (bytes == 0) throw Failure(VDT_E_SIZE, "a buffer must have at least one byte");
        auto made = Backend::make_buffer(opened, memory, bytes);
        *address = Backend::address_of(*made);
        *buffer = Handle<vdt_buffer, typename Backend::Buffer>::give(std::move(made));
        return VDT_OK;
    }
    static void buffer_destroy(vdt_buffer* buffer) { Handle<vdt_buffer, typename Backend::Buffer>::destroy(buffer); }

    static vdt_code image_copy(vdt_device* device, const vdt_image* from, const vdt_image* to, vdt_stream* stream,
                               vdt_event* done, vdt_error*) {
        auto& opened = device_of(device);
        const Limits limits = detail::limits_of<Backend>(device);
        check_image(from, Pixels::present, limits, {"image", 0});
        check_image(to, Pixels::present, limits, {"image", 1});
        if (from->format == VDT_FORMAT_NONE || from->format != to->format || from->width != to->width ||
            from->height != to->height)
            throw Failure(VDT_E_ARGUMENT, "image_copy needs two images of one format and size");
        if (done != nullptr && stream == nullptr)
            throw Failure(VDT_E_ARGUMENT, "done is an event of a stream, but stream is NULL");
        Backend::copy_image(opened, *from, *to, Handle<vdt_stream, typename Backend::Stream>::object(stream),
                            Handle<vdt_event, typename Backend::Event>::object(done));
        return VDT_OK;
    }

private:
    static auto& device_of(vdt_device* device) {
        return Handle<vdt_device, typename Backend::Device>::need(device, "device");
    }
    static auto& stream_of(vdt_stream* stream) {
        return Handle<vdt_stream, typename Backend::Stream>::need(stream, "stream");
    }
    static auto& event_of(vdt_event* event) { return Handle<vdt_event, typename Backend::Event>::need(event, "event"); }
};

}  // namespace vedette::plugin
#endif
