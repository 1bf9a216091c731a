// Runs launches on one thread of the operating system: the threads of the blocks that are alive, what they wait for,
// and in which order they go on.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "fiber.h"
#include "vedette_emulation/execution.h"
#include "vedette_emulation/launch.h"

namespace vedette_emulation {

struct Thread;
struct Block;
class Executor;

enum class State : unsigned char { ready, block_barrier, named_barrier, cluster_barrier, grid_barrier, lanes, ended };

/// Threads that wait until enough have come.
struct Barrier {
    unsigned int arrived = 0;
    unsigned int trues = 0;     // of the predicates brought along
    unsigned int expected = 0;  // named barriers: the number the first thread gave
    Thread* waiting = nullptr;  // the first of a chain
};

/// What a lane brings to a collective operation of its warp.
struct LaneVisit {
    uint32_t mask;
    const void* in;
    void* out;
    void (*complete)(WarpGroup&);
    size_t tag;
};

struct Warp {
    uint32_t live = 0;
    uint32_t waiting = 0;
    Thread* threads[32] = {};
    LaneVisit visits[32] = {};
};

/// The blocks of a cluster, or the single block of a launch without clusters.
struct Cluster {
    unsigned int live = 0;  // threads
    unsigned int phase = 0;
    Barrier barrier;
};

struct Block {
    uint3 index{};
    uint3 index_in_cluster{};
    unsigned int rank = 0;
    Block* first_of_cluster = nullptr;
    Cluster* cluster = nullptr;
    unsigned int live = 0;  // threads
    Barrier barrier;
    Barrier named[16];
    std::vector<Warp> warps;
    char* shared = nullptr;  // owned by the executor
};

struct Thread {
    uint3 index{};
    unsigned int lane = 0;
    State state = State::ended;
    bool yielded = false;
    bool cluster_arrived = false;
    unsigned int cluster_phase = 0;  // in which it arrived
    unsigned int trues = 0;          // answers of the last block barrier
    unsigned int met = 0;
    Thread* next_waiting = nullptr;
    Block* block = nullptr;
    Warp* warp = nullptr;
    unsigned int warp_number = 0;
    Executor* executor = nullptr;
    std::unique_ptr<Fiber> fiber;
};

/// Thrown through a kernel when its launch has been stopped. No std::exception, so that nobody catches it by mistake.
struct LaunchStopped {};

/// The running CUDA thread of this operating system thread; null outside kernels.
extern constinit thread_local __attribute__((tls_model("initial-exec"))) Thread* current_thread;

class Executor {
public:
    Executor() = default;
    ~Executor();
    /// The calling thread's own.
    static Executor& of_this_thread();

    /// Runs all blocks. Returns cudaSuccess, or what the kernel stopped with.
    cudaError_t run(const Launch& launch);

    // For running threads, that is, inside fibers.
    void meet_in_block(Thread& self, bool predicate);
    void meet_named(Thread& self, unsigned int id, unsigned int threads, bool wait);
    void arrive_in_cluster(Thread& self);
    void wait_in_cluster(Thread& self);
    void meet_in_grid(Thread& self);
    void meet_lanes(Thread& self, const LaneVisit& visit);
    void let_others_run(Thread& self);
    [[noreturn]] void stop(cudaError_t error);
    const Launch& launch() const { return *launch_; }

private:
    static void run_thread(void* thread);
    void prepare(size_t blocks);
    void reserve_shared(size_t blocks);
    void release_shared();
    void start_block(Block& block, uint3 index, size_t slot);
    void fill_shared(Block& block);
    void finish_block(Block& block);
    void run_batch(uint64_t first_cluster, size_t clusters);
    void run_until_ended();
    void resume(Thread& thread);
    void arrange_order();
    void suspend(Thread& self, State reason);
    void end(Thread& self);
    void stop_all();
    static void release(Barrier& barrier, unsigned int met);
    bool complete_lanes(Warp& warp, uint32_t mask);
    [[noreturn]] void report_deadlock(const char* what) const;

    const Launch* launch_ = nullptr;
    unsigned int block_threads_ = 0;
    unsigned int cluster_blocks_ = 1;
    size_t live_ = 0;  // threads of the batch
    cudaError_t stopped_ = cudaSuccess;
    std::vector<Thread> threads_;
    std::vector<Block> blocks_;
    std::vector<Cluster> clusters_;
    std::vector<char*> shared_;
    size_t shared_capacity_ = 0;
    Barrier grid_barrier_;
    std::vector<uint32_t> order_;
    uint64_t random_ = 0;
    bool reorder_ = false;
};

}  // namespace vedette_emulation
