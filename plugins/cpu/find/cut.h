// How a search is cut into pieces for the threads: the finder goes by it, and what it costs is counted by it.
#pragma once

#include <cstddef>

#include "pattern.h"

namespace vedette::cpu::find {

// Strips of columns, and bands of them; each a piece.
struct Cut {
    int strips = 1, bands = 1;
    int pieces() const noexcept { return strips * bands; }
};

// Of columns x rows positions that take `price` nanoseconds of a core each; `searches` of them go on at the same time.
Cut cut_positions(const Pattern& pattern, int columns, int rows, double price, std::size_t searches,
                  std::size_t workers) noexcept;

// What a worker must gain by rows that it takes of another's piece, besides their first windows: nanoseconds.
constexpr double least_unit = 30e3;

// Whether workers that find no piece any more take rows of others, in searches by a bound that take so many nanoseconds
// of a core altogether.
bool shares_rows(std::size_t pieces, double nanoseconds, std::size_t workers) noexcept;

}  // namespace vedette::cpu::find
