// One pattern at one size on one form of the screen: what is really compared.
#pragma once

#include "compose.h"

#include <deque>
#include <vector>

namespace vedette::host {

// A form of the screen with the region and the excluded areas in its pixels.
struct Scene {
    ColorMode mode;
    ScreenForm form;
    Window region;
    std::vector<vdt_rect> exclude;

    PixelView pixels() const noexcept;
};

struct SizedSearch {
    std::uint32_t pattern;  // index into the patterns of the call
    std::uint32_t scale;    // index into the factors
    double factor;
    const Scene* scene;
    std::shared_ptr<const PatternForm> form;
    double least_score;  // of a match
    bool scaled;         // one of several sizes and not 1: more evidence is asked for

    bool flat() const noexcept { return form->appearance().flat(); }
};

struct SizedSearches {
    std::deque<Scene> scenes;           // addresses stay
    std::vector<SizedSearch> searches;  // by pattern, then scale
    std::vector<char> too_large;        // for each pattern: larger than the region at every size
};

// How a pattern is compared on a screen: VDT_COLOR_AUTO is decided by both.
ColorMode color_mode(Screen& screen, const Pattern& pattern, std::uint32_t color);

// The larger side is always shrunk: for a factor above 1 the screen, below 1 the pattern. Enlarging would invent
// pixels, and those fail the residual. A size at which the pattern exceeds the region, or at which a pattern loses its
// structure, is left out.
SizedSearches make_sized_searches(Screen& screen, const std::vector<Pattern*>& patterns, const FindQuery& query,
                                  const Workers& workers);

}  // namespace vedette::host
