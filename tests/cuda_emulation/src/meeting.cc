// Where threads meet: the barriers of a block, of a cluster and of a grid, and the lanes of a warp.
#include <bit>
#include <utility>

#include "executor.h"
#include "fail.h"
#include "vedette_emulation/warps.h"

namespace vedette_emulation {

void Executor::release(Barrier& barrier, unsigned int met) {
    Thread* thread = barrier.waiting;
    const unsigned int trues = barrier.trues;
    barrier = {};
    while (thread != nullptr) {
        thread->state = State::ready;
        thread->trues = trues;
        thread->met = met;
        thread = std::exchange(thread->next_waiting, nullptr);
    }
}

void Executor::meet_in_block(Thread& self, bool predicate) {
    Barrier& barrier = self.block->barrier;
    ++barrier.arrived;
    barrier.trues += predicate ? 1 : 0;
    if (barrier.arrived == self.block->live) {
        self.trues = barrier.trues;
        self.met = barrier.arrived;
        release(barrier, barrier.arrived);
        return;
    }
    self.next_waiting = barrier.waiting;
    barrier.waiting = &self;
    suspend(self, State::block_barrier);
}

void Executor::meet_named(Thread& self, unsigned int id, unsigned int threads, bool wait) {
    if (id >= 16 || threads == 0 || threads % 32 != 0) {
        fail("the named barrier %u for %u threads in kernel %p: there are 0 to 15, for multiples of 32 threads", id,
             threads, launch_->kernel);
    }
    Barrier& barrier = self.block->named[id];
    if (barrier.arrived != 0 && barrier.expected != threads) {
        fail("threads came to the named barrier %u of kernel %p for %u and for %u threads", id, launch_->kernel,
             barrier.expected, threads);
    }
    barrier.expected = threads;
    if (++barrier.arrived == threads) {
        release(barrier, threads);
        return;
    }
    if (wait) {
        self.next_waiting = barrier.waiting;
        barrier.waiting = &self;
        suspend(self, State::named_barrier);
    }
}

void Executor::arrive_in_cluster(Thread& self) {
    Cluster& cluster = *self.block->cluster;
    if (self.cluster_arrived) {
        fail("a thread of kernel %p arrived twice at the barrier of its cluster without waiting", launch_->kernel);
    }
    self.cluster_arrived = true;
    self.cluster_phase = cluster.phase;
    if (++cluster.barrier.arrived == cluster.live) {
        ++cluster.phase;
        release(cluster.barrier, cluster.live);
    }
}

void Executor::wait_in_cluster(Thread& self) {
    Cluster& cluster = *self.block->cluster;
    if (!self.cluster_arrived) {
        fail("a thread of kernel %p waits at the barrier of its cluster without having arrived", launch_->kernel);
    }
    self.cluster_arrived = false;
    if (self.cluster_phase == cluster.phase) {
        self.next_waiting = cluster.barrier.waiting;
        cluster.barrier.waiting = &self;
        suspend(self, State::cluster_barrier);
    }
}

void Executor::meet_in_grid(Thread& self) {
    if (!launch_->cooperative) {
        fail("the kernel %p meets at the barrier of its grid, but its launch is not cooperative", launch_->kernel);
    }
    if (++grid_barrier_.arrived == live_) {
        release(grid_barrier_, grid_barrier_.arrived);
        return;
    }
    self.next_waiting = grid_barrier_.waiting;
    grid_barrier_.waiting = &self;
    suspend(self, State::grid_barrier);
}

void Executor::meet_lanes(Thread& self, const LaneVisit& visit) {
    Warp& warp = *self.warp;
    const uint32_t bit = 1u << self.lane;
    if ((visit.mask & bit) == 0) {
        fail("lane %u of kernel %p is not named in its own mask %08x", self.lane, launch_->kernel, visit.mask);
    }
    warp.visits[self.lane] = visit;
    warp.waiting |= bit;
    if (!complete_lanes(warp, visit.mask)) {
        suspend(self, State::lanes);
    }
}

/// Ends the visit of the lanes of `mask` when all that live are there.
bool Executor::complete_lanes(Warp& warp, uint32_t mask) {
    const uint32_t expected = mask & warp.live;
    if ((expected & ~warp.waiting) != 0) {
        return false;
    }
    uint32_t present = 0;
    for_each_lane(expected, [&](unsigned int lane) { present |= warp.visits[lane].mask == mask ? 1u << lane : 0u; });
    // A lane may still be on its way, in a meeting of its own with others; not in one that waits for these lanes.
    for_each_lane(expected & ~present, [&](unsigned int lane) {
        if ((warp.visits[lane].mask & present) != 0) {
            fail("lanes of kernel %p wait for each other with different masks, %08x and %08x", launch_->kernel, mask,
                 warp.visits[lane].mask);
        }
    });
    if (present != expected) {
        return false;
    }
    const LaneVisit& first = warp.visits[std::countr_zero(present)];
    WarpGroup group{};
    for_each_lane(present, [&](unsigned int lane) {
        const LaneVisit& visit = warp.visits[lane];
        if (visit.complete != first.complete || visit.tag != first.tag) {
            fail("lanes of kernel %p with the mask %08x meet in different operations", launch_->kernel, mask);
        }
        group.in[lane] = visit.in;
        group.out[lane] = visit.out;
    });
    group.mask = expected;
    first.complete(group);
    warp.waiting &= ~expected;
    for_each_lane(expected, [&](unsigned int lane) { warp.threads[lane]->state = State::ready; });
    return true;
}

void Executor::end(Thread& self) {
    self.state = State::ended;
    --live_;
    Block& block = *self.block;
    Cluster& cluster = *block.cluster;
    Warp& warp = *self.warp;
    --block.live;
    --cluster.live;
    warp.live &= ~(1u << self.lane);
    if (stopped_ != cudaSuccess) {
        return;
    }
    // Who has returned counts as arrived wherever others wait for him.
    if (block.live > 0 && block.barrier.arrived == block.live) {
        release(block.barrier, block.barrier.arrived);
    }
    if (self.cluster_arrived && self.cluster_phase == cluster.phase) {
        --cluster.barrier.arrived;
    }
    if (cluster.live > 0 && cluster.barrier.arrived == cluster.live) {
        ++cluster.phase;
        release(cluster.barrier, cluster.live);
    }
    if (live_ > 0 && grid_barrier_.arrived == live_) {
        release(grid_barrier_, grid_barrier_.arrived);
    }
    for (uint32_t left = warp.waiting; left != 0;) {
        const uint32_t mask = warp.visits[std::countr_zero(left)].mask;
        for_each_lane(left & mask,
                      [&](unsigned int lane) { left &= warp.visits[lane].mask == mask ? ~(1u << lane) : ~0u; });
        if ((mask >> self.lane & 1u) != 0) {
            complete_lanes(warp, mask);
        }
    }
}

}  // namespace vedette_emulation
