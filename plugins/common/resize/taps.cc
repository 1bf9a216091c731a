#include "resize/taps.h"

#include <algorithm>

namespace vedette::imaging {

namespace {

// At numerator / denominator, between the pixels 0 and in - 1.
PairTap pair_at(std::int64_t numerator, std::int64_t denominator, std::uint32_t in) {
    if (numerator <= 0) return {0, 0, 0};
    const auto left = static_cast<std::uint32_t>(numerator / denominator);
    if (left + 1 >= in) return {in - 1, in - 1, 0};
    return {left, left + 1,
            static_cast<float>(static_cast<double>(numerator % denominator) / static_cast<double>(denominator))};
}

}  // namespace

std::vector<PairTap> pair_taps(Sampling sampling, std::uint32_t in, std::uint32_t out) {
    std::vector<PairTap> taps(out);
    for (std::int64_t x = 0; x < out; ++x) {
        PairTap& tap = taps[static_cast<std::size_t>(x)];
        if (sampling == Sampling::half_pixel)
            tap = pair_at((2 * x + 1) * in - out, 2 * std::int64_t{out}, in);
        else
            tap = x + 1 == out ? PairTap{in - 1, in - 1, 0} : pair_at(x * (in - std::int64_t{1}), out - 1, in);
    }
    return taps;
}

std::vector<AreaTap> area_taps(std::uint32_t in, std::uint32_t out) {
    std::vector<AreaTap> taps(out);
    for (std::uint64_t x = 0; x < out; ++x) {
        const std::uint64_t begin = x * in, end = begin + in;
        const std::uint64_t first = begin / out, last = (end - 1) / out;
        const auto cover = [&](std::uint64_t i) {
            return static_cast<std::uint32_t>(std::min(end, (i + 1) * out) - std::max(begin, i * out));
        };
        taps[x] = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last), cover(first), cover(last)};
    }
    return taps;
}

}  // namespace vedette::imaging
