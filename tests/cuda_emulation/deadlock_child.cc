// Kernels that break a rule for which there is no error code: the process ends with a sentence. Run by
// deadlock_test.cmake, one rule a run.
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

namespace {

__global__ void half_at_barrier(int* flag) {
    if (threadIdx.x < 32) {
        __syncthreads();
    } else {
        __syncwarp();
        vedette_emulation::named_barrier(3, 64);
    }
    *flag = 1;
}
__global__ void unequal_masks(int*) {
    __syncwarp(threadIdx.x < 16 ? 0xffffffffu : 0xffff8000u);
}
__global__ void unequal_operations(int* flag) {
    if (threadIdx.x == 0) {
        __syncwarp();
    } else {
        *flag = __any_sync(0xffffffffu, 1);
    }
}
__global__ void not_in_mask(int*) {
    __syncwarp(1u);
}
__global__ void wait_for_nobody(int* flag) {
    while (atomicAdd(flag, 0) == 0) {
        __nanosleep(10);
    }
}
__global__ void past_shared(int*) {
    static_cast<volatile char*>(vedette_emulated_dynamic_shared())[100] = 1;
}
__global__ void past_global(int* flag) {
    const_cast<volatile int*>(flag)[1] = 1;
}
__global__ void grid_without_cooperation(int*) {
    vedette_emulation::grid_barrier();
}

struct Case {
    const char* name;
    void (*kernel)(int*);
};
constexpr Case cases[] = {
    {"barrier", half_at_barrier}, {"masks", unequal_masks},          {"operations", unequal_operations},
    {"mask", not_in_mask},        {"spin", wait_for_nobody},         {"shared", past_shared},
    {"global", past_global},      {"grid", grid_without_cooperation}};

}  // namespace

int main(int, char** arguments) {
    int* flag = nullptr;
    if (cudaMalloc(&flag, sizeof(int)) != cudaSuccess || cudaMemset(flag, 0, sizeof(int)) != cudaSuccess) {
        return 2;
    }
    for (const Case& rule : cases) {
        if (std::strcmp(rule.name, arguments[1]) == 0) {
            cudaLaunchConfig_t config{};
            config.blockDim = 64;
            config.dynamicSmemBytes = 100;
            cudaLaunchKernelEx(&config, rule.kernel, flag);
        }
    }
    cudaFree(flag);
    std::puts("the process goes on");
    return 0;
}
