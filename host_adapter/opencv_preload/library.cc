#include "library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <memory>

namespace vedette::compat {
namespace {

constexpr const char* library_name = "libvedette.so.1";

std::string last_dl_error() {
    const char* const text = ::dlerror();
    return text == nullptr ? "libvedette.so.1 cannot be loaded" : text;
}

// From the folder of this library or the one above it, where builds and installations have it; else where the system
// looks.
void* open_library(std::string& reason) {
    Dl_info here{};
    if (::dladdr(reinterpret_cast<const void*>(&session), &here) != 0 && here.dli_fname != nullptr) {
        const std::string path = here.dli_fname;
        const std::string folder = path.substr(0, path.rfind('/') + 1);
        for (const char* const way : {"", "../"})
            if (void* const handle = ::dlopen((folder + way + library_name).c_str(), RTLD_NOW | RTLD_LOCAL))
                return handle;
    }
    void* const handle = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) reason = last_dl_error();
    return handle;
}

template <class Function>
bool find(void* handle, const char* name, Function& function, std::string& reason) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    if (function == nullptr) reason = last_dl_error();
    return function != nullptr;
}

// Loaded once; NULL with a reason when it cannot be. Two threads may both load it: that counts the library twice.
const Api* load_api(std::string& reason) {
    static std::atomic<const Api*> loaded{nullptr};
    if (const Api* const api = loaded.load(std::memory_order_acquire)) return api;
    void* const handle = open_library(reason);
    if (handle == nullptr) return nullptr;
    auto api = std::make_unique<Api>();
    if (!find(handle, "vdt_context_create", api->context_create, reason) ||
        !find(handle, "vdt_context_destroy", api->context_destroy, reason) ||
        !find(handle, "vdt_run_operation", api->run_operation, reason))
        return nullptr;
    const Api* expected = nullptr;
    if (loaded.compare_exchange_strong(expected, api.get(), std::memory_order_acq_rel)) return api.release();
    return expected;
}

std::unique_ptr<Session> make_session(std::uint32_t threads) {
    auto made = std::make_unique<Session>();
    made->process = ::getpid();
    made->threads = threads;
    made->api = load_api(made->reason);
    if (made->api == nullptr) return made;
    vdt_context_options options{};
    options.struct_size = sizeof options;
    options.threads = threads;
    vdt_error error{};
    error.struct_size = sizeof error;
    if (made->api->context_create(&options, &made->context, &error) < 0) {
        made->context = nullptr;
        made->reason = error.text;
    }
    return made;
}

}  // namespace

const char* Session::unusable() const noexcept {
    return context == nullptr ? reason.c_str() : nullptr;
}

const char* Session::backend() const noexcept {
    return reference_seen_.load(std::memory_order_relaxed) ? "cpu" : nullptr;
}

std::string Session::note(const vdt_run_info& run) const {
    if (std::strcmp(run.backend, "opencv") == 0) reference_seen_.store(true, std::memory_order_relaxed);
    return std::string(run.backend) + ":" + std::to_string(run.device_index) + " " + run.variant;
}

const Session& session(std::uint32_t threads) {
    static std::atomic<Session*> newest{nullptr};
    Session* head = newest.load(std::memory_order_acquire);
    std::unique_ptr<Session> made;
    for (;;) {
        const long process = ::getpid();
        for (const Session* one = head; one != nullptr && one->process == process; one = one->older)
            if (one->threads == threads) {
                if (made != nullptr && made->context != nullptr) made->api->context_destroy(made->context);
                return *one;
            }
        if (made == nullptr) made = make_session(threads);
        made->older = head;
        if (newest.compare_exchange_weak(head, made.get(), std::memory_order_acq_rel)) return *made.release();
    }
}

}  // namespace vedette::compat
