// The limits of a call whose work is queued in pieces.
#pragma once

#include "backend.h"

#include <runtime/stream.h>

#include <vedette/plugin/cpp/loop.hpp>

namespace vedette::cuda_plugin {

// Queued work cannot be taken back. Between pieces of a call the host is asked whether it shall go on, and there are
// never more than two pieces ahead of the device, so that a call that is cancelled ends soon.
class Pace {
public:
    // The device is current.
    explicit Pace(const Device& device) : device_(device), events_{cuda::make_event(), cuda::make_event()} {}

    void start(vdt_token* token, cudaStream_t stream) noexcept {
        token_ = token;
        stream_ = stream;
        turn_ = 0;
    }

    // Before each piece. Throws Failure when the call was cancelled or its time is over.
    void step() {
        if (turn_ >= 1) cuda::check(cudaEventRecord(event(turn_ - 1), stream_), "recording an event");
        if (turn_ >= 2) cuda::check(cudaEventSynchronize(event(turn_)), "waiting for a part of the work");
        ++turn_;
        check();
    }

    // Where waiting is not worth it.
    void check() const { plugin::throw_if_cancelled(*device_.host, token_); }

private:
    cudaEvent_t event(unsigned turn) const noexcept { return events_[turn % 2].get(); }

    const Device& device_;
    cuda::Event events_[2];
    vdt_token* token_ = nullptr;
    cudaStream_t stream_ = nullptr;
    unsigned turn_ = 0;
};

}  // namespace vedette::cuda_plugin
