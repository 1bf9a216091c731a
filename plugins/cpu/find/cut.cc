#include "cut.h"

#include <algorithm>
#include <cmath>

#include "sweep.h"

namespace vedette::cpu::find {

Cut cut_positions(const Pattern& pattern, int columns, int rows, double price, std::size_t searches,
                  std::size_t workers) noexcept {
    Cut cut;
    cut.strips = (columns + strip_columns - 1) / strip_columns;
    // Four units a worker even out what the pixels make of them, unless they are shorter than a hand-over to another
    // thread is worth; a unit's first window costs h rows, so it has many more.
    const double wanted =
        std::min(4.0 * static_cast<double>(workers), static_cast<double>(columns) * rows * price / least_unit);
    const int most = std::max(1, rows / std::max(8, 2 * pattern.h));
    // But each worker gets one, even if half of what it does are first windows.
    const auto together = static_cast<std::size_t>(cut.strips) * searches;
    const auto of_worker = static_cast<int>((workers + together - 1) / together);
    const int few = std::max(1, std::min(of_worker, rows / std::max(8, pattern.h / 2)));
    cut.bands = std::clamp(static_cast<int>(std::ceil(wanted / cut.strips)), 1, std::max(most, few));
    return cut;
}

bool shares_rows(std::size_t pieces, double nanoseconds, std::size_t workers) noexcept {
    // Waking a worker that will help others is worth while for so much work of each, nanoseconds.
    constexpr double least_shared = 100e3;
    return pieces > 1 && workers > 1 && nanoseconds > least_shared * static_cast<double>(workers);
}

}  // namespace vedette::cpu::find
