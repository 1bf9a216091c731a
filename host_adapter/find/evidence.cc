#include "evidence.h"

#include "fft.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace vedette::host {
namespace {

// Largest score that is told from 1: keeps the evidence of an identical patch finite.
constexpr double kScoreBelowOne = 1 - 1e-12;

// Patterns with more pixels are coarsened first: a full-screen pattern would take a transform of hundreds of megabytes
// to learn that its evidence is in the hundreds.
constexpr double kMostSamplePixels = 512 * 512;

struct MeanFree {
    // Row by row, 0 where ignored and beyond the width.
    std::array<std::vector<float>, 3> channel;
    std::uint32_t width, height, channels;
    std::size_t pitch;
    double counted = 0;
    double energy = 0;  // sum of squares

    MeanFree(std::uint32_t wide, std::uint32_t high, std::uint32_t deep)
        : width(wide), height(high), channels(deep), pitch(row_pitch(wide)) {
        for (std::uint32_t c = 0; c < channels; ++c) channel[c].resize(pitch * height);
    }
    void measure() {
        energy = 0;
        for (std::uint32_t c = 0; c < channels; ++c)
            for (const float value : channel[c]) energy += static_cast<double>(value) * static_cast<double>(value);
    }
};

struct Sums {
    std::uint64_t channel[3] = {};
    std::uint64_t counted = 0;
    bool gray = true;
};

Sums sums_of(const PixelView& pattern, const PixelView& mask) {
    Sums sums;
    for (std::uint32_t y = 0; y < pattern.height; ++y) {
        const std::uint8_t* pixel = pattern.row(y);
        const std::uint8_t* counts = mask.empty() ? nullptr : mask.row(y);
        for (std::uint32_t x = 0; x < pattern.width; ++x, pixel += pattern.channels) {
            if (counts != nullptr && counts[x] == 0) continue;
            ++sums.counted;
            for (std::uint32_t c = 0; c < pattern.channels; ++c) {
                sums.channel[c] += pixel[c];
                sums.gray = sums.gray && pixel[c] == pixel[0];
            }
        }
    }
    return sums;
}

MeanFree mean_free(const PixelView& pattern, const PixelView& mask) {
    const Sums sums = sums_of(pattern, mask);
    // Equal channels have the autocorrelation of one.
    MeanFree out(pattern.width, pattern.height, sums.gray ? 1 : pattern.channels);
    out.counted = static_cast<double>(sums.counted);
    for (std::uint32_t c = 0; c < out.channels; ++c) {
        const auto mean = static_cast<float>(static_cast<double>(sums.channel[c]) / std::max(out.counted, 1.0));
        for (std::uint32_t y = 0; y < out.height; ++y) {
            float* row = out.channel[c].data() + y * out.pitch;
            const std::uint8_t* pixel = pattern.row(y) + c;
            const std::uint8_t* counts = mask.empty() ? nullptr : mask.row(y);
            for (std::uint32_t x = 0; x < out.width; ++x, pixel += pattern.channels)
                row[x] = counts != nullptr && counts[x] == 0 ? 0 : static_cast<float>(*pixel) - mean;
        }
    }
    // Without variance only the rounding of the mean would be left.
    const auto one_value = [&](std::uint64_t sum) { return sum % std::max<std::uint64_t>(sums.counted, 1) == 0; };
    out.measure();
    if (out.energy < 1e-6 * out.counted && one_value(sums.channel[0])) out.energy = 0;
    return out;
}

// Sums over blocks of k x k pixels, so that a large pattern costs no more than a middling one. Structure finer than the
// blocks cancels out; what is left correlates further, so the samples come out fewer, unless the fine structure is a
// periodic one.
MeanFree coarsened(const MeanFree& fine, std::uint32_t k) {
    MeanFree out((fine.width + k - 1) / k, (fine.height + k - 1) / k, fine.channels);
    out.counted = fine.counted / (static_cast<double>(k) * k);
    for (std::uint32_t c = 0; c < fine.channels; ++c) {
        for (std::uint32_t y = 0; y < fine.height; ++y) {
            const float* row = fine.channel[c].data() + y * fine.pitch;
            float* sums = out.channel[c].data() + y / k * out.pitch;
            for (std::uint32_t x = 0; x < fine.width; ++x) sums[x / k] += row[x];
        }
    }
    out.measure();
    return out;
}

// As a memcpy of fixed size: short calls would cost more than the copies.
void copy_lanes(const float* from, float* to) {
    std::memcpy(to, from, kFftLanes * sizeof(float));
}

struct Scratch {
    std::vector<float> re, im, re_other, im_other;
    explicit Scratch(std::size_t length) : re(length), im(length), re_other(length), im_other(length) {}
    // Sets the elements from `first` on to 0; those before are about to be written.
    void clear(std::size_t first) {
        std::fill(re.begin() + static_cast<std::ptrdiff_t>(first * kFftLanes), re.end(), 0.0F);
        std::fill(im.begin() + static_cast<std::ptrdiff_t>(first * kFftLanes), im.end(), 0.0F);
    }
};

// Zero-padded 2-D transforms of a pattern; what is kept is the power.
class Spectrum {
public:
    Spectrum(const MeanFree& pattern, const Workers& workers)
        : pattern_(pattern),
          workers_(workers),
          down_(std::bit_ceil(2 * std::size_t{pattern.height} - 1)),
          across_(std::bit_ceil(2 * std::size_t{pattern.width} - 1)),
          // Not a power of two, or the rows of a block would all fall into the same few lines of the cache.
          pitch_((down_.length() + kFftLanes - 1) / kFftLanes * kFftLanes + kFftLanes),
          re_(pitch_ * pattern.width),
          im_(pitch_ * pattern.width) {}

    // Sum over all lags of the squared autocorrelation, by Parseval's theorem: with P the power spectrum summed over
    // the channels, it is the mean of P^2.
    double sum_of_squared_autocorrelation() {
        const std::size_t height = down_.length();
        const std::size_t width = across_.length();
        // Channels 0 and 1 are transformed together as z = t0 + i t1: |T0|^2 + |T1|^2 = (|Z(k)|^2 + |Z(-k)|^2) / 2.
        // The power spectrum of real data is even, so half of the frequencies tell all; what the third channel adds to
        // that half counts twice where the other half, at -k, gets none.
        const bool color = pattern_.channels == 3;
        std::vector<float> power(pitch_ * width);
        transform(pattern_.channel[0], color ? &pattern_.channel[1] : nullptr, color ? height : height / 2 + 1, 1,
                  power);
        if (color) transform(pattern_.channel[2], nullptr, height / 2 + 1, 2, power);
        double sum = 0;
        for (std::size_t kx = 0; kx < width; ++kx) {
            const float* here = power.data() + kx * pitch_;
            const float* mirrored = power.data() + (width - kx) % width * pitch_;
            for (std::size_t ky = 0; ky <= height / 2; ++ky) {
                const bool middle = ky == 0 || 2 * ky == height;
                const double there = static_cast<double>(color ? mirrored[middle ? ky : height - ky] : here[ky]);
                const double value = 0.5 * (static_cast<double>(here[ky]) + there);
                sum += (middle ? 1 : 2) * value * value;
            }
        }
        return sum / (static_cast<double>(width) * static_cast<double>(height));
    }

private:
    // Adds the power to power[kx * pitch + ky] for ky < rows, `weight` times but for the frequencies 0 and height / 2.
    // Columns first: only those the pattern has; then along the rows.
    void transform(const std::vector<float>& real, const std::vector<float>* imaginary, std::size_t rows, float weight,
                   std::vector<float>& power) {
        const std::size_t width = pattern_.width;
        const std::size_t height = pattern_.height;
        const std::size_t row_length = pattern_.pitch;
        run(down_, row_length / kFftLanes, [&](Scratch& scratch, std::size_t block) {
            const std::size_t first = block * kFftLanes;
            scratch.clear(imaginary != nullptr ? height : 0);
            for (std::size_t y = 0; y < height; ++y) {
                copy_lanes(real.data() + y * row_length + first, scratch.re.data() + y * kFftLanes);
                if (imaginary != nullptr)
                    copy_lanes(imaginary->data() + y * row_length + first, scratch.im.data() + y * kFftLanes);
            }
            const Fft::Parts done =
                down_.run(scratch.re.data(), scratch.im.data(), scratch.re_other.data(), scratch.im_other.data());
            for (std::size_t lane = 0; lane < std::min(kFftLanes, width - first); ++lane) {
                float* const re = re_.data() + (first + lane) * pitch_;
                float* const im = im_.data() + (first + lane) * pitch_;
                for (std::size_t ky = 0; ky < down_.length(); ++ky) re[ky] = done.re[ky * kFftLanes + lane];
                for (std::size_t ky = 0; ky < down_.length(); ++ky) im[ky] = done.im[ky * kFftLanes + lane];
            }
        });
        run(across_, (rows + kFftLanes - 1) / kFftLanes, [&](Scratch& scratch, std::size_t block) {
            const std::size_t first = block * kFftLanes;  // pitch_ is a multiple of the lanes: no remainder
            scratch.clear(width);
            for (std::size_t x = 0; x < width; ++x) {
                copy_lanes(re_.data() + x * pitch_ + first, scratch.re.data() + x * kFftLanes);
                copy_lanes(im_.data() + x * pitch_ + first, scratch.im.data() + x * kFftLanes);
            }
            const Fft::Parts done =
                across_.run(scratch.re.data(), scratch.im.data(), scratch.re_other.data(), scratch.im_other.data());
            float times[kFftLanes];
            for (std::size_t lane = 0; lane < kFftLanes; ++lane) {
                const std::size_t ky = first + lane;
                times[lane] = ky == 0 || 2 * ky == down_.length() ? 1 : weight;
            }
            for (std::size_t kx = 0; kx < across_.length(); ++kx) {
                float* out = power.data() + kx * pitch_ + first;
                for (std::size_t lane = 0; lane < kFftLanes; ++lane) {
                    const float re = done.re[kx * kFftLanes + lane];
                    const float im = done.im[kx * kFftLanes + lane];
                    out[lane] += times[lane] * (re * re + im * im);
                }
            }
        });
    }

    template <class Body>
    void run(const Fft& fft, std::size_t blocks, Body&& body) {
        workers_.run(static_cast<std::uint32_t>(blocks), 0, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
            Scratch scratch(fft.length() * kFftLanes);
            for (std::uint32_t block = begin; block < end; ++block) body(scratch, block);
        });
    }

    const MeanFree& pattern_;
    const Workers& workers_;
    Fft down_, across_;
    std::size_t pitch_;
    std::vector<float> re_, im_;  // after the columns, transposed: [x][ky]
};

}  // namespace

double effective_samples(const PixelView& pattern, const PixelView& mask, const Workers& workers) {
    MeanFree centred = mean_free(pattern, mask);
    const double pixels = static_cast<double>(pattern.width) * pattern.height;
    if (pixels > kMostSamplePixels)
        centred = coarsened(centred, static_cast<std::uint32_t>(std::ceil(std::sqrt(pixels / kMostSamplePixels))));
    if (centred.energy <= 0) return 0;
    const double squares = Spectrum(centred, workers).sum_of_squared_autocorrelation();
    return centred.counted * centred.energy * centred.energy / squares;
}

double evidence(double score, double samples) noexcept {
    return std::atanh(std::clamp(score, -kScoreBelowOne, kScoreBelowOne)) * std::sqrt(samples);
}

double residual_limit(double deviation, double strictness) noexcept {
    return std::min(judging::kResidualMost, judging::kResidualBase + judging::kResidualPerContrast * deviation) /
           strictness;
}

}  // namespace vedette::host
