#include "executor.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <numeric>
#include <string>
#include <utility>

#include "fail.h"
#include "settings.h"

// Constant initialisation, so that other files reach them without a call.
constinit thread_local uint3 threadIdx{};
constinit thread_local uint3 blockIdx{};
constinit thread_local dim3 blockDim{};
constinit thread_local dim3 gridDim{};

namespace vedette_emulation {

constinit thread_local Thread* current_thread = nullptr;
constinit thread_local unsigned int current_lane = 0;

Executor& Executor::of_this_thread() {
    thread_local Executor executor;
    return executor;
}

Executor::~Executor() {
    release_shared();
}

cudaError_t Executor::run(const Launch& launch) {
    if (launch_ != nullptr) {
        fail("a kernel was launched from inside a kernel");
    }
    launch_ = &launch;
    stopped_ = cudaSuccess;
    block_threads_ = launch.block.x * launch.block.y * launch.block.z;
    cluster_blocks_ = launch.cluster.x * launch.cluster.y * launch.cluster.z;
    blockDim = launch.block;
    gridDim = launch.grid;
    const uint64_t blocks = uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    const uint64_t clusters = blocks / cluster_blocks_;
    const size_t alive = launch.cooperative ? static_cast<size_t>(clusters) : 1;
    prepare(alive * cluster_blocks_);
    for (uint64_t first = 0; first < clusters && stopped_ == cudaSuccess; first += alive) {
        run_batch(first, alive);
    }
    launch_ = nullptr;
    return stopped_;
}

void Executor::prepare(size_t blocks) {
    {
        Settings& all = settings();
        const std::lock_guard lock(all.mutex);
        reorder_ = all.order == ThreadOrder::random;
        random_ = all.seed * 2 + 1;
        order_.resize(blocks * block_threads_);
        std::iota(order_.begin(), order_.end(), 0u);
        if (all.order == ThreadOrder::reverse) {
            std::reverse(order_.begin(), order_.end());
        }
    }
    if (threads_.size() < blocks * block_threads_) {
        // Fibers know the address of their thread: they are made again.
        threads_ = std::vector<Thread>(blocks * block_threads_);
        for (Thread& thread : threads_) {
            thread.executor = this;
            thread.fiber = std::make_unique<Fiber>(&Executor::run_thread, &thread);
        }
    }
    if (blocks_.size() < blocks) {
        blocks_.resize(blocks);
    }
    clusters_.resize(blocks / cluster_blocks_);
    reserve_shared(blocks);
    const dim3 size = launch_->block;
    for (size_t b = 0; b < blocks; ++b) {
        Block& block = blocks_[b];
        block.warps.assign((block_threads_ + 31) / 32, Warp{});
        for (unsigned int t = 0; t < block_threads_; ++t) {
            Thread& thread = threads_[b * block_threads_ + t];
            thread.index = {t % size.x, t / size.x % size.y, t / (size.x * size.y)};
            thread.lane = t % 32;
            thread.block = &block;
            thread.warp_number = t / 32;
            thread.warp = &block.warps[t / 32];
            thread.warp->threads[t % 32] = &thread;
        }
    }
}

void Executor::start_block(Block& block, uint3 index, size_t slot) {
    block.index = index;
    block.live = block_threads_;
    block.barrier = {};
    std::fill(std::begin(block.named), std::end(block.named), Barrier{});
    block.shared = shared_[slot];
    fill_shared(block);
    for (unsigned int t = 0; t < block_threads_; ++t) {
        Thread& thread = threads_[slot * block_threads_ + t];
        thread.state = State::ready;
        thread.yielded = false;
        thread.cluster_arrived = false;
    }
    for (Warp& warp : block.warps) {
        warp.waiting = 0;
        warp.live = 0;
    }
    for (unsigned int t = 0; t < block_threads_; ++t) {
        block.warps[t / 32].live |= 1u << (t % 32);
    }
}

void Executor::run_batch(uint64_t first_cluster, size_t clusters) {
    const dim3 in_cluster = launch_->cluster;
    const dim3 in_grid(launch_->grid.x / in_cluster.x, launch_->grid.y / in_cluster.y, launch_->grid.z / in_cluster.z);
    live_ = clusters * cluster_blocks_ * block_threads_;
    grid_barrier_ = {};
    for (size_t c = 0; c < clusters; ++c) {
        const uint64_t number = first_cluster + c;
        const uint3 origin{static_cast<unsigned int>(number % in_grid.x) * in_cluster.x,
                           static_cast<unsigned int>(number / in_grid.x % in_grid.y) * in_cluster.y,
                           static_cast<unsigned int>(number / in_grid.x / in_grid.y) * in_cluster.z};
        clusters_[c] = {};
        clusters_[c].live = cluster_blocks_ * block_threads_;
        for (unsigned int rank = 0; rank < cluster_blocks_; ++rank) {
            Block& block = blocks_[c * cluster_blocks_ + rank];
            block.rank = rank;
            block.cluster = &clusters_[c];
            block.first_of_cluster = &blocks_[c * cluster_blocks_];
            block.index_in_cluster = {rank % in_cluster.x, rank / in_cluster.x % in_cluster.y,
                                      rank / (in_cluster.x * in_cluster.y)};
            start_block(block,
                        {origin.x + block.index_in_cluster.x, origin.y + block.index_in_cluster.y,
                         origin.z + block.index_in_cluster.z},
                        c * cluster_blocks_ + rank);
        }
    }
    run_until_ended();
    for (size_t b = 0; b < clusters * cluster_blocks_; ++b) {
        finish_block(blocks_[b]);
    }
}

void Executor::run_until_ended() {
    // Nothing but loops that wait for a write: after so long, nobody is going to write.
    constexpr auto patience = std::chrono::seconds(10);
    unsigned int idle_passes = 0;
    std::chrono::steady_clock::time_point idle_since;
    while (live_ > 0) {
        if (reorder_) {
            arrange_order();
        }
        bool any_ran = false;
        bool all_yielded = true;
        for (const uint32_t number : order_) {
            Thread& thread = threads_[number];
            if (thread.state != State::ready) {
                continue;
            }
            any_ran = true;
            thread.yielded = false;
            resume(thread);
            all_yielded = all_yielded && thread.yielded;
            if (stopped_ != cudaSuccess) {
                stop_all();
                return;
            }
        }
        if (!any_ran && live_ > 0) {
            report_deadlock("no thread can go on");
        }
        idle_passes = all_yielded ? idle_passes + 1 : 0;
        if (idle_passes == 1) {
            idle_since = std::chrono::steady_clock::now();
        } else if (idle_passes % 256 == 0 && idle_passes > 0 &&
                   std::chrono::steady_clock::now() - idle_since > patience) {
            report_deadlock("the threads that run only wait for a write that does not come");
        }
    }
}

void Executor::arrange_order() {
    for (size_t i = order_.size(); i > 1; --i) {
        // xorshift64* (Vigna 2016)
        random_ ^= random_ >> 12;
        random_ ^= random_ << 25;
        random_ ^= random_ >> 27;
        const uint64_t value = random_ * 0x2545F4914F6CDD1Dull;
        std::swap(order_[i - 1], order_[static_cast<size_t>((value >> 32) % i)]);
    }
}

void Executor::resume(Thread& thread) {
    current_thread = &thread;
    current_lane = thread.lane;
    threadIdx = thread.index;
    blockIdx = thread.block->index;
    thread.fiber->resume();
    current_thread = nullptr;
}

void Executor::run_thread(void* argument) {
    Thread& self = *static_cast<Thread*>(argument);
    Executor& executor = *self.executor;
    if (executor.stopped_ == cudaSuccess) {
        try {
            executor.launch_->run_thread(executor.launch_->arguments.get());
        } catch (const LaunchStopped&) {
            // The launch has ended; so does the thread.
        } catch (const std::exception& error) {
            fail("the kernel %p threw an exception: %s", executor.launch_->kernel, error.what());
        }
    }
    executor.end(self);
}

void Executor::suspend(Thread& self, State reason) {
    self.state = reason;
    self.fiber->suspend();
    if (stopped_ != cudaSuccess) {
        throw LaunchStopped{};
    }
}

void Executor::let_others_run(Thread& self) {
    self.yielded = true;
    suspend(self, State::ready);
}

void Executor::stop(cudaError_t error) {
    stopped_ = error;
    throw LaunchStopped{};
}

void Executor::stop_all() {
    for (const uint32_t number : order_) {
        Thread& thread = threads_[number];
        if (thread.state != State::ended) {
            resume(thread);
        }
    }
}

void Executor::report_deadlock(const char* what) const {
    static constexpr const char* places[] = {"",
                                             "at __syncthreads",
                                             "at a named barrier",
                                             "at the barrier of the cluster",
                                             "at the barrier of the grid",
                                             "for other lanes of the warp"};
    unsigned int counts[7] = {};
    const Thread* example = nullptr;
    for (const uint32_t number : order_) {
        const Thread& thread = threads_[number];
        ++counts[static_cast<int>(thread.state)];
        if (example == nullptr && thread.state != State::ended && thread.state != State::ready) {
            example = &thread;
        }
    }
    std::string waiting;
    for (int i = 1; i < 6; ++i) {
        if (counts[i] > 0) {
            waiting += (waiting.empty() ? "" : ", ") + std::to_string(counts[i]) + " wait " + places[i];
        }
    }
    if (counts[0] > 0) {
        waiting += (waiting.empty() ? "" : ", ") + std::to_string(counts[0]) + " run";
    }
    const uint3 block = example != nullptr ? example->block->index : blocks_[0].index;
    const uint3 thread = example != nullptr ? example->index : uint3{};
    fail("%s in kernel %p, block (%u, %u, %u): %s, %u have returned; the first that waits is thread (%u, %u, %u)", what,
         launch_->kernel, block.x, block.y, block.z, waiting.c_str(), counts[6], thread.x, thread.y, thread.z);
}

}  // namespace vedette_emulation
