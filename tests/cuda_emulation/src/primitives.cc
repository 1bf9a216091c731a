// The primitives of execution.h, for the thread that runs.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "executor.h"
#include "fail.h"
#include "vedette_emulation/warps.h"

namespace vedette_emulation {

void fail(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::fputs("vedette_cuda_emulation: ", stderr);
    std::vfprintf(stderr, format, arguments);
    std::fputc('\n', stderr);
    va_end(arguments);
    std::abort();
}

namespace {

Thread& self() {
    if (current_thread == nullptr) {
        fail("a device function was called outside a kernel");
    }
    return *current_thread;
}

Block& block_of_rank(Thread& thread, unsigned int rank) {
    if (rank >= cluster_size()) {
        fail("kernel %p asks for block %u of a cluster of %u", thread.executor->launch().kernel, rank, cluster_size());
    }
    return thread.block->first_of_cluster[rank];
}

struct Exchange {
    const void* in;
    size_t bytes;
    uint32_t mask;
};

void complete_exchange(WarpGroup& group) {
    for_each_lane(group.mask, [&](unsigned int reader) {
        const auto& exchange = *static_cast<const Exchange*>(group.in[reader]);
        auto* slots = static_cast<unsigned char*>(group.out[reader]);
        for (unsigned int lane = 0; lane < 32; ++lane) {
            unsigned char* slot = slots + lane * exchange.bytes;
            if (group.in[lane] != nullptr) {
                std::memcpy(slot, static_cast<const Exchange*>(group.in[lane])->in, exchange.bytes);
            } else {
                std::memset(slot, (exchange.mask >> lane & 1u) != 0 ? 0xCD : 0, exchange.bytes);
            }
        }
    });
}

void complete_barrier(WarpGroup&) {}

}  // namespace

void* dynamic_shared() {
    return self().block->shared;
}
size_t dynamic_shared_bytes() {
    return self().executor->launch().dynamic_shared;
}
void* cluster_shared(unsigned int rank) {
    return block_of_rank(self(), rank).shared;
}

void* cluster_map(const void* own, unsigned int rank) {
    Thread& thread = self();
    // Compared as numbers: the address may belong to anything.
    const uintptr_t offset = reinterpret_cast<uintptr_t>(own) - reinterpret_cast<uintptr_t>(thread.block->shared);
    if (offset > thread.executor->launch().dynamic_shared) {
        fail("kernel %p maps an address into a block of its cluster that is not in its dynamic shared memory",
             thread.executor->launch().kernel);
    }
    return block_of_rank(thread, rank).shared + offset;
}

unsigned int cluster_rank() {
    return self().block->rank;
}
unsigned int cluster_size() {
    const dim3 size = cluster_dimension();
    return size.x * size.y * size.z;
}
dim3 cluster_dimension() {
    return self().executor->launch().cluster;
}
uint3 cluster_block_index() {
    return self().block->index_in_cluster;
}

void block_barrier() {
    Thread& thread = self();
    thread.executor->meet_in_block(thread, false);
}
unsigned int block_barrier_count(bool predicate, bool* all) {
    Thread& thread = self();
    thread.executor->meet_in_block(thread, predicate);
    if (all != nullptr) {
        *all = thread.trues == thread.met;
    }
    return thread.trues;
}
void named_barrier(unsigned int id, unsigned int threads) {
    Thread& thread = self();
    thread.executor->meet_named(thread, id, threads, true);
}
void named_barrier_arrive(unsigned int id, unsigned int threads) {
    Thread& thread = self();
    thread.executor->meet_named(thread, id, threads, false);
}
void cluster_arrive() {
    Thread& thread = self();
    thread.executor->arrive_in_cluster(thread);
}
void cluster_wait() {
    Thread& thread = self();
    thread.executor->wait_in_cluster(thread);
}
void cluster_barrier() {
    cluster_arrive();
    cluster_wait();
}
void grid_barrier() {
    Thread& thread = self();
    thread.executor->meet_in_grid(thread);
}

void warp_collective(uint32_t mask, const void* in, void* out, void (*complete)(WarpGroup&), size_t tag) {
    Thread& thread = self();
    thread.executor->meet_lanes(thread, {mask, in, out, complete, tag});
}
void warp_barrier(uint32_t mask) {
    const char nothing = 0;
    warp_collective(mask, &nothing, nullptr, &complete_barrier);
}
void warp_exchange(uint32_t mask, const void* in, size_t bytes, void* all_lanes_out) {
    const Exchange exchange{in, bytes, mask};
    warp_collective(mask, &exchange, all_lanes_out, &complete_exchange, bytes);
}

void yield() {
    Thread& thread = self();
    thread.executor->let_others_run(thread);
}
void stop_launch(int error) {
    self().executor->stop(static_cast<cudaError_t>(error));
}
unsigned int warp_id() {
    return self().warp_number;
}
uint32_t live_lanes() {
    return self().warp->live;
}

}  // namespace vedette_emulation
