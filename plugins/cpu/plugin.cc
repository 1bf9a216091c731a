// The table, the entry, and the life of an instance and its one device.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "check.h"
#include "instance.h"
#include "processor.h"

namespace vedette::cpu {

namespace {

using plugin::fail;
using plugin::guard;

constexpr std::uint32_t abi_minor = 0;  // the one minor version this backend speaks

// Fills a fixed text field, always zero-terminated.
template <std::size_t size>
void set_text(char (&field)[size], std::string_view text) noexcept {
    const std::size_t length = std::min(text.size(), size - 1);
    std::memcpy(field, text.data(), length);
    field[length] = '\0';
}

Isa isa_from(std::string_view text) {
    if (text == "auto") return best_isa();
    for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
        if (text != name_of(isa)) continue;
        if (runs(isa)) return isa;
        throw Failure(VDT_E_OPTION, "option isa: this machine does not run " + std::string(text) + "; it runs up to " +
                                        name_of(best_isa()));
    }
    throw Failure(VDT_E_OPTION,
                  "option isa: \"" + std::string(text) + "\" is not one of auto, portable, avx2 and avx512");
}

void read_option(const vdt_option& option, Instance& instance) {
    if (option.key == nullptr) throw Failure(VDT_E_OPTION, "an option has no key");
    if (std::string_view(option.key) != "isa")
        throw Failure(VDT_E_OPTION, "option " + std::string(option.key) + " is not known; the cpu backend knows isa");
    if (option.kind != VDT_OPTION_TEXT) throw Failure(VDT_E_OPTION, "option isa must be a text");
    if (option.text == nullptr) throw Failure(VDT_E_OPTION, "option isa has no text");
    instance.isa = isa_from(option.text);
}

void check_host(const vdt_host* host) {
    if (host == nullptr) throw Failure(VDT_E_ARGUMENT, "host is NULL");
    if (host->struct_size < sizeof(vdt_host)) throw Failure(VDT_E_ARGUMENT, "the host's struct_size is too small");
    if (host->log == nullptr || host->alloc == nullptr || host->free == nullptr || host->parallel_for == nullptr ||
        host->worker_count == nullptr || host->cancelled == nullptr)
        throw Failure(VDT_E_ARGUMENT,
                      "the host lacks a service: log, alloc, free, parallel_for, worker_count and "
                      "cancelled must not be NULL");
}

vdt_code create(const vdt_host* host, const vdt_option* options, std::uint32_t option_count, vdt_self** self,
                vdt_error* error) noexcept {
    return guard(error, [&]() -> vdt_code {
        if (self == nullptr) return fail(error, VDT_E_ARGUMENT, "self is NULL");
        *self = nullptr;
        check_host(host);
        if (option_count != 0 && options == nullptr) return fail(error, VDT_E_ARGUMENT, "options is NULL");
        auto instance = std::make_unique<Instance>();
        instance->host = host;
        instance->isa = best_isa();
        for (std::uint32_t index = 0; index < option_count; ++index) read_option(options[index], *instance);
        *self = reinterpret_cast<vdt_self*>(instance.release());
        return VDT_OK;
    });
}

void destroy(vdt_self* self) noexcept {
    delete instance_of(self);
}

vdt_code device_count(vdt_self* self, std::uint32_t* count, vdt_error* error) noexcept {
    if (self == nullptr || count == nullptr) return fail(error, VDT_E_ARGUMENT, "self or count is NULL");
    *count = 1;
    return VDT_OK;
}

vdt_code check_index(std::uint32_t index, vdt_error* error) noexcept {
    return index == 0 ? VDT_OK : fail(error, VDT_E_ARGUMENT, "the cpu backend has one device, of index 0");
}

vdt_code device_info(vdt_self* self, std::uint32_t index, vdt_device_info* info, vdt_error* error) noexcept {
    return guard(error, [&]() -> vdt_code {
        if (self == nullptr || info == nullptr) return fail(error, VDT_E_ARGUMENT, "self or info is NULL");
        if (info->struct_size < sizeof(vdt_device_info))
            return fail(error, VDT_E_ARGUMENT, "the device info's struct_size is too small");
        if (const vdt_code code = check_index(index, error); code != VDT_OK) return code;
        const std::uint32_t struct_size = info->struct_size;
        *info = vdt_device_info{};
        info->struct_size = struct_size;
        info->kind = VDT_DEVICE_CPU;
        set_text(info->name, processor_name());
        set_text(info->uid, "cpu:0");
        set_text(info->driver, name_of(instance_of(self)->isa));
        info->max_pixels = std::uint64_t{VDT_MAX_DIMENSION} * VDT_MAX_DIMENSION;
        info->max_width = VDT_MAX_DIMENSION;
        info->max_height = VDT_MAX_DIMENSION;
        info->memory_mask = memory_mask;
        return VDT_OK;
    });
}

vdt_code device_open(vdt_self* self, std::uint32_t index, vdt_device** device, vdt_error* error) noexcept {
    return guard(error, [&]() -> vdt_code {
        if (self == nullptr || device == nullptr) return fail(error, VDT_E_ARGUMENT, "self or device is NULL");
        *device = nullptr;
        if (const vdt_code code = check_index(index, error); code != VDT_OK) return code;
        const Instance& instance = *instance_of(self);
        auto opened = std::make_unique<Device>();
        opened->host = instance.host;
        opened->isa = instance.isa;
        opened->workers = std::max<std::uint32_t>(1, instance.host->worker_count(instance.host->ctx));
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

constexpr vdt_plugin table = {
    .struct_size = sizeof(vdt_plugin),
    .abi_minor = abi_minor,
    .id = "cpu",
    .version = "1.0.0",
    .description = "Multi-threaded SIMD on this machine's processor",
    .flags = 0,
    .create = create,
    .destroy = destroy,
    .device_count = device_count,
    .device_info = device_info,
    .device_open = device_open,
    .device_close = device_close,
    .op_support = op_support,
    .op_variant = op_variant,
    .op_cost = op_cost,
    .probe = nullptr,
    .plan_create = plan_create,
    .plan_run = plan_run,
    .plan_destroy = plan_destroy,
    .resident_create = resident_create,
    .resident_destroy = resident_destroy,
    .streams = nullptr,
    .extension = extension,
};

}  // namespace

}  // namespace vedette::cpu

const vdt_plugin* VDT_PLUGIN_ENTRY(std::uint32_t host_minor_min, std::uint32_t host_minor_max,
                                   vdt_error* why) noexcept {
    using vedette::cpu::abi_minor;
    if (host_minor_min <= abi_minor && abi_minor <= host_minor_max) return &vedette::cpu::table;
    std::array<char, VDT_ERROR_TEXT_BYTES> text{};
    std::snprintf(text.data(), text.size(),
                  "the cpu plugin speaks minor versions %u to %u of ABI 1, the host %u to %u: they have none in common",
                  abi_minor, abi_minor, host_minor_min, host_minor_max);
    vedette::plugin::fail(why, VDT_E_ABI, text.data());
    return nullptr;
}
