// What a test can set: the devices there are, and what goes wrong. All functions may be called from any thread, at any
// time; what is set holds for the whole process until it is set again. The environment variables are read at first use:
//   VEDETTE_CUDA_EMULATION_DEVICES=0..8         VEDETTE_CUDA_EMULATION_CAPABILITY=9.0
//   VEDETTE_CUDA_EMULATION_MEMORY=BYTES         VEDETTE_CUDA_EMULATION_MULTIPROCESSORS=4
//   VEDETTE_CUDA_EMULATION_NO_DRIVER=1          VEDETTE_CUDA_EMULATION_STREAMS=immediate|deferred
//   VEDETTE_CUDA_EMULATION_ORDER=forward|reverse|random:SEED
//   VEDETTE_CUDA_EMULATION_FAIL=FUNCTION:N:CODE[,FUNCTION:N:CODE...]   the N-th call from now on returns CODE
//   VEDETTE_CUDA_EMULATION_STICKY=DEVICE:CODE
#pragma once
#include <cstddef>
#include <cstdint>

#include "types.h"

namespace vedette_emulation {

constexpr int max_devices = 8;
enum class ThreadOrder { forward, reverse, random };

/// Everything as the environment says, and all counts of calls at 0. Device memory, streams and graphs stay.
void reset_faults();
void set_device_count(int count);
void set_multiprocessors(int count);
void set_compute_capability(int major, int minor);
/// Bytes of device memory of each device: what goes beyond is cudaErrorMemoryAllocation.
void set_device_memory(size_t bytes);
/// No driver: every function returns cudaErrorInsufficientDriver.
void set_no_driver(bool missing);
/// The `n`-th call of `function` ("cudaMalloc") from now on, n >= 1, does nothing and returns `error`, once.
/// Launches go by the name "cudaLaunchKernelEx", templates by the function they call.
void fail_call(const char* function, int n, cudaError_t error);
/// How often `function` has been called since the last reset_faults().
uint64_t calls_of(const char* function);
/// Every function that works with the device returns `error` from now on; cudaSuccess takes it away.
void set_sticky_error(int device, cudaError_t error);
void set_thread_order(ThreadOrder order, uint64_t seed = 0);
/// True: work of streams waits until something waits for it.
void set_deferred_streams(bool deferred);
/// Bytes of device memory in use, and pinned or registered allocations: for finding what was not given back.
size_t device_bytes_in_use(int device);
size_t host_allocations();
/// Streams, events, graphs and executable graphs that have not been destroyed.
size_t handles_in_use();

}  // namespace vedette_emulation
