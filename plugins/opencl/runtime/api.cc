#include "api.h"

#include <mutex>

#include <dlfcn.h>
#include <unistd.h>

namespace vedette::opencl::cl {

namespace {

// Trivially destructible, so that nothing of it is gone when the last handle is released.
constinit Functions functions;
constinit bool complete = false;

std::string open_library() {
    // The name with its version: the plain one belongs to development packages.
    void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const why = dlerror();
        return std::string("the OpenCL loader cannot be opened (") + (why != nullptr ? why : "libOpenCL.so.1") +
               "); install an OpenCL driver, such as pocl-opencl-icd or the graphics card's";
    }
    const char* missing = nullptr;
    const auto look_up = [&](auto& function, const char* name) {
        void* const found = dlsym(library, name);
        if (found == nullptr && missing == nullptr) missing = name;
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    };
#define VEDETTE_OPENCL_LOOK_UP(name, result, parameters) look_up(functions.name, "cl" #name);
    VEDETTE_OPENCL_FUNCTIONS(VEDETTE_OPENCL_LOOK_UP)
#undef VEDETTE_OPENCL_LOOK_UP
    if (missing != nullptr)
        return std::string("the OpenCL loader has no ") + missing +
               ": it is older than OpenCL 1.2; install a newer one";
    functions.process = getpid();
    complete = true;
    return {};
}

}  // namespace

const Functions* find(std::string& reason) {
    static const std::string why_not = open_library();
    reason = why_not;
    return complete ? &functions : nullptr;
}

const Functions& api() noexcept {
    return functions;
}

}  // namespace vedette::opencl::cl
