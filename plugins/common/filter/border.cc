#include "filter/border.h"

#include <vedette/plugin/ops.h>

#include <algorithm>

namespace vedette::imaging {

namespace {

std::int64_t modulo(std::int64_t i, std::int64_t period) {
    const std::int64_t rest = i % period;
    return rest < 0 ? rest + period : rest;
}

std::int64_t position(std::int64_t i, std::int64_t length, std::uint32_t border) {
    if (i >= 0 && i < length) return i;
    switch (border) {
        case VDT_BORDER_REPLICATE:
            return std::clamp<std::int64_t>(i, 0, length - 1);
        case VDT_BORDER_WRAP:
            return modulo(i, length);
        case VDT_BORDER_REFLECT: {  // there and back, each edge twice
            const std::int64_t at = modulo(i, 2 * length);
            return at < length ? at : 2 * length - 1 - at;
        }
        case VDT_BORDER_REFLECT_101: {  // there and back, each edge once
            if (length == 1) return 0;
            const std::int64_t at = modulo(i, 2 * (length - 1));
            return at < length ? at : 2 * (length - 1) - at;
        }
        default:
            return outside;
    }
}

}  // namespace

std::vector<std::int32_t> positions_with_border(std::uint32_t length, std::uint32_t before, std::uint32_t after,
                                                std::uint32_t border) {
    std::vector<std::int32_t> positions;
    positions.reserve(std::size_t{before} + length + after);
    for (std::int64_t i = -std::int64_t{before}; i < std::int64_t{length} + after; ++i)
        positions.push_back(static_cast<std::int32_t>(position(i, length, border)));
    return positions;
}

}  // namespace vedette::imaging
