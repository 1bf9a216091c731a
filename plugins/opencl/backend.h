// What stands behind the handles of the ABI.
//
// To add an operation <op>: kernels/<op>.cl (it may `#include "image.cl"` and other files of that folder; every .cl
// there is embedded in the library), ops/<op>.cc that defines `const Operation <op>_operation`, and <op> in the list of
// sources.cmake. ops/convert.cc and ops/integral.cc show the parts: support and cost (pure), a Plan that makes its
// kernels and buffers in its constructor, and `run` between Operands::Call and finish.
//
//     kernel_ = device.programs.kernel("<op>", "kernel_name", "-D PIXEL=uchar");            // in the constructor
//     launch(operands_.queue(), kernel_, cover({width, height}, {32, 4}), image.plane(), other_buffer_, number);
//
// Group sizes follow from device.limits(), group_within(kernel, ...) and device.tuning, never from a vendor's name.
#pragma once

#include <vedette/plugin/cpp/operation.hpp>
#include <vedette/plugin/cpp/operation_entries.hpp>
#include <vedette/plugin/cpp/resident.hpp>

#include "runtime/launch.h"
#include "runtime/tuning.h"

#include <sys/types.h>

#include <atomic>

namespace vedette::opencl {

using plugin::Failure;

// Behind vdt_device.
struct Device {
    // `entry` is one that can be used.
    Device(const vdt_host& host, const DeviceEntry& entry, const BinaryCache& cache, Search search);

    // Throws Failure when this process is a child of the one that opened the device (drivers do not survive a fork) or
    // when the device was lost.
    void check_usable() const;

    const DeviceLimits& limits() const noexcept { return entry.limits; }
    // A queue that runs its commands in order.
    Queue make_queue() const;
    template <class T>
    Buffer<T> buffer(std::size_t count) const {
        return Buffer<T>(pool, count);
    }

    const vdt_host* const host;
    const DeviceEntry entry;
    const Context context;
    mutable Pool pool;
    const Queue service;  // for mapping memory, and work outside plans
    mutable Programs programs;
    mutable Tuning tuning;
    mutable Addresses addresses;
    mutable std::atomic<bool> lost{false};
};

using DeviceHandle = plugin::Handle<vdt_device, Device>;
using Operation = plugin::Operation<Device>;
using plugin::Plan;

// Throws the Failure whose code says what the host does about `error`: memory is pressure, a broken context takes the
// device (may be NULL) out.
[[noreturn]] void fail_with(const Device* device, const Error& error);

// Runs `body` and lets its errors of OpenCL out as Failures.
template <class Body>
auto on(const Device& device, const Body& body) {
    device.check_usable();
    try {
        return body();
    } catch (const Error& error) {
        fail_with(&device, error);
    }
}

// Bytes of a memory transaction, as op_cost counts them.
inline constexpr double transaction_bytes = 64;

}  // namespace vedette::opencl
