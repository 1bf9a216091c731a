// A place that may be a match, and the judgement on it.
#pragma once

#include "residual.h"
#include "sized_search.h"
#include "suppress.h"

#include <vedette/vedette.h>

namespace vedette::host {

struct MatchCandidate {
    const SizedSearch* search = nullptr;
    std::uint32_t x = 0, y = 0;  // in the search's scene
    double score = 0;
    double residual = -1;
    double evidence = -1;
    Window worst;  // pixels of the pattern's form
    std::uint32_t reason = VDT_REASON_NONE;
    // The residual is exact, and a refusal by residual is told apart into local and everywhere.
    bool complete = false;

    Box box() const noexcept;  // screen pixels
};

// Score (best first), then top, then left, then scale.
bool better(const MatchCandidate& p, const MatchCandidate& q) noexcept;

// Decides whether candidates are matches.
class Judge {
public:
    Judge(const FindQuery& query, const Workers& workers) : query_(query), workers_(workers) {}

    double limit(const SizedSearch& search) const;
    // Fills reason and, with verification, residual and evidence. The residual of one that is refused is only as exact
    // as the refusal needs. One thread a meter.
    void judge(MatchCandidate& candidate, ResidualMeter& meter) const;
    // judge() for all, on the workers.
    void judge(std::vector<std::vector<MatchCandidate>>& candidates) const;
    // Makes what is reported of a refused candidate exact.
    void complete(MatchCandidate& candidate) const;
    vdt_match match(const MatchCandidate& candidate) const;

private:
    void verify(MatchCandidate& candidate, ResidualMeter& meter) const;
    std::uint32_t candidates_of_a_piece(const std::vector<MatchCandidate*>& candidates) const;

    const FindQuery& query_;
    const Workers& workers_;
};

}  // namespace vedette::host
