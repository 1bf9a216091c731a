#include "thread_pool.h"

#include "process.h"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace vedette::host {

CallLimit::CallLimit(const std::atomic<bool>* flag, double seconds) noexcept
    : flag_(flag), deadline_(std::chrono::steady_clock::now()), limited_(seconds > 0) {
    // A year is as good as forever, and the sum below must not overflow.
    if (limited_)
        deadline_ += std::chrono::duration_cast<std::chrono::steady_clock::duration>(
            std::chrono::duration<double>(std::min(seconds, 365.0 * 86400.0)));
}

vdt_code CallLimit::state() const noexcept {
    if (flag_ != nullptr && flag_->load(std::memory_order_relaxed)) return VDT_E_CANCELLED;
    if (limited_ && std::chrono::steady_clock::now() >= deadline_) return VDT_E_TIMEOUT;
    return VDT_OK;
}

namespace {

// The same type without `noexcept`: a plugin that throws in spite of the contract is then caught here; called through a
// noexcept type the compiler would leave no place to catch it.
using LoopBody = void (*)(void*, std::uint32_t, std::uint32_t, std::uint32_t);

// One parallel loop. Lives on the caller's stack; threads of the pool touch it only while counted in `helpers`.
struct Loop {
    const CallLimit* limit;
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t grain;
    LoopBody body;
    void* arg;
    std::atomic<std::uint64_t> next;
    std::atomic<vdt_code> code{VDT_OK};
    std::atomic<std::uint32_t> helpers{0};

    bool open() const noexcept {
        return next.load(std::memory_order_relaxed) < end && code.load(std::memory_order_relaxed) == VDT_OK;
    }

    void stop(vdt_code reason) noexcept {
        vdt_code expected = VDT_OK;
        code.compare_exchange_strong(expected, reason);
    }

    void work(std::uint32_t worker) noexcept {
        while (code.load(std::memory_order_relaxed) == VDT_OK) {
            const std::uint64_t first = next.fetch_add(grain, std::memory_order_relaxed);
            if (first >= end) return;
            const vdt_code state = limit == nullptr ? VDT_OK : limit->state();
            if (state != VDT_OK) return stop(state);
            try {
                body(arg, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(std::min(first + grain, end)),
                     worker);
            } catch (...) {
                stop(VDT_E_EXCEPTION);
            }
        }
    }
};

// What the current thread is doing for a pool (NULL: nothing): a loop inside a loop runs serially, under the same
// worker number.
struct Inside {
    const void* pool = nullptr;
    std::uint32_t worker = 0;
};
thread_local Inside current;

class Entered {
public:
    Entered(const void* pool, std::uint32_t worker) noexcept : before_(current) { current = {pool, worker}; }
    ~Entered() { current = before_; }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

private:
    Inside before_;
};

// Rounds of waiting awake for the last pieces before sleeping: tens of microseconds of spinning at most, so that a
// piece about to end does not cost a sleep and a wake-up. Not tuned by measurement.
constexpr int awake_rounds = 2000;

void pause_briefly() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

}  // namespace

struct ThreadPool::State {
    explicit State(std::uint32_t size) : count(size) {}

    const std::uint32_t count;
    ProcessMark process;
    std::mutex mutex;
    std::condition_variable work_came;
    std::condition_variable loop_left;
    std::list<Loop*> loops;
    std::vector<std::thread> threads;
    bool started = false;
    bool ending = false;

    // Of the loops with work left, the one with the fewest helpers: callers share the pool evenly.
    Loop* pick() noexcept {
        Loop* best = nullptr;
        for (Loop* loop : loops)
            if (loop->open() && (best == nullptr || loop->helpers < best->helpers)) best = loop;
        return best;
    }

    void serve(std::uint32_t worker) noexcept {
        const Entered entered(this, worker);
        std::unique_lock lock(mutex);
        for (;;) {
            Loop* loop = nullptr;
            work_came.wait(lock, [&] { return ending || (loop = pick()) != nullptr; });
            if (ending) return;
            loop->helpers.fetch_add(1, std::memory_order_relaxed);
            lock.unlock();
            loop->work(worker);
            lock.lock();
            if (loop->helpers.fetch_sub(1, std::memory_order_release) == 1) loop_left.notify_all();
        }
    }

    // Threads start with the first loop that wants them: a process that only lists backends has none. When the system
    // gives fewer, those do the work. Called with the mutex held.
    void start() noexcept {
        started = true;
        try {
            threads.reserve(count - 1);
            for (std::uint32_t worker = 1; worker < count; ++worker)
                threads.emplace_back([this, worker] { serve(worker); });
        } catch (...) {
        }
    }
};

ThreadPool::ThreadPool(std::uint32_t threads) : state_(std::make_unique<State>(std::max(threads, 1u))) {}

ThreadPool::~ThreadPool() {
    if (!state_->process.same()) {
        // The threads belong to the parent; neither they nor the locks they held can be put away here.
        static_cast<void>(state_.release());
        return;
    }
    {
        const std::lock_guard lock(state_->mutex);
        state_->ending = true;
    }
    state_->work_came.notify_all();
    for (std::thread& thread : state_->threads) thread.join();
}

std::uint32_t ThreadPool::worker_count() const noexcept {
    return state_->count;
}

vdt_code ThreadPool::parallel_for(const CallLimit* limit, std::uint32_t begin, std::uint32_t end, std::uint32_t grain,
                                  vdt_loop_body body, void* arg) noexcept {
    if (body == nullptr) return VDT_E_ARGUMENT;
    if (begin >= end) return VDT_OK;
    State& state = *state_;
    // Four pieces a thread even out pieces of unequal cost.
    const std::uint32_t items = end - begin;
    if (grain == 0) grain = std::max(1u, items / (state.count * 4));
    Loop loop{limit, begin, end, grain, body, arg, {begin}};
    if (current.pool != nullptr || state.count == 1 || items <= grain || !state.process.same()) {
        const Entered entered(&state, current.pool == &state ? current.worker : 0);
        loop.work(current.worker);
        return loop.code;
    }
    const Entered entered(&state, 0);
    std::list<Loop*>::iterator place;
    bool shared = true;
    {
        const std::lock_guard lock(state.mutex);
        if (!state.started) state.start();
        try {
            place = state.loops.insert(state.loops.end(), &loop);
        } catch (...) {
            shared = false;
        }
    }
    if (shared) state.work_came.notify_all();
    loop.work(0);
    if (!shared) return loop.code;
    for (int round = 0; round < awake_rounds && loop.helpers.load(std::memory_order_acquire) != 0; ++round)
        pause_briefly();
    std::unique_lock lock(state.mutex);
    state.loops.erase(place);
    state.loop_left.wait(lock, [&] { return loop.helpers.load(std::memory_order_acquire) == 0; });
    return loop.code;
}

}  // namespace vedette::host
