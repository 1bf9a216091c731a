// What stands behind the ABI's streams, events and buffers.
#pragma once

#include "backend.h"

#include <mutex>
#include <optional>

namespace vedette::opencl {

struct StreamRecord {
    explicit StreamRecord(const Device& opened) : device(opened), queue(opened.make_queue()) {}
    ~StreamRecord();  // waits for the stream's work
    const Device& device;
    const Queue queue;
};

// An event of the ABI can be recorded again and again; OpenCL makes a new one each time. Thread-safe.
class EventRecord {
public:
    explicit EventRecord(const Device& opened) : device(opened) {}

    void record(cl::Queue queue);
    // An event that was never recorded has fired.
    bool has_fired() const;
    void wait_host() const;
    void wait_on(cl::Queue queue) const;

    const Device& device;

private:
    std::shared_ptr<const Event> current() const;

    mutable std::mutex mutex_;
    std::shared_ptr<const Event> event_;
};

class BufferRecord {
public:
    BufferRecord(const Device& opened, std::uint32_t memory, std::uint64_t bytes);
    ~BufferRecord();
    BufferRecord(const BufferRecord&) = delete;
    BufferRecord& operator=(const BufferRecord&) = delete;
    void* address() const noexcept { return address_; }

private:
    const Device& device_;
    std::optional<Pinned> pinned_;
    Memory memory_;
    void* address_ = nullptr;
};

inline StreamRecord& stream_of(vdt_stream* stream) noexcept {
    return *plugin::Handle<vdt_stream, StreamRecord>::object(stream);
}

inline EventRecord& event_of(vdt_event* event) noexcept {
    return *plugin::Handle<vdt_event, EventRecord>::object(event);
}

// Queues, or with `stream` NULL does, the copy between two images of one format and size. `done` may be NULL.
void copy_image(const Device& device, const vdt_image& from, const vdt_image& to, vdt_stream* stream, vdt_event* done);

}  // namespace vedette::opencl
