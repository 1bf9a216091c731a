// Streams, events, captures and graphs, and the one way by which work comes to a stream.
#pragma once
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "vedette_emulation/types.h"

namespace vedette_emulation {

/// What a stream runs; an error makes its device unusable.
using Operation = std::function<cudaError_t()>;

/// A capture in progress. Its operations in the order in which they were given are an order that all dependencies
/// allow.
struct Capture {
    cudaStream_t origin = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread;
    bool invalid = false;
    std::vector<Operation> operations;
    std::set<cudaStream_t> streams;
};

/// One recording of an event.
struct Recording {
    std::atomic<bool> done{false};
    std::chrono::steady_clock::time_point time;  // valid when done
    cudaStream_t stream = nullptr;
    std::shared_ptr<Capture> capture;  // null outside captures
    std::set<size_t> reached;          // operations of the capture that came before
};

}  // namespace vedette_emulation

struct CUstream_st {
    int device = 0;
    unsigned int flags = 0;
    int priority = 0;
    bool is_default = false;
    std::recursive_mutex running;  // held while an operation runs
    std::deque<vedette_emulation::Operation> waiting;
    std::shared_ptr<vedette_emulation::Capture> capture;
    std::set<size_t> reached;  // operations of the capture that come before the stream's next one
};

struct CUevent_st {
    int device = 0;
    unsigned int flags = 0;
    std::shared_ptr<vedette_emulation::Recording> recording;
};

struct CUgraph_st {
    std::vector<vedette_emulation::Operation> operations;
};

struct CUgraphExec_st {
    std::mutex running;  // a graph runs once at a time
    std::vector<vedette_emulation::Operation> operations;
};

namespace vedette_emulation {

/// Guards handles, captures, recordings and queues; not held while operations run.
std::recursive_mutex& streams_mutex();
/// The stream behind a handle, the current device's default stream for null; null for what is no stream.
cudaStream_t find_stream(cudaStream_t handle);
/// Gives work to a stream: it runs at once, waits, or is recorded. cudaErrorInvalidResourceHandle unless `handle` is a
/// stream of the current device.
cudaError_t enqueue(cudaStream_t handle, Operation operation);
/// Runs what waits in the stream, or all of the device's streams.
cudaError_t finish_stream(cudaStream_t handle);
cudaError_t finish_device(int device);
/// Runs what waits in the recording's stream up to the recording.
void finish_recording(const std::shared_ptr<Recording>& recording);
bool capturing(cudaStream_t handle);
/// For functions that no thread may call during certain captures (cudaThreadExchangeStreamCaptureMode): invalidates
/// these and returns cudaErrorStreamCaptureUnsupported.
cudaError_t refuse_while_capturing();
/// Runs one operation of a device; its error stays with the device.
void run_operation(int device, const Operation& operation);
bool deferred();

/// Handles that have not been destroyed.
std::set<const void*>& live_handles();

}  // namespace vedette_emulation
