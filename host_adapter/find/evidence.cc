#include "evidence.h"

#include "fft.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace vedette::host {
namespace {

// Largest score that is told from 1: keeps the evidence of an identical patch finite.
constexpr double kScoreBelowOne = 1 - 1e-12;

// Patterns with more pixels are coarsened first: a full-screen pattern would take a transform of hundreds of megabytes
// to learn that its evidence is in the hundreds.
constexpr double kMostSamplePixels = 512 * 512;

struct MeanFree {
    std::array<std::vector<float>, 3> channel;  // row by row, 0 where ignored
    std::uint32_t width, height, channels;
    double counted = 0;
    double energy = 0;  // sum of squares
};

MeanFree mean_free(const PixelView& pattern, const PixelView& mask) {
    MeanFree out{{}, pattern.width, pattern.height, pattern.channels};
    std::array<double, 3> sum{};
    for (std::uint32_t y = 0; y < out.height; ++y) {
        for (std::uint32_t x = 0; x < out.width; ++x) {
            if (!mask.empty() && mask.row(y)[x] == 0) continue;
            out.counted += 1;
            for (std::uint32_t c = 0; c < out.channels; ++c) sum[c] += pattern.row(y)[x * out.channels + c];
        }
    }
    for (std::uint32_t c = 0; c < out.channels; ++c) {
        const double mean = out.counted > 0 ? sum[c] / out.counted : 0;
        out.channel[c].resize(std::size_t{out.width} * out.height);
        for (std::uint32_t y = 0; y < out.height; ++y) {
            float* row = out.channel[c].data() + std::size_t{y} * out.width;
            for (std::uint32_t x = 0; x < out.width; ++x) {
                if (!mask.empty() && mask.row(y)[x] == 0) continue;
                const double value = pattern.row(y)[x * out.channels + c] - mean;
                row[x] = static_cast<float>(value);
                out.energy += value * value;
            }
        }
    }
    return out;
}

// Sums over blocks of k x k pixels, so that a large pattern costs no more than a middling one. Structure finer than the
// blocks cancels out: the samples counted are then fewer than there are, never more.
MeanFree coarsened(const MeanFree& fine, std::uint32_t k) {
    MeanFree out{{}, (fine.width + k - 1) / k, (fine.height + k - 1) / k, fine.channels};
    out.counted = fine.counted / (static_cast<double>(k) * k);
    for (std::uint32_t c = 0; c < fine.channels; ++c) {
        out.channel[c].resize(std::size_t{out.width} * out.height);
        for (std::uint32_t y = 0; y < fine.height; ++y) {
            const float* row = fine.channel[c].data() + std::size_t{y} * fine.width;
            float* sums = out.channel[c].data() + std::size_t{y / k} * out.width;
            for (std::uint32_t x = 0; x < fine.width; ++x) sums[x / k] += row[x];
        }
        for (const float sum : out.channel[c]) out.energy += static_cast<double>(sum) * static_cast<double>(sum);
    }
    return out;
}

struct Scratch {
    std::vector<float> re, im, re_other, im_other;
    explicit Scratch(std::size_t length) : re(length), im(length), re_other(length), im_other(length) {}
};

// Zero-padded 2-D transforms of a pattern; what is kept is the power.
class Spectrum {
public:
    Spectrum(const MeanFree& pattern, const Workers& workers)
        : pattern_(pattern),
          workers_(workers),
          down_(std::bit_ceil(2 * std::size_t{pattern.height} - 1)),
          across_(std::bit_ceil(2 * std::size_t{pattern.width} - 1)),
          pitch_((down_.length() + kFftLanes - 1) / kFftLanes * kFftLanes),
          re_(pitch_ * pattern.width),
          im_(pitch_ * pattern.width) {}

    // Sum over all lags of the squared autocorrelation, by Parseval's theorem: with P the power spectrum summed over
    // the channels, it is the mean of P^2.
    double sum_of_squared_autocorrelation() {
        const std::size_t height = down_.length();
        const std::size_t width = across_.length();
        // Power of channels 0 and 1, transformed together as z = t0 + i t1: |T0|^2 + |T1|^2 = (|Z(k)|^2 + |Z(-k)|^2)
        // / 2. The power spectrum of real data is even, so half of the frequencies tell all.
        const bool color = pattern_.channels == 3;
        std::vector<float> power(pitch_ * width);
        transform(pattern_.channel[0], color ? &pattern_.channel[1] : nullptr, color ? height : height / 2 + 1, power);
        std::vector<float> third;
        if (color) {
            third.resize(pitch_ * width);
            transform(pattern_.channel[2], nullptr, height / 2 + 1, third);
        }
        double sum = 0;
        for (std::size_t kx = 0; kx < width; ++kx) {
            const std::size_t mirrored_x = (width - kx) % width;
            for (std::size_t ky = 0; ky <= height / 2; ++ky) {
                double value = static_cast<double>(power[kx * pitch_ + ky]);
                if (color) {
                    const std::size_t mirrored_y = (height - ky) % height;
                    value = 0.5 * (value + static_cast<double>(power[mirrored_x * pitch_ + mirrored_y])) +
                            static_cast<double>(third[kx * pitch_ + ky]);
                }
                const double weight = ky == 0 || 2 * ky == height ? 1 : 2;
                sum += weight * value * value;
            }
        }
        return sum / (static_cast<double>(width) * static_cast<double>(height));
    }

private:
    // power[kx * pitch + ky] for ky < rows. Columns first: only those the pattern has; then along the rows.
    void transform(const std::vector<float>& real, const std::vector<float>* imaginary, std::size_t rows,
                   std::vector<float>& power) {
        const std::size_t width = pattern_.width;
        const std::size_t height = pattern_.height;
        run(down_, (width + kFftLanes - 1) / kFftLanes, [&](Scratch& scratch, std::size_t block) {
            const std::size_t first = block * kFftLanes;
            const std::size_t lanes = std::min(kFftLanes, width - first);
            std::fill(scratch.re.begin(), scratch.re.end(), 0.0F);
            std::fill(scratch.im.begin(), scratch.im.end(), 0.0F);
            for (std::size_t y = 0; y < height; ++y) {
                std::copy_n(real.data() + y * width + first, lanes, scratch.re.data() + y * kFftLanes);
                if (imaginary != nullptr)
                    std::copy_n(imaginary->data() + y * width + first, lanes, scratch.im.data() + y * kFftLanes);
            }
            const Fft::Parts done =
                down_.run(scratch.re.data(), scratch.im.data(), scratch.re_other.data(), scratch.im_other.data());
            for (std::size_t ky = 0; ky < down_.length(); ++ky) {
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    re_[(first + lane) * pitch_ + ky] = done.re[ky * kFftLanes + lane];
                    im_[(first + lane) * pitch_ + ky] = done.im[ky * kFftLanes + lane];
                }
            }
        });
        run(across_, (rows + kFftLanes - 1) / kFftLanes, [&](Scratch& scratch, std::size_t block) {
            const std::size_t first = block * kFftLanes;  // pitch_ is a multiple of the lanes: no remainder
            std::fill(scratch.re.begin(), scratch.re.end(), 0.0F);
            std::fill(scratch.im.begin(), scratch.im.end(), 0.0F);
            for (std::size_t x = 0; x < width; ++x) {
                std::copy_n(re_.data() + x * pitch_ + first, kFftLanes, scratch.re.data() + x * kFftLanes);
                std::copy_n(im_.data() + x * pitch_ + first, kFftLanes, scratch.im.data() + x * kFftLanes);
            }
            const Fft::Parts done =
                across_.run(scratch.re.data(), scratch.im.data(), scratch.re_other.data(), scratch.im_other.data());
            for (std::size_t kx = 0; kx < across_.length(); ++kx) {
                float* out = power.data() + kx * pitch_ + first;
                for (std::size_t lane = 0; lane < kFftLanes; ++lane) {
                    const float re = done.re[kx * kFftLanes + lane];
                    const float im = done.im[kx * kFftLanes + lane];
                    out[lane] = re * re + im * im;
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

double least_samples_of_scaled() noexcept {
    const double root = judging::kScaledEvidence / std::atanh(judging::kScaledScoreMost);
    return root * root;
}

double residual_limit(double deviation, double strictness) noexcept {
    return std::min(judging::kResidualMost, judging::kResidualBase + judging::kResidualPerContrast * deviation) /
           strictness;
}

}  // namespace vedette::host
