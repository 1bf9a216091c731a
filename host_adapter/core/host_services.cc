#include "host_services.h"

#include "text.h"

#include <cstdint>
#include <cstdlib>
#include <utility>

namespace vedette::host {
namespace {

constexpr std::uint64_t largest_alignment = 4096;
constexpr std::size_t longest_line = 1000;

HostServices* services_of(void* ctx) noexcept {
    return static_cast<HostServices*>(ctx);
}

void log_line(void* ctx, std::uint32_t level, const char* text) noexcept {
    if (ctx == nullptr || text == nullptr) return;
    HostServices& services = *services_of(ctx);
    // A level that does not exist still carries a message.
    if (level < VDT_LOG_ERROR || level > VDT_LOG_DEBUG) level = VDT_LOG_WARNING;
    if (!services.log().wants(level)) return;
    try {
        services.log().write(level, services.name() + ": " + one_line(text, longest_line));
    } catch (...) {
        // No memory for a message: the message is lost, the work goes on.
    }
}

void* allocate(void*, std::uint64_t size, std::uint64_t align) noexcept {
    if (align == 0 || (align & (align - 1)) != 0 || align > largest_alignment) return nullptr;
    if (size > static_cast<std::uint64_t>(PTRDIFF_MAX) - largest_alignment) return nullptr;
    void* memory = nullptr;
    const std::uint64_t least = sizeof(void*);
    return ::posix_memalign(&memory, align < least ? least : align, size == 0 ? 1 : size) == 0 ? memory : nullptr;
}

void release(void*, void* memory) noexcept {
    std::free(memory);
}

vdt_code run_loop(void* ctx, vdt_token* token, std::uint32_t begin, std::uint32_t end, std::uint32_t grain,
                  vdt_loop_body body, void* arg) noexcept {
    if (ctx == nullptr) return VDT_E_ARGUMENT;
    return services_of(ctx)->pool().parallel_for(CallLimit::of(token), begin, end, grain, body, arg);
}

std::uint32_t count_workers(void* ctx) noexcept {
    return ctx == nullptr ? 1 : services_of(ctx)->pool().worker_count();
}

vdt_code is_cancelled(void*, vdt_token* token) noexcept {
    return token == nullptr ? VDT_OK : CallLimit::of(token)->state();
}

const void* find_extension(void*, const char*) noexcept {
    return nullptr;
}

}  // namespace

HostServices::HostServices(std::string name, std::uint32_t abi_minor, std::shared_ptr<ThreadPool> pool,
                           std::shared_ptr<Log> log)
    : name_(std::move(name)), pool_(std::move(pool)), log_(std::move(log)) {
    table_.struct_size = sizeof table_;
    table_.abi_minor = abi_minor;
    table_.ctx = this;
    table_.log = log_line;
    table_.alloc = allocate;
    table_.free = release;
    table_.parallel_for = run_loop;
    table_.worker_count = count_workers;
    table_.cancelled = is_cancelled;
    table_.extension = find_extension;
}

}  // namespace vedette::host
