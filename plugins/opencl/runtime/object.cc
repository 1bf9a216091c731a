#include "object.h"

namespace vedette::opencl {

Event mark(cl::Queue queue) {
    cl::Event event = nullptr;
    check(cl::api().EnqueueMarkerWithWaitList(queue, 0, nullptr, &event), "recording an event");
    Event owner(event);
    // Whoever waits on another queue would wait for ever for commands that were never sent off.
    check(cl::api().Flush(queue), "sending off a queue");
    return owner;
}

void wait_for(cl::Queue queue, cl::Event event) {
    check(cl::api().EnqueueBarrierWithWaitList(queue, 1, &event, nullptr), "making a queue wait");
}

void finish(cl::Queue queue) {
    check_wait(cl::api().Finish(queue), "waiting for the device");
}

}  // namespace vedette::opencl
