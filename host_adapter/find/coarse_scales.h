// Where an element may be on a screen at another size: a search of coarse copies, whose answers are hints for a closer
// look.
#pragma once

#include "compose.h"

#include <vector>

namespace vedette::host {

// A pattern at this size, its top left corner near this place of the screen.
struct ScaleHint {
    double factor = 1;
    double x = 0, y = 0;   // screen pixels
    double score = 0;      // of the coarse copies
    double reduction = 1;  // they are this many times smaller than the screen
};

// What is found is not smaller or larger than this: the range that is tried, and half a step beyond.
constexpr double kLeastScaleFound = 0.48;
constexpr double kMostScaleFound = 2.5;

// The sizes that are tried, ascending, 1 left out: those of display settings exactly, and between them a geometric
// list, so that no size from 0.5 to 2.4 is further away than 5 %.
const std::vector<double>& automatic_factors();

// The reduction at which a pattern of this size is compared for a factor: as coarse as its shorter side allows, but at
// least the factor, so that the pattern is never enlarged.
double coarse_reduction(std::uint32_t width, std::uint32_t height, double factor);

// Gray, unless most of the pattern's contrast is one of colour alone.
ColorMode coarse_mode(Pattern& pattern, const Workers& workers);

// For each pattern the hints of all factors, best first. Patterns share the coarse copies and the searches of them.
// Failure as find_patterns.
std::vector<std::vector<ScaleHint>> coarse_scales(Screen& screen, const std::vector<Pattern*>& patterns,
                                                  const FindQuery& query, const Proposer& propose,
                                                  const Workers& workers);

}  // namespace vedette::host
