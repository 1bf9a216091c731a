// Kernels of SIFT that work on the surroundings of a keypoint: directions and descriptor. Included by sift.cc only.

namespace {

constexpr std::int64_t direction_bins = 36;
constexpr std::int64_t cells = 4, bins = 8;
// One cell more on every side: half of an outer sample's weight falls outside and is dropped.
constexpr std::int64_t padded = cells + 2;
// Consecutive samples mostly fall into the same bins. Spread over so many histograms no sum waits for the one before.
constexpr std::int64_t copies = 4;

// 8 bins of a cell, whatever the vectors' width.
using Bins = float __attribute__((vector_size(bins * 4)));
using LooseBins = float __attribute__((vector_size(bins * 4), aligned(4), may_alias));

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
    Floats size, angle;
};

Gradient gradient(const float* above, const float* here, const float* below, std::int64_t x) {
    const Floats dx = load(here + x + 1) - load(here + x - 1);
    const Floats dy = load(above + x) - load(below + x);
    return {square_root(dx * dx + dy * dy), direction(dy, dx)};
}

std::int64_t clamped(std::int64_t value, std::int64_t low, std::int64_t high) {
    return value < low ? low : (value > high ? high : value);
}

void directions(const SiftLayer& layer, std::int32_t x, std::int32_t y, std::int32_t reach, float sigma, float* scratch,
                float* histogram) {
    float sums[copies][direction_bins + 1] = {};  // 360 degrees has a bin of its own at first
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
    for (std::int64_t v = top; v <= bottom; ++v) {
        const auto row = static_cast<std::uint32_t>(v);
        const float *const above = layer.row(row - 1), *const here = layer.row(row), *const below = layer.row(row + 1);
        const Floats weight = all(weights[v < y ? y - v : v - y]);
        for (std::int64_t k = 0; k < count; k += lanes) {
            const Gradient at = gradient(above, here, below, left + k);
            store(share + k, weight * load(across + k) * at.size);
            store(bin + k, nearest(at.angle * all(direction_bins / 360.0F)));
        }
        for (std::int64_t k = 0; k < count; ++k) sums[k % copies][bin[k]] += share[k];
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

// Samples of one row of a patch, ready to be added to the histogram.
struct Samples {
    float* bin;          // direction in bins, 0 <= bin < 8 (or 8 by rounding)
    float* corner[4];    // weight for the cell above left, above right, below left, below right
    std::int32_t* cell;  // index of the cell above left in the padded grid
};

void prepare_samples(const SiftLayer& layer, const SiftPatch& patch, std::int64_t row, std::int64_t first,
                     std::int64_t count, const float* across, float weight_of_row, const Samples& out) {
    const auto y = static_cast<std::uint32_t>(patch.y + row);
    const float *const above = layer.row(y - 1), *const here = layer.row(y), *const below = layer.row(y + 1);
    const Floats cosine = all(patch.cosine), sine = all(patch.sine), i = all(static_cast<float>(row));
    const Floats middle = all(cells / 2 - 0.5F), edge = all(static_cast<float>(cells)), weight = all(weight_of_row);
    const Floats start = all(patch.direction), turn = all(static_cast<float>(bins)), none = all(0.0F);
    constexpr float below_edge = 3.9999998F;  // the largest float below `cells`
    const Floats down = i * sine, along = i * cosine;
    for (std::int64_t k = 0; k < count; k += lanes) {
        const Floats j = counting() + all(static_cast<float>(first + k));
        const Floats column = (j * cosine - down) + middle;
        const Floats line = (j * sine + along) + middle;
        const Ints inside = (line > all(-1.0F)) & (line < edge) & (column > all(-1.0F)) & (column < edge);
        const Gradient at = gradient(above, here, below, patch.x + first + k);
        const Floats size = inside ? at.size * (weight * load(across + k)) : none;
        // In range also where nothing is added.
        const Floats line_in = least(most(line, all(-1.0F)), all(below_edge));
        const Floats column_in = least(most(column, all(-1.0F)), all(below_edge));
        const Ints r = floor_of(line_in), c = floor_of(column_in);
        const Floats part_r = line_in - to_floats(r), part_c = column_in - to_floats(c);
        Floats bin = (at.angle - start) * all(bins / 360.0F);
        bin = bin < none ? bin + turn : bin;
        bin = bin >= turn ? bin - turn : bin;
        store(out.bin + k, bin);
        const Floats lower = size * part_r, upper = size - lower;
        const Floats lower_right = lower * part_c, upper_right = upper * part_c;
        store(out.corner[0] + k, upper - upper_right);
        store(out.corner[1] + k, upper_right);
        store(out.corner[2] + k, lower - lower_right);
        store(out.corner[3] + k, lower_right);
        store(out.cell + k, (r + 1) * static_cast<std::int32_t>(padded) + (c + 1));
    }
}

// Adds samples to the histograms of `copies` in turn.
void add_samples(const Samples& samples, std::int64_t count, float (*histograms)[padded * padded * bins]) {
    const Bins number = {0, 1, 2, 3, 4, 5, 6, 7};
    for (std::int64_t k = 0; k < count; ++k) {
        // Shares of the two bins beside the direction; the circle closes after eight.
        Bins away = number - samples.bin[k];
        away = away < 0 ? -away : away;
        const Bins around = 8.0F - away;
        away = away < around ? away : around;
        Bins share = 1.0F - away;
        share = share < 0 ? Bins{} : share;
        float* const cell = histograms[k % copies] + samples.cell[k] * bins;
        auto* const upper = reinterpret_cast<LooseBins*>(cell);
        auto* const lower = reinterpret_cast<LooseBins*>(cell + padded * bins);
        upper[0] += share * samples.corner[0][k];
        upper[1] += share * samples.corner[1][k];
        lower[0] += share * samples.corner[2][k];
        lower[1] += share * samples.corner[3][k];
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

// Narrows [low, high] to where -reach < offset + j * slope < reach can hold.
void narrow(float offset, float slope, float reach, float& low, float& high) {
    if (slope < 0) {
        offset = -offset;
        slope = -slope;
    }
    if (slope < 1e-6F) return;
    const float from = (-reach - offset) / slope, to = (reach - offset) / slope;
    low = low > from ? low : from;
    high = high < to ? high : to;
}

void describe(const SiftLayer& layer, const SiftPatch& patch, float* scratch, std::uint8_t* descriptor) {
    alignas(32) float histograms[copies][padded * padded * bins] = {};
    const std::int64_t radius = patch.radius, row_floats = 2 * radius + 1 + lanes;
    float* const weights = scratch;
    float* const across = weights + row_floats;
    Samples samples{};
    samples.bin = across + row_floats;
    for (std::int64_t c = 0; c < 4; ++c) samples.corner[c] = samples.bin + (c + 1) * row_floats;
    samples.cell = reinterpret_cast<std::int32_t*>(samples.bin + 5 * row_floats);
    // exp(-d^2 / (2 s^2)) with s = half the descriptor's width, two cells.
    fill_weights(radius, 2 * patch.cell, weights);
    for (std::int64_t j = -radius; j <= radius; ++j) across[j + radius] = weights[j < 0 ? -j : j];
    const std::int64_t left = clamped(1 - std::int64_t{patch.x}, -radius, radius + 1);
    const std::int64_t right = clamped(std::int64_t{layer.width} - 2 - patch.x, -radius - 1, radius);
    const std::int64_t top = clamped(1 - std::int64_t{patch.y}, -radius, radius + 1);
    const std::int64_t bottom = clamped(std::int64_t{layer.height} - 2 - patch.y, -radius - 1, radius);
    constexpr float reach = cells / 2 + 0.5F;
    for (std::int64_t row = top; row <= bottom; ++row) {
        // Only where the turned square meets the row; a pixel more on either side, the exact test follows.
        float low = static_cast<float>(left), high = static_cast<float>(right);
        const auto i = static_cast<float>(row);
        narrow(-i * patch.sine, patch.cosine, reach, low, high);
        narrow(i * patch.cosine, patch.sine, reach, low, high);
        if (low > high + 2) continue;
        const std::int64_t first = clamped(static_cast<std::int64_t>(low) - 1, left, right + 1);
        const std::int64_t last = clamped(static_cast<std::int64_t>(high) + 1, left - 1, right);
        const std::int64_t count = last - first + 1;
        if (count <= 0) continue;
        // Rows lie pages apart, where the processor does not look ahead by itself.
        constexpr std::int64_t ahead = 6, line = 16;
        if (row + ahead <= bottom) {
            const float* const later = layer.row(static_cast<std::uint32_t>(patch.y + row + ahead)) + patch.x + first;
            for (std::int64_t k = 0; k < count; k += line) __builtin_prefetch(later + k);
        }
        prepare_samples(layer, patch, row, first, count, across + radius + first, weights[row < 0 ? -row : row],
                        samples);
        add_samples(samples, count, histograms);
    }
    float sums[values];
    for (std::int64_t r = 0; r < cells; ++r)
        for (std::int64_t c = 0; c < cells; ++c)
            for (std::int64_t b = 0; b < bins; ++b) {
                const std::int64_t at = ((r + 1) * padded + c + 1) * bins + b;
                sums[(r * cells + c) * bins + b] =
                    (histograms[0][at] + histograms[1][at]) + (histograms[2][at] + histograms[3][at]);
            }
    finish_descriptor(sums, descriptor);
}

}  // namespace
