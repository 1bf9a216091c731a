// The CUDA devices of this machine, and one that is in use.
#pragma once

#include "error.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace vedette::cuda {

// Smallest compute capability that the kernels are written for: 7.5 (eight-bit tensor cores, ldmatrix).
inline constexpr int least_capability = 75;

// What the launchers choose block sizes and variants by. Read from the device, never from its name.
struct DeviceLimits {
    int ordinal = 0;
    int capability = 0;  // 10 * major + minor
    int multiprocessors = 0;
    std::size_t shared_bytes = 0;  // of one block, after opting in
    std::size_t memory_bytes = 0;
    bool integrated = false;
    bool clusters = false;      // thread-block clusters with distributed shared memory
    bool cooperative = false;   // launches that hold the whole grid at once
    bool early_launch = false;  // a kernel may begin before the one before it has ended
};

// How many devices there are. With 0, `reason` says why (no driver, driver too old, none installed). Never throws for
// a machine without a GPU.
int device_count(std::string& reason);

// Name, identity ("pci:0000:65:00.0") and versions, without opening the device.
struct DeviceName {
    std::string name;
    std::string uid;
    std::string driver;  // "CUDA driver 13.0, runtime 13.0"
};
DeviceName device_name(int ordinal);
DeviceLimits device_limits(int ordinal);

// Makes the device current on this thread for the life of the object and restores the one before. Runtime calls act on
// the current device, and the host's threads serve all devices.
class Current {
public:
    explicit Current(int ordinal);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

private:
    int before_ = -1;
};

}  // namespace vedette::cuda
