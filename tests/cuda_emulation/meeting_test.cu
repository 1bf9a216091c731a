// Barriers of a block and the order of its threads.
#include <chrono>

#include "testing.h"

namespace {

using vedette_emulation::ThreadOrder;

/// A prefix sum in shared memory: every step needs its barriers.
__global__ void prefix_sums(const int* in, int* out) {
    __shared__ int buffer[256];
    const unsigned int i = threadIdx.x;
    buffer[i] = in[blockIdx.x * blockDim.x + i];
    __syncthreads();
    for (unsigned int step = 1; step < blockDim.x; step *= 2) {
        const int left = i >= step ? buffer[i - step] : 0;
        __syncthreads();
        buffer[i] += left;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + i] = buffer[i];
}

std::vector<int> prefix_sums_of(const std::vector<int>& in) {
    std::vector<int> sums(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
        sums[i] = in[i] + (i % 256 == 0 ? 0 : sums[i - 1]);
    }
    return sums;
}

std::vector<int> numbers(size_t count) {
    std::vector<int> made(count);
    for (size_t i = 0; i < count; ++i) {
        made[i] = static_cast<int>(i * 7919 % 1009) - 500;
    }
    return made;
}

__global__ void write_then_read_without_barrier(int* out) {
    __shared__ int buffer[64];
    buffer[threadIdx.x] = static_cast<int>(threadIdx.x) + 1;
    out[threadIdx.x] = buffer[threadIdx.x ^ 32];
    __syncthreads();
    buffer[threadIdx.x] = 0;
}

__global__ void half_return_early(int* out) {
    if (threadIdx.x % 2 == 0) {
        return;
    }
    const int live = __syncthreads_count(1);
    const int all = __syncthreads_and(threadIdx.x != 3);
    const int any = __syncthreads_or(threadIdx.x == 3);
    out[threadIdx.x] = live * 100 + all * 10 + any;
}

__global__ void many_barriers(unsigned int* out) {
    unsigned int* shared = static_cast<unsigned int*>(vedette_emulated_dynamic_shared());
    unsigned int value = threadIdx.x;
    for (int i = 0; i < 5; ++i) {
        shared[threadIdx.x] = value;
        __syncthreads();
        value = shared[(threadIdx.x + 1) % blockDim.x] + 1;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(meeting, Clean)

BOOST_AUTO_TEST_CASE(barriers_hold_in_every_order) {
    const std::vector<int> in = numbers(1024);
    const DeviceArray<int> device_in(in);
    for (const ThreadOrder order : {ThreadOrder::forward, ThreadOrder::reverse, ThreadOrder::random}) {
        vedette_emulation::set_thread_order(order, 7);
        const DeviceArray<int> out(in.size());
        BOOST_REQUIRE_EQUAL(run_kernel(4, 256, 0, prefix_sums, device_in.data(), out.data()), cudaSuccess);
        BOOST_TEST(out.values() == prefix_sums_of(in), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(a_missing_barrier_shows) {
    const DeviceArray<int> out(64);
    BOOST_REQUIRE_EQUAL(run_kernel(1, 64, 0, write_then_read_without_barrier, out.data()), cudaSuccess);
    int wrong = 0;
    for (int i = 0; i < 64; ++i) {
        wrong += out.values()[static_cast<size_t>(i)] != (i ^ 32) + 1 ? 1 : 0;
    }
    BOOST_TEST(wrong > 0);
}

BOOST_AUTO_TEST_CASE(threads_that_have_returned_count_as_arrived) {
    const DeviceArray<int> out(64);
    BOOST_REQUIRE_EQUAL(run_kernel(1, 64, 0, half_return_early, out.data()), cudaSuccess);
    for (size_t i = 0; i < 64; ++i) {
        BOOST_TEST(out.values()[i] == (i % 2 == 0 ? 0 : 3201));
    }
}

BOOST_AUTO_TEST_CASE(a_thousand_blocks_of_ten_barriers_are_quick) {
    const DeviceArray<unsigned int> out(256000);
    const auto start = std::chrono::steady_clock::now();
    BOOST_REQUIRE_EQUAL(run_kernel(1000, 256, 1024, many_barriers, out.data()), cudaSuccess);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    BOOST_TEST_MESSAGE("1000 blocks of 256 threads with 10 barriers: " << took.count() << " s");
    const std::vector<unsigned int> values = out.values();
    for (size_t i = 0; i < values.size(); ++i) {
        BOOST_REQUIRE_EQUAL(values[i], (i % 256 + 5) % 256 + 5);
    }
}

BOOST_AUTO_TEST_SUITE_END()
