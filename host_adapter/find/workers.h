// Loops over the context's pool, for code that does not know the pool's C interface.
#pragma once

#include "../core/failure.h"
#include "../core/thread_pool.h"

#include <exception>
#include <mutex>

namespace vedette::host {

class Workers {
public:
    // Without a pool loops run on the calling thread. `limit` may be NULL.
    explicit Workers(ThreadPool* pool = nullptr, CallLimit* limit = nullptr) noexcept : pool_(pool), limit_(limit) {}

    // Threads that take part at most; `worker` below is less.
    std::uint32_t count() const noexcept { return pool_ != nullptr ? pool_->worker_count() : 1; }

    // Failure VDT_E_CANCELLED or VDT_E_TIMEOUT when the call's limit was reached.
    void check() const {
        if (limit_ != nullptr) throw_limit(limit_->state());
    }

    // body(begin, end, worker) over [0, items) in pieces of about `grain`. Throws what a body threw first, and Failure
    // as check(). Inside another loop it runs on the thread that calls it.
    template <class Body>
    void run(std::uint32_t items, std::uint32_t grain, Body&& body) const {
        if (items == 0) return;
        if (pool_ == nullptr) {
            check();
            body(std::uint32_t{0}, items, std::uint32_t{0});
            return;
        }
        Loop<Body> loop{body, {}, {}};
        const vdt_code code = pool_->parallel_for(limit_, 0, items, grain, &Loop<Body>::piece, &loop);
        if (loop.thrown) std::rethrow_exception(loop.thrown);
        throw_limit(code);
    }

private:
    template <class Body>
    struct Loop {
        Body& body;
        std::mutex mutex;
        std::exception_ptr thrown;

        static void piece(void* arg, std::uint32_t begin, std::uint32_t end, std::uint32_t worker) noexcept {
            Loop& loop = *static_cast<Loop*>(arg);
            try {
                loop.body(begin, end, worker);
            } catch (...) {
                const std::lock_guard lock(loop.mutex);
                if (!loop.thrown) loop.thrown = std::current_exception();
            }
        }
    };

    static void throw_limit(vdt_code code) {
        if (code == VDT_E_CANCELLED) throw Failure(code, "The find was cancelled.");
        if (code == VDT_E_TIMEOUT)
            throw Failure(code, "The find did not end within its time limit; raise it or search a smaller region.");
        if (code < 0) throw Failure(code, "The thread pool did not run the loop.");
    }

    ThreadPool* pool_;
    CallLimit* limit_;
};

}  // namespace vedette::host
