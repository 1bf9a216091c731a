// The error codes of the CUDA Runtime API that the stand-in or its users know by name, with their real values.
#pragma once

// code(name, value, what cudaGetErrorString says)
#define VEDETTE_EMULATED_ERRORS(code)                                                                                                                                                             \
    code(cudaSuccess, 0, "no error") code(cudaErrorInvalidValue, 1, "invalid argument") code(                                                                                                     \
        cudaErrorMemoryAllocation, 2, "out of memory") code(cudaErrorInitializationError, 3,                                                                                                      \
                                                            "initialization error") code(cudaErrorCudartUnloading, 4,                                                                             \
                                                                                         "driver shutting down")                                                                                  \
        code(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") code(                                                                                                            \
            cudaErrorInvalidPitchValue, 12,                                                                                                                                                       \
            "invalid pitch argument") code(cudaErrorInvalidSymbol, 13,                                                                                                                            \
                                           "invalid device symbol") code(cudaErrorInvalidDevicePointer, 17,                                                                                       \
                                                                         "invalid device pointer")                                                                                                \
            code(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") code(                                                                                                  \
                cudaErrorStubLibrary,                                                                                                                                                             \
                34, "CUDA driver is a stub library") code(cudaErrorInsufficientDriver, 35,                                                                                                        \
                                                          "CUDA driver version is insufficient for CUDA runtime "                                                                                 \
                                                          "version") code(cudaErrorDevicesUnavailable, 46,                                                                                        \
                                                                          "CUDA-capable device(s) is/are busy or "                                                                                \
                                                                          "unavailable")                                                                                                          \
                code(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context") code(                                                                                                 \
                    cudaErrorInvalidDeviceFunction, 98,                                                                                                                                           \
                    "invalid device function") code(cudaErrorNoDevice, 100,                                                                                                                       \
                                                    "no CUDA-capable device is detected") code(cudaErrorInvalidDevice,                                                                            \
                                                                                               101,                                                                                               \
                                                                                               "invalid device "                                                                                  \
                                                                                               "ordinal")                                                                                         \
                    code(cudaErrorStartupFailure, 127, "startup failure in cuda runtime") code(                                                                                                   \
                        cudaErrorInvalidKernelImage, 200,                                                                                                                                         \
                        "device kernel image is invalid") code(cudaErrorDeviceUninitialized, 201,                                                                                                 \
                                                               "invalid device context") code(cudaErrorNoKernelImageForDevice,                                                                    \
                                                                                              209,                                                                                                \
                                                                                              "no kernel image is "                                                                               \
                                                                                              "available for "                                                                                    \
                                                                                              "execution on the "                                                                                 \
                                                                                              "device")                                                                                           \
                        code(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered") code(                                                                                         \
                            cudaErrorPeerAccessUnsupported, 217,                                                                                                                                  \
                            "peer access is not supported between these two devices")                                                                                                             \
                            code(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed") code(                                                                                                  \
                                cudaErrorNvlinkUncorrectable, 220,                                                                                                                                \
                                "uncorrectable NVLink error detected during the execution")                                                                                                       \
                                code(cudaErrorJitCompilerNotFound, 221, "PTX JIT compiler library not found") code(                                                                               \
                                    cudaErrorUnsupportedPtxVersion, 222,                                                                                                                          \
                                    "the provided PTX was compiled with an unsupported toolchain.") code(cudaErrorContained,                                                                      \
                                                                                                         226,                                                                                     \
                                                                                                         "Invalid "                                                                               \
                                                                                                         "access of "                                                                             \
                                                                                                         "peer GPU "                                                                              \
                                                                                                         "memory "                                                                                \
                                                                                                         "over "                                                                                  \
                                                                                                         "nvlink or "                                                                             \
                                                                                                         "a hardware "                                                                            \
                                                                                                         "error")                                                                                 \
                                    code(cudaErrorOperatingSystem, 304,                                                                                                                           \
                                         "OS call failed or operation not supported on this OS")                                                                                                  \
                                        code(cudaErrorInvalidResourceHandle, 400, "invalid resource handle") code(                                                                                \
                                            cudaErrorIllegalState, 401,                                                                                                                           \
                                            "the operation cannot be performed in the present state")                                                                                             \
                                            code(cudaErrorSymbolNotFound, 500, "named symbol not found") code(                                                                                    \
                                                cudaErrorNotReady, 600,                                                                                                                           \
                                                "device not ready") code(cudaErrorIllegalAddress, 700,                                                                                            \
                                                                         "an illegal memory access was encountered")                                                                              \
                                                code(                                                                                                                                             \
                                                    cudaErrorLaunchOutOfResources, 701,                                                                                                           \
                                                    "too many resources requested for launch") code(cudaErrorLaunchTimeout,                                                                       \
                                                                                                    702,                                                                                          \
                                                                                                    "the launch "                                                                                 \
                                                                                                    "timed out and "                                                                              \
                                                                                                    "was terminated")                                                                             \
                                                    code(                                                                                                                                         \
                                                        cudaErrorPeerAccessAlreadyEnabled, 704,                                                                                                   \
                                                        "peer access is already enabled") code(cudaErrorPeerAccessNotEnabled,                                                                     \
                                                                                               705,                                                                                               \
                                                                                               "peer access has not "                                                                             \
                                                                                               "been enabled")                                                                                    \
                                                        code(cudaErrorContextIsDestroyed, 709,                                                                                                    \
                                                             "context is destroyed") code(cudaErrorAssert, 710,                                                                                   \
                                                                                          "device-side assert "                                                                                   \
                                                                                          "triggered")                                                                                            \
                                                            code(                                                                                                                                 \
                                                                cudaErrorHostMemoryAlreadyRegistered, 712,                                                                                        \
                                                                "part or all of the requested memory range is "                                                                                   \
                                                                "already mapped") code(cudaErrorHostMemoryNotRegistered,                                                                          \
                                                                                       713,                                                                                                       \
                                                                                       "pointer does not correspond "                                                                             \
                                                                                       "to a registered memory "                                                                                  \
                                                                                       "region")                                                                                                  \
                                                                code(cudaErrorHardwareStackError, 714,                                                                                            \
                                                                     "hardware stack error") code(cudaErrorIllegalInstruction,                                                                    \
                                                                                                  715,                                                                                            \
                                                                                                  "an illegal "                                                                                   \
                                                                                                  "instruction was "                                                                              \
                                                                                                  "encountered") code(cudaErrorMisalignedAddress,                                                 \
                                                                                                                      716,                                                                        \
                                                                                                                      "misaligned address")                                                       \
                                                                    code(cudaErrorInvalidAddressSpace, 717,                                                                                       \
                                                                         "operation not supported on global/shared "                                                                              \
                                                                         "address space") code(cudaErrorInvalidPc,                                                                                \
                                                                                               718,                                                                                               \
                                                                                               "invalid program "                                                                                 \
                                                                                               "counter") code(cudaErrorLaunchFailure,                                                            \
                                                                                                               719,                                                                               \
                                                                                                               "unspe"                                                                            \
                                                                                                               "cifie"                                                                            \
                                                                                                               "d "                                                                               \
                                                                                                               "launc"                                                                            \
                                                                                                               "h "                                                                               \
                                                                                                               "failu"                                                                            \
                                                                                                               "re")                                                                              \
                                                                        code(                                                                                                                     \
                                                                            cudaErrorCooperativeLaunchTooLarge,                                                                                   \
                                                                            720,                                                                                                                  \
                                                                            "too many blocks in cooperative launch") code(cudaErrorNotPermitted,                                                  \
                                                                                                                          800,                                                                    \
                                                                                                                          "operation not permitted")                                              \
                                                                            code(cudaErrorNotSupported, 801,                                                                                      \
                                                                                 "operation not supported")                                                                                       \
                                                                                code(                                                                                                             \
                                                                                    cudaErrorSystemNotReady,                                                                                      \
                                                                                    802,                                                                                                          \
                                                                                    "system not yet initialized") code(cudaErrorSystemDriverMismatch, 803,                                        \
                                                                                                                       "system has unsupported display driver / cuda driver combination")         \
                                                                                    code(                                                                                                         \
                                                                                        cudaErrorCompatNotSupportedOnDevice,                                                                      \
                                                                                        804,                                                                                                      \
                                                                                        "forward compatibility was "                                                                              \
                                                                                        "attempted on non supported "                                                                             \
                                                                                        "HW") code(cudaErrorMpsConnectionFailed,                                                                  \
                                                                                                   805,                                                                                           \
                                                                                                   "MPS client "                                                                                  \
                                                                                                   "failed to "                                                                                   \
                                                                                                   "connect to the "                                                                              \
                                                                                                   "MPS control "                                                                                 \
                                                                                                   "daemon or the "                                                                               \
                                                                                                   "MPS server") code(cudaErrorStreamCaptureUnsupported,                                          \
                                                                                                                      900,                                                                        \
                                                                                                                      "operation not permitted when stream is capturing")                         \
                                                                                        code(                                                                                                     \
                                                                                            cudaErrorStreamCaptureInvalidated,                                                                    \
                                                                                            901,                                                                                                  \
                                                                                            "operation failed due to "                                                                            \
                                                                                            "a previous error during "                                                                            \
                                                                                            "capture")                                                                                            \
                                                                                            code(                                                                                                 \
                                                                                                cudaErrorStreamCaptureMerge,                                                                      \
                                                                                                902,                                                                                              \
                                                                                                "operation would "                                                                                \
                                                                                                "result in a merge "                                                                              \
                                                                                                "of separate capture "                                                                            \
                                                                                                "sequences") code(cudaErrorStreamCaptureUnmatched,                                                \
                                                                                                                  903,                                                                            \
                                                                                                                  "ca"                                                                            \
                                                                                                                  "pt"                                                                            \
                                                                                                                  "ur"                                                                            \
                                                                                                                  "e "                                                                            \
                                                                                                                  "wa"                                                                            \
                                                                                                                  "s "                                                                            \
                                                                                                                  "no"                                                                            \
                                                                                                                  "t "                                                                            \
                                                                                                                  "en"                                                                            \
                                                                                                                  "de"                                                                            \
                                                                                                                  "d "                                                                            \
                                                                                                                  "in"                                                                            \
                                                                                                                  " t"                                                                            \
                                                                                                                  "he"                                                                            \
                                                                                                                  " s"                                                                            \
                                                                                                                  "am"                                                                            \
                                                                                                                  "e "                                                                            \
                                                                                                                  "st"                                                                            \
                                                                                                                  "re"                                                                            \
                                                                                                                  "am"                                                                            \
                                                                                                                  " a"                                                                            \
                                                                                                                  "s "                                                                            \
                                                                                                                  "it"                                                                            \
                                                                                                                  " b"                                                                            \
                                                                                                                  "eg"                                                                            \
                                                                                                                  "a"                                                                             \
                                                                                                                  "n")                                                                            \
                                                                                                code(cudaErrorStreamCaptureUnjoined,                                                              \
                                                                                                     904,                                                                                         \
                                                                                                     "capturing "                                                                                 \
                                                                                                     "stream has "                                                                                \
                                                                                                     "unjoined work") code(cudaErrorStreamCaptureIsolation,                                       \
                                                                                                                           905,                                                                   \
                                                                                                                           "dependency created on uncaptured work in another stream")             \
                                                                                                    code(                                                                                         \
                                                                                                        cudaErrorStreamCaptureImplicit,                                                           \
                                                                                                        906,                                                                                      \
                                                                                                        "operation "                                                                              \
                                                                                                        "would make "                                                                             \
                                                                                                        "the legacy "                                                                             \
                                                                                                        "stream "                                                                                 \
                                                                                                        "depend on a "                                                                            \
                                                                                                        "capturing "                                                                              \
                                                                                                        "blocking "                                                                               \
                                                                                                        "stream") code(cudaErrorCapturedEvent,                                                    \
                                                                                                                       907,                                                                       \
                                                                                                                       "operation not permitted on an event last recorded in a capturing stream") \
                                                                                                        code(cudaErrorStreamCaptureWrongThread,                                                   \
                                                                                                             908,                                                                                 \
                                                                                                             "attempt"                                                                            \
                                                                                                             " to "                                                                               \
                                                                                                             "termina"                                                                            \
                                                                                                             "te a "                                                                              \
                                                                                                             "thread-"                                                                            \
                                                                                                             "local "                                                                             \
                                                                                                             "capture"                                                                            \
                                                                                                             " sequen"                                                                            \
                                                                                                             "ce "                                                                                \
                                                                                                             "from "                                                                              \
                                                                                                             "another"                                                                            \
                                                                                                             " threa"                                                                             \
                                                                                                             "d") code(cudaErrorTimeout,                                                          \
                                                                                                                       909,                                                                       \
                                                                                                                       "wait operation timed out")                                                \
                                                                                                            code(                                                                                 \
                                                                                                                cudaErrorGraphExecUpdateFailure,                                                  \
                                                                                                                910,                                                                              \
                                                                                                                "the "                                                                            \
                                                                                                                "grap"                                                                            \
                                                                                                                "h "                                                                              \
                                                                                                                "upda"                                                                            \
                                                                                                                "te "                                                                             \
                                                                                                                "was "                                                                            \
                                                                                                                "not "                                                                            \
                                                                                                                "perf"                                                                            \
                                                                                                                "orme"                                                                            \
                                                                                                                "d "                                                                              \
                                                                                                                "beca"                                                                            \
                                                                                                                "use "                                                                            \
                                                                                                                "it "                                                                             \
                                                                                                                "incl"                                                                            \
                                                                                                                "uded"                                                                            \
                                                                                                                " cha"                                                                            \
                                                                                                                "nges"                                                                            \
                                                                                                                " whi"                                                                            \
                                                                                                                "ch "                                                                             \
                                                                                                                "viol"                                                                            \
                                                                                                                "ated"                                                                            \
                                                                                                                " con"                                                                            \
                                                                                                                "stra"                                                                            \
                                                                                                                "int"                                                                             \
                                                                                                                "s") code(cudaErrorExternalDevice,                                                \
                                                                                                                          911,                                                                    \
                                                                                                                          "an async error has occured in external entity outside of CUDA")        \
                                                                                                                code(                                                                             \
                                                                                                                    cudaErrorInvalidClusterSize,                                                  \
                                                                                                                    912,                                                                          \
                                                                                                                    "a kernel launch error has occurred due to cluster misconfiguration")         \
                                                                                                                    code(                                                                         \
                                                                                                                        cudaErrorUnknown,                                                         \
                                                                                                                        999,                                                                      \
                                                                                                                        "unknown error")

#define VEDETTE_EMULATED_ENUMERATOR(name, value, text) name = value,
enum cudaError { VEDETTE_EMULATED_ERRORS(VEDETTE_EMULATED_ENUMERATOR) };
#undef VEDETTE_EMULATED_ENUMERATOR
typedef enum cudaError cudaError_t;
