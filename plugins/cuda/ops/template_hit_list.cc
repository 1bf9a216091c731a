#include "template_hit_list.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace vedette::cuda_plugin {

namespace {

// Room for hits at first; searches that find more make room for all of them and run again.
constexpr std::uint32_t first_capacity = 1u << 16;
// Hits that come to the host with the counts; more cost another transfer.
constexpr std::size_t first_hits = 1024;
// Hits from which on they are thinned: with more, all of them would take another transfer, and the host some 25 ns each.
constexpr std::uint32_t thinned_hits = first_hits;

}  // namespace

void HitList::begin(std::size_t jobs) {
    jobs_ = jobs;
    capacity_ = std::max(capacity_, first_capacity);
    const std::size_t bytes = head_bytes() + cuda::checked_bytes(capacity_, sizeof(cuda::Hit));
    if (results_.size() < bytes) {
        results_ = {};
        results_ = cuda::Block<std::byte>(device_.cuda.memory, bytes);
    }
    const std::size_t first_bytes = head_bytes() + sizeof(Thinned) + first_hits * sizeof(cuda::Hit);
    if (fetched_.size() < first_bytes) fetched_ = cuda::Block<std::byte>(device_.cuda.pinned, first_bytes);
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
    test.progress = reinterpret_cast<cuda::Progress*>(results_.data()) + 1 + job;
    test.hits = reinterpret_cast<cuda::Hit*>(results_.data() + head_bytes());
    test.capacity = capacity_;
    return test;
}

void HitList::copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) const {
    cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "fetching matches");
}

void HitList::thin(std::uint32_t most, cudaStream_t stream) {
    const std::size_t slots = std::bit_ceil(2 * std::size_t{most});
    cuda::make_room(table_, device_.cuda.memory, slots, stream);
    // The counters lie before what is kept, so that one copy fetches both.
    const std::size_t bytes = head_bytes() + sizeof(Thinned) + most * sizeof(cuda::Hit);
    cuda::make_room(kept_, device_.cuda.memory, bytes, stream);
    auto* const kept = reinterpret_cast<Thinned*>(kept_.data() + head_bytes());
    const auto* const counts = reinterpret_cast<const std::uint32_t*>(results_.data());
    cuda::keep_local_maxima({all(), counts, most}, {table_.data(), static_cast<std::uint32_t>(slots - 1)},
                            {kept->hits, &kept->count},
                            {counts, reinterpret_cast<std::uint32_t*>(kept_.data()),
                             static_cast<int>(head_bytes() / sizeof(std::uint32_t))},
                            device_.cuda.limits, stream);
}

void HitList::fetch_thinned(std::uint32_t most, cudaStream_t stream) {
    copy(fetched_.data(), kept_.data(),
         head_bytes() + sizeof(Thinned) + std::min<std::size_t>(first_hits, most) * sizeof(cuda::Hit), stream);
}

void HitList::copy_hits(const cuda::Hit* from, std::uint32_t count, cudaStream_t stream) {
    if (more_.size() < count) more_ = cuda::Block<cuda::Hit>(device_.cuda.pinned, count);
    copy(more_.data(), from, count * sizeof(cuda::Hit), stream);
    cuda::synchronize(stream);
    hits_ = {more_.data(), count};
}

bool HitList::fetch(bool maxima, cudaStream_t stream) {
    // A search is mostly like the last one: thinning that was needed then is queued before it is known to be.
    const std::uint32_t foreseen = maxima && expected_ > 0 ? std::min(capacity_, expected_ + expected_ / 4) : 0;
    std::byte* const first = fetched_.data() + head_bytes();
    if (foreseen > 0) {
        thin(foreseen, stream);
        fetch_thinned(foreseen, stream);
    } else {
        copy(fetched_.data(), results_.data(), head_bytes() + first_hits * sizeof(cuda::Hit), stream);
    }
    cuda::synchronize(stream);
    std::uint32_t count = 0;
    std::memcpy(&count, fetched_.data(), sizeof count);
    hits_ = {};
    thinned_ = false;
    expected_ = maxima && count > thinned_hits ? count : 0;
    if (count > capacity_) {
        capacity_ = count;
        return false;
    }
    if (foreseen == 0 && count <= first_hits) {
        hits_ = {reinterpret_cast<const cuda::Hit*>(first), count};
        return true;
    }
    if (expected_ == 0) {
        copy_hits(all(), count, stream);
        return true;
    }
    thinned_ = true;
    if (count > foreseen) {
        thin(count, stream);
        fetch_thinned(count, stream);
        cuda::synchronize(stream);
    }
    const auto* const kept = reinterpret_cast<const Thinned*>(first);
    if (kept->count <= first_hits)
        hits_ = {kept->hits, kept->count};
    else
        copy_hits(reinterpret_cast<const Thinned*>(kept_.data() + head_bytes())->hits, kept->count, stream);
    return true;
}

cuda::Progress HitList::progress_of(std::size_t job) const {
    cuda::Progress progress;
    std::memcpy(&progress, fetched_.data() + sizeof progress * (1 + job), sizeof progress);
    return progress;
}

}  // namespace vedette::cuda_plugin
