#include "error.h"

#include <array>
#include <utility>

namespace vedette::opencl {

namespace {

// Of NVIDIA's driver: a kernel read or wrote where no buffer is.
constexpr cl::Int illegal_access = -9999;

constexpr std::array<std::pair<cl::Int, const char*>, 13> names = {{
    {cl::device_not_found, "CL_DEVICE_NOT_FOUND"},
    {cl::device_not_available, "CL_DEVICE_NOT_AVAILABLE"},
    {cl::compiler_not_available, "CL_COMPILER_NOT_AVAILABLE"},
    {cl::allocation_failure, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {cl::out_of_resources, "CL_OUT_OF_RESOURCES"},
    {cl::out_of_host_memory, "CL_OUT_OF_HOST_MEMORY"},
    {cl::build_program_failure, "CL_BUILD_PROGRAM_FAILURE"},
    {cl::failed_events_in_wait_list, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {cl::invalid_queue, "CL_INVALID_COMMAND_QUEUE"},
    {cl::invalid_binary, "CL_INVALID_BINARY"},
    {cl::invalid_group_size, "CL_INVALID_WORK_GROUP_SIZE"},
    {cl::invalid_buffer_size, "CL_INVALID_BUFFER_SIZE"},
    {cl::platform_not_found, "CL_PLATFORM_NOT_FOUND_KHR"},
}};

Fault fault_of(cl::Int code, bool waiting) noexcept {
    switch (code) {
        case cl::out_of_resources:
            return waiting ? Fault::lost : Fault::memory;
        case cl::allocation_failure:
        case cl::out_of_host_memory:
        case cl::invalid_buffer_size:  // larger than the device's largest allocation
            return Fault::memory;
        case cl::device_not_found:
        case cl::compiler_not_available:
        case cl::build_program_failure:
        case cl::platform_not_found:
            return Fault::unavailable;
        // A queue of a context whose kernel failed is invalid from then on with NVIDIA's driver.
        case cl::device_not_available:
        case cl::failed_events_in_wait_list:
        case cl::invalid_queue:
        case illegal_access:
            return Fault::lost;
        default:
            return Fault::internal;
    }
}

void check_as(cl::Int code, const char* what, bool waiting) {
    if (code == cl::success) return;
    throw Error(fault_of(code, waiting), std::string(what) + " failed: " + name_of(code), code);
}

}  // namespace

std::string name_of(cl::Int code) {
    for (const auto& [number, name] : names)
        if (number == code) return name;
    return "OpenCL error " + std::to_string(code);
}

void check(cl::Int code, const char* what) {
    check_as(code, what, false);
}

void check_wait(cl::Int code, const char* what) {
    check_as(code, what, true);
}

}  // namespace vedette::opencl
