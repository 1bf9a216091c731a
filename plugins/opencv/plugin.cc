// The table, the entry, and the life of an instance and its one device.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <opencv2/core.hpp>
#include <string>

#include "calls.h"
#include "check.h"
#include "operations.h"

namespace vedette::opencv {

namespace {

constexpr std::uint32_t abi_minor = 0;  // the one minor version this backend speaks

// Behind vdt_self. No threads and nothing else is kept: a forked child loses nothing here.
struct Instance {
    const vdt_host* host = nullptr;
};

Instance* instance_of(vdt_self* self) noexcept {
    return reinterpret_cast<Instance*>(self);
}

void check_host(const vdt_host* host) {
    if (host == nullptr) throw Failure(VDT_E_ARGUMENT, "host is NULL");
    if (host->struct_size < sizeof(vdt_host)) throw Failure(VDT_E_ARGUMENT, "the host's struct_size is too small");
    if (host->parallel_for == nullptr || host->worker_count == nullptr || host->cancelled == nullptr)
        throw Failure(VDT_E_ARGUMENT, "the host lacks parallel_for, worker_count or cancelled");
}

void refuse_options(const vdt_option* options, std::uint32_t option_count) {
    if (option_count == 0) return;
    if (options == nullptr) throw Failure(VDT_E_ARGUMENT, "options is NULL");
    const char* key = options[0].key != nullptr ? options[0].key : "(without a key)";
    throw Failure(VDT_E_OPTION, std::string("option ") + key + " is unknown; the opencv backend has no options");
}

vdt_code create(const vdt_host* host, const vdt_option* options, std::uint32_t option_count, vdt_self** self,
                vdt_error* error) noexcept {
    return guarded(error, [&]() -> vdt_code {
        if (self == nullptr) throw Failure(VDT_E_ARGUMENT, "self is NULL");
        *self = nullptr;
        check_host(host);
        refuse_options(options, option_count);
        auto instance = std::make_unique<Instance>();
        instance->host = host;
        *self = reinterpret_cast<vdt_self*>(instance.release());
        return VDT_OK;
    });
}

void destroy(vdt_self* self) noexcept {
    delete instance_of(self);
}

vdt_code device_count(vdt_self* self, std::uint32_t* count, vdt_error* error) noexcept {
    if (self == nullptr || count == nullptr) return plugin::fail(error, VDT_E_ARGUMENT, "self or count is NULL");
    *count = 1;
    return VDT_OK;
}

void check_index(std::uint32_t index) {
    if (index != 0)
        throw Failure(VDT_E_ARGUMENT, "there is no device " + std::to_string(index) + "; the only one is 0");
}

vdt_code device_info(vdt_self* self, std::uint32_t index, vdt_device_info* info, vdt_error* error) noexcept {
    return guarded(error, [&]() -> vdt_code {
        if (self == nullptr) throw Failure(VDT_E_ARGUMENT, "self is NULL");
        if (info == nullptr || info->struct_size < sizeof(vdt_device_info))
            throw Failure(VDT_E_ARGUMENT, "info is NULL or its struct_size is too small");
        check_index(index);
        const std::uint32_t struct_size = info->struct_size;
        *info = {};
        info->struct_size = struct_size;
        info->kind = VDT_DEVICE_CPU;
        std::snprintf(info->name, sizeof info->name, "CPU");
        std::snprintf(info->uid, sizeof info->uid, "cpu:0");
        std::snprintf(info->driver, sizeof info->driver, "OpenCV %s", cv::getVersionString().c_str());
        info->max_pixels = max_pixels;
        info->max_width = VDT_MAX_DIMENSION;
        info->max_height = VDT_MAX_DIMENSION;
        info->memory_mask = memory_mask;
        return VDT_OK;
    });
}

vdt_code device_open(vdt_self* self, std::uint32_t index, vdt_device** device, vdt_error* error) noexcept {
    return guarded(error, [&]() -> vdt_code {
        if (device == nullptr) throw Failure(VDT_E_ARGUMENT, "device is NULL");
        *device = nullptr;
        if (self == nullptr) throw Failure(VDT_E_ARGUMENT, "self is NULL");
        check_index(index);
        auto opened = std::make_unique<Device>();
        opened->host = instance_of(self)->host;
        *device = reinterpret_cast<vdt_device*>(opened.release());
        return VDT_OK;
    });
}

void device_close(vdt_device* device) noexcept {
    delete device_of(device);
}

const void* extension(vdt_self*, const char*) noexcept {
    return nullptr;
}

// No costs, no probe, no streams. No residents either: nothing that an image would bring along is worth keeping here.
constexpr vdt_plugin table = {
    .struct_size = sizeof(vdt_plugin),
    .abi_minor = abi_minor,
    .id = "opencv",
    .version = "1.0.0",
    .description = "OpenCV on this machine's processor: the reference backend",
    .flags = 0,
    .create = create,
    .destroy = destroy,
    .device_count = device_count,
    .device_info = device_info,
    .device_open = device_open,
    .device_close = device_close,
    .op_support = op_support,
    .op_variant = op_variant,
    .op_cost = nullptr,
    .probe = nullptr,
    .plan_create = plan_create,
    .plan_run = plan_run,
    .plan_destroy = plan_destroy,
    .resident_create = nullptr,
    .resident_destroy = nullptr,
    .streams = nullptr,
    .extension = extension,
};

}  // namespace

}  // namespace vedette::opencv

const vdt_plugin* VDT_PLUGIN_ENTRY(std::uint32_t host_minor_min, std::uint32_t host_minor_max,
                                   vdt_error* why) noexcept {
    using vedette::opencv::abi_minor;
    if (host_minor_min <= abi_minor && abi_minor <= host_minor_max) return &vedette::opencv::table;
    char text[VDT_ERROR_TEXT_BYTES];
    std::snprintf(text, sizeof text,
                  "the opencv plugin speaks minor version %u of ABI 1, the host %u to %u: none is in common", abi_minor,
                  host_minor_min, host_minor_max);
    vedette::plugin::fail(why, VDT_E_ABI, text);
    return nullptr;
}
