// Errors of the CUDA runtime as exceptions that say what their reader has to do.
#pragma once

#include <cuda_runtime.h>

#include <exception>
#include <string>

namespace vedette::cuda {

// What an error means for the work that met it.
enum class Fault {
    memory,       // not enough device or pinned memory: smaller pieces or another processor may do
    lost,         // the device's context is broken for good ("sticky"): nothing on it works until the process ends
    unavailable,  // no driver, no device, or one that this build has no code for
    internal      // a call was wrong
};

class Error : public std::exception {
public:
    Error(Fault fault, std::string text, cudaError_t code = cudaSuccess)
        : fault_(fault), code_(code), text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }
    Fault fault() const noexcept { return fault_; }
    cudaError_t code() const noexcept { return code_; }

private:
    Fault fault_;
    cudaError_t code_;
    std::string text_;
};

Fault fault_of(cudaError_t code) noexcept;

// Throws Error unless `code` is cudaSuccess. `what` says what was tried, as in "copying an image to the device".
// Clears the thread's last error, so that an error that is over does not meet the next call.
void check(cudaError_t code, const char* what);

}  // namespace vedette::cuda
