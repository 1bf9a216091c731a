// Launching kernels: cudaLaunchKernelEx alone (it knows the types of the parameters), with the attributes cluster
// dimension and cooperative; the others are hints and do nothing here.
#pragma once
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "runtime.h"

namespace vedette_emulation {

/// A launch as it is enqueued: everything is copied, as CUDA copies the arguments of a kernel.
struct Launch {
    const void* kernel = nullptr;
    dim3 grid, block, cluster;
    bool has_cluster = false;
    bool cooperative = false;
    size_t dynamic_shared = 0;  // bytes
    std::shared_ptr<const void> arguments;
    void (*run_thread)(const void* arguments) = nullptr;  // what one thread does
};

/// Checks `config` as the driver does and fills the launch's sizes from it.
cudaError_t prepare_launch(const cudaLaunchConfig_t* config, const void* kernel, Launch* launch);
/// Gives a prepared launch to a stream.
cudaError_t enqueue_launch(cudaStream_t stream, Launch launch);

template <typename... Parameters>
struct KernelCall {
    void (*kernel)(Parameters...);
    std::tuple<std::remove_cv_t<Parameters>...> arguments;
    static void run(const void* call) {
        const KernelCall& self = *static_cast<const KernelCall*>(call);
        std::apply(self.kernel, self.arguments);
    }
};

}  // namespace vedette_emulation

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
    static_assert((std::is_trivially_copyable_v<Parameters> && ...), "a kernel's parameters are copied byte by byte");
    vedette_emulation::Launch launch;
    const cudaError_t error =
        vedette_emulation::prepare_launch(config, vedette_emulation::kernel_address(kernel), &launch);
    if (error != cudaSuccess) {
        return error;
    }
    using Call = vedette_emulation::KernelCall<Parameters...>;
    launch.arguments = std::make_shared<Call>(
        Call{kernel, std::tuple<std::remove_cv_t<Parameters>...>(std::forward<Arguments>(arguments)...)});
    launch.run_thread = &Call::run;
    return vedette_emulation::enqueue_launch(config->stream, std::move(launch));
}
