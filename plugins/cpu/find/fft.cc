#include "fft.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vedette::cpu::find {
namespace {

// Rows are a cache line longer than a power of two, so that neighbouring rows do not share cache sets.
std::ptrdiff_t stride_of(int n) {
    return n + 8;
}
std::size_t values_of(int n) {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(stride_of(n));
}

constexpr int largest_tile = 4096;

}  // namespace

PatternSpectrum::PatternSpectrum(const Kernels& kernels, const Pattern& pattern, int n)
    : n_(n), roots_(2 * static_cast<std::size_t>(n)) {
    for (int k = 0; k < n; ++k) {
        const long double angle = -2 * std::numbers::pi_v<long double> * k / n;
        roots_[2 * static_cast<std::size_t>(k)] = static_cast<double>(std::cos(angle));
        roots_[2 * static_cast<std::size_t>(k) + 1] = static_cast<double>(std::sin(angle));
    }
    std::vector<double> panel(2 * static_cast<std::size_t>(n) * fft_lanes);
    const int planes = pattern.channels + (pattern.masked ? 1 : 0);
    for (int p = 0; p < planes; ++p) {
        Storage& s = spectra_.emplace_back();
        s.re.resize(values_of(n));
        s.im.resize(values_of(n));
        FftSource source{};
        source.rows = pattern.h;
        source.columns_re = pattern.w;
        source.values = p < pattern.channels
                            ? pattern.coefficients.data() + std::int64_t{p} * pattern.h * pattern.stride
                            : pattern.mask_coefficients.data();
        source.value_stride = pattern.stride;
        kernels.fft_forward({n, stride_of(n), s.re.data(), s.im.data(), panel.data(), roots_.data()}, source);
    }
}

FftBlock fft_block(const Pattern& pattern, int n) {
    return {2 * (n - pattern.w + 1), n - pattern.h + 1};
}

FftChoice choose_fft(const Pattern& pattern, int columns, int rows) {
    FftChoice best;
    for (int n = 32; n <= largest_tile; n *= 2) {
        if (n < pattern.w || n < pattern.h) continue;
        const FftBlock block = fft_block(pattern, n);
        const double blocks =
            std::ceil(static_cast<double>(columns) / block.columns) * std::ceil(static_cast<double>(rows) / block.rows);
        const double transforms = pattern.masked ? 2.0 * pattern.channels + 3 : pattern.channels + 1;
        // Measured on a 2-core Zen 3 VM, AVX2: nanoseconds a value and doubling; tiles beyond the second-level cache
        // wait for the third. Tiles of 4096 x 4096 take 270 MB each, two a thread, and a screen has so few of them that
        // threads have none.
        const double price = n <= 128 ? 0.30 : n <= 512 ? 0.36 : n <= 2048 ? 0.5 : 1;
        const double cost = blocks * transforms * price * n * n * 2 * std::log2(n);
        if (best.n == 0 || cost < best.cost) best = {n, cost};
    }
    return best;
}

void FftCorrelator::run(const Kernels& kernels, const Scene& scene, const Pattern& pattern,
                        const PatternSpectrum& spectrum, int x, int y, int columns, int rows) {
    const int n = spectrum.n_;
    const std::size_t values = values_of(n);
    for (std::vector<double>& tile : tile_)
        if (tile.size() < 2 * values) tile.resize(2 * values);
    if (panel_.size() < 2 * static_cast<std::size_t>(n) * fft_lanes)
        panel_.resize(2 * static_cast<std::size_t>(n) * fft_lanes);
    const int half = n - pattern.w + 1, first = std::min(columns, half), second = columns - first;
    stride_ = static_cast<std::size_t>(columns) + 8;
    const FftTile in{n, stride_of(n), tile_[0].data(), tile_[0].data() + values, panel_.data(), spectrum.roots_.data()};
    const FftTile out{
        n, stride_of(n), tile_[1].data(), tile_[1].data() + values, panel_.data(), spectrum.roots_.data()};
    const auto pattern_tile = [&](std::size_t p) {
        const PatternSpectrum::Storage& s = spectrum.spectra_[p];
        // Only read by the kernels.
        return FftTile{n,       stride_of(n), const_cast<double*>(s.re.data()), const_cast<double*>(s.im.data()),
                       nullptr, nullptr};
    };
    const auto finish = [&](int plane) {
        std::vector<double>& to = planes_[plane];
        const std::size_t room = stride_ * static_cast<std::size_t>(rows);
        if (to.size() < room) to.resize(room);
        kernels.fft_inverse(out, rows, first, to.data(), static_cast<std::ptrdiff_t>(stride_), second);
    };
    FftSource source{};
    source.rows = std::min(n, rows + pattern.h - 1);
    source.columns_re = std::min(n, first + pattern.w - 1);
    source.columns_im = second > 0 ? std::min(n, second + pattern.w - 1) : 0;
    source.x_re = x;
    source.x_im = x + first;
    const auto mask = static_cast<std::size_t>(pattern.channels);
    for (int c = 0; c < pattern.channels; ++c) {
        source.channels = 1;
        source.pixels[0] = scene.rows(c) + y;
        kernels.fft_forward(in, source);
        if (pattern.masked) {
            kernels.fft_multiply(out, in, pattern_tile(mask), true);
            finish(1 + c);
        }
        // The sum over channels is kept as a spectrum only when nothing else needs the second tile in between.
        if (!pattern.masked || pattern.channels == 1) {
            kernels.fft_multiply(out, in, pattern_tile(static_cast<std::size_t>(c)), c == 0);
            continue;
        }
        kernels.fft_multiply(out, in, pattern_tile(static_cast<std::size_t>(c)), true);
        std::vector<double> sum;
        if (c > 0) sum.swap(planes_[0]);
        finish(0);
        if (c > 0)
            for (std::size_t i = 0; i < stride_ * static_cast<std::size_t>(rows); ++i) planes_[0][i] += sum[i];
    }
    if (!pattern.masked || pattern.channels == 1) finish(0);
    if (!pattern.masked) return;
    source.channels = pattern.channels;
    for (int c = 0; c < pattern.channels; ++c) source.pixels[c] = scene.rows(c) + y;
    source.squared = true;
    kernels.fft_forward(in, source);
    kernels.fft_multiply(out, in, pattern_tile(mask), true);
    finish(1 + max_channels);
}

}  // namespace vedette::cpu::find
