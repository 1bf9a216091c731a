#include "hits.h"

#include <algorithm>

namespace vedette::cpu::find {
namespace {

// Keeps what no 8-neighbour beats; of equal neighbours the earlier in reading order. A neighbour that is no hit scores
// less.
void keep_local_maxima(std::vector<Hit>& hits) {
    std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
    std::vector<char> kept(hits.size(), 1);
    // Every pair of neighbours is looked at once, from the later one: the earlier falls only to a higher score.
    std::size_t above = 0;  // first hit of the row above that is not left of x - 1
    for (std::size_t i = 0; i < hits.size(); ++i) {
        const Hit& hit = hits[i];
        const auto meet = [&](std::size_t earlier) {
            if (hits[earlier].score >= hit.score)
                kept[i] = 0;
            else
                kept[earlier] = 0;
        };
        if (i > 0 && hits[i - 1].y == hit.y && hits[i - 1].x == hit.x - 1) meet(i - 1);
        while (above < i && (hits[above].y < hit.y - 1 || (hits[above].y == hit.y - 1 && hits[above].x < hit.x - 1)))
            ++above;
        for (std::size_t k = above; k < i && hits[k].y == hit.y - 1 && hits[k].x <= hit.x + 1; ++k) meet(k);
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < hits.size(); ++i)
        if (kept[i] != 0) hits[count++] = hits[i];
    hits.resize(count);
}

}  // namespace

void HitList::add(Goal& goal, const Hit& hit) {
    if (goal.best_only) {
        goal.raise(hit.score);
        if (hits_.empty())
            hits_.push_back(hit);
        else if (better(hit, hits_.front()))
            hits_.front() = hit;
        return;
    }
    hits_.push_back(hit);
    if (goal.local_maxima || hits_.size() < 4096 || hits_.size() / 4 < goal.max_results) return;
    const auto cut = hits_.begin() + static_cast<std::ptrdiff_t>(goal.max_results);
    std::nth_element(hits_.begin(), cut, hits_.end(), better);
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
    if (goal.local_maxima && !goal.best_only) keep_local_maxima(out);
    std::uint64_t found = out.size() + dropped;
    std::size_t keep = std::min(out.size(), goal.max_results);
    if (goal.best_only) {
        found = std::min<std::uint64_t>(found, 1);
        keep = std::min<std::size_t>(keep, 1);
    }
    std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(keep), out.end(), better);
    out.resize(keep);
    return found;
}

}  // namespace vedette::cpu::find
