#include "host.h"

#include "check.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace vedette::conformance {
namespace {

thread_local bool inside_loop = false;

}  // namespace

Host::Host(std::uint32_t workers) : workers_(workers) {
    table_.struct_size = sizeof table_;
    table_.abi_minor = VDT_ABI_MINOR;
    table_.ctx = this;
    table_.log = log;
    table_.alloc = alloc;
    table_.free = free;
    table_.parallel_for = parallel_for;
    table_.worker_count = worker_count;
    table_.cancelled = cancelled;
    table_.extension = extension;
}

void Host::fault(const char* text) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        faults_.emplace_back(text);
    } catch (...) {
        std::abort();  // out of memory while noting a fault: the check ends as a crash
    }
}

Host& Host::enter(void* context) noexcept {
    Host& host = *static_cast<Host*>(context);
    if (host.closed_) host.fault("a host service was called after destroy had returned");
    return host;
}

std::size_t Host::live_blocks() {
    const std::lock_guard lock(mutex_);
    return blocks_.size();
}

std::uint64_t Host::allocations() const {
    return allocations_.load();
}

void Host::demand_no_fault() {
    const std::lock_guard lock(mutex_);
    if (!faults_.empty()) throw Broken(faults_.front());
}

void Host::log(void* context, std::uint32_t level, const char* text) noexcept {
    Host& host = enter(context);
    if (level < VDT_LOG_ERROR || level > VDT_LOG_DEBUG) host.fault("log was called with an unknown level");
    if (text == nullptr) host.fault("log was called without a text");
}

void* Host::alloc(void* context, std::uint64_t size, std::uint64_t align) noexcept {
    Host& host = enter(context);
    ++host.allocations_;
    if (align == 0 || (align & (align - 1)) != 0 || align > 4096) {
        host.fault("alloc was asked for an alignment that is no power of two up to 4096");
        return nullptr;
    }
    void* memory = nullptr;
    const std::uint64_t alignment = std::max<std::uint64_t>(align, sizeof(void*));
    if (posix_memalign(&memory, alignment, std::max<std::uint64_t>(size, 1)) != 0) return nullptr;
    try {
        const std::lock_guard lock(host.mutex_);
        host.blocks_[memory] = size;
    } catch (...) {
        std::free(memory);
        return nullptr;
    }
    return memory;
}

void Host::free(void* context, void* memory) noexcept {
    Host& host = enter(context);
    if (memory == nullptr) return;
    bool known = false;
    {
        const std::lock_guard lock(host.mutex_);
        known = host.blocks_.erase(memory) == 1;
    }
    if (!known) {
        host.fault("free was given memory that alloc did not hand out, or that was freed before");
        return;
    }
    std::free(memory);
}

vdt_code Host::parallel_for(void* context, vdt_token* token, std::uint32_t begin, std::uint32_t end,
                            std::uint32_t grain, vdt_loop_body body, void* arg) noexcept {
    Host& host = enter(context);
    if (body == nullptr) {
        host.fault("parallel_for was called without a body");
        return VDT_E_ARGUMENT;
    }
    if (inside_loop) host.fault("parallel_for was called from inside a loop body");
    if (begin >= end) return VDT_OK;
    const std::uint64_t piece = grain == 0 ? std::max<std::uint64_t>(1, (end - begin) / (4 * host.workers_)) : grain;

    // Fresh threads for every loop: slower than a pool, but no thread of the program's own remains, so that the threads
    // that are left belong to the plugin.
    std::atomic<std::uint64_t> next{begin};
    const auto work = [&](std::uint32_t worker) {
        inside_loop = true;
        while (token == nullptr || token->state() == VDT_OK) {
            const std::uint64_t first = next.fetch_add(piece);
            if (first >= end) break;
            body(arg, static_cast<std::uint32_t>(first),
                 static_cast<std::uint32_t>(std::min<std::uint64_t>(first + piece, end)), worker);
        }
        inside_loop = false;
    };
    {
        std::vector<std::jthread> threads;
        const std::uint64_t pieces = (end - begin + piece - 1) / piece;
        try {
            for (std::uint32_t worker = 1; worker < std::min<std::uint64_t>(host.workers_, pieces); ++worker)
                threads.emplace_back(work, worker);
        } catch (...) {
            // The system gives no more threads: the others do the work.
        }
        const bool nested = inside_loop;
        work(0);
        inside_loop = nested;
    }
    if (next.load() >= end) return VDT_OK;
    return token == nullptr ? VDT_OK : token->state();
}

std::uint32_t Host::worker_count(void* context) noexcept {
    return enter(context).workers_;
}

vdt_code Host::cancelled(void* context, vdt_token* token) noexcept {
    enter(context);
    return token == nullptr ? VDT_OK : token->state();
}

const void* Host::extension(void* context, const char*) noexcept {
    enter(context);
    return nullptr;
}

}  // namespace vedette::conformance
