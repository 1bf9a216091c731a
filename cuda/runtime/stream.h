// Streams, events and graphs that are given back by themselves. Each belongs to the device that was current when it
// was made.
#pragma once

#include "error.h"

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
    explicit operator bool() const noexcept { return handle_ != nullptr; }

private:
    Handle handle_ = nullptr;
};

using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
using Event = Owned<cudaEvent_t, cudaEventDestroy>;
using Graph = Owned<cudaGraphExec_t, cudaGraphExecDestroy>;

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

// What `enqueue` puts on `stream`, as a graph that starts in one call: launches inside a graph cost about a tenth of
// launches from the host. `enqueue` may launch kernels, copy and clear on `stream`, and must not wait or allocate.
template <class Enqueue>
Graph capture(cudaStream_t stream, const Enqueue& enqueue) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning to record a graph");
    cudaGraph_t graph = nullptr;
    try {
        enqueue();
    } catch (...) {
        (void)cudaStreamEndCapture(stream, &graph);
        if (graph != nullptr) (void)cudaGraphDestroy(graph);
        throw;
    }
    check(cudaStreamEndCapture(stream, &graph), "recording a graph");
    cudaGraphExec_t executable = nullptr;
    const cudaError_t code = cudaGraphInstantiate(&executable, graph, 0);
    (void)cudaGraphDestroy(graph);
    check(code, "making a graph ready");
    return Graph(executable);
}

inline void launch(const Graph& graph, cudaStream_t stream) {
    check(cudaGraphLaunch(graph.get(), stream), "starting a graph");
}

}  // namespace vedette::cuda
