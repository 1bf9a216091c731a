#include "device.h"

#include <array>
#include <cctype>

namespace vedette::cuda {

namespace {

int attribute(cudaDeviceAttr name, int ordinal) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, name, ordinal), "reading a device attribute");
    return value;
}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

int device_count(std::string& reason) {
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaSuccess && count > 0) return count;
    (void)cudaGetLastError();
    if (code == cudaErrorInsufficientDriver) {
        int driver = 0;
        (void)cudaDriverGetVersion(&driver);
        reason = driver == 0 ? "no NVIDIA driver is installed"
                             : "the NVIDIA driver is for CUDA " + version_text(driver) + ", older than this build's " +
                                   version_text(CUDART_VERSION) + "; install a newer driver";
    } else if (code == cudaSuccess || code == cudaErrorNoDevice) {
        reason = "the NVIDIA driver finds no device";
    } else {
        reason = std::string("the NVIDIA driver does not start: ") + cudaGetErrorString(code);
    }
    return 0;
}

DeviceName device_name(int ordinal) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, ordinal), "reading the device's properties");
    std::array<char, 32> bus{};
    check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), ordinal), "reading the device's PCI address");
    int driver = 0;
    int runtime = 0;
    check(cudaDriverGetVersion(&driver), "reading the driver's version");
    check(cudaRuntimeGetVersion(&runtime), "reading the runtime's version");
    std::string uid = "pci:";
    for (const char* letter = bus.data(); *letter != '\0'; ++letter)
        uid += static_cast<char>(std::tolower(static_cast<unsigned char>(*letter)));
    return {properties.name, uid, "CUDA driver " + version_text(driver) + ", runtime " + version_text(runtime)};
}

DeviceLimits device_limits(int ordinal) {
    DeviceLimits limits;
    limits.ordinal = ordinal;
    limits.capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor, ordinal) +
                        attribute(cudaDevAttrComputeCapabilityMinor, ordinal);
    limits.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, ordinal);
    limits.shared_bytes = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
    limits.integrated = attribute(cudaDevAttrIntegrated, ordinal) != 0;
    limits.clusters = limits.capability >= 90 && attribute(cudaDevAttrClusterLaunch, ordinal) != 0;
    limits.early_launch = limits.capability >= 90;
    limits.cooperative = attribute(cudaDevAttrCooperativeLaunch, ordinal) != 0;
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, ordinal), "reading the device's properties");
    limits.memory_bytes = properties.totalGlobalMem;
    return limits;
}

Current::Current(int ordinal) {
    check(cudaGetDevice(&before_), "asking for the current device");
    if (before_ == ordinal) {
        before_ = -1;
        return;
    }
    check(cudaSetDevice(ordinal), "choosing the device");
}

Current::~Current() {
    if (before_ >= 0) (void)cudaSetDevice(before_);
}

}  // namespace vedette::cuda
