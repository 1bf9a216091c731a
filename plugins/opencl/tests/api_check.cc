// Every number and function of runtime/api.h against the official headers, as far as these go; compiled only.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "runtime/api.h"

#include <type_traits>

namespace vedette::opencl {

namespace {

// One argument passes like the other: opaque handles are pointers to other names.
template <class Ours, class Theirs>
constexpr bool passes_like = sizeof(Ours) == sizeof(Theirs) &&
                             std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>&& std::is_signed_v<Ours> ==
                                 std::is_signed_v<Theirs>&& std::is_integral_v<Ours> == std::is_integral_v<Theirs>;

template <class Ours, class Theirs>
constexpr bool alike = false;
template <class R, class... A, class S, class... B>
constexpr bool alike<R (*)(A...), S (*)(B...)> = [] {
    if constexpr (sizeof...(A) == sizeof...(B))
        return passes_like<R, S> && (passes_like<A, B> && ...);
    else
        return false;
}();

#define VEDETTE_OPENCL_ALIKE(name, result, parameters) \
    static_assert(alike<decltype(cl::Functions::name), decltype(&::cl##name)>, "cl" #name);
VEDETTE_OPENCL_FUNCTIONS(VEDETTE_OPENCL_ALIKE)
#undef VEDETTE_OPENCL_ALIKE

static_assert(cl::success == CL_SUCCESS);
static_assert(cl::device_not_found == CL_DEVICE_NOT_FOUND);
static_assert(cl::device_not_available == CL_DEVICE_NOT_AVAILABLE);
static_assert(cl::compiler_not_available == CL_COMPILER_NOT_AVAILABLE);
static_assert(cl::allocation_failure == CL_MEM_OBJECT_ALLOCATION_FAILURE);
static_assert(cl::out_of_resources == CL_OUT_OF_RESOURCES);
static_assert(cl::out_of_host_memory == CL_OUT_OF_HOST_MEMORY);
static_assert(cl::build_program_failure == CL_BUILD_PROGRAM_FAILURE);
static_assert(cl::failed_events_in_wait_list == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
static_assert(cl::invalid_queue == CL_INVALID_COMMAND_QUEUE);
static_assert(cl::invalid_binary == CL_INVALID_BINARY);
static_assert(cl::invalid_group_size == CL_INVALID_WORK_GROUP_SIZE);
static_assert(cl::invalid_buffer_size == CL_INVALID_BUFFER_SIZE);
static_assert(cl::platform_not_found == CL_PLATFORM_NOT_FOUND_KHR);
static_assert(cl::blocking == CL_TRUE && cl::queued == CL_FALSE);

static_assert(cl::platform_version == CL_PLATFORM_VERSION);
static_assert(cl::platform_name == CL_PLATFORM_NAME);
static_assert(cl::device_type == CL_DEVICE_TYPE);
static_assert(cl::device_compute_units == CL_DEVICE_MAX_COMPUTE_UNITS);
static_assert(cl::device_group_size == CL_DEVICE_MAX_WORK_GROUP_SIZE);
static_assert(cl::device_item_sizes == CL_DEVICE_MAX_WORK_ITEM_SIZES);
static_assert(cl::device_clock == CL_DEVICE_MAX_CLOCK_FREQUENCY);
static_assert(cl::device_address_bits == CL_DEVICE_ADDRESS_BITS);
static_assert(cl::device_largest_allocation == CL_DEVICE_MAX_MEM_ALLOC_SIZE);
static_assert(cl::device_base_alignment == CL_DEVICE_MEM_BASE_ADDR_ALIGN);
static_assert(cl::device_single_config == CL_DEVICE_SINGLE_FP_CONFIG);
static_assert(cl::device_global_bytes == CL_DEVICE_GLOBAL_MEM_SIZE);
static_assert(cl::device_constant_bytes == CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
static_assert(cl::device_local_kind == CL_DEVICE_LOCAL_MEM_TYPE);
static_assert(cl::device_local_bytes == CL_DEVICE_LOCAL_MEM_SIZE);
static_assert(cl::device_little_endian == CL_DEVICE_ENDIAN_LITTLE);
static_assert(cl::device_available == CL_DEVICE_AVAILABLE);
static_assert(cl::device_compiler == CL_DEVICE_COMPILER_AVAILABLE);
static_assert(cl::device_name == CL_DEVICE_NAME);
static_assert(cl::driver_version == CL_DRIVER_VERSION);
static_assert(cl::device_version == CL_DEVICE_VERSION);
static_assert(cl::device_extensions == CL_DEVICE_EXTENSIONS);
static_assert(cl::device_double_config == CL_DEVICE_DOUBLE_FP_CONFIG);
static_assert(cl::device_unified_memory == CL_DEVICE_HOST_UNIFIED_MEMORY);
static_assert(cl::device_native_floats == CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
#ifdef CL_DEVICE_PCI_BUS_INFO_KHR
static_assert(cl::device_pci_bus_info == CL_DEVICE_PCI_BUS_INFO_KHR);
#endif
#ifdef CL_DEVICE_UUID_KHR
static_assert(cl::device_uuid == CL_DEVICE_UUID_KHR);
#endif
#ifdef CL_DEVICE_TOPOLOGY_AMD
static_assert(cl::amd_topology == CL_DEVICE_TOPOLOGY_AMD);
#endif
static_assert(cl::type_cpu == CL_DEVICE_TYPE_CPU);
static_assert(cl::type_gpu == CL_DEVICE_TYPE_GPU);
static_assert(cl::type_accelerator == CL_DEVICE_TYPE_ACCELERATOR);
static_assert(cl::type_all == CL_DEVICE_TYPE_ALL);
static_assert(cl::config_correct_divide == CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
static_assert(cl::local_is_own == CL_LOCAL);
static_assert(cl::context_platform == CL_CONTEXT_PLATFORM);
static_assert(cl::queue_profiling == CL_QUEUE_PROFILING_ENABLE);
static_assert(cl::memory_read_write == CL_MEM_READ_WRITE);
static_assert(cl::memory_write_only == CL_MEM_WRITE_ONLY);
static_assert(cl::memory_read_only == CL_MEM_READ_ONLY);
static_assert(cl::memory_use_host == CL_MEM_USE_HOST_PTR);
static_assert(cl::memory_alloc_host == CL_MEM_ALLOC_HOST_PTR);
static_assert(cl::map_read == CL_MAP_READ && cl::map_write == CL_MAP_WRITE);
static_assert(cl::program_binary_sizes == CL_PROGRAM_BINARY_SIZES);
static_assert(cl::program_binaries == CL_PROGRAM_BINARIES);
static_assert(cl::program_build_log == CL_PROGRAM_BUILD_LOG);
static_assert(cl::kernel_group_size == CL_KERNEL_WORK_GROUP_SIZE);
static_assert(cl::kernel_local_bytes == CL_KERNEL_LOCAL_MEM_SIZE);
static_assert(cl::kernel_preferred_multiple == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
static_assert(cl::event_status == CL_EVENT_COMMAND_EXECUTION_STATUS);
static_assert(cl::status_complete == CL_COMPLETE);
static_assert(cl::profiling_start == CL_PROFILING_COMMAND_START);
static_assert(cl::profiling_end == CL_PROFILING_COMMAND_END);

}  // namespace

}  // namespace vedette::opencl
