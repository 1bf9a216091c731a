// Help for plugins written in C++; not part of the ABI. The objects behind the opaque handles of the ABI.
#ifndef VEDETTE_PLUGIN_CPP_HANDLE_HPP
#define VEDETTE_PLUGIN_CPP_HANDLE_HPP

#include <memory>
#include <string>

#include "guard.hpp"

namespace vedette::plugin {

// Ties an opaque type of the ABI to the class behind it, so that nobody writes the cast twice or to the wrong class:
//
//     using DeviceHandle = vedette::plugin::Handle<vdt_device, Device>;
//
// Only what `give` handed out may come back.
template <class Opaque, class Object>
struct Handle {
    static Object* object(Opaque* handle) noexcept { return reinterpret_cast<Object*>(handle); }
    static Opaque* handle(Object* object) noexcept { return reinterpret_cast<Opaque*>(object); }
    // Hands an object to the host, who gives it back to `destroy`.
    static Opaque* give(std::unique_ptr<Object> object) noexcept { return handle(object.release()); }
    static void destroy(Opaque* handle) noexcept { delete object(handle); }  // NULL is ignored

    // The object; throws Failure (VDT_E_ARGUMENT) with `what` in its sentence when the handle is NULL.
    static Object& need(Opaque* handle, const char* what) {
        if (handle == nullptr) throw Failure(VDT_E_ARGUMENT, std::string(what) + " is NULL");
        return *object(handle);
    }
};

// Throws Failure (VDT_E_ARGUMENT) when a pointer that is due is NULL.
inline void need(const void* pointer, const char* what) {
    if (pointer == nullptr) throw Failure(VDT_E_ARGUMENT, std::string(what) + " is NULL");
}

// The same for a struct of the ABI, whose struct_size must also be at least that of the version compiled here.
template <class Struct>
void need_struct(const Struct* record, const char* what) {
    need(record, what);
    if (record->struct_size < sizeof(Struct))
        throw Failure(VDT_E_ARGUMENT, std::string(what) + ": struct_size is " + std::to_string(record->struct_size) +
                                          ", at least " + std::to_string(sizeof(Struct)) + " is needed");
}

// Zeroes a struct that the host gave for an answer, except for its struct_size.
template <class Struct>
void clear_struct(Struct& record) noexcept {
    const uint32_t struct_size = record.struct_size;
    record = Struct{};
    record.struct_size = struct_size;
}

}  // namespace vedette::plugin
#endif
