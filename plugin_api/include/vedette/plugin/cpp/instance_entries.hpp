// Help for plugins written in C++; not part of the ABI. The entries about the life of an instance and its devices.
#ifndef VEDETTE_PLUGIN_CPP_INSTANCE_ENTRIES_HPP
#define VEDETTE_PLUGIN_CPP_INSTANCE_ENTRIES_HPP

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "check.hpp"
#include "options.hpp"

namespace vedette::plugin {

// Fills a fixed text field of the ABI, always zero-terminated; what does not fit is cut.
template <std::size_t size>
void set_text(char (&field)[size], std::string_view text) noexcept {
    const std::size_t length = std::min(text.size(), size - 1);
    std::memcpy(field, text.data(), length);
    std::memset(field + length, 0, size - length);
}

// create, destroy, device_count, device_info, device_open and device_close, for `struct Backend :
// InstanceEntries<Backend>`. Backend says what is its own:
//
//     using Instance, Device;  // the classes behind vdt_self and vdt_device
//     static std::unique_ptr<Instance> make_instance(const vdt_host& host, Options& options);
//     static uint32_t count_devices(Instance& instance);  // throws VDT_E_NO_DRIVER or VDT_E_NO_DEVICE when there is
//     none static void describe_device(Instance& instance, uint32_t index, vdt_device_info& info);  // cleared before
//     static std::unique_ptr<Device> open_device(Instance& instance, uint32_t index);
//
// All may throw Failure. `index` is below count_devices. `host` stays valid until the Instance is destroyed.
template <class Backend>
struct InstanceEntries {
    static vdt_code create(const vdt_host* host, const vdt_option* options, uint32_t option_count, vdt_self** self,
                           vdt_error*) {
        need(self, "self");
        *self = nullptr;
        check_host(host);
        Options given(Backend::id, options, option_count);
        auto instance = Backend::make_instance(*host, given);
        given.finish();
        *self = Handle<vdt_self, typename Backend::Instance>::give(std::move(instance));
        return VDT_OK;
    }

    static void destroy(vdt_self* self) { Handle<vdt_self, typename Backend::Instance>::destroy(self); }

    static vdt_code device_count(vdt_self* self, uint32_t* count, vdt_error* error) {
        auto& instance = instance_of(self);
        need(count, "count");
        *count = 0;
        try {
            *count = Backend::count_devices(instance);
        } catch (const Failure& failure) {
            const bool none = failure.code() == VDT_E_NO_DRIVER || failure.code() == VDT_E_NO_DEVICE;
            if (!none) throw;
            fail(error, failure.code(), failure.what(), failure.native_code());  // the reason, not an error
        }
        return VDT_OK;
    }

    static vdt_code device_info(vdt_self* self, uint32_t index, vdt_device_info* info, vdt_error*) {
        auto& instance = instance_of(self);
        need_struct(info, "info");
        check_index(instance, index);
        clear_struct(*info);
        Backend::describe_device(instance, index, *info);
        return VDT_OK;
    }

    static vdt_code device_open(vdt_self* self, uint32_t index, vdt_device** device, vdt_error*) {
        need(device, "device");
        *device = nullptr;
        auto& instance = instance_of(self);
        check_index(instance, index);
        *device = Handle<vdt_device, typename Backend::Device>::give(Backend::open_device(instance, index));
        return VDT_OK;
    }

    static void device_close(vdt_device* device) { Handle<vdt_device, typename Backend::Device>::destroy(device); }

private:
    static auto& instance_of(vdt_self* self) {
        return Handle<vdt_self, typename Backend::Instance>::need(self, "self");
    }

    template <class Instance>
    static void check_index(Instance& instance, uint32_t index) {
        const uint32_t count = Backend::count_devices(instance);
        if (index >= count)
            throw Failure(VDT_E_ARGUMENT, "there is no device " + std::to_string(index) + "; this backend has " +
                                              std::to_string(count) + ", counted from 0");
    }
};

}  // namespace vedette::plugin
#endif
