// The ABI's streams, events and buffers.
#pragma once

#include "backend.h"

#include <runtime/stream.h>

namespace vedette::cuda_plugin {

struct StreamRecord {
    const Device* device;
    cuda::Stream stream;
};

struct EventRecord {
    const Device* device;
    cuda::Event event;
};

inline cudaStream_t stream_of(vdt_stream* stream) noexcept {
    return plugin::Handle<vdt_stream, StreamRecord>::object(stream)->stream.get();
}

inline cudaEvent_t event_of(vdt_event* event) noexcept {
    return plugin::Handle<vdt_event, EventRecord>::object(event)->event.get();
}

extern const vdt_streams stream_table;

}  // namespace vedette::cuda_plugin
