// Help for plugins written in C++; not part of the ABI. From the positions that reach the threshold of template_find to
// those that ops.h asks for, in its order.
#ifndef VEDETTE_PLUGIN_CPP_POSITIONS_HPP
#define VEDETTE_PLUGIN_CPP_POSITIONS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vedette::plugin {

struct Position {
    double score;
    int32_t x, y;  // in the region
};

// The order of results: best score, then top, then left.
inline bool comes_first(const Position& a, const Position& b) noexcept {
    if (a.score != b.score) return a.score > b.score;
    return a.y != b.y ? a.y < b.y : a.x < b.x;
}

// Keeps what no 8-neighbour beats; of equal neighbours the earlier in reading order. A neighbour that is not in the
// list scores less.
inline void keep_local_maxima(std::vector<Position>& positions) {
    std::sort(positions.begin(), positions.end(),
              [](const Position& a, const Position& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
    std::vector<char> kept(positions.size(), 1);
    // Every pair of neighbours is looked at once, from the later one: the earlier falls only to a higher score.
    std::size_t above = 0;  // first position of the row above that is not left of x - 1
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const Position& here = positions[i];
        const auto meet = [&](std::size_t earlier) { kept[positions[earlier].score >= here.score ? i : earlier] = 0; };
        if (i > 0 && positions[i - 1].y == here.y && positions[i - 1].x == here.x - 1) meet(i - 1);
        const auto is_before = [&](const Position& p) {
            return p.y < here.y - 1 || (p.y == here.y - 1 && p.x < here.x - 1);
        };
        while (above < i && is_before(positions[above])) ++above;
        for (std::size_t k = above; k < i && positions[k].y == here.y - 1 && positions[k].x <= here.x + 1; ++k) meet(k);
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < positions.size(); ++i)
        if (kept[i] != 0) positions[count++] = positions[i];
    positions.resize(count);
}

// What VDT_FIND_BEST_ONLY, VDT_FIND_LOCAL_MAXIMA and `max_results` leave of all positions of one pattern, best first;
// returns how many there were before max_results.
inline uint64_t keep_best(std::vector<Position>& positions, bool best_only, bool local_maxima,
                          std::size_t max_results) {
    if (local_maxima && !best_only) keep_local_maxima(positions);
    const std::size_t found = best_only ? std::min<std::size_t>(positions.size(), 1) : positions.size();
    const std::size_t keep = std::min(found, max_results);
    const auto cut = positions.begin() + static_cast<std::ptrdiff_t>(keep);
    if (cut != positions.end()) std::nth_element(positions.begin(), cut, positions.end(), comes_first);
    std::sort(positions.begin(), cut, comes_first);
    positions.resize(keep);
    return found;
}

}  // namespace vedette::plugin
#endif
