#include "template_hit_list.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstring>

namespace vedette::cuda_plugin {

namespace {

// Room for hits at first; searches that find more make room for all of them and run again.
constexpr std::uint32_t first_capacity = 1u << 16;
// Slots of a table that the kernel which thins empties beside its work at most; more are emptied before a search.
constexpr std::size_t most_cleared = std::size_t{1} << 24;
// Hits that come to the host with the counts; more cost another transfer.
constexpr std::size_t first_hits = 1024;
// Hits from which on they are thinned: with more, all of them would take another transfer, and the host some 25 ns
// each.
constexpr std::uint32_t thinned_hits = first_hits;

void pause_briefly() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

}  // namespace

void HitList::begin(std::size_t jobs, bool maxima, cudaStream_t stream) {
    jobs_ = jobs;
    maxima_ = maxima;
    capacity_ = std::max(capacity_, first_capacity);
    // A search is mostly like the last one: thinning that was needed then is foreseen.
    const std::uint32_t foreseen = maxima && expected_ > 0 ? std::min(capacity_, expected_ + expected_ / 4) : 0;
    table_ = {};
    if (foreseen > 0) table_ = empty_table(foreseen, stream);
    const std::size_t bytes = head_bytes() + cuda::checked_bytes(std::size_t{foreseen} + capacity_, sizeof(cuda::Hit));
    if (results_.size() < bytes) {
        results_ = {};
        results_ = cuda::Block<std::byte>(device_.cuda.memory, bytes);
    }
    const std::size_t first_bytes = head_bytes() + first_hits * sizeof(cuda::Hit);
    if (fetched_.size() < first_bytes) fetched_ = cuda::Block<std::byte>(device_.cuda.pinned, first_bytes);
    if (arrived_) return;
    arrived_ = cuda::Block<std::uint32_t>(device_.cuda.pinned, 1);
    *arrived_.data() = deliveries_;
}

void HitList::clear(cudaStream_t stream) {
    cuda::check(cudaMemsetAsync(results_.data(), 0, head_bytes(), stream), "clearing counters");
}

cuda::Cleared HitList::counters() const {
    return {reinterpret_cast<std::uint32_t*>(results_.data()), static_cast<int>(head_bytes() / sizeof(std::uint32_t))};
}

cuda::HitTest HitList::test_of(std::size_t job) const {
    cuda::HitTest test;
    test.pattern = static_cast<std::uint32_t>(job);
    test.count = reinterpret_cast<std::uint32_t*>(results_.data());
    test.progress = reinterpret_cast<cuda::Progress*>(results_.data() + sizeof(Counts)) + job;
    test.hits = all();
    test.capacity = capacity_;
    test.table = table_;
    return test;
}

void HitList::copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) const {
    cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "fetching matches");
}

cuda::HitTable HitList::empty_table(std::uint32_t most, cudaStream_t stream) {
    turn_ ^= 1;
    Table& table = tables_[turn_];
    const std::size_t slots = std::bit_ceil(2 * std::size_t{most});
    if (table.slots.size() < slots) {
        cuda::make_room(table.slots, device_.cuda.memory, slots, stream);
        table.used = slots;
    }
    if (table.used > 0)
        cuda::check(cudaMemsetAsync(table.slots.data(), 0, table.used * sizeof(std::uint32_t), stream),
                    "clearing the table of matches");
    table.used = slots;
    return {table.slots.data(), static_cast<std::uint32_t>(slots - 1), most};
}

void HitList::thin(const cuda::HitTable& table, cuda::Hit* kept, cudaStream_t stream) {
    Table& other = tables_[turn_ ^ 1];
    // No search before this one is under way.
    const bool small = other.used <= most_cleared;
    const cuda::Cleared cleared{other.slots.data(), small ? static_cast<int>(other.used) : 0};
    if (small) other.used = 0;
    auto* const counts = reinterpret_cast<std::uint32_t*>(results_.data());
    cuda::keep_local_maxima({all(), counts}, table, kept, counts + offsetof(Counts, kept) / sizeof(std::uint32_t),
                            cleared, device_.cuda.limits, stream);
}

void HitList::fetch_first(cudaStream_t stream) {
    const auto* const counts = reinterpret_cast<const std::uint32_t*>(results_.data());
    cuda::Delivery delivery;
    delivery.from = reinterpret_cast<const uint4*>(results_.data());
    delivery.head = static_cast<std::uint32_t>(head_bytes() / sizeof(uint4));
    delivery.most = first_hits;
    delivery.count = counts + (table_.most > 0 ? offsetof(Counts, kept) : offsetof(Counts, hits)) / sizeof *counts;
    delivery.to = reinterpret_cast<uint4*>(fetched_.data());
    delivery.arrived = arrived_.data();
    delivery.turn = ++deliveries_;
    cuda::deliver_hits(delivery, device_.cuda.limits, stream);
    wait_for_delivery(stream);
}

// Awake at first, since most searches end soon and the driver takes a few microseconds to tell. It tells of errors.
void HitList::wait_for_delivery(cudaStream_t stream) const {
    constexpr std::chrono::microseconds awake{300};
    constexpr int rounds = 64;  // between two looks at the clock
    const std::atomic_ref<std::uint32_t> arrived(*arrived_.data());
    for (const auto end = std::chrono::steady_clock::now() + awake; std::chrono::steady_clock::now() < end;)
        for (int round = 0; round < rounds; ++round) {
            if (arrived.load(std::memory_order_acquire) == deliveries_) return;
            pause_briefly();
        }
    cuda::synchronize(stream);
}

void HitList::copy_hits(const cuda::Hit* from, std::uint32_t count, cudaStream_t stream) {
    if (more_.size() < count) more_ = cuda::Block<cuda::Hit>(device_.cuda.pinned, count);
    copy(more_.data(), from, count * sizeof(cuda::Hit), stream);
    cuda::synchronize(stream);
    hits_ = {more_.data(), count};
}

bool HitList::fetch(cudaStream_t stream) {
    const std::uint32_t foreseen = table_.most;
    if (foreseen > 0) thin(table_, kept(), stream);
    fetch_first(stream);
    Counts counts{};
    std::memcpy(&counts, fetched_.data(), sizeof counts);
    hits_ = {};
    thinned_ = false;
    expected_ = maxima_ && counts.hits > thinned_hits ? counts.hits : 0;
    if (counts.hits > capacity_) {
        capacity_ = counts.hits;
        return false;
    }
    const auto* const first = reinterpret_cast<const cuda::Hit*>(fetched_.data() + head_bytes());
    const bool at_once = foreseen > 0 && counts.hits <= foreseen;
    if (at_once || expected_ == 0) {
        thinned_ = at_once;
        const std::uint32_t count = at_once ? counts.kept : counts.hits;
        if (count <= first_hits)
            hits_ = {first, count};
        else
            copy_hits(at_once ? kept() : all(), count, stream);
        return true;
    }
    // Thinning that was not foreseen, at least not of so many.
    const cuda::HitTable table = empty_table(counts.hits, stream);
    cuda::make_room(late_, device_.cuda.memory, counts.hits, stream);
    cuda::enter_hits({all(), reinterpret_cast<const std::uint32_t*>(results_.data())}, table, stream);
    thin(table, late_.data(), stream);
    thinned_ = true;
    fetch_first(stream);
    std::memcpy(&counts, fetched_.data(), sizeof counts);
    copy_hits(late_.data(), counts.kept, stream);
    return true;
}

cuda::Progress HitList::progress_of(std::size_t job) const {
    cuda::Progress progress;
    std::memcpy(&progress, fetched_.data() + sizeof(Counts) + job * sizeof progress, sizeof progress);
    return progress;
}

}  // namespace vedette::cuda_plugin
