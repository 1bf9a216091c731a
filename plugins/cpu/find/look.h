// What a look at the pixels of a query tells about a search by the bound.
#pragma once

#include <vedette/plugin/plugin.h>

#include <array>
#include <cstddef>

#include "search/sample.h"

namespace vedette::cpu::find {

constexpr std::size_t kept_looks = 8;

// Windows of the query's region that were looked at for one pattern; none when the pixels are not at hand.
struct Look {
    std::array<search::SampledWindow, search::most_sampled_windows> windows;
    std::size_t count = 0;
};

// The pattern at its own size. Valid until the thread has looked `kept_looks` times more. A query's name and its counts
// are asked for one after the other: the same pixels are looked at once, as a thread keeps its last few looks together
// with where they were taken and some of the pixels.
const Look& look_at(const vdt_query& query, const vdt_rect& region, std::size_t pattern);

}  // namespace vedette::cpu::find
