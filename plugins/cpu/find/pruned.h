// The search by a bound: windows that may reach the threshold are found row by row, and only those are looked at.
#pragma once

#include <span>

#include "row_share.h"
#include "search.h"

namespace vedette::cpu::find {

// One of several patterns that are searched together.
struct PrunedSearch {
    Task task;
    HitList* hits = nullptr;
    std::uint64_t survivors = 0;  // windows that survived the bound are added
};

// Whether search_pruned() takes both together: patterns of one size, bounds of one grid.
bool share_sweep(const Task& a, const Task& b);

// Searches the unit for all patterns with their tasks' bounds. What rows of windows and blocks sum up to is computed
// once for all of them. When more windows of a pattern survive its bound than pays, the rest of the unit is searched
// for it by computing every score. `share`: of the unit's rows, where others may take some of them meanwhile.
void search_pruned(std::span<PrunedSearch> searches, const Unit& unit, Worker& worker, RowShare* share = nullptr);

}  // namespace vedette::cpu::find
