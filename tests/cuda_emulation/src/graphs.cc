// Capture and graphs.
#include <algorithm>

#include "calls.h"
#include "streams.h"
#include "vedette_emulation/faults.h"
#include "vedette_emulation/runtime_streams.h"

namespace vedette_emulation {
namespace {

thread_local cudaStreamCaptureMode mode_of_thread = cudaStreamCaptureModeGlobal;

/// Captures in progress; guarded by streams_mutex().
std::set<std::shared_ptr<Capture>>& captures() {
    static auto* const all = new std::set<std::shared_ptr<Capture>>;
    return *all;
}

}  // namespace

bool capturing(cudaStream_t handle) {
    const std::lock_guard lock(streams_mutex());
    cudaStream_t stream = find_stream(handle);
    return stream != nullptr && stream->capture != nullptr;
}

cudaError_t refuse_while_capturing() {
    const std::lock_guard lock(streams_mutex());
    cudaError_t error = cudaSuccess;
    for (const auto& capture : captures()) {
        const bool own = capture->thread == std::this_thread::get_id();
        const bool refused =
            own ? capture->mode != cudaStreamCaptureModeRelaxed && mode_of_thread != cudaStreamCaptureModeRelaxed
                : capture->mode == cudaStreamCaptureModeGlobal && mode_of_thread == cudaStreamCaptureModeGlobal;
        if (refused) {
            capture->invalid = true;
            error = cudaErrorStreamCaptureUnsupported;
        }
    }
    return error;
}

size_t handles_in_use() {
    const std::lock_guard lock(streams_mutex());
    return live_handles().size();
}

}  // namespace vedette_emulation

using namespace vedette_emulation;

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    return call(__func__, Needs::driver, [&] {
        std::swap(*mode, mode_of_thread);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
    return call(__func__, Needs::device, [&] {
        const std::lock_guard lock(streams_mutex());
        cudaStream_t stream = find_stream(handle);
        if (stream == nullptr) {
            return cudaErrorInvalidResourceHandle;
        }
        if (stream->is_default) {
            return cudaErrorStreamCaptureUnsupported;
        }
        if (stream->capture != nullptr) {
            return cudaErrorIllegalState;
        }
        auto capture = std::make_shared<Capture>();
        capture->origin = stream;
        capture->mode = mode;
        capture->thread = std::this_thread::get_id();
        capture->streams.insert(stream);
        stream->capture = capture;
        stream->reached.clear();
        live_handles().insert(capture.get());
        captures().insert(std::move(capture));
        return cudaSuccess;
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
    return call(__func__, Needs::device, [&] {
        const std::lock_guard lock(streams_mutex());
        cudaStream_t stream = find_stream(handle);
        if (graph == nullptr || stream == nullptr) {
            return graph == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
        }
        *graph = nullptr;
        const std::shared_ptr<Capture> capture = stream->capture;
        if (capture == nullptr) {
            return cudaErrorIllegalState;
        }
        if (capture->origin != stream) {
            capture->invalid = true;
            return cudaErrorStreamCaptureUnmatched;
        }
        if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id()) {
            capture->invalid = true;
            return cudaErrorStreamCaptureWrongThread;
        }
        const bool joined = stream->reached.size() == capture->operations.size();
        for (cudaStream_t member : capture->streams) {
            member->capture = nullptr;
            member->reached.clear();
        }
        live_handles().erase(capture.get());
        captures().erase(capture);
        if (capture->invalid) {
            return cudaErrorStreamCaptureInvalidated;
        }
        if (!joined) {
            return cudaErrorStreamCaptureUnjoined;
        }
        *graph = new CUgraph_st{std::move(capture->operations)};
        live_handles().insert(*graph);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
    return call(__func__, Needs::device, [&] {
        const std::lock_guard lock(streams_mutex());
        cudaStream_t stream = find_stream(handle);
        if (stream == nullptr) {
            return cudaErrorInvalidResourceHandle;
        }
        *status = stream->capture == nullptr ? cudaStreamCaptureStatusNone
                  : stream->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                             : cudaStreamCaptureStatusActive;
        return cudaSuccess;
    });
}

namespace {

/// True when `handle` has not been destroyed. Must hold streams_mutex().
bool lives(const void* handle) {
    return handle != nullptr && live_handles().contains(handle);
}

cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t graph) {
    const std::lock_guard lock(streams_mutex());
    if (executable == nullptr || !lives(graph)) {
        return cudaErrorInvalidValue;
    }
    *executable = new CUgraphExec_st;
    (*executable)->operations = graph->operations;
    live_handles().insert(*executable);
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
    return call(__func__, Needs::driver, [&] {
        if (graph == nullptr || flags != 0) {
            return cudaErrorInvalidValue;
        }
        const std::lock_guard lock(streams_mutex());
        *graph = new CUgraph_st;
        live_handles().insert(*graph);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return call(__func__, Needs::driver, [&] {
        const std::lock_guard lock(streams_mutex());
        if (!lives(graph)) {
            return cudaErrorInvalidValue;
        }
        live_handles().erase(graph);
        delete graph;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    return call(__func__, Needs::driver, [&] {
        const std::lock_guard lock(streams_mutex());
        if (!lives(graph) || count == nullptr) {
            return cudaErrorInvalidValue;
        }
        if (nodes != nullptr) {
            return cudaErrorNotSupported;
        }
        *count = graph->operations.size();
        return cudaSuccess;
    });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
    return call(__func__, Needs::device, [&] { return instantiate(executable, graph); });
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
    return call("cudaGraphInstantiate", Needs::device, [&] { return instantiate(executable, graph); });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
    return call(__func__, Needs::device, [&] {
        const std::lock_guard lock(streams_mutex());
        return lives(executable) && find_stream(stream) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    return call(__func__, Needs::device, [&] {
        {
            const std::lock_guard lock(streams_mutex());
            if (!lives(executable)) {
                return cudaErrorInvalidValue;
            }
        }
        return enqueue(stream, [executable]() -> cudaError_t {
            const std::lock_guard running(executable->running);
            for (const Operation& operation : executable->operations) {
                const cudaError_t error = operation();
                if (error != cudaSuccess) {
                    return error;
                }
            }
            return cudaSuccess;
        });
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    return call(__func__, Needs::driver, [&] {
        // A launch that is under way ends first, as in CUDA.
        {
            const std::lock_guard lock(streams_mutex());
            if (!lives(executable)) {
                return cudaErrorInvalidValue;
            }
        }
        finish_device(current_device());
        const std::lock_guard lock(streams_mutex());
        live_handles().erase(executable);
        delete executable;
        return cudaSuccess;
    });
}
