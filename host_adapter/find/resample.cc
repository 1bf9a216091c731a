#include "resample.h"

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

Covers covers(std::uint32_t in, std::uint32_t out) {
    Covers result;
    result.pixel.reserve(out);
    for (std::uint32_t i = 0; i < out; ++i) {
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

}  // namespace

std::uint32_t scaled_side(std::uint32_t side, double factor) noexcept {
    return static_cast<std::uint32_t>(std::clamp(std::floor(side * factor + 0.5), 1.0, double{VDT_MAX_DIMENSION}));
}

Image shrink(const Image& image, std::uint32_t width, std::uint32_t height, const Workers& workers) {
    const std::uint32_t channels = image.format() == VDT_FORMAT_GRAY8 ? 1 : 3;
    const std::size_t samples = std::size_t{image.width()} * channels;
    const Covers across = covers(image.width(), width);
    const Covers down = covers(image.height(), height);
    Image out(image.format(), width, height);
    const double area = static_cast<double>(image.width()) * image.height();
    workers.run(height, 0, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
        std::vector<float> row(samples);
        for (std::uint32_t y = begin; y < end; ++y) {
            const Cover& rows = down.pixel[y];
            std::fill(row.begin(), row.end(), 0.0F);
            for (std::uint32_t k = 0; k < rows.count; ++k) {
                const std::uint8_t* in = image.row(rows.first + k);
                const float weight = down.weight[rows.weights + k];
                for (std::size_t i = 0; i < samples; ++i) row[i] += weight * static_cast<float>(in[i]);
            }
            std::uint8_t* pixels = out.row(y);
            for (std::uint32_t x = 0; x < width; ++x) {
                const Cover& columns = across.pixel[x];
                for (std::uint32_t channel = 0; channel < channels; ++channel) {
                    double sum = 0;
                    for (std::uint32_t k = 0; k < columns.count; ++k)
                        sum += static_cast<double>(across.weight[columns.weights + k]) *
                               static_cast<double>(row[std::size_t{columns.first + k} * channels + channel]);
                    // The sum is exact, so a mean of exactly one half goes up.
                    pixels[std::size_t{x} * channels + channel] = static_cast<std::uint8_t>(sum / area + 0.5);
                }
            }
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
