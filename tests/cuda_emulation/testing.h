// What the tests of the stand-in share.
#pragma once
#include <cuda_runtime.h>

#include <utility>
#include <vector>

#include "boost_test.h"
#include "vedette_emulation/faults.h"

/// Everything as without faults, before and after each test.
struct Clean {
    Clean() { reset(); }
    ~Clean() { reset(); }
    Clean(const Clean&) = delete;
    Clean& operator=(const Clean&) = delete;
    static void reset() {
        vedette_emulation::reset_faults();
        cudaSetDevice(0);
        cudaGetLastError();
    }
};

inline cudaLaunchConfig_t configure(dim3 grid, dim3 block, size_t dynamic_shared = 0, cudaStream_t stream = nullptr) {
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = dynamic_shared;
    config.stream = stream;
    return config;
}

/// Launches and waits.
template <typename... Parameters, typename... Arguments>
cudaError_t run_kernel(dim3 grid, dim3 block, size_t dynamic_shared, void (*kernel)(Parameters...),
                       Arguments&&... arguments) {
    const cudaLaunchConfig_t config = configure(grid, block, dynamic_shared);
    const cudaError_t error = cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
    return error != cudaSuccess ? error : cudaDeviceSynchronize();
}

/// Device memory for `count` elements, zero at first.
template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(size_t count) : count_(count) {
        BOOST_REQUIRE_EQUAL(cudaMalloc(&data_, count * sizeof(T)), cudaSuccess);
        BOOST_REQUIRE_EQUAL(cudaMemset(data_, 0, count * sizeof(T)), cudaSuccess);
    }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
        BOOST_REQUIRE_EQUAL(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
    }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* data() const { return data_; }
    std::vector<T> values() const {
        std::vector<T> copy(count_);
        BOOST_REQUIRE_EQUAL(cudaMemcpy(copy.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
        return copy;
    }

private:
    size_t count_;
    T* data_ = nullptr;
};
