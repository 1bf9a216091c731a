// Kernels of SIFT that work along rows: enlarging, blur, extrema. Included by sift.cc only.

namespace {

void enlarge(const std::uint8_t* near, const std::uint8_t* far, std::uint32_t width, float* out) {
    // Sixteenths: whole numbers up to 16 * 255, so every value is exact.
    const auto down = [&](std::uint32_t x) { return 3 * std::int32_t{near[x]} + far[x]; };
    std::int32_t left = down(0), here = left;
    for (std::uint32_t x = 0; x + 1 < width; ++x) {
        const std::int32_t right = down(x + 1);
        out[2 * x] = static_cast<float>(3 * here + left) * 0.0625F;
        out[2 * x + 1] = static_cast<float>(3 * here + right) * 0.0625F;
        left = here;
        here = right;
    }
    out[2 * width - 2] = static_cast<float>(3 * here + left) * 0.0625F;
    out[2 * width - 1] = static_cast<float>(4 * here) * 0.0625F;
}

// Four vectors at a time: enough independent sums to hide the latency of an addition.
constexpr std::int64_t together = 4;
static_assert(together * lanes <= 2 * sift_row_slack);

void blur_columns(const float* const* rows, std::int64_t radius, const float* weights, std::int64_t begin,
                  std::int64_t end, float* out) {
    std::int64_t x = begin;
    const float* const centre = rows[radius];
    for (; x + together * lanes <= end; x += together * lanes) {
        Floats sum[together];
        const Floats middle = all(weights[0]);
        for (std::int64_t v = 0; v < together; ++v) sum[v] = load(centre + x + v * lanes) * middle;
        for (std::int64_t k = 1; k <= radius; ++k) {
            const Floats weight = all(weights[k]);
            const float* const above = rows[radius - k] + x;
            const float* const below = rows[radius + k] + x;
            for (std::int64_t v = 0; v < together; ++v)
                sum[v] += (load(above + v * lanes) + load(below + v * lanes)) * weight;
        }
        for (std::int64_t v = 0; v < together; ++v) store(out + (x - begin) + v * lanes, sum[v]);
    }
    for (; x < end; x += lanes) {
        Floats sum = load(centre + x) * all(weights[0]);
        for (std::int64_t k = 1; k <= radius; ++k)
            sum += (load(rows[radius - k] + x) + load(rows[radius + k] + x)) * all(weights[k]);
        store(out + (x - begin), sum);
    }
}

// in[-radius .. ] around out[0].
void blur_row(const float* in, std::int64_t radius, const float* weights, std::int64_t count, float* out) {
    std::int64_t x = 0;
    for (; x + together * lanes <= count; x += together * lanes) {
        Floats sum[together];
        const Floats middle = all(weights[0]);
        for (std::int64_t v = 0; v < together; ++v) sum[v] = load(in + x + v * lanes) * middle;
        for (std::int64_t k = 1; k <= radius; ++k) {
            const Floats weight = all(weights[k]);
            for (std::int64_t v = 0; v < together; ++v)
                sum[v] += (load(in + x + v * lanes - k) + load(in + x + v * lanes + k)) * weight;
        }
        for (std::int64_t v = 0; v < together; ++v) store(out + x + v * lanes, sum[v]);
    }
    for (; x < count; x += lanes) {
        Floats sum = load(in + x) * all(weights[0]);
        for (std::int64_t k = 1; k <= radius; ++k) sum += (load(in + x - k) + load(in + x + k)) * all(weights[k]);
        store(out + x, sum);
    }
}

// Position that stands for x outside 0 .. width - 1.
std::int64_t reflected(std::int64_t x, std::int64_t width) {
    if (width == 1) return 0;
    while (x < 0 || x >= width) x = x < 0 ? -x : 2 * (width - 1) - x;
    return x;
}

void blur(const float* const* rows, std::uint32_t radius, const float* weights, std::uint32_t begin, std::uint32_t end,
          std::uint32_t width, float* scratch, float* out) {
    const std::int64_t reach = radius;
    const std::int64_t first = begin - reach, last = end + reach;  // of what the sideways pass reads
    const std::int64_t from = first < 0 ? 0 : first, to = last > width ? std::int64_t{width} : last;
    blur_columns(rows, radius, weights, from, to, scratch + (from - first));
    for (std::int64_t x = first; x < 0; ++x) scratch[x - first] = scratch[reflected(x, width) - first];
    for (std::int64_t x = width; x < last; ++x) scratch[x - first] = scratch[reflected(x, width) - first];
    blur_row(scratch + reach, radius, weights, std::int64_t{end} - begin, out + begin);
}

// A column of three rows of a difference: greatest and least of them.
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

// Lanes whose value is at or beyond all neighbours, of those asked for.
std::uint32_t unbeaten(const SiftRows* layers, std::int64_t x, Floats value) {
    const SiftRows &below = layers[-1], &here = layers[0], &above = layers[1], &top = layers[2];
    const auto holds = [value](const Range& range) {
        const Floats none = all(0.0F);
        return bits_of(((value > none) & (value >= range.high)) | ((value < none) & (value <= range.low)));
    };
    const Floats left = difference(here, above, 1, x - 1);
    Range range{left, left};
    range.take(difference(here, above, 1, x + 1));
    // Most pixels fall here or at the next test.
    if (holds(range) == 0) return 0;
    for (int row = 0; row < 3; row += 2)
        for (std::int64_t step = -1; step <= 1; ++step) range.take(difference(here, above, row, x + step));
    if (holds(range) == 0) return 0;
    for (int row = 0; row < 3; ++row)
        for (std::int64_t step = -1; step <= 1; ++step) {
            range.take(difference(above, top, row, x + step));
            range.take(difference(below, here, row, x + step));
        }
    return holds(range);
}

std::uint32_t extrema(const SiftRows* layers, std::uint32_t count, float threshold, std::uint32_t begin,
                      std::uint32_t end, SiftExtremum* found) {
    std::uint32_t number = 0;
    const Floats limit = all(threshold);
    for (std::int64_t x = begin; x < end; x += lanes) {
        const std::uint32_t inside = end - x >= lanes ? (1U << lanes) - 1 : (1U << (end - x)) - 1;
        Floats lower = load(layers[1].row[1] + x);
        for (std::uint32_t layer = 1; layer + 2 < count; ++layer) {
            const Floats upper = load(layers[layer + 1].row[1] + x);
            const Floats value = upper - lower;
            lower = upper;
            const std::uint32_t large = bits_of(magnitude(value) > limit) & inside;
            if (large == 0) continue;
            std::uint32_t kept = unbeaten(layers + layer, x, value) & large;
            for (; kept != 0; kept &= kept - 1)
                found[number++] = {static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(__builtin_ctz(kept)),
                                   layer};
        }
    }
    return number;
}

}  // namespace
