// Gathers the positions of one pattern that reach the threshold, from several workers.
#pragma once

#include <vedette/plugin/cpp/positions.hpp>

#include <atomic>
#include <cstdint>
#include <vector>

#include "../op.h"

namespace vedette::cpu::find {

using Hit = plugin::Position;

// What one pattern's search asks for and shares between workers. With best_only the threshold rises to the best score
// seen: nothing below it matters any more, equal scores still do.
struct Goal {
    double threshold = 0;
    bool best_only = false;
    bool local_maxima = false;
    std::size_t max_results = 1;
    std::atomic<double> now{0};  // the threshold in force

    void begin() { now.store(threshold, std::memory_order_relaxed); }
    void raise(double score) {
        double old = now.load(std::memory_order_relaxed);
        while (score > old && !now.compare_exchange_weak(old, score, std::memory_order_relaxed)) {
        }
    }
};

// Hits of one pattern found by one worker. Memory stays bounded by max_results unless local maxima, which need all
// neighbours, were asked for.
class HitList {
public:
    void clear() {
        hits_.clear();
        dropped_ = 0;
    }
    void add(Goal& goal, const Hit& hit);

    std::vector<Hit>& hits() { return hits_; }
    std::uint64_t dropped() const { return dropped_; }

private:
    std::vector<Hit> hits_;
    std::uint64_t dropped_ = 0;
};

// Joins the lists of all workers into `out`, best first, at most goal.max_results; returns how many there were.
std::uint64_t join_hits(const Goal& goal, HitList* lists, std::size_t count, std::vector<Hit>& out);

}  // namespace vedette::cpu::find
