// A find on pictures, with the brute-force proposer.
#pragma once

#include "brute_proposer.h"
#include "picture.h"

#include <list>
#include <vector>

namespace vedette::test {

struct Finder {
    host::FindQuery query;
    BruteProposer proposer;
    host::Workers workers;

    std::vector<host::PatternOutcome> find(const Image& screen, const std::vector<const Image*>& patterns) {
        host::Screen object(host::color_of(screen.view()));
        return find(object, patterns);
    }

    std::vector<host::PatternOutcome> find(host::Screen& screen, const std::vector<const Image*>& patterns) {
        std::list<host::Pattern> objects;
        std::vector<host::Pattern*> pointers;
        for (const Image* pattern : patterns) {
            objects.emplace_back(pattern->view());
            pointers.push_back(&objects.back());
        }
        return find(screen, pointers);
    }

    // Patterns that are kept from find to find.
    std::vector<host::PatternOutcome> find(host::Screen& screen, const std::vector<host::Pattern*>& patterns) {
        if (query.region.w == 0) query.region = {0, 0, screen.width(), screen.height()};
        return host::find_patterns(
            screen, patterns, query, [&](const host::ProposalRequest& request) { return proposer(request); }, workers);
    }

    host::PatternOutcome find(const Image& screen, const Image& pattern) { return find(screen, {&pattern}).at(0); }
};

inline bool at(const vdt_match& match, double x, double y) {
    return match.x == x && match.y == y;
}

}  // namespace vedette::test
