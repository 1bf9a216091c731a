// The hits of a search on their way from the device: counters, room that grows, thinning to local maxima, and the copy.
#pragma once

#include "../operands.h"

#include <kernels/template_hits.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace vedette::cuda_plugin {

// One plan's. Used from one thread at a time.
class HitList {
public:
    explicit HitList(const Device& device) : device_(device) {}

    // Makes room for a search of `jobs` patterns. What is counted begins as zeros: clear() queues that, or a kernel of
    // the search does it to counters().
    void begin(std::size_t jobs);
    void clear(cudaStream_t stream);
    cuda::Cleared counters() const;
    // Where the hits of a pattern go; threshold and what is wanted stay to be filled in.
    cuda::HitTest test_of(std::size_t job) const;

    // Fetches what the search that was queued found, of long lists with `maxima` only the local maxima. False when
    // there was too little room: there is more now, and the search is to be made again.
    bool fetch(bool maxima, cudaStream_t stream);
    // What was fetched; until the next search.
    std::span<const cuda::Hit> hits() const { return hits_; }
    bool thinned() const { return thinned_; }
    cuda::Progress progress_of(std::size_t job) const;

private:
    struct Thinned {
        std::uint32_t count;
        std::uint32_t unused[3];
        cuda::Hit hits[1];  // and further
    };

    std::size_t head_bytes() const { return (1 + jobs_) * sizeof(cuda::Progress); }
    const cuda::Hit* all() const { return reinterpret_cast<const cuda::Hit*>(results_.data() + head_bytes()); }
    // Queues the thinning of at most `most` hits.
    void thin(std::uint32_t most, cudaStream_t stream);
    // Queues the copy of the counters and of the first hits that were kept.
    void fetch_thinned(std::uint32_t most, cudaStream_t stream);
    void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) const;
    // Copies `count` hits to the host and waits.
    void copy_hits(const cuda::Hit* from, std::uint32_t count, cudaStream_t stream);

    const Device& device_;
    std::size_t jobs_ = 0;
    std::uint32_t capacity_ = 0;
    std::uint32_t expected_ = 0;  // hits of the last search, where they were thinned; else 0
    bool thinned_ = false;
    std::span<const cuda::Hit> hits_;
    cuda::Block<std::byte> results_;  // the count of hits, the patterns' progress, the hits
    cuda::Block<std::byte> kept_;     // the counts and progress again, and Thinned
    cuda::Block<std::uint32_t> table_;
    cuda::Block<std::byte> fetched_;  // pinned: the head of results_, then the first hits of it or of kept_
    cuda::Block<cuda::Hit> more_;     // pinned: all hits that are fetched, when there are many
};

}  // namespace vedette::cuda_plugin
