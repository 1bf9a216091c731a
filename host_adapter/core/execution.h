// Runs operations on the backend the policy picks, falling through to the next one by class of error.
#pragma once

#include "image.h"

#include <vedette/plugin/device.h>

#include <memory>
#include <string>
#include <vector>

namespace vedette::host {

class Context;  // context.h: configuration, backends, pool
struct Choice;  // chooser.h

// Cancellation and time limit of one call; what the ABI calls vdt_token. Lives on the caller's stack during the call.
class CallLimit;  // thread_pool.h

// An input or output: an image shared between runs (resident where possible), a plain view, or nothing (an optional
// input left out).
struct OperationImage {
    SharedImage* shared = nullptr;
    vdt_image view{};  // used when `shared` is NULL; format VDT_FORMAT_NONE = nothing

    static OperationImage none() noexcept;
    static OperationImage of(SharedImage& image) noexcept;
    static OperationImage of(const vdt_image& view) noexcept;
};

struct Operation {
    vdt_op op = 0;
    const void* params = nullptr;
    std::vector<OperationImage> inputs;
    std::vector<OperationImage> outputs;
    std::vector<const vdt_list*> lists_in;
    std::vector<vdt_list*> lists_out;
};

// Who did it and why. `choice` is one sentence for people: "cuda is predicted fastest: 0.71 ms; cpu 23.0 ms", "cpu was
// asked for", "opencv failed (out of memory); cpu is next in the configured order".
struct RunReport {
    std::string backend;
    std::string device;
    std::uint32_t device_index = 0;
    std::string variant;
    std::string choice;
    double predicted_ms = -1;
    double measured_ms = -1;
};

// Runs `operation` on the option that is predicted to be fastest among those the policy allows. `backend`: "" or "auto"
// = by policy, "NAME" or "NAME:DEVICE" = that one and no other. `limit` may be NULL. Returns VDT_OK or VDT_INCOMPLETE;
// throws Failure: the caller's faults as they come; VDT_E_CANCELLED / VDT_E_TIMEOUT; when no backend can: the last
// failure, naming each backend that was tried and why it could not. Thread rule: any thread.
vdt_code run_operation(Context& context, const Operation& operation, const std::string& backend, CallLimit* limit,
                       RunReport& report);

// The same for a choice that was made before, for the same operation.
vdt_code run_choice(Context& context, const Operation& operation, const Choice& choice, CallLimit* limit,
                    RunReport& report);

}  // namespace vedette::host
