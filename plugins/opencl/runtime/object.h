// Owners of OpenCL objects. An object that a forked child inherited is left alone there: drivers do not survive a fork.
#pragma once

#include "error.h"

#include <memory>
#include <type_traits>

#include <unistd.h>

namespace vedette::opencl {

template <class Handle, cl::Int (*cl::Functions::*release)(Handle)>
struct Release {
    using pointer = Handle;
    void operator()(Handle handle) const noexcept {
        if (getpid() == cl::api().process) (void)(cl::api().*release)(handle);
    }
};

template <class Handle, cl::Int (*cl::Functions::*release)(Handle)>
using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Release<Handle, release>>;

using Context = Owner<cl::Context, &cl::Functions::ReleaseContext>;
using Queue = Owner<cl::Queue, &cl::Functions::ReleaseCommandQueue>;
using Memory = Owner<cl::Memory, &cl::Functions::ReleaseMemObject>;
using Program = Owner<cl::Program, &cl::Functions::ReleaseProgram>;
using Event = Owner<cl::Event, &cl::Functions::ReleaseEvent>;

// An event that all commands on `queue` so far have ended; the queue has been sent off.
Event mark(cl::Queue queue);
// Commands queued on `queue` from now on begin after `event`.
void wait_for(cl::Queue queue, cl::Event event);
void finish(cl::Queue queue);

}  // namespace vedette::opencl
