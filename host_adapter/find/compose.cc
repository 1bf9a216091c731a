#include "compose.h"

#include "candidate.h"
#include "evidence.h"
#include "exact_score.h"
#include "flat_search.h"
#include "sized_search.h"

#include <algorithm>
#include <set>
#include <utility>

namespace vedette::host {
namespace {

// Candidates looked at for each pattern and size, unless more results are asked for.
constexpr std::uint32_t kMostCandidates = 400;
// Candidates asked for when only the best below the threshold is to be named: the next one elsewhere may lie behind a
// few that overlap the best.
constexpr std::uint32_t kFewCandidates = 8;

// Where a pattern that was never looked for is searched down to the floor at once: not further down, where bounds leave
// most of a screen, and where it can have at most so many positions. On 63 real cases of 0.3 to 1 megapixels finding
// takes 4 % longer so, and missing is told in 0.6 of the time; on a 4K screen put together of real ones finding
// took 1.5 to 4.6 times as long (2-core Zen 3, AVX2).
constexpr double kLeastFloorAtOnce = 0.55;
constexpr double kMostPositionsAtOnce = 1.1e6;

class Composer {
public:
    Composer(Screen& screen, const std::vector<Pattern*>& patterns, const FindQuery& query, const Proposer& propose,
             const Workers& workers)
        : query_(query),
          propose_(propose),
          workers_(workers),
          judge_(query, workers),
          sized_(make_sized_searches(screen, patterns, query, workers)),
          candidates_(patterns.size()),
          lowest_(patterns.size(), -1) {}

    std::vector<PatternOutcome> run() {
        const auto most = std::max(query_.max_results, kMostCandidates);
        // The best below the threshold is looked for together with what reaches it where the pattern is likely missing,
        // or a lower threshold costs little: a second search costs as much again. Else it is left for later, and made
        // only where nothing is seen at all.
        const bool deeper = query_.floor < query_.threshold;
        std::vector<char> at_once(candidates_.size(), deeper ? 1 : 0);
        for (const SizedSearch& search : sized_.searches)
            if (!at_once_pays(search)) at_once[search.pattern] = 0;
        propose_and_judge(query_.threshold, most,
                          [&](const SizedSearch& search) { return !search.flat() && at_once[search.pattern] == 0; });
        propose_at_once(most,
                        [&](const SizedSearch& search) { return !search.flat() && at_once[search.pattern] != 0; });
        for (const SizedSearch& search : sized_.searches)
            if (search.flat()) search_flat(search, most);
        std::vector<char> empty(candidates_.size());
        for (std::size_t i = 0; i < empty.size(); ++i)
            empty[i] = deeper && candidates_[i].empty() && at_once[i] == 0 ? 1 : 0;
        if (deeper && !query_.floor_later) {
            propose_and_judge(query_.floor, kFewCandidates,
                              [&](const SizedSearch& search) { return !search.flat() && empty[search.pattern] != 0; });
        }
        note_searches();
        std::vector<PatternOutcome> outcomes(candidates_.size());
        // By the caller's thread, since what a thread of the pool takes of memory and others give back is mapped anew.
        for (std::uint32_t pattern = 0; pattern < outcomes.size(); ++pattern)
            outcomes[pattern].matches.reserve(std::min<std::size_t>(candidates_[pattern].size(), most_matches()));
        workers_.run(static_cast<std::uint32_t>(outcomes.size()), patterns_of_a_piece(),
                     [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                         for (std::uint32_t pattern = begin; pattern < end; ++pattern) {
                             workers_.check();
                             compose(pattern, outcomes[pattern]);
                             outcomes[pattern].floor_left =
                                 query_.floor_later && empty[pattern] != 0 && outcomes[pattern].open;
                         }
                     });
        return outcomes;
    }

private:
    template <class Wanted>
    void propose_and_judge(double threshold, std::uint32_t most, Wanted&& wanted) {
        take(propose(threshold, most, wanted), threshold, most, wanted);
    }

    using ByPattern = std::vector<std::vector<MatchCandidate>>;

    // What two passes would find, the one at the threshold and the one at the floor where the first sees nothing.
    template <class Wanted>
    void propose_at_once(std::uint32_t most, Wanted&& wanted) {
        ByPattern above = propose(query_.floor, most, wanted);
        ByPattern below(above.size());
        std::vector<char> seen(above.size());
        for (std::size_t i = 0; i < above.size(); ++i) {
            const auto reaches = [&](const MatchCandidate& candidate) { return candidate.score >= query_.threshold; };
            seen[i] = std::any_of(above[i].begin(), above[i].end(), reaches) ? 1 : 0;
            if (seen[i] != 0) {
                std::erase_if(above[i], [&](const MatchCandidate& candidate) { return !reaches(candidate); });
                continue;
            }
            below[i].swap(above[i]);
            std::vector<std::uint32_t> counts(sized_.searches.size());
            std::erase_if(below[i], [&](const MatchCandidate& candidate) {  // best first
                return ++counts[index_of(*candidate.search)] > kFewCandidates;
            });
        }
        take(std::move(above), query_.threshold, most,
             [&](const SizedSearch& search) { return wanted(search) && seen[search.pattern] != 0; });
        take(std::move(below), query_.floor, kFewCandidates,
             [&](const SizedSearch& search) { return wanted(search) && seen[search.pattern] == 0; });
    }

    // One request for all wanted searches of a scene.
    template <class Wanted>
    ByPattern propose(double threshold, std::uint32_t most, Wanted&& wanted) {
        ByPattern found(candidates_.size());
        for (const Scene& scene : sized_.scenes) {
            ProposalRequest request{scene.form.image.get(), {}, threshold, most, scene.region, &scene.exclude};
            std::vector<const SizedSearch*> asked;
            for (const SizedSearch& search : sized_.searches) {
                if (search.scene != &scene || !wanted(search)) continue;
                request.patterns.push_back(search.form.get());
                asked.push_back(&search);
            }
            if (asked.empty()) continue;
            workers_.check();
            const std::vector<Proposal> proposals = propose_(request);
            std::vector<std::size_t> counts(asked.size());
            for (const Proposal& proposal : proposals) ++counts[proposal.pattern];
            for (std::size_t i = 0; i < asked.size(); ++i) {
                std::vector<MatchCandidate>& list = found[asked[i]->pattern];
                if (counts[i] > 0) list.reserve(list.size() + counts[i]);
            }
            for (const Proposal& proposal : proposals) {
                const SizedSearch* const search = asked[proposal.pattern];
                MatchCandidate& candidate = found[search->pattern].emplace_back();
                candidate.search = search;
                candidate.x = proposal.x;
                candidate.y = proposal.y;
                candidate.score = proposal.score;
            }
        }
        return found;
    }

    bool at_once_pays(const SizedSearch& search) const {
        switch (search.form->last_search()) {
            case LastSearch::saw:
                return false;
            case LastSearch::missed:
                return true;
            case LastSearch::none:
                break;
        }
        const Window& region = search.scene->region;
        const double columns = region.w - static_cast<double>(search.form->width()) + 1;
        const double rows = region.h - static_cast<double>(search.form->height()) + 1;
        return query_.floor >= kLeastFloorAtOnce && columns * rows <= kMostPositionsAtOnce;
    }

    // Judges and keeps what a pass of the wanted searches found.
    template <class Wanted>
    void take(ByPattern found, double threshold, std::uint32_t most, Wanted&& wanted) {
        judge_.judge(found);
        for (const SizedSearch& search : sized_.searches)
            if (wanted(search) && candidates_[search.pattern].empty() && found[search.pattern].empty())
                lowest_[search.pattern] = threshold;
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (found[i].empty()) continue;
            note_lowest(threshold, most, found[i], lowest_[i]);
            if (candidates_[i].empty())
                candidates_[i] = std::move(found[i]);
            else
                candidates_[i].insert(candidates_[i].end(), found[i].begin(), found[i].end());
        }
        for (const SizedSearch& search : sized_.searches)
            if (wanted(search)) add_equal_neighbours(search, most);
    }

    void note_searches() {
        for (const SizedSearch& search : sized_.searches) {
            const std::vector<MatchCandidate>& all = candidates_[search.pattern];
            search.form->note_search(std::any_of(all.begin(), all.end(), [&](const MatchCandidate& candidate) {
                return candidate.score >= query_.threshold;
            }));
        }
    }

    std::size_t index_of(const SizedSearch& search) const noexcept {
        return static_cast<std::size_t>(&search - sized_.searches.data());
    }

    // How far down the candidates of a pattern are all known: to the threshold, or to the last one of a full list.
    void note_lowest(double threshold, std::uint32_t most, const std::vector<MatchCandidate>& found,
                     double& lowest) const {
        lowest = std::max(lowest, threshold);
        if (found.size() < most) return;
        std::vector<std::uint32_t> counts(sized_.searches.size());
        // Best first: the one that fills the list is its lowest.
        for (const MatchCandidate& candidate : found)
            if (++counts[index_of(*candidate.search)] == most) lowest = std::max(lowest, candidate.score);
    }

    // Of equal neighbours the proposal names the first. Where a neighbour may be a match beside it, because the pattern
    // is so small that one pixel changes the overlap enough, the others are equally good.
    void add_equal_neighbours(const SizedSearch& search, std::uint32_t most) {
        const double w = search.form->width();
        const double h = search.form->height();
        if (intersection_over_union({0, 0, w, h}, {1, 1, w, h}) > query_.overlap) return;
        std::vector<MatchCandidate>& all = candidates_[search.pattern];
        std::vector<MatchCandidate> equal;
        std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
        for (const MatchCandidate& candidate : all)
            if (candidate.search == &search) seen.insert({candidate.x, candidate.y});
        for (const MatchCandidate& candidate : all) {
            if (candidate.search != &search || candidate.reason != VDT_REASON_NONE) continue;
            std::vector<MatchCandidate> front{candidate};
            while (!front.empty() && all.size() + equal.size() < most) {
                workers_.check();
                const MatchCandidate centre = front.back();
                front.pop_back();
                for (const MatchCandidate& neighbour : equal_neighbours(centre)) {
                    if (!seen.insert({neighbour.x, neighbour.y}).second) continue;
                    front.push_back(neighbour);
                    if (!beaten(neighbour)) equal.push_back(neighbour);
                }
            }
        }
        std::vector<std::vector<MatchCandidate>> judged(1);
        judged[0].swap(equal);
        judge_.judge(judged);
        all.insert(all.end(), judged[0].begin(), judged[0].end());
    }

    bool meets_excluded(const SizedSearch& search, std::uint32_t x, std::uint32_t y) const {
        const std::int64_t right = std::int64_t{x} + search.form->width();
        const std::int64_t bottom = std::int64_t{y} + search.form->height();
        return std::any_of(search.scene->exclude.begin(), search.scene->exclude.end(), [&](const vdt_rect& area) {
            return area.w > 0 && area.h > 0 && x < std::int64_t{area.x} + area.w && right > area.x &&
                   y < std::int64_t{area.y} + area.h && bottom > area.y;
        });
    }

    std::vector<MatchCandidate> neighbours(const MatchCandidate& centre) const {
        const SizedSearch& search = *centre.search;
        const Window& region = search.scene->region;
        std::vector<MatchCandidate> result;
        for (std::int64_t y = std::int64_t{centre.y} - 1; y <= std::int64_t{centre.y} + 1; ++y) {
            for (std::int64_t x = std::int64_t{centre.x} - 1; x <= std::int64_t{centre.x} + 1; ++x) {
                const bool inside = x >= region.x && y >= region.y &&
                                    x + search.form->width() <= std::int64_t{region.x} + region.w &&
                                    y + search.form->height() <= std::int64_t{region.y} + region.h;
                if (!inside || (x == centre.x && y == centre.y)) continue;
                MatchCandidate neighbour;
                neighbour.search = &search;
                neighbour.x = static_cast<std::uint32_t>(x);
                neighbour.y = static_cast<std::uint32_t>(y);
                if (meets_excluded(search, neighbour.x, neighbour.y)) continue;
                neighbour.score = exact_score(search.scene->pixels(), search.form->pixels(), search.form->mask_pixels(),
                                              neighbour.x, neighbour.y);
                result.push_back(neighbour);
            }
        }
        return result;
    }

    std::vector<MatchCandidate> equal_neighbours(const MatchCandidate& centre) const {
        std::vector<MatchCandidate> result = neighbours(centre);
        std::erase_if(result, [&](const MatchCandidate& neighbour) { return neighbour.score != centre.score; });
        return result;
    }

    bool beaten(const MatchCandidate& centre) const {
        const std::vector<MatchCandidate> around = neighbours(centre);
        return std::any_of(around.begin(), around.end(),
                           [&](const MatchCandidate& neighbour) { return neighbour.score > centre.score; });
    }

    void search_flat(const SizedSearch& search, std::uint32_t most) {
        const double by_score = std::max(0.0, (1 - search.least_score) * 100);
        FlatQuery query;
        query.screen = search.scene->pixels();
        query.pattern = &search.form->appearance();
        query.mask = search.form->mask_pixels();
        query.region = search.scene->region;
        query.exclude = &search.scene->exclude;
        query.limit = query_.verify ? std::min(by_score, judging::kResidualBase / query_.strictness) : by_score;
        query.overlap = query_.overlap;
        query.most = most;
        std::vector<MatchCandidate>& all = candidates_[search.pattern];
        const auto candidate_at = [&](const FlatHit& hit) {
            MatchCandidate candidate;
            candidate.search = &search;
            candidate.x = hit.x;
            candidate.y = hit.y;
            candidate.score = 1 - hit.distance / 100;
            return candidate;
        };
        ResidualMeter meter;
        const FlatFinding finding = flat_search(
            query,
            [&](const FlatHit& hit) {
                MatchCandidate candidate = candidate_at(hit);
                // The search has applied the threshold; what is left of a difference is its rounding.
                candidate.score = std::max(candidate.score, search.least_score);
                judge_.judge(candidate, meter);
                all.push_back(candidate);
                return FlatJudgement{candidate.reason == VDT_REASON_NONE, candidate.worst};
            },
            workers_);
        if (!finding.any || !all.empty()) return;
        MatchCandidate nearest = candidate_at(finding.nearest);
        if (nearest.score < query_.floor) return;
        nearest.reason =
            nearest.score < search.least_score && finding.nearest.distance * query_.strictness <= judging::kResidualBase
                ? VDT_REASON_BELOW_SCORE
                : VDT_REASON_COLOR_ABSENT;
        all.push_back(nearest);
    }

    std::uint32_t most_matches() const noexcept { return query_.all ? query_.max_results : 1; }

    // All on the calling thread where that takes less than to wake others, which took 10 to 40 us.
    std::uint32_t patterns_of_a_piece() const noexcept {
        constexpr std::size_t few = 1024;  // candidates; each takes some 50 ns
        std::size_t count = 0;
        for (const std::vector<MatchCandidate>& all : candidates_) count += all.size();
        return count < few ? static_cast<std::uint32_t>(candidates_.size()) : 1;
    }

    void compose(std::uint32_t pattern, PatternOutcome& result) {
        if (sized_.too_large[pattern] != 0) {
            result.reason = VDT_REASON_TOO_LARGE;
            return;
        }
        std::vector<MatchCandidate>& all = candidates_[pattern];
        if (all.empty()) {
            result.reason = is_flat(pattern) ? VDT_REASON_COLOR_ABSENT : VDT_REASON_NOTHING_ABOVE_FLOOR;
            result.open = !is_flat(pattern);
            return;
        }
        // Those of one search come in this order.
        if (!std::is_sorted(all.begin(), all.end(), better)) std::stable_sort(all.begin(), all.end(), better);
        const std::vector<const MatchCandidate*> matches = accepted(all);
        for (std::size_t i = 0; i < matches.size(); ++i) {
            if (result.matches.size() < most_matches()) result.matches.push_back(judge_.match(*matches[i]));
            if (i > 0 && query_.verify && matches[i]->residual < judging::kIdentical) ++result.copies;
        }
        MatchCandidate best = matches.empty() ? all.front() : *matches.front();
        judge_.complete(best);
        result.has_best = true;
        result.best = judge_.match(best);
        result.reason = best.reason;
        result.open = matches.empty() && !is_flat(pattern) && std::none_of(all.begin(), all.end(), in_another_state);
        set_margin(all, best, result);
    }

    static bool in_another_state(const MatchCandidate& candidate) {
        return (candidate.reason == VDT_REASON_DIFFERS_LOCALLY || candidate.reason == VDT_REASON_DIFFERS_EVERYWHERE) &&
               candidate.score >= judging::kOtherStateScore && candidate.evidence >= judging::kEvidence;
    }

    bool is_flat(std::uint32_t pattern) const {
        return std::any_of(sized_.searches.begin(), sized_.searches.end(),
                           [&](const SizedSearch& search) { return search.pattern == pattern && search.flat(); });
    }

    std::vector<const MatchCandidate*> accepted(const std::vector<MatchCandidate>& all) const {
        std::vector<const MatchCandidate*> passed;
        std::vector<Box> boxes;
        passed.reserve(all.size());
        boxes.reserve(all.size());
        for (const MatchCandidate& candidate : all) {
            if (candidate.reason != VDT_REASON_NONE) continue;
            passed.push_back(&candidate);
            boxes.push_back(candidate.box());
        }
        std::vector<const MatchCandidate*> kept;
        for (const std::size_t index : suppress(boxes, query_.overlap)) kept.push_back(passed[index]);
        return kept;
    }

    void set_margin(const std::vector<MatchCandidate>& all, const MatchCandidate& best, PatternOutcome& result) const {
        const Box box = best.box();
        const auto elsewhere = std::find_if(all.begin(), all.end(), [&](const MatchCandidate& candidate) {
            return intersection_over_union(candidate.box(), box) <= query_.overlap;
        });
        if (elsewhere != all.end()) {
            result.margin = best.score - elsewhere->score;
            return;
        }
        const double lowest = best.search->flat() ? flat_lowest() : lowest_[best.search->pattern];
        result.margin = std::max(0.0, best.score - lowest);
        result.margin_is_bound = true;
    }

    // A flat search looks no further than its limit.
    double flat_lowest() const {
        return query_.verify ? std::max(query_.threshold, 1 - judging::kResidualBase / query_.strictness / 100)
                             : query_.threshold;
    }

    const FindQuery& query_;
    const Proposer& propose_;
    const Workers& workers_;
    const Judge judge_;
    SizedSearches sized_;
    std::vector<std::vector<MatchCandidate>> candidates_;  // of each pattern
    std::vector<double> lowest_;                           // of each pattern; see note_lowest
};

}  // namespace

std::vector<PatternOutcome> find_patterns(Screen& screen, const std::vector<Pattern*>& patterns, const FindQuery& query,
                                          const Proposer& propose, const Workers& workers) {
    return Composer(screen, patterns, query, propose, workers).run();
}

}  // namespace vedette::host
