#include "error.h"

namespace vedette::cuda {

Fault fault_of(cudaError_t code) noexcept {
    switch (code) {
        case cudaErrorMemoryAllocation:
            return Fault::memory;
        case cudaErrorInsufficientDriver:
        case cudaErrorNoDevice:
        case cudaErrorNoKernelImageForDevice:
        case cudaErrorInitializationError:
        case cudaErrorSystemDriverMismatch:
        case cudaErrorCompatNotSupportedOnDevice:
        case cudaErrorDevicesUnavailable:
            return Fault::unavailable;
        // The runtime's documentation calls these unrecoverable: the process must end to use the device again.
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchFailure:
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        case cudaErrorUnknown:
            return Fault::lost;
        default:
            return Fault::internal;
    }
}

void check(cudaError_t code, const char* what) {
    if (code == cudaSuccess) return;
    (void)cudaGetLastError();
    throw Error(fault_of(code),
                std::string(what) + " failed: " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")", code);
}

}  // namespace vedette::cuda
