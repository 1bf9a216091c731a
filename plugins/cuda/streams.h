// What stands behind the ABI's streams, events and buffers.
#pragma once

#include "backend.h"

#include <runtime/stream.h>

namespace vedette::cuda_plugin {

// Each gives its object back on its device. Where that can no longer be done, since the device was lost or the process
// is a forked child, the object is left to the driver.
struct StreamRecord {
    explicit StreamRecord(const Device& opened);
    ~StreamRecord();  // waits for the stream's work
    const Device& device;
    cuda::Stream stream;
};

struct EventRecord {
    explicit EventRecord(const Device& opened);
    ~EventRecord();
    const Device& device;
    cuda::Event event;
};

struct BufferRecord {
    BufferRecord(const Device& opened, std::uint32_t memory, std::uint64_t bytes);
    ~BufferRecord();  // waits for the device: the next owner of the memory begins at once
    const Device& device;
    cuda::Block<std::byte> block;
};

inline cudaStream_t stream_of(vdt_stream* stream) noexcept {
    return plugin::Handle<vdt_stream, StreamRecord>::object(stream)->stream.get();
}

inline cudaEvent_t event_of(vdt_event* event) noexcept {
    return plugin::Handle<vdt_event, EventRecord>::object(event)->event.get();
}

// Queues, or with `stream` NULL does, the copy between two images of one format and size. `done` may be NULL.
void copy_image(const Device& device, const vdt_image& from, const vdt_image& to, vdt_stream* stream, vdt_event* done);

}  // namespace vedette::cuda_plugin
