// Kernel starts with typed arguments.
#pragma once

#include "memory.h"
#include "program.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace vedette::opencl {

// Work-items along each dimension, in groups. Global sizes are rounded up to whole groups, as OpenCL 1.2 demands, so
// kernels check their place.
struct Range {
    cl::UInt dimensions = 0;
    std::array<std::size_t, 3> global{};
    std::array<std::size_t, 3> local{};
};

inline Range cover(std::initializer_list<std::size_t> items, std::initializer_list<std::size_t> group) {
    Range range;
    for (const std::size_t size : group) range.local[range.dimensions++] = size;
    std::size_t index = 0;
    for (const std::size_t count : items) {
        const std::size_t local = range.local[index];
        range.global[index++] = (count + local - 1) / local * local;
    }
    return range;
}

// `groups` groups of `size` work-items.
inline Range groups_of(std::size_t groups, std::size_t size) {
    return cover({groups * size}, {size});
}

// The largest group of at most `wanted` work-items that this kernel can have here, a multiple of `unit` (the kernel's
// preferred one when 0) where that is possible.
inline std::size_t group_within(const Kernel& kernel, std::size_t wanted, std::size_t unit = 0) {
    const std::size_t most = std::min(wanted, kernel.group_size());
    const std::size_t multiple = unit == 0 ? kernel.preferred_multiple() : unit;
    return most >= multiple ? most / multiple * multiple : std::max<std::size_t>(1, most);
}

// Local memory of a group, as an argument.
struct LocalBytes {
    std::size_t bytes;
};

// One plane as an argument: the IMAGE of kernels/image.cl, three arguments of the kernel.
struct Plane {
    cl::Memory memory = nullptr;
    std::uint64_t offset = 0;  // bytes
    std::uint32_t stride = 0;  // bytes
};

namespace detail {

inline void set(cl::Kernel kernel, cl::UInt index, std::size_t bytes, const void* value) {
    check(cl::api().SetKernelArg(kernel, index, bytes, value), "setting a kernel's argument");
}

inline void set_argument(cl::Kernel kernel, cl::UInt& index, cl::Memory memory) {
    set(kernel, index++, sizeof memory, &memory);
}
template <class T>
void set_argument(cl::Kernel kernel, cl::UInt& index, const Buffer<T>& buffer) {
    set_argument(kernel, index, buffer.get());
}
inline void set_argument(cl::Kernel kernel, cl::UInt& index, LocalBytes local) {
    set(kernel, index++, local.bytes, nullptr);
}
inline void set_argument(cl::Kernel kernel, cl::UInt& index, const Plane& plane) {
    set_argument(kernel, index, plane.memory);
    set(kernel, index++, sizeof plane.offset, &plane.offset);
    set(kernel, index++, sizeof plane.stride, &plane.stride);
}
// Numbers and plain structs, of the size that the kernel declares. No bool, whose size OpenCL leaves open.
template <class T>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
         !std::is_same_v<T, bool>) void set_argument(cl::Kernel kernel, cl::UInt& index, const T& value) {
    set(kernel, index++, sizeof value, &value);
}

}  // namespace detail

// Queues the kernel. Arguments: cl::Memory or Buffer for `__global T*`, Plane for IMAGE, LocalBytes for `__local T*`,
// numbers and plain structs by value.
template <class... Arguments>
void launch(cl::Queue queue, const Kernel& kernel, const Range& range, const Arguments&... arguments) {
    cl::UInt index = 0;
    (detail::set_argument(kernel.get(), index, arguments), ...);
    check(cl::api().EnqueueNDRangeKernel(queue, kernel.get(), range.dimensions, nullptr, range.global.data(),
                                         range.local.data(), 0, nullptr, nullptr),
          "starting a kernel");
}

// Small copies of one plan's own arrays; the host's memory stays as it is until the queue has got there, or with
// cl::blocking until the call returns.
template <class T>
void write(cl::Queue queue, const Buffer<T>& to, const T* from, std::size_t count, cl::Bool how = cl::queued) {
    if (count == 0) return;
    check(cl::api().EnqueueWriteBuffer(queue, to.get(), how, 0, count * sizeof(T), from, 0, nullptr, nullptr),
          "copying to the device");
}
template <class T>
void read(cl::Queue queue, const Buffer<T>& from, T* to, std::size_t count, cl::Bool how = cl::blocking) {
    if (count == 0) return;
    check_wait(cl::api().EnqueueReadBuffer(queue, from.get(), how, 0, count * sizeof(T), to, 0, nullptr, nullptr),
               "copying from the device");
}
template <class T>
void fill_zero(cl::Queue queue, const Buffer<T>& buffer, std::size_t count) {
    const std::uint32_t zero = 0;
    static_assert(sizeof(T) % sizeof zero == 0, "filled by words of four bytes");
    if (count == 0) return;
    check(
        cl::api().EnqueueFillBuffer(queue, buffer.get(), &zero, sizeof zero, 0, count * sizeof(T), 0, nullptr, nullptr),
        "clearing device memory");
}

}  // namespace vedette::opencl
