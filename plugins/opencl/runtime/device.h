// The OpenCL devices of this machine.
#pragma once

#include "error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vedette::opencl {

enum class Kind : std::uint8_t { cpu, gpu, integrated_gpu, accelerator };

// What kernels and their group sizes are chosen by. Read from the device, never from its name.
struct DeviceLimits {
    Kind kind = Kind::gpu;  // that kernels are formed for
    std::uint32_t compute_units = 1;
    double clock = 0;                // Hz, as the device tells it; 0 when it does not
    std::size_t group_size = 1;      // most work-items of a group
    std::size_t item_sizes[3] = {};  // the same along each dimension
    std::size_t local_bytes = 0;     // of a group
    bool local_is_own = false;       // local memory is faster than global memory
    std::size_t constant_bytes = 0;
    std::size_t global_bytes = 0;
    std::size_t largest_allocation = 0;
    std::uint32_t native_floats = 1;  // of a vector register
    bool unified_memory = false;      // the device works in the host's memory
    bool doubles = false;             // cl_khr_fp64 or double precision in the core
    bool correct_divide = false;      // division and square root of floats can be had rounded correctly
    bool long_atomics = false;        // cl_khr_int64_base_atomics
};

// A device as it is listed.
struct DeviceEntry {
    cl::Platform platform = nullptr;
    cl::Device device = nullptr;
    std::string name;
    // "pci:0000:65:00.0", "uuid:..." or "cpu:0", as other backends call the same device; "opencl:<platform>:<number>"
    // where the driver tells neither.
    std::string uid;
    Kind kind = Kind::gpu;
    std::string driver;  // "Portable Computing Language, OpenCL 3.0, driver 3.1"
    DeviceLimits limits;
    std::string unusable;  // why the device cannot be used, a sentence's part; empty when it can
};

// What devices are taken for, so that any of them can try every path.
struct Pretence {
    bool no_doubles = false;   // none has double precision
    bool gpu_kernels = false;  // all get the kernels of GPUs
};

// All devices of all platforms, those that can be used first, GPUs before others among them. When there is none,
// `reason` says why. A platform that fails does not hide the others.
std::vector<DeviceEntry> list_devices(const Pretence& pretence, std::string& reason);

}  // namespace vedette::opencl
