// Streams and events that are given back by themselves. Each belongs to the device that was current when it
// was made.
#pragma once

#include "error.h"
#include "memory.h"

#include <utility>

namespace vedette::cuda {

// Owner of one handle of the runtime.
template <class Handle, cudaError_t (*Destroy)(Handle)>
class Owned {
public:
    Owned() = default;
    explicit Owned(Handle handle) : handle_(handle) {}
    Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Owned() {
        if (handle_ != nullptr) (void)Destroy(handle_);
    }
    Handle get() const noexcept { return handle_; }
    // Leaves the handle to the runtime: its context is gone.
    void release() noexcept { handle_ = nullptr; }

private:
    Handle handle_ = nullptr;
};

using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
using Event = Owned<cudaEvent_t, cudaEventDestroy>;

// A stream that does not wait for the default stream.
inline Stream make_stream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    return Stream(stream);
}

// An event to order work by; it keeps no time, which makes it cheaper.
inline Event make_event() {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
    return Event(event);
}

inline void synchronize(cudaStream_t stream) {
    check(cudaStreamSynchronize(stream), "waiting for the device");
}

// Room for `count` elements; what a smaller block held is lost. Work that still uses it may be queued on `stream`, so
// that is waited for before the pool gets it back: another stream may be given it next.
template <class T>
T* make_room(Block<T>& block, const std::shared_ptr<Pool>& pool, std::size_t count, cudaStream_t stream) {
    if (block.size() >= count) return block.data();
    if (block) synchronize(stream);
    block = Block<T>();
    block = Block<T>(pool, count);
    return block.data();
}

}  // namespace vedette::cuda
