#include "handles.h"

#include "failure.h"

#include <pthread.h>

#include <mutex>
#include <string>
#include <unordered_map>

namespace vedette::host {
namespace {

struct Living {
    std::mutex mutex;
    std::unordered_map<const void*, HandleKind> handles;
};

Living& living() {
    // Never destroyed: handles may be used while the process's static objects go down. Locked around fork(), so that
    // the child finds it unlocked whatever other threads did.
    static Living& list = []() -> Living& {
        static Living& made = *new Living;
        ::pthread_atfork([] { made.mutex.lock(); }, [] { made.mutex.unlock(); }, [] { made.mutex.unlock(); });
        return made;
    }();
    return list;
}

const char* kind_name(HandleKind kind) {
    switch (kind) {
        case HandleKind::Context:
            return "context";
        case HandleKind::Screen:
            return "screen";
        case HandleKind::Pattern:
            return "pattern";
        case HandleKind::Result:
            return "result";
        case HandleKind::Cancel:
            return "cancel switch";
    }
    return "object";
}

}  // namespace

void add_handle(const void* handle, HandleKind kind) {
    Living& list = living();
    const std::lock_guard lock(list.mutex);
    list.handles[handle] = kind;
}

bool remove_handle(const void* handle, HandleKind kind) noexcept {
    Living& list = living();
    const std::lock_guard lock(list.mutex);
    const auto found = list.handles.find(handle);
    if (found == list.handles.end() || found->second != kind) return false;
    list.handles.erase(found);
    return true;
}

bool is_handle(const void* handle, HandleKind kind) noexcept {
    Living& list = living();
    const std::lock_guard lock(list.mutex);
    const auto found = list.handles.find(handle);
    return found != list.handles.end() && found->second == kind;
}

void require_handle(const void* handle, HandleKind kind, const char* name) {
    if (handle == nullptr) throw Failure(VDT_E_ARGUMENT, std::string("`") + name + "` is NULL.");
    if (!is_handle(handle, kind))
        throw Failure(VDT_E_ARGUMENT, std::string("`") + name + "` is no living " + kind_name(kind) +
                                          ": it was destroyed or is another object.");
}

}  // namespace vedette::host
