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

    // Makes room for a search of `jobs` patterns, of which only local maxima are wanted with `maxima`. What is counted
    // begins as zeros: clear() queues that, or a kernel of the search does it to counters().
    void begin(std::size_t jobs, bool maxima, cudaStream_t stream);
    void clear(cudaStream_t stream);
    cuda::Cleared counters() const;
    // Where the hits of a pattern go; threshold and what is wanted stay to be filled in.
    cuda::HitTest test_of(std::size_t job) const;

    // Fetches what the search that was queued found, of long lists of which they are wanted only the local maxima. All
    // that was queued has been done then.
    // False when there was too little room: there is more now, and the search is to be made again.
    bool fetch(cudaStream_t stream);
    // What was fetched; until the next search.
    std::span<const cuda::Hit> hits() const { return hits_; }
    bool thinned() const { return thinned_; }
    cuda::Progress progress_of(std::size_t job) const;

private:
    // Begins the results, before the patterns' progress, of the same size as one's.
    struct alignas(sizeof(cuda::Progress)) Counts {
        std::uint32_t hits;
        std::uint32_t kept;  // of them, by thinning
    };
    // A table of hits on the device.
    struct Table {
        cuda::Block<std::uint32_t> slots;
        std::size_t used = 0;  // slots that may not be empty
    };

    std::size_t head_bytes() const { return sizeof(Counts) + jobs_ * sizeof(cuda::Progress); }
    // On the device: what thinning keeps, of which there is nothing unless it was foreseen, then all hits.
    cuda::Hit* kept() const { return reinterpret_cast<cuda::Hit*>(results_.data() + head_bytes()); }
    cuda::Hit* all() const { return kept() + table_.most; }
    // An empty table for so many hits; queues what empties it.
    cuda::HitTable empty_table(std::uint32_t most, cudaStream_t stream);
    // Queues the thinning of hits that were entered in `table`.
    void thin(const cuda::HitTable& table, cuda::Hit* kept, cudaStream_t stream);
    // Brings the counts to the host, and the first of the hits that lie behind them; waits for all that was queued.
    void fetch_first(cudaStream_t stream);
    void wait_for_delivery(cudaStream_t stream) const;
    void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) const;
    // Copies `count` hits to the host and waits.
    void copy_hits(const cuda::Hit* from, std::uint32_t count, cudaStream_t stream);

    const Device& device_;
    std::size_t jobs_ = 0;
    std::uint32_t capacity_ = 0;
    std::uint32_t expected_ = 0;  // hits of the last search, where they were thinned; else 0
    bool maxima_ = false;
    bool thinned_ = false;
    std::span<const cuda::Hit> hits_;
    cuda::Block<std::byte> results_;      // Counts, the patterns' progress, kept hits, all hits
    cuda::Block<cuda::Hit> late_;         // kept hits, where thinning was not foreseen
    Table tables_[2];                     // one is emptied while the other is read
    int turn_ = 0;                        // that of this search
    cuda::HitTable table_;                // of this search where thinning is foreseen, else of no room
    cuda::Block<std::byte> fetched_;      // pinned: the head of results_ and the first hits
    cuda::Block<std::uint32_t> arrived_;  // pinned: the number of the delivery that lies there
    std::uint32_t deliveries_ = 0;
    cuda::Block<cuda::Hit> more_;  // pinned: all hits that are fetched, when there are many
};

}  // namespace vedette::cuda_plugin
