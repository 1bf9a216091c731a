// Streams, events, deferred work, capture and graphs.
#include "testing.h"

namespace {

using namespace vedette_emulation;

__global__ void add(int* values, int amount) {
    values[threadIdx.x] += amount;
}
__global__ void multiply(int* values, int factor) {
    values[threadIdx.x] *= factor;
}

struct Stream {
    explicit Stream(unsigned int flags = cudaStreamNonBlocking) {
        BOOST_REQUIRE_EQUAL(cudaStreamCreateWithFlags(&handle, flags), cudaSuccess);
    }
    ~Stream() { cudaStreamDestroy(handle); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    cudaStream_t handle = nullptr;
};

struct Event {
    Event() { BOOST_REQUIRE_EQUAL(cudaEventCreate(&handle), cudaSuccess); }
    ~Event() { cudaEventDestroy(handle); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    cudaEvent_t handle = nullptr;
};

cudaError_t launch(void (*kernel)(int*, int), int* values, int amount, cudaStream_t stream) {
    const cudaLaunchConfig_t config = configure(1, 8, 0, stream);
    return cudaLaunchKernelEx(&config, kernel, values, amount);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(streams, Clean)

BOOST_AUTO_TEST_CASE(deferred_work_waits_to_be_waited_for) {
    set_deferred_streams(true);
    const DeviceArray<int> values(8);
    const Stream first, second;
    const Event event;
    int* pinned = nullptr;
    BOOST_REQUIRE_EQUAL(cudaMallocHost(&pinned, 32), cudaSuccess);
    pinned[0] = -1;
    BOOST_TEST(launch(add, values.data(), 3, first.handle) == cudaSuccess);
    BOOST_TEST(cudaEventRecord(event.handle, first.handle) == cudaSuccess);
    BOOST_TEST(cudaStreamWaitEvent(second.handle, event.handle) == cudaSuccess);
    BOOST_TEST(launch(multiply, values.data(), 5, second.handle) == cudaSuccess);
    BOOST_TEST(cudaMemcpyAsync(pinned, values.data(), 32, cudaMemcpyDeviceToHost, second.handle) == cudaSuccess);
    BOOST_TEST(pinned[0] == -1);  // whoever reads now has forgotten to wait
    BOOST_TEST(cudaStreamQuery(second.handle) == cudaErrorNotReady);
    BOOST_TEST(cudaStreamSynchronize(second.handle) == cudaSuccess);
    BOOST_TEST(pinned[0] == 15);
    BOOST_TEST(cudaEventQuery(event.handle) == cudaSuccess);
    BOOST_TEST(launch(add, values.data(), 1, first.handle) == cudaSuccess);
    BOOST_TEST(cudaEventRecord(event.handle, first.handle) == cudaSuccess);
    BOOST_TEST(cudaEventQuery(event.handle) == cudaErrorNotReady);
    BOOST_TEST(cudaEventQuery(event.handle) == cudaSuccess);
    BOOST_TEST(cudaFreeHost(pinned) == cudaSuccess);
    BOOST_TEST(values.values()[7] == 16);
}

BOOST_AUTO_TEST_CASE(deferred_copies_take_what_is_there_now) {
    set_deferred_streams(true);
    const DeviceArray<int> values(8);
    const Stream stream;
    std::vector<int> host(8, 4);
    BOOST_TEST(cudaMemcpyAsync(values.data(), host.data(), 32, cudaMemcpyHostToDevice, stream.handle) == cudaSuccess);
    host.assign(8, 9);  // memory that is not pinned was read before the call returned
    BOOST_TEST(cudaStreamSynchronize(stream.handle) == cudaSuccess);
    BOOST_TEST(values.values()[0] == 4);
}

BOOST_AUTO_TEST_CASE(events_measure_and_refuse) {
    const Stream stream;
    const Event start, end;
    float milliseconds = -1;
    BOOST_TEST(cudaEventElapsedTime(&milliseconds, start.handle, end.handle) == cudaErrorInvalidResourceHandle);
    BOOST_TEST(cudaEventRecord(start.handle, stream.handle) == cudaSuccess);
    BOOST_TEST(cudaEventRecord(end.handle, stream.handle) == cudaSuccess);
    BOOST_TEST(cudaEventSynchronize(end.handle) == cudaSuccess);
    BOOST_TEST(cudaEventElapsedTime(&milliseconds, start.handle, end.handle) == cudaSuccess);
    BOOST_TEST(milliseconds >= 0);
    cudaEvent_t destroyed = nullptr;
    BOOST_TEST(cudaEventCreate(&destroyed) == cudaSuccess);
    BOOST_TEST(cudaEventDestroy(destroyed) == cudaSuccess);
    BOOST_TEST(cudaEventRecord(destroyed, stream.handle) == cudaErrorInvalidResourceHandle);
    set_device_count(2);
    BOOST_TEST(cudaSetDevice(1) == cudaSuccess);
    BOOST_TEST(launch(add, nullptr, 1, stream.handle) == cudaErrorInvalidResourceHandle);
}

BOOST_AUTO_TEST_CASE(a_graph_repeats_what_was_captured) {
    const size_t handles = handles_in_use();
    {
        const DeviceArray<int> values(8);
        const Stream stream, side;
        const Event fork, join;
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t executable = nullptr;
        BOOST_TEST(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
        int amount = 2;
        BOOST_TEST(launch(add, values.data(), amount, stream.handle) == cudaSuccess);
        amount = 1000;  // arguments are copied at the launch
        BOOST_TEST(cudaEventRecord(fork.handle, stream.handle) == cudaSuccess);
        BOOST_TEST(cudaStreamWaitEvent(side.handle, fork.handle) == cudaSuccess);
        BOOST_TEST(launch(multiply, values.data(), 10, side.handle) == cudaSuccess);
        BOOST_TEST(cudaEventRecord(join.handle, side.handle) == cudaSuccess);
        BOOST_TEST(cudaStreamWaitEvent(stream.handle, join.handle) == cudaSuccess);
        BOOST_TEST(cudaStreamEndCapture(stream.handle, &graph) == cudaSuccess);
        BOOST_TEST(values.values()[0] == 0);
        size_t nodes = 0;
        BOOST_TEST(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
        BOOST_TEST(nodes == 2u);
        BOOST_TEST(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
        BOOST_TEST(cudaGraphDestroy(graph) == cudaSuccess);
        for (const int expected : {20, 220, 2220}) {
            BOOST_TEST(cudaGraphLaunch(executable, stream.handle) == cudaSuccess);
            BOOST_TEST(cudaStreamSynchronize(stream.handle) == cudaSuccess);
            BOOST_TEST(values.values()[3] == expected);
        }
        BOOST_TEST(cudaGraphExecDestroy(executable) == cudaSuccess);
        BOOST_TEST(cudaGraphLaunch(executable, stream.handle) == cudaErrorInvalidValue);
    }
    BOOST_TEST(handles_in_use() == handles);
}

BOOST_AUTO_TEST_CASE(a_capture_refuses_what_cannot_be_captured) {
    const DeviceArray<int> values(8);
    const Stream stream, side;
    const Event fork;
    cudaGraph_t graph = nullptr;
    const auto begin = [&] { return cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeGlobal); };

    BOOST_REQUIRE_EQUAL(begin(), cudaSuccess);
    BOOST_TEST(begin() == cudaErrorIllegalState);
    BOOST_TEST(cudaStreamSynchronize(stream.handle) == cudaErrorStreamCaptureUnsupported);
    BOOST_TEST(launch(add, values.data(), 1, stream.handle) == cudaErrorStreamCaptureInvalidated);
    BOOST_TEST(cudaStreamEndCapture(stream.handle, &graph) == cudaErrorStreamCaptureInvalidated);
    BOOST_TEST((graph == nullptr));

    void* pointer = nullptr;
    BOOST_REQUIRE_EQUAL(begin(), cudaSuccess);
    BOOST_TEST(cudaMalloc(&pointer, 8) == cudaErrorStreamCaptureUnsupported);
    BOOST_TEST(cudaStreamEndCapture(stream.handle, &graph) == cudaErrorStreamCaptureInvalidated);

    BOOST_REQUIRE_EQUAL(begin(), cudaSuccess);
    BOOST_TEST(cudaEventRecord(fork.handle, stream.handle) == cudaSuccess);
    BOOST_TEST(cudaStreamWaitEvent(side.handle, fork.handle) == cudaSuccess);
    BOOST_TEST(launch(add, values.data(), 1, side.handle) == cudaSuccess);
    BOOST_TEST(cudaStreamEndCapture(stream.handle, &graph) == cudaErrorStreamCaptureUnjoined);
    BOOST_TEST(cudaEventSynchronize(fork.handle) == cudaErrorCapturedEvent);

    BOOST_TEST(cudaStreamEndCapture(stream.handle, &graph) == cudaErrorIllegalState);
    BOOST_TEST(values.values()[0] == 0);
}

BOOST_AUTO_TEST_SUITE_END()
