#include "streams.h"

#include "operands.h"

#include <vedette/plugin/cpp/device_entries.hpp>

namespace vedette::cuda_plugin {

namespace {

// For destructors, which can tell nobody: false when the device cannot be used any more.
template <class Body>
bool done_on(const Device& device, const Body& body) noexcept {
    try {
        on(device, body);
        return true;
    } catch (const Failure&) {
        return false;
    }
}

}  // namespace

StreamRecord::StreamRecord(const Device& opened) : device(opened), stream(cuda::make_stream()) {}

StreamRecord::~StreamRecord() {
    const bool given = done_on(device, [&] {
        cuda::synchronize(stream.get());
        stream = cuda::Stream();
    });
    if (!given) stream.release();
}

EventRecord::EventRecord(const Device& opened) : device(opened), event(cuda::make_event()) {}

EventRecord::~EventRecord() {
    if (!done_on(device, [&] { event = cuda::Event(); })) event.release();
}

BufferRecord::BufferRecord(const Device& opened, std::uint32_t memory, std::uint64_t bytes)
    : device(opened), block(memory == VDT_MEMORY_DEVICE ? opened.cuda.memory : opened.cuda.pinned, bytes) {}

BufferRecord::~BufferRecord() {
    (void)done_on(device, [] { cuda::check(cudaDeviceSynchronize(), "waiting for the device"); });
}

void copy_image(const Device& device, const vdt_image& from, const vdt_image& to, vdt_stream* stream, vdt_event* done) {
    plugin::copy_image_by<Operands>(device, from, to, stream, done);
}

}  // namespace vedette::cuda_plugin
