// The part of the OpenCL 1.2 C interface that this backend uses, declared here and looked up at run time.
//
// Why not <CL/cl.h>: the library is opened late, so that no function of it may be linked and each needs a pointer type
// of its own anyway; the interface has been frozen since 2011; and so the backend builds on every machine, also where
// an OpenCL driver is installed but no headers are. tests/api_check.cc holds every line of this file against the
// official headers where those are there. Source of names, types and numbers: The OpenCL Specification 1.2, Khronos.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/types.h>

namespace vedette::opencl::cl {

using Int = std::int32_t;
using UInt = std::uint32_t;
using Bool = std::uint32_t;
using Bits = std::uint64_t;
using Property = std::intptr_t;

using Platform = struct PlatformObject*;
using Device = struct DeviceObject*;
using Context = struct ContextObject*;
using Queue = struct QueueObject*;
using Memory = struct MemoryObject*;
using Program = struct ProgramObject*;
using Kernel = struct KernelObject*;
using Event = struct EventObject*;

inline constexpr Bool blocking = 1, queued = 0;

// Results of calls.
inline constexpr Int success = 0;
inline constexpr Int device_not_found = -1;
inline constexpr Int device_not_available = -2;
inline constexpr Int compiler_not_available = -3;
inline constexpr Int allocation_failure = -4;
inline constexpr Int out_of_resources = -5;
inline constexpr Int out_of_host_memory = -6;
inline constexpr Int build_program_failure = -11;
inline constexpr Int failed_events_in_wait_list = -14;
inline constexpr Int invalid_queue = -36;
inline constexpr Int invalid_binary = -42;
inline constexpr Int invalid_group_size = -54;
inline constexpr Int invalid_buffer_size = -61;
inline constexpr Int platform_not_found = -1001;  // of the ICD loader

// What can be asked of platforms and devices.
inline constexpr UInt platform_version = 0x0901;
inline constexpr UInt platform_name = 0x0902;

inline constexpr UInt device_type = 0x1000;
inline constexpr UInt device_compute_units = 0x1002;
inline constexpr UInt device_group_size = 0x1004;
inline constexpr UInt device_item_sizes = 0x1005;
inline constexpr UInt device_clock = 0x100C;
inline constexpr UInt device_address_bits = 0x100D;
inline constexpr UInt device_largest_allocation = 0x1010;
inline constexpr UInt device_base_alignment = 0x1019;  // bits
inline constexpr UInt device_single_config = 0x101B;
inline constexpr UInt device_global_bytes = 0x101F;
inline constexpr UInt device_constant_bytes = 0x1020;
inline constexpr UInt device_local_kind = 0x1022;
inline constexpr UInt device_local_bytes = 0x1023;
inline constexpr UInt device_little_endian = 0x1026;
inline constexpr UInt device_available = 0x1027;
inline constexpr UInt device_compiler = 0x1028;
inline constexpr UInt device_name = 0x102B;
inline constexpr UInt driver_version = 0x102D;
inline constexpr UInt device_version = 0x102F;
inline constexpr UInt device_extensions = 0x1030;
inline constexpr UInt device_double_config = 0x1032;
inline constexpr UInt device_unified_memory = 0x1035;
inline constexpr UInt device_native_floats = 0x103A;  // lanes of a vector register
// Of extensions: cl_khr_pci_bus_info, cl_khr_device_uuid, cl_nv_device_attribute_query, cl_amd_device_attribute_query.
inline constexpr UInt device_pci_bus_info = 0x410F;
inline constexpr UInt device_uuid = 0x106A;
inline constexpr UInt nv_pci_bus = 0x4008, nv_pci_slot = 0x4009, nv_pci_domain = 0x400A;
inline constexpr UInt amd_topology = 0x4037;

inline constexpr Bits type_cpu = 1u << 1, type_gpu = 1u << 2, type_accelerator = 1u << 3, type_all = 0xFFFFFFFFu;
inline constexpr Bits config_correct_divide = 1u << 7;  // division and square root are rounded correctly
inline constexpr UInt local_is_own = 1;                 // local memory is memory of its own, not global memory

inline constexpr Property context_platform = 0x1084;
inline constexpr Bits queue_profiling = 1u << 1;
inline constexpr Bits memory_read_write = 1u << 0, memory_write_only = 1u << 1, memory_read_only = 1u << 2,
                      memory_use_host = 1u << 3, memory_alloc_host = 1u << 4;
inline constexpr Bits map_read = 1u << 0, map_write = 1u << 1;

inline constexpr UInt program_binary_sizes = 0x1165, program_binaries = 0x1166;
inline constexpr UInt program_build_log = 0x1183;
inline constexpr UInt kernel_group_size = 0x11B0, kernel_local_bytes = 0x11B2, kernel_preferred_multiple = 0x11B3;
inline constexpr UInt event_status = 0x11D3;
inline constexpr Int status_complete = 0;  // negative: what the command failed with
inline constexpr UInt profiling_start = 0x1282, profiling_end = 0x1283;

// Every function: its name after "cl", and its type. `X(name, result, parameters)`.
#define VEDETTE_OPENCL_FUNCTIONS(X)                                                                                  \
    X(GetPlatformIDs, Int, (UInt, Platform*, UInt*))                                                                 \
    X(GetPlatformInfo, Int, (Platform, UInt, std::size_t, void*, std::size_t*))                                      \
    X(GetDeviceIDs, Int, (Platform, Bits, UInt, Device*, UInt*))                                                     \
    X(GetDeviceInfo, Int, (Device, UInt, std::size_t, void*, std::size_t*))                                          \
    X(CreateContext, Context,                                                                                        \
      (const Property*, UInt, const Device*, void (*)(const char*, const void*, std::size_t, void*), void*, Int*))   \
    X(ReleaseContext, Int, (Context))                                                                                \
    X(CreateCommandQueue, Queue, (Context, Device, Bits, Int*))                                                      \
    X(ReleaseCommandQueue, Int, (Queue))                                                                             \
    X(CreateBuffer, Memory, (Context, Bits, std::size_t, void*, Int*))                                               \
    X(ReleaseMemObject, Int, (Memory))                                                                               \
    X(CreateProgramWithSource, Program, (Context, UInt, const char**, const std::size_t*, Int*))                     \
    X(CreateProgramWithBinary, Program,                                                                              \
      (Context, UInt, const Device*, const std::size_t*, const unsigned char**, Int*, Int*))                         \
    X(BuildProgram, Int, (Program, UInt, const Device*, const char*, void (*)(Program, void*), void*))               \
    X(GetProgramInfo, Int, (Program, UInt, std::size_t, void*, std::size_t*))                                        \
    X(GetProgramBuildInfo, Int, (Program, Device, UInt, std::size_t, void*, std::size_t*))                           \
    X(ReleaseProgram, Int, (Program))                                                                                \
    X(CreateKernel, Kernel, (Program, const char*, Int*))                                                            \
    X(SetKernelArg, Int, (Kernel, UInt, std::size_t, const void*))                                                   \
    X(GetKernelWorkGroupInfo, Int, (Kernel, Device, UInt, std::size_t, void*, std::size_t*))                         \
    X(ReleaseKernel, Int, (Kernel))                                                                                  \
    X(EnqueueNDRangeKernel, Int,                                                                                     \
      (Queue, Kernel, UInt, const std::size_t*, const std::size_t*, const std::size_t*, UInt, const Event*, Event*)) \
    X(EnqueueReadBuffer, Int, (Queue, Memory, Bool, std::size_t, std::size_t, void*, UInt, const Event*, Event*))    \
    X(EnqueueWriteBuffer, Int,                                                                                       \
      (Queue, Memory, Bool, std::size_t, std::size_t, const void*, UInt, const Event*, Event*))                      \
    X(EnqueueReadBufferRect, Int,                                                                                    \
      (Queue, Memory, Bool, const std::size_t*, const std::size_t*, const std::size_t*, std::size_t, std::size_t,    \
       std::size_t, std::size_t, void*, UInt, const Event*, Event*))                                                 \
    X(EnqueueWriteBufferRect, Int,                                                                                   \
      (Queue, Memory, Bool, const std::size_t*, const std::size_t*, const std::size_t*, std::size_t, std::size_t,    \
       std::size_t, std::size_t, const void*, UInt, const Event*, Event*))                                           \
    X(EnqueueCopyBuffer, Int,                                                                                        \
      (Queue, Memory, Memory, std::size_t, std::size_t, std::size_t, UInt, const Event*, Event*))                    \
    X(EnqueueCopyBufferRect, Int,                                                                                    \
      (Queue, Memory, Memory, const std::size_t*, const std::size_t*, const std::size_t*, std::size_t, std::size_t,  \
       std::size_t, std::size_t, UInt, const Event*, Event*))                                                        \
    X(EnqueueFillBuffer, Int,                                                                                        \
      (Queue, Memory, const void*, std::size_t, std::size_t, std::size_t, UInt, const Event*, Event*))               \
    X(EnqueueMapBuffer, void*,                                                                                       \
      (Queue, Memory, Bool, Bits, std::size_t, std::size_t, UInt, const Event*, Event*, Int*))                       \
    X(EnqueueUnmapMemObject, Int, (Queue, Memory, void*, UInt, const Event*, Event*))                                \
    X(EnqueueMarkerWithWaitList, Int, (Queue, UInt, const Event*, Event*))                                           \
    X(EnqueueBarrierWithWaitList, Int, (Queue, UInt, const Event*, Event*))                                          \
    X(WaitForEvents, Int, (UInt, const Event*))                                                                      \
    X(GetEventInfo, Int, (Event, UInt, std::size_t, void*, std::size_t*))                                            \
    X(GetEventProfilingInfo, Int, (Event, UInt, std::size_t, void*, std::size_t*))                                   \
    X(ReleaseEvent, Int, (Event))                                                                                    \
    X(Flush, Int, (Queue))                                                                                           \
    X(Finish, Int, (Queue))

// The functions of the library that was found.
struct Functions {
#define VEDETTE_OPENCL_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
    VEDETTE_OPENCL_FUNCTIONS(VEDETTE_OPENCL_MEMBER)
#undef VEDETTE_OPENCL_MEMBER
    pid_t process = 0;  // that opened the library: drivers do not survive a fork
};

// The functions of libOpenCL.so.1 (the ICD loader, which finds the drivers), opened once for the process and never
// closed: drivers leave threads and exit handlers behind. NULL with a sentence in `reason` when there is none, or when
// it lacks a function of OpenCL 1.2. Thread-safe.
const Functions* find(std::string& reason);

// The same after `find` has found them.
const Functions& api() noexcept;

}  // namespace vedette::opencl::cl
