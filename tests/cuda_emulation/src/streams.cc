#include "streams.h"

#include "calls.h"
#include "vedette_emulation/runtime_streams.h"

namespace vedette_emulation {

std::recursive_mutex& streams_mutex() {
    static auto* const mutex = new std::recursive_mutex;
    return *mutex;
}

std::set<const void*>& live_handles() {
    static auto* const handles = new std::set<const void*>;
    return *handles;
}

namespace {

std::set<cudaStream_t>& all_streams() {
    static auto* const streams = new std::set<cudaStream_t>;
    return *streams;
}

cudaStream_t default_stream(int device) {
    static CUstream_st* const streams = [] {
        auto* made = new CUstream_st[max_devices];
        for (int i = 0; i < max_devices; ++i) {
            made[i].device = i;
            made[i].is_default = true;
            all_streams().insert(&made[i]);
        }
        return made;
    }();
    return &streams[device];
}

/// Deferred work runs under one lock for all streams: streams wait for each other through events.
std::recursive_mutex& deferred_mutex() {
    static auto* const mutex = new std::recursive_mutex;
    return *mutex;
}

/// Runs the operations of a stream, the first that was given first, until there are none or `done`.
template <typename Done>
void drain(cudaStream_t stream, Done done) {
    const std::lock_guard running(deferred_mutex());
    while (!done()) {
        Operation next;
        {
            const std::lock_guard lock(streams_mutex());
            if (stream->waiting.empty()) {
                return;
            }
            next = std::move(stream->waiting.front());
            stream->waiting.pop_front();
        }
        run_operation(stream->device, next);
    }
}

void drain(cudaStream_t stream) {
    drain(stream, [] { return false; });
}

std::vector<cudaStream_t> streams_of(int device, bool blocking_only) {
    const std::lock_guard lock(streams_mutex());
    std::vector<cudaStream_t> found;
    for (cudaStream_t stream : all_streams()) {
        if (stream->device == device && !(blocking_only && (stream->flags & cudaStreamNonBlocking) != 0)) {
            found.push_back(stream);
        }
    }
    return found;
}

cudaError_t sticky_error(int device) {
    Settings& all = settings();
    const std::lock_guard lock(all.mutex);
    return all.sticky[device];
}

}  // namespace

bool deferred() {
    Settings& all = settings();
    const std::lock_guard lock(all.mutex);
    return all.deferred;
}

cudaStream_t find_stream(cudaStream_t handle) {
    const std::lock_guard lock(streams_mutex());
    if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread) {
        return default_stream(current_device());
    }
    return all_streams().contains(handle) ? handle : nullptr;
}

void run_operation(int device, const Operation& operation) {
    if (sticky_error(device) != cudaSuccess) {
        return;  // a context that is lost runs nothing any more
    }
    const cudaError_t error = operation();
    if (error != cudaSuccess) {
        make_sticky(device, error);
    }
}

cudaError_t enqueue(cudaStream_t handle, Operation operation) {
    std::unique_lock lock(streams_mutex());
    cudaStream_t stream = find_stream(handle);
    if (stream == nullptr || stream->device != current_device()) {
        return cudaErrorInvalidResourceHandle;
    }
    if (stream->capture != nullptr) {
        if (stream->capture->invalid) {
            return cudaErrorStreamCaptureInvalidated;
        }
        stream->reached.insert(stream->capture->operations.size());
        stream->capture->operations.push_back(std::move(operation));
        return cudaSuccess;
    }
    const bool wait = deferred();
    if (stream->is_default) {
        // The default stream and the streams that block wait for each other.
        for (cudaStream_t other : streams_of(stream->device, true)) {
            if (other->capture != nullptr) {
                other->capture->invalid = true;
                return cudaErrorStreamCaptureImplicit;
            }
        }
    }
    lock.unlock();
    if (wait) {
        if (stream->is_default) {
            for (cudaStream_t other : streams_of(stream->device, true)) {
                if (other != stream) {
                    drain(other);
                }
            }
        } else if ((stream->flags & cudaStreamNonBlocking) == 0) {
            drain(default_stream(stream->device));
        }
        lock.lock();
        stream->waiting.push_back(std::move(operation));
        return cudaSuccess;
    }
    drain(stream);  // what was given while streams were deferred
    const std::lock_guard running(stream->running);
    run_operation(stream->device, operation);
    return cudaSuccess;
}

cudaError_t finish_stream(cudaStream_t handle) {
    cudaStream_t stream = find_stream(handle);
    if (stream == nullptr) {
        return cudaErrorInvalidResourceHandle;
    }
    if (stream->is_default) {
        for (cudaStream_t other : streams_of(stream->device, true)) {
            drain(other);
        }
    }
    drain(stream);
    const std::lock_guard running(stream->running);  // what another thread runs in it
    return sticky_error(stream->device);
}

cudaError_t finish_device(int device) {
    for (cudaStream_t stream : streams_of(device, false)) {
        drain(stream);
        const std::lock_guard running(stream->running);
    }
    return sticky_error(device);
}

void finish_recording(const std::shared_ptr<Recording>& recording) {
    if (!recording->done && find_stream(recording->stream) != nullptr) {
        drain(recording->stream, [&] { return recording->done.load(); });
    }
}

}  // namespace vedette_emulation

using namespace vedette_emulation;

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
    return call("cudaStreamCreate", Needs::device, [&] {
        if (stream == nullptr || flags > cudaStreamNonBlocking) {
            return cudaErrorInvalidValue;
        }
        const std::lock_guard lock(streams_mutex());
        default_stream(0);
        auto* made = new CUstream_st;
        made->device = current_device();
        made->flags = flags;
        made->priority = std::min(0, std::max(-5, priority));
        all_streams().insert(made);
        live_handles().insert(made);
        *stream = made;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return call(__func__, Needs::driver, [&] {
        if (find_stream(stream) == nullptr || find_stream(stream)->is_default) {
            return cudaErrorInvalidResourceHandle;
        }
        finish_stream(stream);
        const std::lock_guard lock(streams_mutex());
        if (stream->capture != nullptr) {
            stream->capture->invalid = true;
            stream->capture->streams.erase(stream);
        }
        all_streams().erase(stream);
        live_handles().erase(stream);
        delete stream;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return call(__func__, Needs::device, [&] {
        if (capturing(stream)) {
            const std::lock_guard lock(streams_mutex());
            find_stream(stream)->capture->invalid = true;
            return cudaErrorStreamCaptureUnsupported;
        }
        return finish_stream(stream);
    });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return call(__func__, Needs::device, [&] {
        if (capturing(stream)) {
            const std::lock_guard lock(streams_mutex());
            find_stream(stream)->capture->invalid = true;
            return cudaErrorStreamCaptureUnsupported;
        }
        bool idle = true;
        {
            const std::lock_guard lock(streams_mutex());
            cudaStream_t found = find_stream(stream);
            idle = found == nullptr || found->waiting.empty();
        }
        const cudaError_t error = finish_stream(stream);
        return error == cudaSuccess && !idle ? cudaErrorNotReady : error;
    });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
    return call(__func__, Needs::device, [&] {
        cudaStream_t found = find_stream(stream);
        *flags = found != nullptr ? found->flags : 0;
        return found != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return call(__func__, Needs::device, [&] {
        cudaStream_t found = find_stream(stream);
        *priority = found != nullptr ? found->priority : 0;
        return found != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return call(__func__, Needs::device, [&] {
        if (function == nullptr) {
            return cudaErrorInvalidValue;
        }
        return enqueue(stream, [=] {
            function(data);
            return cudaSuccess;
        });
    });
}
