#include "template_hits.h"

#include <algorithm>

namespace vedette::cuda_plugin {

namespace {

// Places are packed as y << 16 | x, so that their order is reading order.
bool better(const cuda::Hit& a, const cuda::Hit& b) {
    return a.score != b.score ? a.score > b.score : a.place < b.place;
}

// Keeps what no neighbour beats; of equal neighbours the earlier in reading order. A neighbour that is no hit scores
// less.
void keep_local_maxima(std::vector<cuda::Hit>& hits) {
    std::sort(hits.begin(), hits.end(), [](const cuda::Hit& a, const cuda::Hit& b) { return a.place < b.place; });
    const auto x_of = [&](std::size_t i) { return static_cast<int>(hits[i].place & 0xffffu); };
    const auto y_of = [&](std::size_t i) { return static_cast<int>(hits[i].place >> 16); };
    std::vector<char> kept(hits.size(), 1);
    std::size_t above = 0;  // first hit of the row above that is not left of x - 1
    for (std::size_t i = 0; i < hits.size(); ++i) {
        // Every pair is looked at once, from the later one: the earlier falls only to a higher score.
        const auto meet = [&](std::size_t earlier) { kept[hits[earlier].score >= hits[i].score ? i : earlier] = 0; };
        if (i > 0 && hits[i - 1].place + 1 == hits[i].place && y_of(i - 1) == y_of(i)) meet(i - 1);
        const auto is_before = [&](std::size_t k) {
            return y_of(k) < y_of(i) - 1 || (y_of(k) == y_of(i) - 1 && x_of(k) < x_of(i) - 1);
        };
        while (above < i && is_before(above)) ++above;
        for (std::size_t k = above; k < i && y_of(k) == y_of(i) - 1 && x_of(k) <= x_of(i) + 1; ++k) meet(k);
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < hits.size(); ++i)
        if (kept[i] != 0) hits[count++] = hits[i];
    hits.resize(count);
}

}  // namespace

std::uint64_t choose_hits(std::vector<cuda::Hit>& hits, std::uint32_t flags, std::size_t max_results) {
    const bool best_only = (flags & VDT_FIND_BEST_ONLY) != 0;
    if ((flags & VDT_FIND_LOCAL_MAXIMA) != 0 && !best_only) keep_local_maxima(hits);
    const std::size_t found = best_only ? std::min<std::size_t>(hits.size(), 1) : hits.size();
    const std::size_t keep = std::min(found, max_results);
    std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(keep), hits.end(), better);
    hits.resize(keep);
    return found;
}

}  // namespace vedette::cuda_plugin
