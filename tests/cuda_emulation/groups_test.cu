// Clusters, cooperative launches, named barriers, look-back between blocks, and dynamic shared memory.
#include <numeric>

#include "testing.h"

namespace {

cudaLaunchAttribute cluster_of(unsigned int x, unsigned int y = 1, unsigned int z = 1) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = x;
    attribute.val.clusterDim.y = y;
    attribute.val.clusterDim.z = z;
    return attribute;
}

cudaLaunchAttribute cooperative() {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    return attribute;
}

template <typename... Parameters, typename... Arguments>
cudaError_t run_with(cudaLaunchConfig_t config, std::vector<cudaLaunchAttribute> attributes,
                     void (*kernel)(Parameters...), Arguments... arguments) {
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned int>(attributes.size());
    const cudaError_t error = cudaLaunchKernelEx(&config, kernel, arguments...);
    return error != cudaSuccess ? error : cudaDeviceSynchronize();
}

/// Every block writes its number into the shared memory of the next block of its cluster.
__global__ void pass_on(unsigned int* out) {
    namespace emulation = vedette_emulation;
    auto* own = static_cast<unsigned int*>(vedette_emulated_dynamic_shared());
    const unsigned int rank = emulation::cluster_rank();
    const unsigned int next = (rank + 1) % emulation::cluster_size();
    emulation::cluster_barrier();
    auto* theirs = static_cast<unsigned int*>(emulation::cluster_map(own + threadIdx.x, next));
    *theirs = blockIdx.x * 100 + threadIdx.x;
    emulation::cluster_arrive();
    emulation::cluster_wait();
    out[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x];
}

__global__ void where(unsigned int* out) {
    const uint3 inside = vedette_emulation::cluster_block_index();
    const unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[block] = inside.x + 10 * inside.y + 100 * inside.z + 1000 * vedette_emulation::cluster_rank();
}

/// The sum of the whole grid in every block, by way of global memory.
__global__ void sum_over_grid(unsigned int* partial, unsigned int* out) {
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x + 1;
    }
    if (threadIdx.x == 5) {
        return;  // who has returned is not waited for
    }
    vedette_emulation::grid_barrier();
    unsigned int sum = 0;
    for (unsigned int i = 0; i < gridDim.x; ++i) {
        sum += partial[i];
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
    }
}

/// Prefix sums over blocks: each waits for the one before it.
__global__ void look_back(unsigned int* flags, unsigned int* out) {
    if (threadIdx.x == 0) {
        unsigned int before = 0;
        if (blockIdx.x > 0) {
            while ((before = atomicAdd(&flags[blockIdx.x - 1], 0u)) == 0) {
                __nanosleep(20);
            }
        }
        atomicExch(&flags[blockIdx.x], before + blockIdx.x + 1);
        out[blockIdx.x] = before + blockIdx.x + 1;
    }
}

/// The two halves of a block meet on their own, as often as each wants; then one hands over to the other.
__global__ void halves(int* out) {
    auto* shared = static_cast<int*>(vedette_emulated_dynamic_shared());
    const unsigned int half = threadIdx.x / 64;
    for (unsigned int i = 0; i < (half == 0 ? 3u : 5u); ++i) {
        shared[threadIdx.x] = static_cast<int>(threadIdx.x + i);
        vedette_emulation::named_barrier(1 + half, 64);
        out[threadIdx.x] += shared[half * 64 + (threadIdx.x + 1) % 64];
        vedette_emulation::named_barrier(1 + half, 64);
    }
    if (half == 0) {
        shared[threadIdx.x] = 1000;
        vedette_emulation::named_barrier_arrive(7, 128);
    } else {
        vedette_emulation::named_barrier(7, 128);
        out[threadIdx.x] += shared[threadIdx.x - 64];
    }
}

__global__ void fresh_shared(unsigned char* out, unsigned int bytes) {
    auto* shared = static_cast<unsigned char*>(vedette_emulated_dynamic_shared());
    unsigned char same = 1;
    for (unsigned int i = threadIdx.x; i < bytes; i += blockDim.x) {
        same = static_cast<unsigned char>(same & (shared[i] == 0xCD ? 1 : 0));
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = same;
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < bytes; i += blockDim.x) {
        shared[i] = 1;
    }
    if (threadIdx.x == 0 &&
        (reinterpret_cast<size_t>(shared) % 128 != 0 || vedette_emulation::dynamic_shared_bytes() != bytes)) {
        out[blockIdx.x * blockDim.x] = 2;
    }
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(groups, Clean)

BOOST_AUTO_TEST_CASE(blocks_of_a_cluster_write_into_each_other) {
    for (const unsigned int size : {1u, 2u, 4u, 8u}) {
        const DeviceArray<unsigned int> out(8 * 40);
        BOOST_REQUIRE_EQUAL(run_with(configure(8, 40, 160), {cluster_of(size)}, pass_on, out.data()), cudaSuccess);
        const auto all = out.values();
        for (unsigned int block = 0; block < 8; ++block) {
            const unsigned int first = block / size * size;
            const unsigned int before = first + (block - first + size - 1) % size;
            for (unsigned int thread = 0; thread < 40; ++thread) {
                BOOST_TEST(all[block * 40 + thread] == before * 100 + thread);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(clusters_of_three_dimensions_cover_the_grid) {
    const DeviceArray<unsigned int> out(4 * 4 * 2);
    BOOST_REQUIRE_EQUAL(run_with(configure(dim3(4, 4, 2), 32), {cluster_of(2, 2, 2)}, where, out.data()), cudaSuccess);
    const auto all = out.values();
    for (unsigned int z = 0; z < 2; ++z) {
        for (unsigned int y = 0; y < 4; ++y) {
            for (unsigned int x = 0; x < 4; ++x) {
                const unsigned int rank = x % 2 + 2 * (y % 2) + 4 * (z % 2);
                BOOST_TEST(all[x + 4 * (y + 4 * z)] == x % 2 + 10 * (y % 2) + 100 * (z % 2) + 1000 * rank);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_cooperative_grid_meets) {
    const DeviceArray<unsigned int> partial(16), out(16);
    BOOST_REQUIRE_EQUAL(run_with(configure(16, 64), {cooperative()}, sum_over_grid, partial.data(), out.data()),
                        cudaSuccess);
    for (const unsigned int sum : out.values()) {
        BOOST_TEST(sum == 16u * 17u / 2);
    }
    const DeviceArray<unsigned int> many(100000);
    BOOST_TEST(run_with(configure(4 * 32 + 1, 64), {cooperative()}, sum_over_grid, many.data(), many.data()) ==
               cudaErrorCooperativeLaunchTooLarge);
}

BOOST_AUTO_TEST_CASE(blocks_wait_for_blocks_before_them) {
    const DeviceArray<unsigned int> flags(50), out(50);
    BOOST_REQUIRE_EQUAL(run_kernel(50, 32, 0, look_back, flags.data(), out.data()), cudaSuccess);
    const auto all = out.values();
    for (unsigned int i = 0; i < 50; ++i) {
        BOOST_TEST(all[i] == (i + 1) * (i + 2) / 2);
    }
}

BOOST_AUTO_TEST_CASE(named_barriers_join_parts_of_a_block) {
    for (const auto order : {vedette_emulation::ThreadOrder::forward, vedette_emulation::ThreadOrder::reverse}) {
        vedette_emulation::set_thread_order(order);
        const DeviceArray<int> out(128);
        BOOST_REQUIRE_EQUAL(run_kernel(1, 128, 512, halves, out.data()), cudaSuccess);
        const auto all = out.values();
        for (int thread = 0; thread < 128; ++thread) {
            const int half = thread / 64, turns = half == 0 ? 3 : 5;
            const int neighbour = half * 64 + (thread + 1) % 64;
            const int expected = turns * neighbour + turns * (turns - 1) / 2 + (half == 1 ? 1000 : 0);
            BOOST_TEST(all[static_cast<size_t>(thread)] == expected);
        }
    }
}

BOOST_AUTO_TEST_CASE(dynamic_shared_memory_is_fresh_in_every_block) {
    const DeviceArray<unsigned char> out(3 * 32);
    for (const unsigned int bytes : {1000u, 40000u, 100u}) {
        BOOST_REQUIRE_EQUAL(run_kernel(3, 32, bytes, fresh_shared, out.data(), bytes), cudaSuccess);
        for (const unsigned char same : out.values()) {
            BOOST_TEST(static_cast<int>(same) == 1);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
