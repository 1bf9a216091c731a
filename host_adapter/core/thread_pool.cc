#include "thread_pool.h"

#include "process.h"

#include <algorithm>
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

// One parallel loop. Lives on the caller's stack, until its place does not name it any more and nobody is counted
// there.
struct Loop {
    const CallLimit* limit;
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t grain;
    LoopBody body;
    void* arg;
    std::atomic<std::uint64_t> next;
    std::atomic<vdt_code> code{VDT_OK};

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

// Rounds that a thread stays awake after a loop, some 30 us where a pause takes 140 cycles: another loop of the same
// operation, or another call, mostly comes by then, and a thread that sleeps comes 10 to 20 us late (16 cores of an
// Emerald Rapids Xeon: loops of 100 us for each of them take 104 us one after another, and 117 where threads sleep
// between them).
constexpr int rounds_between_loops = 600;

// Loops that threads can join at the same time; callers beyond that work alone.
constexpr std::size_t place_count = 16;

void pause_briefly() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// Where a loop is offered. A thread counts itself before it reads what is offered, and the caller takes the loop away
// before it reads the count, both in the one order of all such steps: so that a thread either finds nothing or is seen
// and waited for. No thread ever waits for another to let it in or out: of sixteen that wake at once, each would sleep
// again for a lock that the others hold (16 cores of an Emerald Rapids Xeon: a loop of 20 us for each of them took 47
// us with a lock and takes 29).
struct alignas(64) Place {
    std::atomic<bool> taken{false};  // by a caller
    std::atomic<Loop*> loop{nullptr};
    std::atomic<std::uint32_t> helpers{0};

    void leave() noexcept {
        if (helpers.fetch_sub(1) == 1) helpers.notify_all();
    }
};

}  // namespace

struct ThreadPool::State {
    explicit State(std::uint32_t size) : count(size) {}

    const std::uint32_t count;
    ProcessMark process;
    Place places[place_count];
    std::atomic<std::uint32_t> turn{0};  // changes with every loop that is offered; sleeping threads watch it
    std::atomic<bool> ending{false};
    std::once_flag started;
    std::vector<std::thread> threads;

    // A loop that a thread works on, counted at its place.
    struct Joined {
        Place* place = nullptr;
        Loop* loop = nullptr;
    };

    // Of the loops with work left, the one with the fewest helpers: callers share the pool evenly. Nothing when there
    // is none.
    Joined join() noexcept {
        Joined best;
        for (Place& place : places) {
            if (place.loop.load(std::memory_order_relaxed) == nullptr) continue;
            const std::uint32_t others = place.helpers.fetch_add(1);
            Loop* const loop = place.loop.load();
            if (loop == nullptr || !loop->open() ||
                (best.place != nullptr && best.place->helpers.load(std::memory_order_relaxed) <= others + 1)) {
                place.leave();
                continue;
            }
            if (best.place != nullptr) best.place->leave();
            best = {&place, loop};
        }
        return best;
    }

    void serve(std::uint32_t worker) noexcept {
        const Entered entered(this, worker);
        for (;;) {
            const std::uint32_t seen = turn.load();
            for (Joined joined = join(); joined.place != nullptr; joined = join()) {
                joined.loop->work(worker);
                joined.place->leave();
            }
            if (ending.load()) return;
            for (int round = 0; round < rounds_between_loops && turn.load() == seen; ++round) pause_briefly();
            turn.wait(seen);
        }
    }

    // Threads start with the first loop that wants them: a process that only lists backends has none. When the system
    // gives fewer, those do the work.
    void start() noexcept {
        try {
            threads.reserve(count - 1);
            for (std::uint32_t worker = 1; worker < count; ++worker)
                threads.emplace_back([this, worker] { serve(worker); });
        } catch (...) {
        }
    }

    // So many threads, or all: to wake one takes a call of the system, and so does waking all.
    void wake(std::uint64_t wanted) noexcept {
        constexpr std::uint64_t one_by_one = 3;
        turn.fetch_add(1);
        if (wanted > one_by_one) return turn.notify_all();
        for (; wanted != 0; --wanted) turn.notify_one();
    }

    // A place of the caller's own, where `loop` is offered now; NULL when there is none.
    Place* offer(Loop& loop) noexcept {
        for (Place& place : places) {
            if (place.taken.exchange(true)) continue;
            place.loop = &loop;
            return &place;
        }
        return nullptr;
    }

    // Nobody joins any more, and those who did have left when this returns.
    static void withdraw(Place& place) noexcept {
        place.loop = nullptr;
        std::uint32_t helpers = place.helpers;
        for (int round = 0; round < awake_rounds && helpers != 0; ++round) {
            pause_briefly();
            helpers = place.helpers;
        }
        for (; helpers != 0; helpers = place.helpers) place.helpers.wait(helpers);
        place.taken = false;
    }
};

ThreadPool::ThreadPool(std::uint32_t threads) : state_(std::make_unique<State>(std::max(threads, 1u))) {}

ThreadPool::~ThreadPool() {
    if (!state_->process.same()) {
        // The threads belong to the parent; neither they nor the locks they held can be put away here.
        static_cast<void>(state_.release());
        return;
    }
    state_->ending = true;
    state_->wake(state_->count);
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
    std::call_once(state.started, [&] { state.start(); });
    Place* const place = state.offer(loop);
    if (place != nullptr) state.wake((items - 1) / grain);
    loop.work(0);
    if (place != nullptr) State::withdraw(*place);
    return loop.code;
}

}  // namespace vedette::host
