#include "resample.h"

#include "kernels/kernels.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace vedette::host {
namespace {

// Which input pixels an output pixel covers, and how much of each. Weights are whole numbers that sum to the input's
// side, at most 65535: sums of 8-bit values over a column stay below 2^24, so float holds them exactly.
struct Cover {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::size_t weights = 0;  // index of the first weight
};

struct Covers {
    std::vector<Cover> pixel;
    std::vector<float> weight;
};

// Of the output pixels [begin, end) when `in` become `out`.
Covers covers(std::uint32_t in, std::uint32_t out, std::uint32_t from_pixel, std::uint32_t to_pixel) {
    Covers result;
    result.pixel.reserve(to_pixel - from_pixel);
    for (std::uint32_t i = from_pixel; i < to_pixel; ++i) {
        // The edges are i * in / out: compared in integers, so that a whole edge is whole.
        const std::uint64_t begin = std::uint64_t{i} * in;
        const std::uint64_t end = begin + in;
        const std::uint64_t first = begin / out;
        const std::uint64_t last = (end + out - 1) / out;  // exclusive
        Cover cover{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first), result.weight.size()};
        for (std::uint64_t pixel = first; pixel < last; ++pixel) {
            const std::uint64_t from = std::max(begin, pixel * out);
            const std::uint64_t to = std::min(end, (pixel + 1) * out);
            result.weight.push_back(static_cast<float>(to - from));
        }
        result.pixel.push_back(cover);
    }
    return result;
}

Covers covers(std::uint32_t in, std::uint32_t out) {
    return covers(in, out, 0, out);
}

// out[i] = sum over the taps t of weight[t][i] * row[first[i] + t], each product and sum exact: the taps of all output
// pixels side by side, padded with weights of 0, so that the loop over them has no branch.
struct Taps {
    std::uint32_t count = 0;           // for each output pixel
    std::vector<std::uint32_t> first;  // relative to the first pixel that any needs
    std::vector<double> weight;        // [pixel * count + tap]

    explicit Taps(const Covers& covers, std::uint32_t origin) {
        for (const Cover& cover : covers.pixel) count = std::max(count, cover.count);
        weight.assign(std::size_t{count} * covers.pixel.size(), 0.0);
        for (std::size_t i = 0; i < covers.pixel.size(); ++i) {
            const Cover& cover = covers.pixel[i];
            first.push_back(cover.first - origin);
            for (std::uint32_t t = 0; t < cover.count; ++t)
                weight[i * count + t] = static_cast<double>(covers.weight[cover.weights + t]);
        }
    }
};

// Rounds half up. A sum is exact and its mean off by less than 2e-13, while means that are not one half, of images of
// at most 2^32 pixels, differ from it by more than 1e-10: so exactly one half goes up, and nothing below does.
constexpr double kHalf = 0.5 + 1e-12;

// kTaps 0: as many as there are.
template <std::uint32_t kChannels, std::uint32_t kTaps>
void shrink_row(const Taps& taps, const float* row, double share, std::uint8_t* out) {
    const std::uint32_t count = kTaps != 0 ? kTaps : taps.count;
    const std::size_t pixels = taps.first.size();
    for (std::size_t i = 0; i < pixels; ++i) {
        const float* in = row + std::size_t{taps.first[i]} * kChannels;
        const double* weight = taps.weight.data() + i * count;
        double sum[kChannels] = {};
        for (std::uint32_t t = 0; t < count; ++t)
            for (std::uint32_t c = 0; c < kChannels; ++c)
                sum[c] += weight[t] * static_cast<double>(in[t * kChannels + c]);
        for (std::uint32_t c = 0; c < kChannels; ++c)
            out[i * kChannels + c] = static_cast<std::uint8_t>(static_cast<std::int32_t>(sum[c] * share + kHalf));
    }
}

template <std::uint32_t kChannels>
void shrink_row(const Taps& taps, const float* row, double share, std::uint8_t* out) {
    switch (taps.count) {
        case 2:
            return shrink_row<kChannels, 2>(taps, row, share, out);
        case 3:
            return shrink_row<kChannels, 3>(taps, row, share, out);
        case 4:
            return shrink_row<kChannels, 4>(taps, row, share, out);
        default:
            return shrink_row<kChannels, 0>(taps, row, share, out);
    }
}

}  // namespace

std::uint32_t scaled_side(std::uint32_t side, double factor) noexcept {
    return static_cast<std::uint32_t>(std::clamp(std::floor(side * factor + 0.5), 1.0, double{VDT_MAX_DIMENSION}));
}

Image shrink(const Image& image, std::uint32_t width, std::uint32_t height, const Workers& workers) {
    return shrink_part(image, width, height, {0, 0, width, height}, workers);
}

Image shrink_part(const Image& image, std::uint32_t width, std::uint32_t height, const Window& part,
                  const Workers& workers) {
    const std::uint32_t channels = image.format() == VDT_FORMAT_GRAY8 ? 1 : 3;
    const Covers across = covers(image.width(), width, part.x, part.x + part.w);
    const Covers down = covers(image.height(), height, part.y, part.y + part.h);
    const std::uint32_t origin = across.pixel.front().first;
    const std::uint32_t needed = across.pixel.back().first + across.pixel.back().count - origin;
    const Taps taps(across, origin);
    const std::size_t samples = std::size_t{needed} * channels;
    Image out(image.format(), part.w, part.h);
    const double share = 1 / (static_cast<double>(image.width()) * image.height());
    workers.run(part.h, 0, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
        // Taps of weight 0 may lie beyond the end.
        std::vector<float> row(samples + std::size_t{taps.count} * channels);
        for (std::uint32_t y = begin; y < end; ++y) {
            const Cover& rows = down.pixel[y];
            for (std::uint32_t k = 0; k < rows.count; ++k) {
                const std::uint8_t* in = image.row(rows.first + k) + std::size_t{origin} * channels;
                const float weight = down.weight[rows.weights + k];
                find_kernels().add_row(in, weight, k == 0, samples, row.data());
            }
            if (channels == 1)
                shrink_row<1>(taps, row.data(), share, out.row(y));
            else
                shrink_row<3>(taps, row.data(), share, out.row(y));
        }
    });
    return out;
}

Image shrink_mask(const Image& mask, std::uint32_t width, std::uint32_t height, std::uint64_t& counted) {
    const Covers across = covers(mask.width(), width);
    const Covers down = covers(mask.height(), height);
    Image out(VDT_FORMAT_GRAY8, width, height);
    counted = 0;
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            bool full = true;
            for (std::uint32_t v = 0; v < down.pixel[y].count && full; ++v) {
                const std::uint8_t* row = mask.row(down.pixel[y].first + v) + across.pixel[x].first;
                full = std::all_of(row, row + across.pixel[x].count, [](std::uint8_t value) { return value != 0; });
            }
            out.row(y)[x] = full ? 255 : 0;
            counted += full ? 1 : 0;
        }
    }
    return out;
}

}  // namespace vedette::host
