// The end of a search: one block writes its counts and first hits into pinned host memory, and then a word that the
// host waits for. Only the hits that there are cross the bus, and neither a copy engine nor the driver's waiting stands
// between the last test and the host. Floor: one write across the bus, about a microsecond.
#include "kernels/template_hits.h"

#include "device/memory.cuh"
#include "device/previous.cuh"
#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

constexpr unsigned threads = 512;

__global__ void __launch_bounds__(threads) deliver_kernel(Delivery delivery) {
    wait_for_previous();
    const unsigned pieces = delivery.head + min(*delivery.count, delivery.most);
    for (unsigned i = threadIdx.x; i < pieces; i += threads) delivery.to[i] = delivery.from[i];
    __syncthreads();
    if (threadIdx.x == 0) store_for_host(delivery.arrived, delivery.turn);
}

}  // namespace

void deliver_hits(const Delivery& delivery, const DeviceLimits& limits, cudaStream_t stream) {
    LaunchShape shape;
    shape.grid = dim3(1);
    shape.block = dim3(threads);
    shape.early = limits.early_launch;
    launch(deliver_kernel, shape, stream, delivery);
}

}  // namespace vedette::cuda
