// Errors of OpenCL as exceptions that say what their reader has to do.
#pragma once

#include "api.h"

#include <exception>
#include <string>

namespace vedette::opencl {

// What an error means for the work that met it.
enum class Fault {
    memory,       // not enough memory or other resources: smaller pieces or another processor may do
    lost,         // the device's context is broken for good: nothing on it works until the process ends
    unavailable,  // no driver, no device, no compiler, or one that cannot build the kernels
    internal      // a call was wrong
};

class Error : public std::exception {
public:
    Error(Fault fault, std::string text, cl::Int code = cl::success)
        : fault_(fault), code_(code), text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }
    Fault fault() const noexcept { return fault_; }
    cl::Int code() const noexcept { return code_; }

private:
    Fault fault_;
    cl::Int code_;
    std::string text_;
};

// "CL_OUT_OF_RESOURCES", or the number as text.
std::string name_of(cl::Int code);

// Throws Error unless `code` is success. `what` says what was tried, as in "copying an image to the device".
void check(cl::Int code, const char* what);
// The same for calls that wait for commands: what these failed with is known only now, and a kernel that failed takes
// the device with it.
void check_wait(cl::Int code, const char* what);

}  // namespace vedette::opencl
