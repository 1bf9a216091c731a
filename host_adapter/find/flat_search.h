// Finds patterns without structure: areas of their colour.
#pragma once

#include "appearance.h"
#include "view.h"
#include "workers.h"

#include <vedette/plugin/abi.h>

#include <functional>
#include <vector>

namespace vedette::host {

struct FlatQuery {
    PixelView screen;  // with the channels of the pattern
    const Appearance* pattern = nullptr;
    PixelView mask;  // of the pattern's size, or empty
    Window region;   // the pattern lies wholly inside; fits
    const std::vector<vdt_rect>* exclude =
        nullptr;       // positions whose rectangle meets one are not searched; may be NULL
    double limit = 0;  // largest mean CIELAB distance, at most 100
    double overlap = 0.5;
    std::uint32_t most = 400;  // hits at most
};

struct FlatHit {
    std::uint32_t x = 0, y = 0;
    double distance = 0;  // mean CIELAB distance of the window's pixels to the pattern's mean colour
};

struct FlatJudgement {
    bool taken = true;
    Window differs;  // when not taken: the block that spoke against it, pixels of the pattern
};

struct FlatFinding {
    bool any = false;  // there was a position to search
    FlatHit nearest;   // the least distance of all positions, ties in reading order; exact below 100
    std::vector<FlatHit> hits;
};

// Positions whose distance is at most `limit`, best first, ties in reading order. `judge` is asked for each before it
// becomes a hit. A hit suppresses all later positions whose intersection over union with it is above `overlap`, so a
// large area of the colour gives hits that overlap by at most that. A refused position suppresses those that contain
// the block which spoke against it. Distances are compared in steps of limit / 65000. Linear in the pixels; loops run
// on `workers`.
using FlatJudge = std::function<FlatJudgement(const FlatHit&)>;
FlatFinding flat_search(const FlatQuery& query, const FlatJudge& judge, const Workers& workers);

}  // namespace vedette::host
