#include "hits.h"

#include <algorithm>

namespace vedette::cpu::find {
void HitList::add(Goal& goal, const Hit& hit) {
    if (goal.best_only) {
        goal.raise(hit.score);
        if (hits_.empty())
            hits_.push_back(hit);
        else if (plugin::comes_first(hit, hits_.front()))
            hits_.front() = hit;
        return;
    }
    hits_.push_back(hit);
    if (goal.local_maxima || hits_.size() < 4096 || hits_.size() / 4 < goal.max_results) return;
    const auto cut = hits_.begin() + static_cast<std::ptrdiff_t>(goal.max_results);
    std::nth_element(hits_.begin(), cut, hits_.end(), plugin::comes_first);
    dropped_ += static_cast<std::uint64_t>(hits_.end() - cut);
    hits_.erase(cut, hits_.end());
}

std::uint64_t join_hits(const Goal& goal, HitList* lists, std::size_t count, std::vector<Hit>& out) {
    out.clear();
    std::uint64_t dropped = 0;
    for (std::size_t i = 0; i < count; ++i) {
        out.insert(out.end(), lists[i].hits().begin(), lists[i].hits().end());
        dropped += lists[i].dropped();
    }
    return plugin::keep_best(out, goal.best_only, goal.local_maxima, goal.max_results) + dropped;
}

}  // namespace vedette::cpu::find
