#include "find/evidence.h"

#include "find/fft.h"
#include "picture.h"

#include "boost_test.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

using namespace vedette;
using test::Image;
using test::view_of;

namespace {

// n / sum of rho^2 by the sums themselves.
double direct_samples(const test::PixelView& pattern, const test::PixelView& mask) {
    const auto counts = [&](std::int64_t x, std::int64_t y) {
        return mask.empty() || mask.row(static_cast<std::uint32_t>(y))[x] != 0;
    };
    const std::int64_t w = pattern.width, h = pattern.height;
    std::vector<std::vector<double>> t;  // of each channel
    double n = 0;
    for (unsigned c = 0; c < pattern.channels; ++c) {
        double sum = 0;
        n = 0;
        for (std::int64_t y = 0; y < h; ++y)
            for (std::int64_t x = 0; x < w; ++x)
                if (counts(x, y)) {
                    sum += pattern.row(static_cast<std::uint32_t>(y))[x * pattern.channels + c];
                    ++n;
                }
        t.emplace_back(static_cast<std::size_t>(w * h), 0.0);
        for (std::int64_t y = 0; y < h; ++y)
            for (std::int64_t x = 0; x < w; ++x)
                if (counts(x, y))
                    t.back()[static_cast<std::size_t>(y * w + x)] =
                        pattern.row(static_cast<std::uint32_t>(y))[x * pattern.channels + c] - sum / n;
    }
    double squares = 0, zero = 0;
    for (std::int64_t dy = 1 - h; dy < h; ++dy)
        for (std::int64_t dx = 1 - w; dx < w; ++dx) {
            double r = 0;
            for (const auto& channel : t)
                for (std::int64_t y = std::max<std::int64_t>(0, -dy); y < std::min(h, h - dy); ++y)
                    for (std::int64_t x = std::max<std::int64_t>(0, -dx); x < std::min(w, w - dx); ++x)
                        r += channel[static_cast<std::size_t>(y * w + x)] *
                             channel[static_cast<std::size_t>((y + dy) * w + x + dx)];
            if (dx == 0 && dy == 0) zero = r;
            squares += r * r;
        }
    return n * zero * zero / squares;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(evidence)

BOOST_DATA_TEST_CASE(transform_agrees_with_the_sum,
                     boost::unit_test::data::make({1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 512U}), n) {
    std::mt19937 random(n);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> re(n * host::kFftLanes), im(re.size()), re2(re.size()), im2(re.size());
    for (float& value : re) value = uniform(random);
    for (float& value : im) value = uniform(random);
    const std::vector<float> re_in = re, im_in = im;
    const host::Fft::Parts out = host::Fft(n).run(re.data(), im.data(), re2.data(), im2.data());
    for (std::size_t lane = 0; lane < host::kFftLanes; lane += 7)
        for (std::size_t k = 0; k < n; k += std::max<std::size_t>(1, n / 16)) {
            std::complex<double> want = 0;
            for (std::size_t i = 0; i < n; ++i)
                want += std::complex<double>(static_cast<double>(re_in[i * host::kFftLanes + lane]),
                                             static_cast<double>(im_in[i * host::kFftLanes + lane])) *
                        std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i * k % n) / n);
            BOOST_TEST(std::abs(static_cast<double>(out.re[k * host::kFftLanes + lane]) - want.real()) < 1e-4);
            BOOST_TEST(std::abs(static_cast<double>(out.im[k * host::kFftLanes + lane]) - want.imag()) < 1e-4);
        }
}

BOOST_DATA_TEST_CASE(samples_agree_with_the_direct_autocorrelation,
                     boost::unit_test::data::make({1U, 2U, 5U, 14U, 33U}) *
                         boost::unit_test::data::make({1U, 8U, 21U}) * boost::unit_test::data::make({0, 1, 2, 3}),
                     width, height, kind) {
    if (width * height == 1) return;  // one pixel has no variance; see below
    const Image picture = kind < 2 ? test::noise(width, height, 1, (kind & 1) != 0 ? VDT_FORMAT_GRAY8 : VDT_FORMAT_BGR8)
                                   : test::crop(test::desktop(100, 90, 3), {20, 30, width, height});
    Image mask;
    if (kind == 3) {
        mask = Image(VDT_FORMAT_GRAY8, width, height);
        for (std::uint32_t y = 0; y < height; ++y)
            for (std::uint32_t x = 0; x < width; ++x) mask.row(y)[x] = (x + y) % 3 != 0 ? 255 : 0;
        mask.row(0)[0] = 255;
    }
    const double want = direct_samples(view_of(picture), view_of(mask));
    const double got = host::effective_samples(view_of(picture), view_of(mask), host::Workers());
    if (std::isnan(want))
        BOOST_TEST(got == 0);  // no variance under this mask
    else
        BOOST_TEST(got == want, boost::test_tools::tolerance(1e-4));
}

BOOST_AUTO_TEST_CASE(samples_have_the_right_size) {
    // White noise: as many as pixels, nearly. A pattern without variance: none. A gradient: few.
    const Image white = test::noise(40, 40, 8, VDT_FORMAT_GRAY8);
    BOOST_TEST(host::effective_samples(view_of(white), {}, host::Workers()) > 600);
    BOOST_TEST(host::effective_samples(view_of(white), {}, host::Workers()) <= 1600);
    const Image flat = test::blank(40, 40, {5, 5, 5});
    BOOST_TEST(host::effective_samples(view_of(flat), {}, host::Workers()) == 0);
    const Image one = test::blank(1, 1, {5, 5, 5});
    BOOST_TEST(host::effective_samples(view_of(one), {}, host::Workers()) == 0);
    Image gradient(VDT_FORMAT_GRAY8, 40, 40);
    for (std::uint32_t y = 0; y < 40; ++y)
        for (std::uint32_t x = 0; x < 40; ++x) gradient.row(y)[x] = static_cast<std::uint8_t>(5 * x);
    BOOST_TEST(host::effective_samples(view_of(gradient), {}, host::Workers()) < 8);
}

BOOST_AUTO_TEST_CASE(large_patterns_are_coarsened_to_a_bound_from_below) {
    // 600 x 500 is beyond what is transformed as it is.
    const Image large = test::desktop(600, 500, 12);
    const Image part = test::crop(large, {0, 0, 500, 500});
    const double all = host::effective_samples(view_of(large), {}, host::Workers());
    const double fine = host::effective_samples(view_of(part), {}, host::Workers());
    BOOST_TEST(all > 20);
    BOOST_TEST(all < 1.3 * fine);
    host::ThreadPool pool(3);
    BOOST_TEST(host::effective_samples(view_of(part), {}, host::Workers(&pool)) == fine,
               boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(z_is_fishers) {
    BOOST_TEST(host::evidence(0, 100) == 0);
    BOOST_TEST(host::evidence(0.5, 100) == 10 * std::atanh(0.5), boost::test_tools::tolerance(1e-12));
    BOOST_TEST(host::evidence(0.97, 8) < host::evidence(0.85, 93));
    BOOST_TEST(std::isfinite(host::evidence(1, 1e6)));
    BOOST_TEST(host::evidence(1, 8) > 30);
    BOOST_TEST(host::evidence(-1, 8) < -30);
}

BOOST_AUTO_TEST_CASE(limits_follow_contrast_and_strictness) {
    BOOST_TEST(host::residual_limit(0, 1) == 5.5);
    BOOST_TEST(host::residual_limit(10, 1) == 13.5);
    BOOST_TEST(host::residual_limit(100, 1) == 19);
    BOOST_TEST(host::residual_limit(100, 2) == 9.5);
    BOOST_TEST(host::residual_limit(0, 0.5) == 11);
}

BOOST_AUTO_TEST_SUITE_END()
