#include "codes.h"

namespace vedette::host {
namespace {

struct Entry {
    vdt_code code;
    const char* name;
    const char* text;
};

constexpr Entry entries[] = {
    {VDT_OK, "VDT_OK", "done"},
    {VDT_INCOMPLETE, "VDT_INCOMPLETE", "done, but a list was too small"},
    {VDT_NOT_READY, "VDT_NOT_READY", "not ready yet"},
    {VDT_E_ARGUMENT, "VDT_E_ARGUMENT", "an argument is wrong"},
    {VDT_E_SIZE, "VDT_E_SIZE", "a size is wrong"},
    {VDT_E_STATE, "VDT_E_STATE", "called in the wrong order"},
    {VDT_E_THREAD, "VDT_E_THREAD", "called from the wrong thread"},
    {VDT_E_OPTION, "VDT_E_OPTION", "an option is wrong"},
    {VDT_E_FILE, "VDT_E_FILE", "a file cannot be used"},
    {VDT_E_FORMAT, "VDT_E_FORMAT", "content is damaged or of no known format"},
    {VDT_E_CONFIG, "VDT_E_CONFIG", "the configuration is wrong"},
    {VDT_E_UNSUPPORTED, "VDT_E_UNSUPPORTED", "not supported"},
    {VDT_E_UNSUPPORTED_OP, "VDT_E_UNSUPPORTED_OP", "operation not supported"},
    {VDT_E_UNSUPPORTED_FORMAT, "VDT_E_UNSUPPORTED_FORMAT", "pixel format not supported"},
    {VDT_E_UNSUPPORTED_SIZE, "VDT_E_UNSUPPORTED_SIZE", "size not supported"},
    {VDT_E_UNSUPPORTED_MEMORY, "VDT_E_UNSUPPORTED_MEMORY", "kind of memory not supported"},
    {VDT_E_OUT_OF_MEMORY, "VDT_E_OUT_OF_MEMORY", "out of memory"},
    {VDT_E_BUSY, "VDT_E_BUSY", "busy"},
    {VDT_E_TIMEOUT, "VDT_E_TIMEOUT", "out of time"},
    {VDT_E_CANCELLED, "VDT_E_CANCELLED", "cancelled"},
    {VDT_E_UNAVAILABLE, "VDT_E_UNAVAILABLE", "not available"},
    {VDT_E_NO_DRIVER, "VDT_E_NO_DRIVER", "no driver"},
    {VDT_E_NO_DEVICE, "VDT_E_NO_DEVICE", "no device"},
    {VDT_E_DEVICE_LOST, "VDT_E_DEVICE_LOST", "device lost"},
    {VDT_E_FORKED, "VDT_E_FORKED", "the process forked"},
    {VDT_E_ABI, "VDT_E_ABI", "no common ABI version"},
    {VDT_E_REFUSED, "VDT_E_REFUSED", "refused by the loading rules"},
    {VDT_E_INTERNAL, "VDT_E_INTERNAL", "an internal error"},
    {VDT_E_EXCEPTION, "VDT_E_EXCEPTION", "an exception"},
    {VDT_E_CONTRACT, "VDT_E_CONTRACT", "a rule of the plugin ABI was broken"},
};

const Entry* find(vdt_code code) noexcept {
    for (const Entry& entry : entries)
        if (entry.code == code) return &entry;
    return nullptr;
}

}  // namespace

const char* code_name(vdt_code code) noexcept {
    const Entry* const entry = find(code);
    return entry == nullptr ? "unknown code" : entry->name;
}

const char* code_text(vdt_code code) noexcept {
    const Entry* const entry = find(code);
    return entry == nullptr ? "unknown code" : entry->text;
}

}  // namespace vedette::host
