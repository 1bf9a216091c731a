// Kernels: compiled from the sources inside this library, kept in memory for the device and in files for the next
// process.
#pragma once

#include "binary_cache.h"
#include "device.h"
#include "object.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace vedette::opencl {

// Text of kernels/<name>.cl with what it includes; NULL when there is no such file.
const char* kernel_source(std::string_view name) noexcept;

// A kernel with its arguments; owned by one plan, since arguments are state of the kernel. One thread at a time.
class Kernel {
public:
    Kernel() = default;
    Kernel(std::shared_ptr<const Program> program, cl::Device device, const char* name);

    cl::Kernel get() const noexcept { return kernel_.get(); }
    // Most work-items of a group of this kernel on this device: registers may leave fewer than the device allows.
    std::size_t group_size() const noexcept { return group_size_; }
    // Groups should have a multiple of this.
    std::size_t preferred_multiple() const noexcept { return preferred_multiple_; }
    explicit operator bool() const noexcept { return kernel_ != nullptr; }

private:
    std::shared_ptr<const Program> program_;
    Owner<cl::Kernel, &cl::Functions::ReleaseKernel> kernel_;
    std::size_t group_size_ = 1;
    std::size_t preferred_multiple_ = 1;
};

// The programs of one context with one device. Thread-safe.
class Programs {
public:
    // All outlive this object.
    Programs(const DeviceEntry& entry, cl::Context context, const BinaryCache& cache);

    // Kernel `name` of kernels/<file>.cl, compiled with `defines` ("-D PIXEL=uchar -D RADIUS=3") besides the options
    // that all programs get. A program is compiled once for each set of options; others wait meanwhile. Throws Error
    // (unavailable) with the compiler's first lines when the device's compiler refuses the source.
    Kernel kernel(std::string_view file, const char* name, const std::string& defines = {});

private:
    std::shared_ptr<const Program> program(std::string_view file, const std::string& defines);
    Program build(std::string_view file, const std::string& options) const;

    const DeviceEntry& entry_;
    const cl::Context context_;
    const BinaryCache& cache_;
    const std::string identity_;  // of device and driver, a part of every key
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const Program>> programs_;
};

}  // namespace vedette::opencl
