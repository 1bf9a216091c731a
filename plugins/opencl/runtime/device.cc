#include "device.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

namespace vedette::opencl {

namespace {

// What the kernels are written for: images of 16 x 16 work-items, tiles of 16 KiB and a bit (the least that OpenCL's
// full profile has is 32 KiB).
constexpr std::size_t least_group_size = 64;
constexpr std::size_t least_local_bytes = 32 * 1024;

std::string text_of(cl::Device device, cl::UInt what) {
    std::size_t bytes = 0;
    if (cl::api().GetDeviceInfo(device, what, 0, nullptr, &bytes) != cl::success || bytes == 0) return {};
    std::string text(bytes, '\0');
    if (cl::api().GetDeviceInfo(device, what, bytes, text.data(), nullptr) != cl::success) return {};
    return text.c_str();  // up to its zero
}

std::string text_of(cl::Platform platform, cl::UInt what) {
    std::size_t bytes = 0;
    if (cl::api().GetPlatformInfo(platform, what, 0, nullptr, &bytes) != cl::success || bytes == 0) return {};
    std::string text(bytes, '\0');
    if (cl::api().GetPlatformInfo(platform, what, bytes, text.data(), nullptr) != cl::success) return {};
    return text.c_str();
}

// `otherwise` where the driver does not know the question.
template <class T>
T number_of(cl::Device device, cl::UInt what, T otherwise = T{}) {
    T value{};
    return cl::api().GetDeviceInfo(device, what, sizeof value, &value, nullptr) == cl::success ? value : otherwise;
}

bool has_word(const std::string& words, const char* word) {
    std::istringstream stream(words);
    for (std::string each; stream >> each;)
        if (each == word) return true;
    return false;
}

// 100 * major + minor of "OpenCL 1.2 ..." or "OpenCL C 1.2 ...".
int version_of(const std::string& text) {
    int major = 0, minor = 0;
    const std::size_t digit = text.find_first_of("0123456789");
    if (digit == std::string::npos || std::sscanf(text.c_str() + digit, "%d.%d", &major, &minor) != 2) return 0;
    return 100 * major + minor;
}

std::string pci_text(unsigned domain, unsigned bus, unsigned device, unsigned function) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "pci:%04x:%02x:%02x.%x", domain, bus, device, function);
    return text.data();
}

// Empty when the driver tells nothing.
std::string pci_address(cl::Device device, const std::string& extensions) {
    if (has_word(extensions, "cl_khr_pci_bus_info")) {
        struct {
            cl::UInt domain, bus, device, function;
        } address{};
        if (cl::api().GetDeviceInfo(device, cl::device_pci_bus_info, sizeof address, &address, nullptr) == cl::success)
            return pci_text(address.domain, address.bus, address.device, address.function);
    }
    if (has_word(extensions, "cl_nv_device_attribute_query")) {
        cl::UInt bus = 0, slot = 0;
        if (cl::api().GetDeviceInfo(device, cl::nv_pci_bus, sizeof bus, &bus, nullptr) == cl::success &&
            cl::api().GetDeviceInfo(device, cl::nv_pci_slot, sizeof slot, &slot, nullptr) == cl::success)
            // The slot is device and function as PCI packs them: five bits and three.
            return pci_text(number_of<cl::UInt>(device, cl::nv_pci_domain), bus, slot >> 3, slot & 7);
    }
    if (has_word(extensions, "cl_amd_device_attribute_query")) {
        std::array<unsigned char, 24> topology{};  // type (1 = PCIe), 17 unused bytes, bus, device, function
        if (cl::api().GetDeviceInfo(device, cl::amd_topology, topology.size(), topology.data(), nullptr) ==
                cl::success &&
            topology[0] == 1)
            return pci_text(0, topology[21], topology[22], topology[23]);
    }
    return {};
}

std::string uuid_text(cl::Device device, const std::string& extensions) {
    std::array<unsigned char, 16> uuid{};
    if (!has_word(extensions, "cl_khr_device_uuid") ||
        cl::api().GetDeviceInfo(device, cl::device_uuid, uuid.size(), uuid.data(), nullptr) != cl::success)
        return {};
    std::string text = "uuid:";
    for (std::size_t index = 0; index < uuid.size(); ++index) {
        std::array<char, 4> byte{};
        std::snprintf(byte.data(), byte.size(), "%02x", uuid[index]);
        if (index == 4 || index == 6 || index == 8 || index == 10) text += '-';
        text += byte.data();
    }
    return text;
}

DeviceLimits limits_of(cl::Device device, const std::string& extensions) {
    DeviceLimits limits;
    const auto type = number_of<cl::Bits>(device, cl::device_type);
    limits.unified_memory = number_of<cl::Bool>(device, cl::device_unified_memory) != 0;
    if ((type & cl::type_gpu) != 0)
        limits.kind = limits.unified_memory ? Kind::integrated_gpu : Kind::gpu;
    else
        limits.kind = (type & cl::type_cpu) != 0 ? Kind::cpu : Kind::accelerator;
    limits.compute_units = std::max<cl::UInt>(1, number_of<cl::UInt>(device, cl::device_compute_units));
    limits.clock = number_of<cl::UInt>(device, cl::device_clock) * 1e6;
    limits.group_size = number_of<std::size_t>(device, cl::device_group_size);
    (void)cl::api().GetDeviceInfo(device, cl::device_item_sizes, sizeof limits.item_sizes, limits.item_sizes, nullptr);
    limits.local_bytes = number_of<cl::Bits>(device, cl::device_local_bytes);
    limits.local_is_own = number_of<cl::UInt>(device, cl::device_local_kind) == cl::local_is_own;
    limits.constant_bytes = number_of<cl::Bits>(device, cl::device_constant_bytes);
    limits.global_bytes = number_of<cl::Bits>(device, cl::device_global_bytes);
    limits.largest_allocation = number_of<cl::Bits>(device, cl::device_largest_allocation);
    limits.native_floats = number_of<cl::UInt>(device, cl::device_native_floats, 1);
    limits.doubles = number_of<cl::Bits>(device, cl::device_double_config) != 0;
    limits.correct_divide = (number_of<cl::Bits>(device, cl::device_single_config) & cl::config_correct_divide) != 0;
    limits.long_atomics = has_word(extensions, "cl_khr_int64_base_atomics");
    return limits;
}

// Empty when the kernels can run there.
std::string lacking(cl::Device device, const DeviceLimits& limits) {
    const int version = version_of(text_of(device, cl::device_version));
    if (version < 102)
        return "it speaks OpenCL " + std::to_string(version / 100) + "." + std::to_string(version % 100) +
               ", older than 1.2";
    if (number_of<cl::Bool>(device, cl::device_available) == 0) return "its driver says that it is not available";
    if (number_of<cl::Bool>(device, cl::device_compiler) == 0) return "its driver has no compiler for kernels";
    if (number_of<cl::Bool>(device, cl::device_little_endian) == 0) return "its byte order is not the host's";
    if (limits.group_size < least_group_size)
        return "its work-groups hold " + std::to_string(limits.group_size) + " work-items; " +
               std::to_string(least_group_size) + " are needed";
    if (limits.local_bytes < least_local_bytes)
        return "it has " + std::to_string(limits.local_bytes) + " bytes of local memory; " +
               std::to_string(least_local_bytes) + " are needed";
    return {};
}

DeviceEntry entry_of(cl::Platform platform, cl::Device device, std::size_t number) {
    DeviceEntry entry;
    entry.platform = platform;
    entry.device = device;
    entry.name = text_of(device, cl::device_name);
    const std::string extensions = text_of(device, cl::device_extensions);
    const std::string platform_name = text_of(platform, cl::platform_name);
    entry.limits = limits_of(device, extensions);
    entry.kind = entry.limits.kind;
    const int version = version_of(text_of(device, cl::device_version));
    entry.driver = "OpenCL " + std::to_string(version / 100) + "." + std::to_string(version % 100) + ", driver " +
                   text_of(device, cl::driver_version) + ", " + platform_name;
    // A processor is one device whoever drives it.
    entry.uid = entry.kind == Kind::cpu ? "cpu:0" : pci_address(device, extensions);
    if (entry.uid.empty()) entry.uid = uuid_text(device, extensions);
    if (entry.uid.empty()) entry.uid = "opencl:" + platform_name + ":" + std::to_string(number);
    entry.unusable = lacking(device, entry.limits);
    return entry;
}

int rank(const DeviceEntry& entry) {
    return (entry.unusable.empty() ? 0 : 10) + (entry.kind == Kind::gpu              ? 0
                                                : entry.kind == Kind::integrated_gpu ? 1
                                                : entry.kind == Kind::accelerator    ? 2
                                                                                     : 3);
}

}  // namespace

std::vector<DeviceEntry> list_devices(const Pretence& pretence, std::string& reason) {
    if (cl::find(reason) == nullptr) return {};
    cl::UInt count = 0;
    const cl::Int code = cl::api().GetPlatformIDs(0, nullptr, &count);
    if (code == cl::platform_not_found || (code == cl::success && count == 0)) {
        reason =
            "the OpenCL loader finds no driver; install one, such as pocl-opencl-icd or the graphics card's, and see "
            "/etc/OpenCL/vendors";
        return {};
    }
    std::vector<cl::Platform> platforms(count);
    if (code != cl::success || cl::api().GetPlatformIDs(count, platforms.data(), nullptr) != cl::success) {
        reason = "the OpenCL loader cannot list its drivers: " + name_of(code);
        return {};
    }
    std::vector<DeviceEntry> entries;
    std::string failures;
    for (const cl::Platform platform : platforms) {
        cl::UInt devices = 0;
        const cl::Int listed = cl::api().GetDeviceIDs(platform, cl::type_all, 0, nullptr, &devices);
        std::vector<cl::Device> handles(listed == cl::success ? devices : 0);
        if (handles.empty() ||
            cl::api().GetDeviceIDs(platform, cl::type_all, devices, handles.data(), nullptr) != cl::success) {
            failures += (failures.empty() ? "" : "; ") + text_of(platform, cl::platform_name) + " has no device" +
                        (listed == cl::success || listed == cl::device_not_found ? "" : " (" + name_of(listed) + ")");
            continue;
        }
        for (std::size_t number = 0; number < handles.size(); ++number)
            entries.push_back(entry_of(platform, handles[number], number));
    }
    if (entries.empty()) reason = "no OpenCL driver has a device: " + failures;
    for (DeviceEntry& entry : entries) {
        if (pretence.no_doubles) entry.limits.doubles = false;
        if (pretence.gpu_kernels && entry.kind == Kind::cpu) entry.limits.kind = Kind::gpu;
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const DeviceEntry& a, const DeviceEntry& b) { return rank(a) < rank(b); });
    return entries;
}

}  // namespace vedette::opencl
