// A find with what is tried when a pattern is nowhere at its own size.
#pragma once

#include "coarse_scales.h"
#include "compose.h"
#include "features.h"

#include <vector>

namespace vedette::host {

// find_patterns, then the query's fallbacks for each pattern whose outcome is open. What they find replaces that
// outcome; else it stays as it was. Failure as find_patterns.
std::vector<PatternOutcome> find_with_fallbacks(Screen& screen, const std::vector<Pattern*>& patterns,
                                                const FindQuery& query, const Proposer& propose,
                                                const FeatureOperations& features, const Workers& workers);

// What the scale fallback decides for one pattern, from hints best first: the outcome at the size that fits best, with
// no matches when none of them stands up to judgement.
PatternOutcome find_at_hinted_scale(Screen& screen, Pattern& pattern, const FindQuery& query,
                                    const std::vector<ScaleHint>& hints, const Proposer& propose,
                                    const Workers& workers);

}  // namespace vedette::host
