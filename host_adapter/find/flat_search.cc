#include "flat_search.h"

#include "flat_map.h"

#include <algorithm>
#include <numeric>

namespace vedette::host {
namespace {

// Positions judged at most for each hit that is asked for: a screen full of near-misses must end.
constexpr std::uint32_t kJudgedForEachHit = 4;

// Picks hits from a map of levels. Positions that are suppressed are set to kFlatFar in the map.
class Picker {
public:
    Picker(const FlatQuery& query, FlatMap& map, const FlatJudge& judge, const Workers& workers)
        : query_(query),
          map_(map),
          judge_(judge),
          workers_(workers),
          judgements_(std::uint64_t{query.most} * kJudgedForEachHit) {
        const std::uint32_t width = query.pattern->width();
        const std::uint32_t height = query.pattern->height();
        // reach_[dy]: how far to the side a window dy rows away is still suppressed; those of the same size overlap by
        // i / (2 w h - i) with i = (w - dx)(h - dy).
        const double least = 2 * query.overlap / (1 + query.overlap) * width * height;
        for (std::uint32_t dy = 0; dy < height; ++dy) {
            std::uint32_t reach = 0;  // first dx that is free
            while (reach<width&& static_cast<double>(width - reach) * (height - dy)> least) ++reach;
            if (reach == 0) break;
            reach_.push_back(reach);
        }
    }

    std::vector<FlatHit> run() {
        // Nothing differs at level 0: those positions need no sorting, however many there are.
        for (std::size_t at = 0; at < map_.level.size() && !full(); ++at)
            if (map_.level[at] == 0) pick(at);
        if (!full()) pick_sorted();
        return std::move(hits_);
    }

private:
    bool full() const { return hits_.size() >= query_.most || judgements_ == 0; }

    // Counting sort: the levels are few, the positions many.
    void pick_sorted() {
        std::vector<std::size_t> first(std::size_t{kFlatFar} + 1, 0);
        for (const std::uint16_t level : map_.level)
            if (level != 0 && level != kFlatFar) ++first[level + std::size_t{1}];
        std::partial_sum(first.begin(), first.end(), first.begin());
        std::vector<std::uint32_t> sorted(first.back());
        for (std::size_t at = 0; at < map_.level.size(); ++at) {
            const std::uint16_t level = map_.level[at];
            if (level != 0 && level != kFlatFar) sorted[first[level]++] = static_cast<std::uint32_t>(at);
        }
        for (std::size_t i = 0; i < sorted.size() && !full(); ++i)
            if (map_.level[sorted[i]] != kFlatFar) pick(sorted[i]);
    }

    void pick(std::size_t at) {
        workers_.check();
        const auto x = static_cast<std::uint32_t>(at % map_.width);
        const auto y = static_cast<std::uint32_t>(at / map_.width);
        FlatHit hit{query_.region.x + x, query_.region.y + y, 0};
        if (map_.level[at] != 0 || !query_.pattern->uniform()) hit.distance = flat_distance(query_, hit.x, hit.y);
        map_.level[at] = kFlatFar;
        --judgements_;
        const FlatJudgement judgement = judge_(hit);
        if (judgement.taken) {
            hits_.push_back(hit);
            suppress_around(x, y);
        } else if (query_.mask.empty()) {
            suppress_containing(x, y, judgement.differs);
        }
    }

    void clear(std::uint32_t y, std::int64_t first, std::int64_t last) {
        first = std::max<std::int64_t>(first, 0);
        last = std::min<std::int64_t>(last, std::int64_t{map_.width} - 1);
        if (first > last) return;
        const auto row = map_.level.begin() + static_cast<std::ptrdiff_t>(std::size_t{y} * map_.width);
        std::fill(row + first, row + last + 1, kFlatFar);
    }

    void suppress_around(std::uint32_t x, std::uint32_t y) {
        for (std::uint32_t dy = 0; dy < reach_.size(); ++dy) {
            const std::int64_t side = std::int64_t{reach_[dy]} - 1;
            if (y >= dy) clear(y - dy, x - side, x + side);
            if (dy > 0 && y + std::uint64_t{dy} < map_.height) clear(y + dy, x - side, x + side);
        }
    }

    // The pattern is the same everywhere, so a block that differs does so wherever in the window it lies.
    void suppress_containing(std::uint32_t x, std::uint32_t y, const Window& block) {
        const std::int64_t left = std::int64_t{x} + block.x;
        const std::int64_t top = std::int64_t{y} + block.y;
        const std::int64_t first_y = std::max<std::int64_t>(top + block.h - query_.pattern->height(), 0);
        const std::int64_t last_y = std::min<std::int64_t>(top, std::int64_t{map_.height} - 1);
        for (std::int64_t v = first_y; v <= last_y; ++v)
            clear(static_cast<std::uint32_t>(v), left + block.w - query_.pattern->width(), left);
    }

    const FlatQuery& query_;
    FlatMap& map_;
    const FlatJudge& judge_;
    const Workers& workers_;
    std::uint64_t judgements_;
    std::vector<std::uint32_t> reach_;
    std::vector<FlatHit> hits_;
};

}  // namespace

FlatFinding flat_search(const FlatQuery& query, const FlatJudge& judge, const Workers& workers) {
    FlatMap map = flat_map(query, workers);
    FlatFinding finding;
    if (!map.any) return finding;
    finding.any = true;
    finding.nearest = {query.region.x + map.nearest_x, query.region.y + map.nearest_y, 0};
    finding.nearest.distance = flat_distance(query, finding.nearest.x, finding.nearest.y);
    finding.hits = Picker(query, map, judge, workers).run();
    return finding;
}

}  // namespace vedette::host
