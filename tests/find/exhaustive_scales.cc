#include "exhaustive_scales.h"

#include "find/coarse_scales.h"
#include "find/evidence.h"
#include "find/exact_score.h"
#include "find/sized_search.h"

#include <algorithm>
#include <cmath>

namespace vedette::test {
namespace {

struct Map {
    double factor = 1;
    double best = -1;
};

class Exhaustive {
public:
    Exhaustive(host::Screen& screen, host::Pattern& pattern, const host::FindQuery& query)
        : screen_(screen), pattern_(pattern), query_(query) {}

    host::PatternOutcome run() {
        std::vector<Map> maps;
        for (const double factor : host::automatic_factors()) maps.push_back(map(factor));
        std::stable_sort(maps.begin(), maps.end(), [](const Map& p, const Map& q) { return p.best > q.best; });
        maps.resize(4);
        host::PatternOutcome outcome;
        for (Map& one : maps) {
            if (one.best <= 0) continue;
            const double centre = one.factor;
            for (int k = -4; k <= 4; ++k) take_better(one, centre * std::pow(1.1, k / 8.0));
            const double longer = std::max(pattern_.width(), pattern_.height()) * std::min(one.factor, 1.0);
            const double middle = one.factor;
            for (const double pixels : {-0.5, 0.5}) take_better(one, middle * (1 + pixels / longer));
            host::PatternOutcome found = matches_at(one.factor);
            if (found.matches.empty()) continue;
            if (outcome.matches.empty() || found.best.score > outcome.best.score) outcome = std::move(found);
        }
        return outcome;
    }

private:
    void take_better(Map& map_so_far, double factor) {
        const Map other = map(factor);
        if (other.best > map_so_far.best) map_so_far = other;
    }

    // The best score of all positions.
    Map map(double factor) {
        Map result{factor, -1};
        query_.scales = {factor};
        query_.many_trials = true;
        const host::SizedSearches searches = host::make_sized_searches(screen_, {&pattern_}, query_, workers_);
        if (searches.searches.empty()) return result;
        const host::SizedSearch& search = searches.searches.front();
        if (search.flat() || search.form->samples(workers_) < host::least_samples_of_scaled()) return result;
        const host::Window& region = search.scene->region;
        for (std::uint32_t y = region.y; y + search.form->height() <= region.y + region.h; ++y)
            for (std::uint32_t x = region.x; x + search.form->width() <= region.x + region.w; ++x)
                result.best = std::max(result.best, host::exact_score(search.scene->pixels(), search.form->pixels(),
                                                                      search.form->mask_pixels(), x, y));
        return result;
    }

    host::PatternOutcome matches_at(double factor) {
        query_.scales = {factor};
        return host::find_patterns(
                   screen_, {&pattern_}, query_,
                   [&](const host::ProposalRequest& request) { return proposer_(request); }, workers_)
            .front();
    }

    host::Screen& screen_;
    host::Pattern& pattern_;
    host::FindQuery query_;
    BruteProposer proposer_;
    const host::Workers workers_;
};

}  // namespace

host::PatternOutcome find_at_any_scale(const Image& screen, const Image& pattern, host::FindQuery query) {
    host::Screen screen_object(host::color_of(screen.view()));
    host::Pattern pattern_object(pattern.view());
    if (query.region.w == 0) query.region = {0, 0, screen.width(), screen.height()};
    return Exhaustive(screen_object, pattern_object, query).run();
}

}  // namespace vedette::test
