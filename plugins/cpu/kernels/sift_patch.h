// Kernels of SIFT that work on the surroundings of a keypoint: directions and descriptor. Included by sift.cc only.

namespace {

constexpr std::int64_t direction_bins = 36;
constexpr std::int64_t cells = 4, bins = 8;
// Cells that a sample can lie in: half a cell of the square's rim on every side is one more.
constexpr std::int64_t places = cells + 1;
// A sample is shared by the two directions, columns and rows around it. For each place and direction these eight sums
// lie beside each other, [row][column][direction], so that a sample is one addition of a vector; which cell and
// direction they count for is settled once at the end.
constexpr std::int64_t shares = 8;
constexpr std::int64_t all_shares = places * places * bins * shares;
// Consecutive samples mostly fall into the same place. Spread over so many sets no sum waits for the one before.
constexpr std::int64_t copies = 2;
constexpr std::int64_t direction_copies = 4;

// Eight floats, whatever the vectors' width.
using Eight = float __attribute__((vector_size(shares * 4)));
using LooseEight = float __attribute__((vector_size(shares * 4), aligned(4), may_alias));

// weights[k] = exp(-k^2 / (2 sigma^2)) for 0 <= k <= reach: the weight of a pixel is that of its row times that of its
// column.
void fill_weights(std::int64_t reach, float sigma, float* weights) {
    const Floats factor = all(-0.5F / (sigma * sigma));
    for (std::int64_t k = 0; k <= reach; k += lanes) {
        const Floats place = counting() + all(static_cast<float>(k));
        store(weights + k, exponential(most(place * place * factor, all(-80.0F))));
    }
}

struct Gradient {
    Floats size, octant;
};

// Row y of a layer with those beside it; y >= 1.
struct RowsAround {
    const float *above, *here, *below;
};

RowsAround around(const SiftLayer& layer, std::int64_t y) {
    const float* const above = layer.row(static_cast<std::uint32_t>(y - 1));
    const float* const here = layer.below(above);
    return {above, here, layer.below(here)};
}

Gradient gradient(const RowsAround& rows, std::int64_t x) {
    const Floats dx = load(rows.here + x + 1) - load(rows.here + x - 1);
    const Floats dy = load(rows.above + x) - load(rows.below + x);
    return {square_root(dx * dx + dy * dy), octants(dy, dx)};
}

std::int64_t clamped(std::int64_t value, std::int64_t low, std::int64_t high) {
    return value < low ? low : (value > high ? high : value);
}

void directions(const SiftLayer& layer, std::int32_t x, std::int32_t y, std::int32_t reach, float sigma, float* scratch,
                float* histogram) {
    float sums[direction_copies][direction_bins + 1] = {};  // 360 degrees has a bin of its own at first
    float* const weights = scratch;
    float* const across = weights + reach + 1 + lanes;  // weight of every column
    float* const share = across + 2 * reach + 1 + lanes;
    auto* const bin = reinterpret_cast<std::int32_t*>(share + 2 * reach + 1 + lanes);
    fill_weights(reach, sigma, weights);
    const std::int64_t left = clamped(x - reach, 1, std::int64_t{layer.width} - 1);
    const std::int64_t right = clamped(x + reach, 0, std::int64_t{layer.width} - 2);
    const std::int64_t top = clamped(y - reach, 1, std::int64_t{layer.height} - 1);
    const std::int64_t bottom = clamped(y + reach, 0, std::int64_t{layer.height} - 2);
    const std::int64_t count = right - left + 1;
    for (std::int64_t k = 0; k < count; ++k) across[k] = weights[left + k < x ? x - left - k : left + k - x];
    RowsAround rows = around(layer, top);
    for (std::int64_t v = top; v <= bottom; ++v) {
        const Floats weight = all(weights[v < y ? y - v : v - y]);
        for (std::int64_t k = 0; k < count; k += lanes) {
            const Gradient at = gradient(rows, left + k);
            store(share + k, weight * load(across + k) * at.size);
            store(bin + k, nearest(at.octant * all(direction_bins / 8.0F)));
        }
        for (std::int64_t k = 0; k < count; ++k) sums[k % direction_copies][bin[k]] += share[k];
        rows = {rows.here, rows.below, layer.below(rows.below)};
    }
    float whole[direction_bins + 4];  // two bins of the other end on either side
    for (std::int64_t k = 0; k <= direction_bins; ++k) {
        const float sum = (sums[0][k] + sums[1][k]) + (sums[2][k] + sums[3][k]);
        if (k == direction_bins)
            whole[2] += sum;
        else
            whole[k + 2] = sum;
    }
    whole[0] = whole[direction_bins];
    whole[1] = whole[direction_bins + 1];
    whole[direction_bins + 2] = whole[2];
    whole[direction_bins + 3] = whole[3];
    for (std::int64_t k = 0; k < direction_bins; ++k)
        histogram[k] = (whole[k] + whole[k + 4]) * (1.0F / 16) + (whole[k + 1] + whole[k + 3]) * (4.0F / 16) +
                       whole[k + 2] * (6.0F / 16);
}

#if VEDETTE_ISA_LEVEL >= 1
// Eight rows of eight become columns: pairs that are one apart, then two, then four.
[[gnu::always_inline]] inline void transpose(Eight (&v)[shares]) {
    Eight p[shares], q[shares];
    for (std::int64_t k = 0; k < shares; k += 2) {
        p[k] = _mm256_unpacklo_ps(v[k], v[k + 1]);
        p[k + 1] = _mm256_unpackhi_ps(v[k], v[k + 1]);
    }
    for (std::int64_t k = 0; k < shares; k += 4)
        for (std::int64_t side = 0; side < 2; ++side) {
            q[k + 2 * side] = _mm256_shuffle_ps(p[k + side], p[k + 2 + side], 0x44);
            q[k + 2 * side + 1] = _mm256_shuffle_ps(p[k + side], p[k + 2 + side], 0xee);
        }
    for (std::int64_t k = 0; k < 4; ++k) {
        v[k] = _mm256_permute2f128_ps(q[k], q[k + 4], 0x20);
        v[k + 4] = _mm256_permute2f128_ps(q[k], q[k + 4], 0x31);
    }
}
#else
[[gnu::always_inline]] inline void transpose(Floats& a, Floats& b, Floats& c, Floats& d) {
    const Ints low = {0, 4, 1, 5}, high = {2, 6, 3, 7}, first = {0, 1, 4, 5}, second = {2, 3, 6, 7};
    const Floats p = __builtin_shuffle(a, b, low), q = __builtin_shuffle(a, b, high), r = __builtin_shuffle(c, d, low),
                 s = __builtin_shuffle(c, d, high);
    a = __builtin_shuffle(p, r, first);
    b = __builtin_shuffle(p, r, second);
    c = __builtin_shuffle(q, s, first);
    d = __builtin_shuffle(q, s, second);
}

// Eight rows of eight become columns.
[[gnu::always_inline]] inline void transpose(Eight (&v)[shares]) {
    float from[shares][shares], to[shares][shares];
    __builtin_memcpy(from, v, sizeof from);
    for (std::int64_t row = 0; row < shares; row += lanes)
        for (std::int64_t column = 0; column < shares; column += lanes) {
            Floats block[lanes];
            for (std::int64_t k = 0; k < lanes; ++k) block[k] = load(from[row + k] + column);
            transpose(block[0], block[1], block[2], block[3]);
            for (std::int64_t k = 0; k < lanes; ++k) store(to[column + k] + row, block[k]);
        }
    __builtin_memcpy(v, to, sizeof to);
}
#endif

// Samples of a patch, prepared and not yet added: whole vectors of them. First all that hangs on long chains of
// arithmetic, then, for many samples at once, the additions, which wait for each other: so neither holds up the other.
struct Samples {
    static constexpr std::int64_t room = 256;
    alignas(64) float size[room];  // weighted magnitude of the gradient; 0 outside the patch
    alignas(64) float part_r[room], part_c[room], part_b[room];  // how much belongs to the next row, column, direction
    alignas(64) std::int32_t place[room];                        // (row * places + column) * bins + direction
    std::int64_t count = 0;
};

[[gnu::always_inline]] inline void add_sample(float* to, const Eight& sample) {
    *reinterpret_cast<LooseEight*>(to) += sample;
}

void add_samples(Samples& samples, float (*sums)[all_shares]) {
    for (std::int64_t i = 0; i < samples.count; i += lanes) {
        const Floats size = load(samples.size + i), part_r = load(samples.part_r + i),
                     part_c = load(samples.part_c + i), part_b = load(samples.part_b + i);
        const std::int32_t* const place = samples.place + i;
        const Floats lower = size * part_r, upper = size - lower;
        const Floats lower_right = lower * part_c, lower_left = lower - lower_right;
        const Floats upper_right = upper * part_c, upper_left = upper - upper_right;
        const Floats second[4] = {upper_left * part_b, upper_right * part_b, lower_left * part_b, lower_right * part_b};
        Floats part[shares] = {upper_left - second[0], second[0], upper_right - second[1], second[1],
                               lower_left - second[2], second[2], lower_right - second[3], second[3]};
#if VEDETTE_ISA_LEVEL >= 2
        Eight left[shares], right[shares];
        for (std::int64_t k = 0; k < shares; ++k) {
            left[k] = _mm512_maskz_extractf32x8_ps(0xff, part[k], 0);
            right[k] = _mm512_maskz_extractf32x8_ps(0xff, part[k], 1);
        }
        transpose(left);
        transpose(right);
        for (std::int64_t k = 0; k < shares; ++k) add_sample(sums[k % copies] + place[k] * shares, left[k]);
        for (std::int64_t k = 0; k < shares; ++k) add_sample(sums[k % copies] + place[k + shares] * shares, right[k]);
#elif VEDETTE_ISA_LEVEL == 1
        transpose(part);
        for (std::int64_t k = 0; k < shares; ++k) add_sample(sums[k % copies] + place[k] * shares, part[k]);
#else
        transpose(part[0], part[1], part[2], part[3]);
        transpose(part[4], part[5], part[6], part[7]);
        for (std::int64_t k = 0; k < lanes; ++k) {
            float* const to = sums[k % copies] + place[k] * shares;
            store(to, load(to) + part[k]);
            store(to + lanes, load(to + lanes) + part[k + lanes]);
        }
#endif
    }
    samples.count = 0;
}

// Prepares `count` samples of one row of a patch, from its column `first` on. What has no gradient is left out.
void prepare_samples(const RowsAround& rows, const SiftPatch& patch, std::int64_t row, std::int64_t first,
                     std::int64_t count, const float* across, float weight_of_row, float (*sums)[all_shares],
                     Samples& samples) {
    const Floats cosine = all(patch.cosine), sine = all(patch.sine), weight = all(weight_of_row), none = all(0.0F);
    const Floats down = all(static_cast<float>(row) * patch.sine), along = all(static_cast<float>(row) * patch.cosine);
    // Directions from the patch's; one turn more, so that none is negative.
    const Floats turned = all(static_cast<float>(bins) - patch.direction * (bins / 360.0F));
    const Floats last = all(static_cast<float>(first + count - 1));
    constexpr float middle = places / 2.0F;   // of the places, from the outer edge
    const Floats edge = all(middle - 5e-7F);  // inside even after rounding
    for (std::int64_t k = 0; k < count; k += lanes) {
        const Floats j = counting() + all(static_cast<float>(first + k));
        const Floats column = j * cosine - down, line = j * sine + along;
        const Ints inside = (most(magnitude(column), magnitude(line)) < edge) & (j <= last);
        const Gradient at = gradient(rows, patch.x + first + k);
        const Floats size = kept(at.size * (weight * load(across + k)), inside);
        const Floats from_left = column + all(middle), from_top = line + all(middle), bin = at.octant + turned;
        const Ints c = whole_of(from_left), r = whole_of(from_top), b = whole_of(bin);
        static_assert(places == 5 && bins == 8);
        const Ints place = (((r << 2) + r + c) << 3) + (b & 7);
        const std::int64_t to = samples.count;
        store(samples.size + to, size);
        store(samples.part_r + to, from_top - to_floats(r));
        store(samples.part_c + to, from_left - to_floats(c));
        store(samples.part_b + to, bin - to_floats(b));
        store(samples.place + to, place & inside);
        samples.count += bits_of(size > none) != 0 ? lanes : 0;
        if (samples.count == Samples::room) add_samples(samples, sums);
    }
}

constexpr std::int64_t values = cells * cells * bins;

// Sum of squares in one order for all vector widths.
float sum_of_squares(const float* from) {
    float part[16] = {};
    for (std::int64_t k = 0; k < values; k += 16)
        for (std::int64_t p = 0; p < 16; ++p) part[p] += from[k + p] * from[k + p];
    for (std::int64_t step = 8; step != 0; step /= 2)
        for (std::int64_t p = 0; p < step; ++p) part[p] += part[p + step];
    return part[0];
}

void finish_descriptor(float* sums, std::uint8_t* descriptor) {
    const float clip = __builtin_sqrtf(sum_of_squares(sums)) * 0.2F;
    for (std::int64_t k = 0; k < values; ++k) sums[k] = sums[k] < clip ? sums[k] : clip;
    const float norm = __builtin_sqrtf(sum_of_squares(sums));
    const float scale = 512.0F / (norm > 1.1920929e-7F ? norm : 1.1920929e-7F);
    std::int32_t rounded[values];
    for (std::int64_t k = 0; k < values; k += lanes)
        store(rounded + k, nearest(least(load(sums + k) * all(scale), all(255.0F))));
    for (std::int64_t k = 0; k < values; ++k) descriptor[k] = static_cast<std::uint8_t>(rounded[k]);
}

// Narrows [low, high] to where -reach < offset + j * slope < reach can hold; `inverse` of the slope.
void narrow(float offset, float inverse, float reach, float& low, float& high) {
    const float from = (-reach - offset) * inverse, to = (reach - offset) * inverse;
    const float least = from < to ? from : to, greatest = from < to ? to : from;
    low = low > least ? low : least;
    high = high < greatest ? high : greatest;
}

// 1 / slope; a slope so small that it narrows nothing counts as a little steeper.
float inverse_of(float slope) {
    constexpr float flat = 1e-6F;
    return 1 / (slope < 0 ? (slope > -flat ? -flat : slope) : (slope < flat ? flat : slope));
}

// What the sums count for: histograms[cell][direction]; what falls outside the cells is dropped.
void gather_histograms(const float (*sums)[all_shares], float* histograms) {
    using Index = std::int32_t __attribute__((vector_size(shares * 4)));
    Eight whole[cells * cells] = {};
    for (std::int64_t r = 0; r < places; ++r)
        for (std::int64_t c = 0; c < places; ++c) {
            Eight part[bins];
            for (std::int64_t b = 0; b < bins; ++b) {
                const std::int64_t at = ((r * places + c) * bins + b) * shares;
                part[b] = *reinterpret_cast<const LooseEight*>(sums[0] + at) +
                          *reinterpret_cast<const LooseEight*>(sums[1] + at);
            }
            static_assert(copies == 2);
            transpose(part);
            for (std::int64_t corner = 0; corner < 4; ++corner) {
                const std::int64_t row = r - 1 + corner / 2, column = c - 1 + corner % 2;
                if (row < 0 || row >= cells || column < 0 || column >= cells) continue;
                // The second share is the next direction's.
                whole[row * cells + column] +=
                    part[2 * corner] + __builtin_shuffle(part[2 * corner + 1], Index{7, 0, 1, 2, 3, 4, 5, 6});
            }
        }
    for (std::int64_t k = 0; k < cells * cells; ++k) *reinterpret_cast<LooseEight*>(histograms + k * bins) = whole[k];
}

void describe(const SiftLayer& layer, const SiftPatch& patch, float* scratch, std::uint8_t* descriptor) {
    alignas(32) float sums[copies][all_shares] = {};
    const std::int64_t radius = patch.radius;
    float* const weights = scratch;
    float* const across = weights + 2 * radius + 1 + lanes;
    // exp(-d^2 / (2 s^2)) with s = half the descriptor's width, two cells.
    fill_weights(radius, 2 * patch.cell, weights);
    for (std::int64_t j = -radius; j <= radius; ++j) across[j + radius] = weights[j < 0 ? -j : j];
    const std::int64_t left = clamped(1 - std::int64_t{patch.x}, -radius, radius + 1);
    const std::int64_t right = clamped(std::int64_t{layer.width} - 2 - patch.x, -radius - 1, radius);
    const std::int64_t top = clamped(1 - std::int64_t{patch.y}, -radius, radius + 1);
    const std::int64_t bottom = clamped(std::int64_t{layer.height} - 2 - patch.y, -radius - 1, radius);
    constexpr float reach = cells / 2 + 0.5F;
    const float inverse_cosine = inverse_of(patch.cosine), inverse_sine = inverse_of(patch.sine);
    Samples samples;
    RowsAround rows = around(layer, patch.y + top);
    constexpr std::int64_t ahead = 6, line = 16;
    const float* later = layer.row(static_cast<std::uint32_t>(patch.y + top + ahead));
    for (std::int64_t row = top; row <= bottom; ++row) {
        // Only where the turned square meets the row; a pixel more on either side, the exact test follows.
        float low = static_cast<float>(left), high = static_cast<float>(right);
        const auto i = static_cast<float>(row);
        narrow(-i * patch.sine, inverse_cosine, reach, low, high);
        narrow(i * patch.cosine, inverse_sine, reach, low, high);
        // Rows lie pages apart, where the processor does not look ahead by itself.
        for (std::int64_t k = left; k <= right; k += line) __builtin_prefetch(later + patch.x + k);
        later = layer.below(later);
        if (low <= high + 2) {
            const std::int64_t first = clamped(static_cast<std::int64_t>(low) - 1, left, right + 1);
            const std::int64_t last = clamped(static_cast<std::int64_t>(high) + 1, left - 1, right);
            prepare_samples(rows, patch, row, first, last - first + 1, across + radius + first,
                            weights[row < 0 ? -row : row], sums, samples);
        }
        rows = {rows.here, rows.below, layer.below(rows.below)};
    }
    add_samples(samples, sums);
    float histograms[values];
    gather_histograms(sums, histograms);
    finish_descriptor(histograms, descriptor);
}

}  // namespace
