// What a find means: candidates are proposed by correlation and decided by verification.
#pragma once

#include "pattern.h"
#include "screen.h"
#include "workers.h"

#include <vedette/vedette.h>

#include <functional>
#include <string>
#include <vector>

namespace vedette::host {

// Options of a find, checked. Defaults as vdt_find_options_init.
struct FindQuery {
    std::uint32_t color = VDT_COLOR_AUTO;
    double threshold = 0.75;
    double floor = 0.6;
    double strictness = 1;
    double overlap = 0.5;
    bool verify = true;
    bool all = false;
    std::uint32_t max_results = 400;
    Window region;                  // inside the screen, not empty
    std::vector<vdt_rect> exclude;  // screen pixels
    std::vector<double> scales{1};  // factors of the pattern's size, positive
    bool many_trials = false;       // `scales` are what is left of many that were tried: more evidence is asked for
    std::uint32_t fallbacks = VDT_FALLBACK_SCALES | VDT_FALLBACK_FEATURES;
    // A search down to the floor that is needed only when nothing else finds the pattern is left for later.
    bool floor_later = false;
};

// Asks for the local maxima of the score, best first for each pattern: the operation template_find on one image.
struct ProposalRequest {
    SharedImage* screen = nullptr;
    std::vector<const PatternForm*> patterns;
    double threshold = 0;
    std::uint32_t most = 0;  // for each pattern
    Window region;
    const std::vector<vdt_rect>* exclude = nullptr;
};

struct Proposal {
    std::uint32_t pattern = 0;  // index into the request's
    std::uint32_t x = 0, y = 0;
    double score = 0;
};

using Proposer = std::function<std::vector<Proposal>(const ProposalRequest&)>;

struct PatternOutcome {
    std::vector<vdt_match> matches;  // best first
    bool has_best = false;
    vdt_match best{};
    std::uint32_t reason = VDT_REASON_NONE;
    double margin = 0;
    bool margin_is_bound = false;
    std::uint32_t copies = 0;
    // Nothing passed, the pattern has structure and fits, and no place says that it is there in another state: it may
    // be there at another size or seen from elsewhere.
    bool open = false;
    // Nothing reaches the threshold, and what reaches the floor was left for later.
    bool floor_left = false;
};

// One outcome for each pattern, from the sizes the query names. Failure VDT_E_CANCELLED or VDT_E_TIMEOUT from
// `workers`, and whatever `propose` throws.
//
// Margin: the best score minus that of the next candidate that does not overlap the best by more than `overlap`,
// refused candidates included; negative when verification refused a higher score. When no other was seen it is a bound:
// no other place reaches the score the search went down to.
std::vector<PatternOutcome> find_patterns(Screen& screen, const std::vector<Pattern*>& patterns, const FindQuery& query,
                                          const Proposer& propose, const Workers& workers);

}  // namespace vedette::host
