// Kernels of SIFT that work along rows: enlarging, blur, extrema. Included by sift.cc only.

namespace {

void enlarge(const std::uint8_t* near, const std::uint8_t* far, std::uint32_t width, float* out) {
    // Sixteenths: whole numbers up to 16 * 255, so every value is exact.
    constexpr std::int64_t piece = 128;
    std::int16_t down[piece + 2];  // of the piece and a pixel on either side
    const auto down_at = [&](std::int64_t x) { return static_cast<std::int16_t>(3 * near[x] + far[x]); };
    for (std::int64_t begin = 0; begin < width; begin += piece) {
        const std::int64_t count = width - begin < piece ? width - begin : piece;
        down[0] = down_at(begin == 0 ? 0 : begin - 1);
        for (std::int64_t k = 0; k < count; ++k) down[k + 1] = down_at(begin + k);
        down[count + 1] = down_at(begin + count == width ? begin + count - 1 : begin + count);
        float* const to = out + 2 * begin;
        for (std::int64_t k = 0; k < count; ++k) {
            to[2 * k] = static_cast<float>(3 * down[k + 1] + down[k]) * 0.0625F;
            to[2 * k + 1] = static_cast<float>(3 * down[k + 1] + down[k + 2]) * 0.0625F;
        }
    }
}

void halve(const float* in, std::uint32_t count, float* out) {
    for (std::int64_t x = 0; x < count; ++x) out[x] = in[2 * x];
}

// Four vectors at a time: enough independent sums to hide the latency of an addition.
constexpr std::int64_t together = 4;
static_assert(together * lanes <= 2 * sift_row_slack);

// Symmetric sums around every value. at(k): where the values `k` steps before (k < 0) or behind begin.
template <class At>
void blur_along(const At& at, const SiftWeights& filter, std::int64_t count, float* out) {
    const std::int64_t taps = filter.taps;
    const Floats middle = all(filter.weights[0]);
    const float* const centre = at(0);
    std::int64_t x = 0;
    for (; x + together * lanes <= count; x += together * lanes) {
        Floats sum[together];
        for (std::int64_t v = 0; v < together; ++v) sum[v] = load(centre + x + v * lanes) * middle;
        for (std::int64_t k = 1; k <= taps; ++k) {
            const Floats weight = all(filter.weights[k]);
            const float *const before = at(-k) + x, *const behind = at(k) + x;
            for (std::int64_t v = 0; v < together; ++v)
                sum[v] += (load(before + v * lanes) + load(behind + v * lanes)) * weight;
        }
        for (std::int64_t v = 0; v < together; ++v) store(out + x + v * lanes, sum[v]);
    }
    for (; x < count; x += lanes) {
        Floats sum = load(centre + x) * middle;
        for (std::int64_t k = 1; k <= taps; ++k) sum += (load(at(-k) + x) + load(at(k) + x)) * all(filter.weights[k]);
        store(out + x, sum);
    }
}

// Position that stands for x outside 0 .. width - 1.
std::int64_t reflected(std::int64_t x, std::int64_t width) {
    if (width == 1) return 0;
    while (x < 0 || x >= width) x = x < 0 ? -x : 2 * (width - 1) - x;
    return x;
}

void blur(const float* const* rows, const SiftWeights& weights, std::uint32_t begin, std::uint32_t end,
          std::uint32_t width, float* scratch, float* out) {
    const std::int64_t reach = weights.radius(), step = weights.step;
    const std::int64_t first = begin - reach, last = end + reach;  // of what the sideways pass reads
    const std::int64_t from = first < 0 ? 0 : first, to = last > width ? std::int64_t{width} : last;
    blur_along([&](std::int64_t k) { return rows[reach + k * step] + from; }, weights, to - from,
               scratch + (from - first));
    for (std::int64_t x = first; x < 0; ++x) scratch[x - first] = scratch[reflected(x, width) - first];
    for (std::int64_t x = width; x < last; ++x) scratch[x - first] = scratch[reflected(x, width) - first];
    blur_along([&](std::int64_t k) { return scratch + reach + k * step; }, weights, std::int64_t{end} - begin,
               out + begin);
}

// Greatest and least of some neighbours.
struct Range {
    Floats low, high;
    void take(Floats value) {
        low = least(low, value);
        high = most(high, value);
    }
};

Floats difference(const SiftRows& lower, const SiftRows& upper, int row, std::int64_t x) {
    return load(upper.row[row] + x) - load(lower.row[row] + x);
}

// Lanes of those in `asked` whose value is at or beyond all neighbours, one bit each.
std::uint32_t unbeaten(const SiftRows* layers, std::int64_t x, Floats value, Ints asked) {
    const SiftRows &below = layers[-1], &here = layers[0], &above = layers[1], &top = layers[2];
    const Floats none = all(0.0F);
    const Ints positive = asked & (value > none), negative = asked & (value < none);
    const auto holds = [&](const Range& range) {
        return (positive & (value >= range.high)) | (negative & (value <= range.low));
    };
    const Floats left = difference(here, above, 1, x - 1);
    Range range{left, left};
    range.take(difference(here, above, 1, x + 1));
    // Most pixels fall here or at one of the next tests.
    if (bits_of(holds(range)) == 0) return 0;
    range.take(difference(here, above, 0, x));
    range.take(difference(here, above, 2, x));
    range.take(difference(above, top, 1, x));
    range.take(difference(below, here, 1, x));
    if (bits_of(holds(range)) == 0) return 0;
    for (int row = 0; row < 3; row += 2)
        for (std::int64_t step = -1; step <= 1; step += 2) range.take(difference(here, above, row, x + step));
    if (bits_of(holds(range)) == 0) return 0;
    for (int row = 0; row < 3; ++row)
        for (std::int64_t step = -1; step <= 1; ++step) {
            range.take(difference(above, top, row, x + step));
            range.take(difference(below, here, row, x + step));
        }
    return bits_of(holds(range));
}

std::uint32_t extrema(const SiftRows* layers, std::uint32_t count, float threshold, std::uint32_t begin,
                      std::uint32_t end, SiftExtremum* found) {
    std::uint32_t number = 0;
    const Floats limit = all(threshold);
    for (std::int64_t x = begin; x < end; x += lanes) {
        Floats lower = load(layers[1].row[1] + x);
        for (std::uint32_t layer = 1; layer + 2 < count; ++layer) {
            const Floats upper = load(layers[layer + 1].row[1] + x);
            const Floats value = upper - lower;
            lower = upper;
            const Ints large = magnitude(value) > limit;
            if (bits_of(large) == 0) continue;
            std::uint32_t kept = unbeaten(layers + layer, x, value, large);
            if (end - x < lanes) kept &= (1U << (end - x)) - 1;
            for (; kept != 0; kept &= kept - 1)
                found[number++] = {static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(__builtin_ctz(kept)),
                                   layer};
        }
    }
    return number;
}

}  // namespace
