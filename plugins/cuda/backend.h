// What stands behind the handles of the ABI.
#pragma once

#include <vedette/plugin/cpp/operation.hpp>
#include <vedette/plugin/cpp/operation_entries.hpp>
#include <vedette/plugin/cpp/resident.hpp>

#include <runtime/memory.h>

#include <sys/types.h>

#include <atomic>

namespace vedette::cuda_plugin {

using plugin::Failure;

// Behind vdt_device.
struct Device {
    Device(const vdt_host& host, int ordinal);

    // Throws Failure when this process is a child of the one that opened the device (the driver does not survive a
    // fork) or when the device was lost.
    void check_usable() const;

    const vdt_host* host;
    cuda::Device cuda;
    pid_t process;
    mutable std::atomic<bool> lost{false};
};

using DeviceHandle = plugin::Handle<vdt_device, Device>;
using Operation = plugin::Operation<Device>;
using plugin::Plan;

// Throws the Failure whose code says what the host does about `error`: memory is pressure, a broken context takes the
// device (may be NULL) out.
[[noreturn]] void fail_with(const Device* device, const cuda::Error& error);

// Runs `body` with the device current and lets its errors of the CUDA runtime out as Failures.
template <class Body>
auto on(const Device& device, const Body& body) {
    device.check_usable();
    try {
        const cuda::Current current(device.cuda.limits.ordinal);
        return body();
    } catch (const cuda::Error& error) {
        fail_with(&device, error);
    }
}

// Bytes of a memory transaction, as op_cost counts them.
inline constexpr double transaction_bytes = 128;

// The operations that this backend does.
extern const Operation cascade_detect_operation;
extern const Operation convert_operation;
extern const Operation feature_match_operation;
extern const Operation features_operation;
extern const Operation fft2_operation;
extern const Operation filter_operation;
extern const Operation group_operation;
extern const Operation integral_operation;
extern const Operation pyramid_operation;
extern const Operation resize_operation;
extern const Operation restore_operation;
extern const Operation template_find_operation;
extern const Operation template_map_operation;

}  // namespace vedette::cuda_plugin
