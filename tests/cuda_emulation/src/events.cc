#include "calls.h"
#include "streams.h"
#include "vedette_emulation/runtime_streams.h"

using namespace vedette_emulation;

namespace {

/// Must hold streams_mutex().
bool is_event(cudaEvent_t event) {
    return event != nullptr && live_handles().contains(event);
}

cudaError_t record(cudaEvent_t event, cudaStream_t handle) {
    auto recording = std::make_shared<Recording>();
    {
        const std::lock_guard lock(streams_mutex());
        cudaStream_t stream = find_stream(handle);
        if (!is_event(event) || stream == nullptr || event->device != stream->device) {
            return cudaErrorInvalidResourceHandle;
        }
        recording->stream = stream;
        event->recording = recording;
        if (stream->capture != nullptr) {
            recording->capture = stream->capture;
            recording->reached = stream->reached;
            return stream->capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
        }
    }
    return enqueue(handle, [recording] {
        recording->time = std::chrono::steady_clock::now();
        recording->done = true;
        return cudaSuccess;
    });
}

/// The last recording of an event that may be waited for by the host; null when there is none.
cudaError_t recording_of(cudaEvent_t event, std::shared_ptr<Recording>* recording) {
    const std::lock_guard lock(streams_mutex());
    if (!is_event(event)) {
        return cudaErrorInvalidResourceHandle;
    }
    *recording = event->recording;
    if (*recording != nullptr && (*recording)->capture != nullptr) {
        (*recording)->capture->invalid = true;
        return cudaErrorCapturedEvent;
    }
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
    return call("cudaEventCreate", Needs::device, [&] {
        if (event == nullptr || flags > (cudaEventBlockingSync | cudaEventDisableTiming)) {
            return cudaErrorInvalidValue;
        }
        const std::lock_guard lock(streams_mutex());
        *event = new CUevent_st;
        (*event)->device = current_device();
        (*event)->flags = flags;
        live_handles().insert(*event);
        return cudaSuccess;
    });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return call(__func__, Needs::driver, [&] {
        const std::lock_guard lock(streams_mutex());
        if (!is_event(event)) {
            return cudaErrorInvalidResourceHandle;
        }
        live_handles().erase(event);
        delete event;
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return call(__func__, Needs::device, [&] { return record(event, stream); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
    return call("cudaEventRecord", Needs::device, [&] {
        // An external node of a graph has no twin here.
        return flags != cudaEventRecordDefault ? cudaErrorNotSupported : record(event, stream);
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return call(__func__, Needs::device, [&] {
        std::shared_ptr<Recording> recording;
        const cudaError_t error = recording_of(event, &recording);
        if (error == cudaSuccess && recording != nullptr) {
            finish_recording(recording);
            return enter("", Needs::device);  // what went wrong in between
        }
        return error;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return call(__func__, Needs::device, [&] {
        std::shared_ptr<Recording> recording;
        const cudaError_t error = recording_of(event, &recording);
        if (error != cudaSuccess || recording == nullptr || recording->done) {
            return error;
        }
        // Who asks again is to get on.
        finish_recording(recording);
        return cudaErrorNotReady;
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return call(__func__, Needs::device, [&] {
        std::shared_ptr<Recording> first, last;
        cudaError_t error = recording_of(start, &first);
        if (error == cudaSuccess) {
            error = recording_of(end, &last);
        }
        if (error != cudaSuccess) {
            return error;
        }
        if (first == nullptr || last == nullptr || ((start->flags | end->flags) & cudaEventDisableTiming) != 0) {
            return cudaErrorInvalidResourceHandle;
        }
        if (!first->done || !last->done) {
            return cudaErrorNotReady;
        }
        *milliseconds = std::chrono::duration<float, std::milli>(last->time - first->time).count();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned int flags) {
    return call(__func__, Needs::device, [&] {
        std::shared_ptr<Recording> recording;
        {
            const std::lock_guard lock(streams_mutex());
            cudaStream_t stream = find_stream(handle);
            if (!is_event(event) || stream == nullptr || flags != cudaEventWaitDefault) {
                return flags != cudaEventWaitDefault ? cudaErrorNotSupported : cudaErrorInvalidResourceHandle;
            }
            recording = event->recording;
            if (recording == nullptr) {
                return cudaSuccess;  // an event that was never recorded is over
            }
            if (recording->capture != nullptr && stream->capture == nullptr) {
                if (live_handles().contains(recording->capture.get())) {
                    // The stream joins the capture.
                    if (stream->is_default) {
                        return cudaErrorStreamCaptureImplicit;
                    }
                    stream->capture = recording->capture;
                    stream->reached = recording->reached;
                    stream->capture->streams.insert(stream);
                    return cudaSuccess;
                }
                return cudaErrorCapturedEvent;
            }
            if (stream->capture != nullptr) {
                if (recording->capture != stream->capture) {
                    stream->capture->invalid = true;
                    return recording->capture != nullptr ? cudaErrorStreamCaptureMerge
                                                         : cudaErrorStreamCaptureIsolation;
                }
                stream->reached.insert(recording->reached.begin(), recording->reached.end());
                return cudaSuccess;
            }
        }
        return enqueue(handle, [recording] {
            finish_recording(recording);
            return cudaSuccess;
        });
    });
}
