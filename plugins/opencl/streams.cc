#include "streams.h"

#include "operands.h"

#include <vedette/plugin/cpp/device_entries.hpp>

namespace vedette::opencl {

StreamRecord::~StreamRecord() {
    if (getpid() == cl::api().process && !device.lost.load(std::memory_order_relaxed))
        (void)cl::api().Finish(queue.get());
}

std::shared_ptr<const Event> EventRecord::current() const {
    const std::lock_guard lock(mutex_);
    return event_;
}

void EventRecord::record(cl::Queue queue) {
    auto made = std::make_shared<const Event>(mark(queue));
    const std::lock_guard lock(mutex_);
    event_ = std::move(made);
}

bool EventRecord::has_fired() const {
    const auto event = current();
    if (!event) return true;
    cl::Int status = 0;
    check(cl::api().GetEventInfo(event->get(), cl::event_status, sizeof status, &status, nullptr),
          "asking for an event");
    if (status < 0) check_wait(status, "what an event stands for");
    return status == cl::status_complete;
}

void EventRecord::wait_host() const {
    const auto event = current();
    if (!event) return;
    const cl::Event handle = event->get();
    check_wait(cl::api().WaitForEvents(1, &handle), "waiting for an event");
}

void EventRecord::wait_on(cl::Queue queue) const {
    if (const auto event = current()) wait_for(queue, event->get());
}

BufferRecord::BufferRecord(const Device& opened, std::uint32_t memory, std::uint64_t bytes) : device_(opened) {
    if (memory == VDT_MEMORY_PINNED) {
        pinned_.emplace(opened.context.get(), opened.service.get(), bytes);
        address_ = pinned_->data();
    } else {
        memory_ = make_memory(opened.context.get(), bytes);
        address_ = opened.addresses.reserve(memory_.get(), bytes);
    }
}

BufferRecord::~BufferRecord() {
    // The driver keeps the memory until commands that use it have ended.
    if (memory_ != nullptr) device_.addresses.release(address_);
}

void copy_image(const Device& device, const vdt_image& from, const vdt_image& to, vdt_stream* stream, vdt_event* done) {
    plugin::copy_image_by<Operands>(device, from, to, stream, done);
}

}  // namespace vedette::opencl
