// Memory, copies, launches and faults of the runtime.
#include <cstring>
#include <string>
#include <thread>

#include "testing.h"

namespace {

using namespace vedette_emulation;

__global__ void nothing() {}
__global__ void add_one(int* values) {
    values[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}
__global__ void trap_in_one_thread(int* values) {
    if (threadIdx.x == 40) {
        __trap();
    }
    __syncthreads();
    values[threadIdx.x] = 1;
}
__global__ void use_much_shared() {}

__constant__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__global__ void read_table(int* out) {
    out[threadIdx.x] = table[threadIdx.x];
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(runtime, Clean)

BOOST_AUTO_TEST_CASE(the_device_answers) {
    int count = 0, device = -1, value = 0;
    BOOST_TEST(cudaGetDeviceCount(&count) == cudaSuccess);
    BOOST_TEST(count == 1);
    BOOST_TEST(cudaSetDevice(1) == cudaErrorInvalidDevice);
    BOOST_TEST(cudaGetLastError() == cudaErrorInvalidDevice);
    BOOST_TEST(cudaGetLastError() == cudaSuccess);
    set_device_count(2);
    set_compute_capability(8, 6);
    BOOST_TEST(cudaSetDevice(1) == cudaSuccess);
    BOOST_TEST(cudaGetDevice(&device) == cudaSuccess);
    BOOST_TEST(device == 1);
    cudaDeviceProp properties{};
    BOOST_TEST(cudaGetDeviceProperties(&properties, 1) == cudaSuccess);
    BOOST_TEST(properties.major * 10 + properties.minor == 86);
    BOOST_TEST(properties.sharedMemPerBlockOptin == 99u * 1024);
    BOOST_TEST(properties.clusterLaunch == 0);
    BOOST_TEST(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess);
    BOOST_TEST(value == 8);
    char first[16] = "", second[16] = "";
    BOOST_TEST(cudaDeviceGetPCIBusId(first, sizeof first, 0) == cudaSuccess);
    BOOST_TEST(cudaDeviceGetPCIBusId(second, sizeof second, 1) == cudaSuccess);
    BOOST_TEST(std::string(first) != second);
    BOOST_TEST(std::string(cudaGetErrorName(cudaErrorLaunchFailure)) == "cudaErrorLaunchFailure");
    BOOST_TEST(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
    // Each thread has its own current device.
    std::thread([&] { cudaGetDevice(&device); }).join();
    BOOST_TEST(device == 0);
}

BOOST_AUTO_TEST_CASE(device_memory_is_poisoned_counted_and_limited) {
    void* pointer = nullptr;
    set_device_memory(1000);
    BOOST_TEST(cudaMalloc(&pointer, 1001) == cudaErrorMemoryAllocation);
    BOOST_TEST((pointer == nullptr));
    BOOST_TEST(cudaMalloc(&pointer, 600) == cudaSuccess);
    BOOST_TEST(reinterpret_cast<size_t>(pointer) % 256 == 0u);
    void* second = nullptr;
    BOOST_TEST(cudaMalloc(&second, 401) == cudaErrorMemoryAllocation);
    size_t free_bytes = 0, total = 0;
    BOOST_TEST(cudaMemGetInfo(&free_bytes, &total) == cudaSuccess);
    BOOST_TEST(free_bytes == 400u);
    unsigned char bytes[600];
    BOOST_TEST(cudaMemcpy(bytes, pointer, 600, cudaMemcpyDeviceToHost) == cudaSuccess);
    BOOST_TEST(static_cast<int>(bytes[0]) == 0xCD);
    BOOST_TEST(static_cast<int>(bytes[599]) == 0xCD);
    BOOST_TEST(cudaFree(static_cast<char*>(pointer) + 1) == cudaErrorInvalidValue);
    BOOST_TEST(cudaFree(pointer) == cudaSuccess);
    BOOST_TEST(cudaFree(pointer) == cudaErrorInvalidValue);
    BOOST_TEST(device_bytes_in_use(0) == 0u);
    BOOST_TEST(cudaMalloc(&pointer, 0) == cudaSuccess);
    BOOST_TEST((pointer == nullptr));
}

BOOST_AUTO_TEST_CASE(copies_check_their_direction_and_size) {
    char* device = nullptr;
    char host[64] = "text";
    BOOST_REQUIRE_EQUAL(cudaMalloc(&device, 64), cudaSuccess);
    BOOST_TEST(cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice) == cudaSuccess);
    BOOST_TEST(cudaMemcpy(device, host, 64, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    BOOST_TEST(cudaMemcpy(host, host + 8, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    BOOST_TEST(cudaMemcpy(device + 1, host, 64, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    BOOST_TEST(cudaMemset(host, 0, 8) == cudaErrorInvalidValue);
    BOOST_TEST(cudaMemset2D(device, 16, 7, 8, 4) == cudaSuccess);
    BOOST_TEST(cudaMemset2D(device, 16, 7, 17, 4) == cudaErrorInvalidPitchValue);
    char rows[4][10] = {};
    BOOST_TEST(cudaMemcpy2D(rows, 10, device, 16, 10, 4, cudaMemcpyDefault) == cudaSuccess);
    BOOST_TEST(static_cast<int>(rows[3][7]) == 7);
    BOOST_TEST(rows[0][0] == 7);
    BOOST_TEST(rows[0][8] == host[8]);
    BOOST_TEST(cudaMemcpy2D(device, 32, rows, 10, 10, 3, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    cudaPointerAttributes attributes{};
    BOOST_TEST(cudaPointerGetAttributes(&attributes, device + 3) == cudaSuccess);
    BOOST_TEST(attributes.type == cudaMemoryTypeDevice);
    BOOST_TEST(cudaHostRegister(host, sizeof host, cudaHostRegisterDefault) == cudaSuccess);
    BOOST_TEST(cudaHostRegister(host + 8, 8, cudaHostRegisterDefault) == cudaErrorHostMemoryAlreadyRegistered);
    BOOST_TEST(cudaPointerGetAttributes(&attributes, host) == cudaSuccess);
    BOOST_TEST(attributes.type == cudaMemoryTypeHost);
    BOOST_TEST(host_allocations() == 1u);
    BOOST_TEST(cudaHostUnregister(host) == cudaSuccess);
    BOOST_TEST(cudaHostUnregister(host) == cudaErrorHostMemoryNotRegistered);
    BOOST_TEST(cudaFree(device) == cudaSuccess);
}

BOOST_AUTO_TEST_CASE(symbols_are_copied_within_their_size) {
    const int values[3] = {30, 40, 50};
    BOOST_TEST(cudaMemcpyToSymbol(table, values, sizeof values, 2 * sizeof(int)) == cudaSuccess);
    BOOST_TEST(cudaMemcpyToSymbol(table, values, sizeof values, 6 * sizeof(int)) == cudaErrorInvalidValue);
    const DeviceArray<int> out(8);
    BOOST_REQUIRE_EQUAL(run_kernel(1, 8, 0, read_table, out.data()), cudaSuccess);
    BOOST_TEST(out.values() == (std::vector<int>{1, 2, 30, 40, 50, 6, 7, 8}), boost::test_tools::per_element());
    int back[8] = {};
    BOOST_TEST(cudaMemcpyFromSymbol(back, table, sizeof back) == cudaSuccess);
    BOOST_TEST(back[4] == 50);
}

BOOST_AUTO_TEST_CASE(launches_are_checked_as_the_driver_does) {
    BOOST_TEST(run_kernel(1, 1024, 0, nothing) == cudaSuccess);
    BOOST_TEST(run_kernel(1, dim3(1024, 2), 0, nothing) == cudaErrorInvalidConfiguration);
    BOOST_TEST(run_kernel(1, dim3(1, 1, 65), 0, nothing) == cudaErrorInvalidConfiguration);
    BOOST_TEST(run_kernel(0, 32, 0, nothing) == cudaErrorInvalidConfiguration);
    BOOST_TEST(run_kernel(dim3(1, 65536), 32, 0, nothing) == cudaErrorInvalidConfiguration);
    BOOST_TEST(run_kernel(1, 32, 48 * 1024, use_much_shared) == cudaSuccess);
    BOOST_TEST(run_kernel(1, 32, 48 * 1024 + 1, use_much_shared) == cudaErrorInvalidValue);
    const auto allow = [](int bytes) {
        return cudaFuncSetAttribute(use_much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    };
    BOOST_TEST(allow(227 * 1024 + 1) == cudaErrorInvalidValue);
    BOOST_TEST(allow(227 * 1024) == cudaSuccess);
    BOOST_TEST(run_kernel(1, 32, 227 * 1024, use_much_shared) == cudaSuccess);
    int blocks = 0;
    BOOST_TEST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, use_much_shared, 256, 100 * 1024) == cudaSuccess);
    BOOST_TEST(blocks == 2);

    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = configure(48, 32);
    config.attrs = &cluster;
    config.numAttrs = 1;
    const auto launch = [&](unsigned int size) {
        cluster.val.clusterDim.x = size;
        return cudaLaunchKernelEx(&config, nothing);
    };
    BOOST_TEST(launch(8) == cudaSuccess);
    BOOST_TEST(launch(16) == cudaErrorInvalidClusterSize);
    BOOST_TEST(launch(5) == cudaErrorInvalidClusterSize);
    BOOST_TEST(cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess);
    BOOST_TEST(launch(16) == cudaSuccess);
    set_compute_capability(8, 0);
    BOOST_TEST(launch(2) == cudaErrorNotSupported);
}

BOOST_AUTO_TEST_CASE(faults_come_when_they_were_set) {
    void* pointer = nullptr;
    reset_faults();
    fail_call("cudaMalloc", 2, cudaErrorMemoryAllocation);
    BOOST_TEST(cudaMalloc(&pointer, 8) == cudaSuccess);
    BOOST_TEST(cudaFree(pointer) == cudaSuccess);
    BOOST_TEST(cudaMalloc(&pointer, 8) == cudaErrorMemoryAllocation);
    BOOST_TEST(cudaMalloc(&pointer, 8) == cudaSuccess);
    BOOST_TEST(cudaFree(pointer) == cudaSuccess);
    BOOST_TEST(calls_of("cudaMalloc") == 3u);
    fail_call("cudaLaunchKernelEx", 1, cudaErrorLaunchOutOfResources);
    BOOST_TEST(run_kernel(1, 32, 0, nothing) == cudaErrorLaunchOutOfResources);
    BOOST_TEST(run_kernel(1, 32, 0, nothing) == cudaSuccess);

    set_sticky_error(0, cudaErrorIllegalAddress);
    BOOST_TEST(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    BOOST_TEST(cudaMalloc(&pointer, 8) == cudaErrorIllegalAddress);
    BOOST_TEST(cudaGetLastError() == cudaErrorIllegalAddress);
    BOOST_TEST(cudaGetLastError() == cudaErrorIllegalAddress);
    reset_faults();

    int count = -1, version = -1;
    set_device_count(0);
    BOOST_TEST(cudaGetDeviceCount(&count) == cudaErrorNoDevice);
    BOOST_TEST(count == 0);
    set_no_driver(true);
    BOOST_TEST(cudaGetDeviceCount(&count) == cudaErrorInsufficientDriver);
    BOOST_TEST(cudaDriverGetVersion(&version) == cudaSuccess);
    BOOST_TEST(version == 0);
}

BOOST_AUTO_TEST_CASE(a_trap_ends_the_launch_and_stays) {
    const DeviceArray<int> values(64);
    BOOST_TEST(run_kernel(1, 64, 0, trap_in_one_thread, values.data()) == cudaErrorLaunchFailure);
    BOOST_TEST(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    set_sticky_error(0, cudaSuccess);
    for (const int value : values.values()) {
        BOOST_TEST(value == 0);
    }
    BOOST_TEST(run_kernel(1, 64, 0, add_one, values.data()) == cudaSuccess);
    BOOST_TEST(values.values()[63] == 1);
}

BOOST_AUTO_TEST_CASE(threads_of_the_host_launch_at_the_same_time) {
    std::vector<std::thread> threads;
    std::vector<int> sums(4);
    for (size_t t = 0; t < sums.size(); ++t) {
        threads.emplace_back([&sums, t] {
            int* values = nullptr;
            cudaStream_t stream = nullptr;
            std::vector<int> host(256, static_cast<int>(t));
            bool sound = cudaMalloc(&values, 1024) == cudaSuccess && cudaStreamCreate(&stream) == cudaSuccess &&
                         cudaMemcpyAsync(values, host.data(), 1024, cudaMemcpyHostToDevice, stream) == cudaSuccess;
            for (int i = 0; i < 20 && sound; ++i) {
                const cudaLaunchConfig_t config = configure(4, 64, 0, stream);
                sound = cudaLaunchKernelEx(&config, add_one, values) == cudaSuccess;
            }
            sound = sound &&
                    cudaMemcpyAsync(host.data(), values, 1024, cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
                    cudaStreamSynchronize(stream) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess &&
                    cudaFree(values) == cudaSuccess;
            sums[t] = sound ? host[0] + host[255] : -1;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (size_t t = 0; t < sums.size(); ++t) {
        BOOST_TEST(sums[t] == 2 * (static_cast<int>(t) + 20));
    }
}

BOOST_AUTO_TEST_SUITE_END()
