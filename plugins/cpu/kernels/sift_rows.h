// Kernels of SIFT that work along rows: enlarging, blur, extrema. Included by sift.cc only.

namespace {

void enlarge(const std::uint8_t* near, const std::uint8_t* far, std::uint32_t width, std::int16_t* out) {
    // Sixteenths: whole numbers up to 16 * 255, so every value is exact.
    constexpr std::int32_t sixteenth = sift_unit / 16, middle = 128 * sift_unit;
    constexpr std::int64_t piece = 128;
    std::int16_t down[piece + 2];  // of the piece and a pixel on either side
    const auto down_at = [&](std::int64_t x) { return static_cast<std::int16_t>(3 * near[x] + far[x]); };
    for (std::int64_t begin = 0; begin < width; begin += piece) {
        const std::int64_t count = width - begin < piece ? width - begin : piece;
        down[0] = down_at(begin == 0 ? 0 : begin - 1);
        for (std::int64_t k = 0; k < count; ++k) down[k + 1] = down_at(begin + k);
        down[count + 1] = down_at(begin + count == width ? begin + count - 1 : begin + count);
        std::int16_t* const to = out + 2 * begin;
        for (std::int64_t k = 0; k < count; ++k) {
            to[2 * k] = static_cast<std::int16_t>((3 * down[k + 1] + down[k]) * sixteenth - middle);
            to[2 * k + 1] = static_cast<std::int16_t>((3 * down[k + 1] + down[k + 2]) * sixteenth - middle);
        }
    }
}

void halve(const std::int16_t* in, std::uint32_t count, std::int16_t* out) {
    for (std::int64_t x = 0; x < count; ++x) out[x] = in[2 * x];
}

// Vectors at a time: enough work for each weight that is read, and no more sums than registers.
constexpr std::int64_t together = short_lanes == 16 ? 4 : 2;
static_assert(together * short_lanes <= sift_row_slack);

Shorts pair_of(const std::int16_t* pairs, std::int64_t index) {
    std::int32_t both;
    __builtin_memcpy(&both, pairs + 2 * index, sizeof both);
    return reinterpret_cast<Shorts>(Ints{} + both);
}

// Symmetric sums around every value. at(k): where the values `k` steps before (k < 0) or behind begin.
template <class At>
void blur_along(const At& at, const SiftWeights& weights, std::int64_t count, std::int16_t* out) {
    const std::int64_t taps = weights.taps;
    const auto shift = static_cast<std::int32_t>(weights.shift);
    for (std::int64_t x = 0; x < count; x += together * short_lanes) {
        Sums sums[together];
        const Shorts first = pair_of(weights.pairs, 0);
        for (std::int64_t v = 0; v < together; ++v) {
            const std::int64_t place = x + v * short_lanes;
            sums[v] = all_sums(1 << (shift - 1));
            add_products(sums[v], load(at(0) + place), load(at(-1) + place) + load(at(1) + place), first);
        }
        std::int64_t k = 2;
        for (; k + 1 <= taps; k += 2) {
            const Shorts pair = pair_of(weights.pairs, k / 2);
            const std::int16_t *const a = at(-k), *const b = at(k), *const c = at(-k - 1), *const d = at(k + 1);
            for (std::int64_t v = 0; v < together; ++v) {
                const std::int64_t place = x + v * short_lanes;
                add_products(sums[v], load(a + place) + load(b + place), load(c + place) + load(d + place), pair);
            }
        }
        if (k == taps) {
            const Shorts pair = pair_of(weights.pairs, k / 2);
            for (std::int64_t v = 0; v < together; ++v) {
                const std::int64_t place = x + v * short_lanes;
                add_products(sums[v], load(at(-k) + place) + load(at(k) + place), Shorts{}, pair);
            }
        }
        for (std::int64_t v = 0; v < together; ++v) store(out + x + v * short_lanes, narrowed(sums[v], shift));
    }
}

// Position that stands for x outside 0 .. width - 1.
std::int64_t reflected(std::int64_t x, std::int64_t width) {
    if (width == 1) return 0;
    while (x < 0 || x >= width) x = x < 0 ? -x : 2 * (width - 1) - x;
    return x;
}

void blur(const std::int16_t* const* rows, const SiftWeights& weights, std::uint32_t begin, std::uint32_t end,
          std::uint32_t width, std::int16_t* scratch, std::int16_t* out) {
    const std::int64_t reach = weights.radius(), step = weights.step;
    const std::int64_t first = begin - reach, last = end + reach;  // of what the sideways pass reads
    const std::int64_t from = first < 0 ? 0 : first, to = last > width ? std::int64_t{width} : last;
    blur_along([&](std::int64_t k) { return rows[reach + k * step] + from; }, weights, to - from, scratch + (from - first));
    for (std::int64_t x = first; x < 0; ++x) scratch[x - first] = scratch[reflected(x, width) - first];
    for (std::int64_t x = width; x < last; ++x) scratch[x - first] = scratch[reflected(x, width) - first];
    blur_along([&](std::int64_t k) { return scratch + reach + k * step; }, weights, std::int64_t{end} - begin, out + begin);
}

// Greatest and least of some neighbours.
struct Range {
    Shorts low, high;
    void take(Shorts value) {
        low = least(low, value);
        high = most(high, value);
    }
};

Shorts difference(const SiftRows& lower, const SiftRows& upper, int row, std::int64_t x) {
    return load(upper.row[row] + x) - load(lower.row[row] + x);
}

// Lanes of those in `asked` whose value is at or beyond all neighbours, one bit each.
std::uint32_t unbeaten(const SiftRows* layers, std::int64_t x, Shorts value, Shorts asked) {
    const SiftRows &below = layers[-1], &here = layers[0], &above = layers[1], &top = layers[2];
    const Shorts none{}, positive = asked & (value > none), negative = asked & (value < none);
    const auto holds = [&](const Range& range) {
        return (positive & (value >= range.high)) | (negative & (value <= range.low));
    };
    const Shorts left = difference(here, above, 1, x - 1);
    Range range{left, left};
    range.take(difference(here, above, 1, x + 1));
    // Most pixels fall here or at one of the next tests.
    if (!any_of(holds(range))) return 0;
    range.take(difference(here, above, 0, x));
    range.take(difference(here, above, 2, x));
    range.take(difference(above, top, 1, x));
    range.take(difference(below, here, 1, x));
    if (!any_of(holds(range))) return 0;
    for (int row = 0; row < 3; row += 2)
        for (std::int64_t step = -1; step <= 1; step += 2) range.take(difference(here, above, row, x + step));
    if (!any_of(holds(range))) return 0;
    for (int row = 0; row < 3; ++row)
        for (std::int64_t step = -1; step <= 1; ++step) {
            range.take(difference(above, top, row, x + step));
            range.take(difference(below, here, row, x + step));
        }
    return bits_of(holds(range));
}

std::uint32_t extrema(const SiftRows* layers, std::uint32_t count, std::int16_t threshold, std::uint32_t begin,
                      std::uint32_t end, SiftExtremum* found) {
    std::uint32_t number = 0;
    const Shorts above = all_shorts(threshold), below = -above;
    for (std::int64_t x = begin; x < end; x += short_lanes) {
        Shorts lower = load(layers[1].row[1] + x);
        for (std::uint32_t layer = 1; layer + 2 < count; ++layer) {
            const Shorts upper = load(layers[layer + 1].row[1] + x);
            const Shorts value = upper - lower;
            lower = upper;
            const Shorts large = (value > above) | (value < below);
            if (!any_of(large)) continue;
            std::uint32_t kept = unbeaten(layers + layer, x, value, large);
            if (end - x < short_lanes) kept &= (1U << (end - x)) - 1;
            for (; kept != 0; kept &= kept - 1)
                found[number++] = {static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(__builtin_ctz(kept)),
                                   layer};
        }
    }
    return number;
}

}  // namespace
