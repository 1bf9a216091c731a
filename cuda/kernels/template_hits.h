// Positions of patterns on their way from the kernels to the host.
#pragma once

#include "runtime/device.h"
#include "runtime/view.h"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vedette::cuda {

// A position is packed as y << 16 | x; both are below 65536. Read and written as one piece.
struct alignas(16) Hit {
    double score;
    std::uint32_t place;
    std::uint32_t pattern;
};

// Of one pattern; begins as zeros.
struct Progress {
    std::uint32_t candidates;  // places appended, or that there was no room for
    std::uint32_t cut;         // of scores' classes (select_hits), that of the last hit wanted
    unsigned long long best;   // ordered_bits of the best score that was seen, for HitTest::best_only
    unsigned long long found;  // by select_hits, whether wanted or not
    std::uint32_t tiles;       // that a coarse bound left too much of (template_coarse.h)
    std::uint32_t taken;       // tiles of the screen, by what searches many patterns at once (template_many.h)
};

// Positions that are not searched: [x, x + w) x [y, y + h).
struct PlaceRect {
    std::int32_t x, y, w, h;
};
struct Exclusions {
    const PlaceRect* rects = nullptr;  // device memory
    int count = 0;
};

// Places to be tested exactly, found by a faster kernel. More than `capacity` are counted, not written.
struct Candidates {
    std::uint32_t* places = nullptr;
    std::uint32_t capacity = 0;
};

// Tells which hit lies at a place: slots hold the number of a hit and one, or 0. A power of two of words of device
// memory, at least twice `most`; hits from number `most` on are not entered.
struct HitTable {
    std::uint32_t* slots = nullptr;  // NULL: there is no table
    std::uint32_t mask = 0;          // their number less one
    std::uint32_t most = 0;
};

// What becomes a hit, and where hits go. With more than `capacity` hits the rest are counted in *count only.
struct HitTest {
    double threshold = 0;
    bool best_only = false;  // a score below the best one that was seen need not be kept
    std::uint32_t pattern = 0;
    Progress* progress = nullptr;    // of this pattern
    std::uint32_t* count = nullptr;  // of all patterns' hits
    Hit* hits = nullptr;
    std::uint32_t capacity = 0;
    HitTable table;  // hits are entered in it
};

// Stands for a position that is not searched; below every threshold.
inline constexpr double no_score = -2;

// Classes of scores, 2 / score_classes wide, that the best `wanted` hits are cut off by.
inline constexpr int score_classes = 4096;

struct Selection {
    bool local_maxima = false;  // only positions that no neighbour beats; of equal ones the earlier in reading order
    std::uint32_t wanted = 0;   // so many of the best, and what shares the last one's class, do; 0: all
    std::uint32_t* counts = nullptr;  // score_classes words of device memory, for `wanted`
};

// Queues the choice of hits among all scores (direct_scores). With selection.wanted Progress::found counts all.
void select_hits(const double* scores, int columns, int rows, const Selection& selection, const HitTest& test,
                 const DeviceLimits& limits, cudaStream_t stream);

// Words that a kernel sets to zero beside its work, which saves a launch; none where `words` is NULL.
struct Cleared {
    std::uint32_t* words = nullptr;
    int count = 0;
};

// A list whose length is on the device.
struct CountedHits {
    const Hit* hits = nullptr;
    const std::uint32_t* count = nullptr;
};

// Queues the entering of hits in an empty table, for those that were not entered as they were found.
void enter_hits(const CountedHits& hits, const HitTable& table, cudaStream_t stream);

// Queues: those hits that no neighbour of their pattern beats go to `kept`, in any order, and are counted in
// *kept_count, which begins as 0; of equal neighbours the earlier in reading order stays. All hits were entered in
// `table`; of a list longer than its `most` nothing is looked at. `cleared` is no longer used by what was queued
// before.
void keep_local_maxima(const CountedHits& hits, const HitTable& table, Hit* kept, std::uint32_t* kept_count,
                       const Cleared& cleared, const DeviceLimits& limits, cudaStream_t stream);

// What comes to the host at the end of a search, in pieces of 16 bytes: `head` of them and behind them so many hits as
// *count says, at most `most`. `to` and `arrived` are pinned host memory.
struct Delivery {
    const uint4* from = nullptr;
    std::uint32_t head = 0;
    std::uint32_t most = 0;
    const std::uint32_t* count = nullptr;
    uint4* to = nullptr;
    std::uint32_t* arrived = nullptr;  // becomes `turn` when all the rest is there
    std::uint32_t turn = 0;
};

// Queues it.
void deliver_hits(const Delivery& delivery, const DeviceLimits& limits, cudaStream_t stream);

}  // namespace vedette::cuda
