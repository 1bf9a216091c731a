// Every instruction set computes the same bits.
#include "find/kernels/kernels.h"

#include "picture.h"

#include "boost_test.h"

#include <cmath>
#include <numbers>
#include <vector>

using namespace vedette;
using host::FindKernels;
using host::kRowStep;
using host::row_pitch;

namespace {

std::vector<float> random_row(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-100, 100);
    std::vector<float> row(row_pitch(count) + kRowStep);
    for (float& value : row) value = uniform(random);
    return row;
}

bool same(const std::vector<float>& p, const std::vector<float>& q, std::size_t count) {
    return std::equal(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(count), q.begin());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(kernels)

// Rows of exactly so many bytes, so that a sanitizer sees what is read or written beyond them.
BOOST_DATA_TEST_CASE(formats_of_pixels, boost::unit_test::data::make({1U, 4U, 5U, 6U, 15U, 16U, 17U, 18U, 33U, 100U}),
                     count) {
    for (const FindKernels* kernels : host::all_find_kernels()) {
        BOOST_TEST_CONTEXT(kernels->name) {
            for (const unsigned channels : {3U, 4U}) {
                std::mt19937 random(count * channels);
                std::vector<std::uint8_t> in(count * channels), out(3 * count), gray(count);
                for (std::uint8_t& byte : in) byte = static_cast<std::uint8_t>(random());
                const std::uint8_t order[3] = {2, 1, 0};
                kernels->pick(in.data(), channels, order, count, out.data());
                kernels->gray(out.data(), count, gray.data());
                for (std::size_t x = 0; x < count; ++x) {
                    const std::uint8_t* const pixel = in.data() + channels * x;
                    for (std::size_t c = 0; c < 3; ++c) BOOST_TEST(out[3 * x + c] == pixel[2 - c]);
                    BOOST_TEST(gray[x] == (3735 * pixel[2] + 19235 * pixel[1] + 9798 * pixel[0] + 16384) >> 15);
                }
            }
        }
    }
}

BOOST_DATA_TEST_CASE(instruction_sets_agree, boost::unit_test::data::make({1U, 4U, 5U, 7U, 8U, 9U, 16U, 31U, 100U}),
                     count) {
    const FindKernels& first = **host::all_find_kernels().begin();
    BOOST_TEST(std::string(first.name) == "baseline");
    const test::Image pixels = test::noise(count, 1, count);
    std::vector<float> linear(256);
    for (std::size_t i = 0; i < 256; ++i) linear[i] = static_cast<float>(i * i) / 65025.0F;
    const std::vector<float> a = random_row(count + 2, 1), b = random_row(count + 2, 2), c = random_row(count + 2, 3);
    const FindKernels::Side s{
        {a.data(), b.data(), c.data()}, {b.data(), c.data(), a.data()}, {c.data(), a.data(), b.data()}};
    const FindKernels::Side t{
        {b.data(), a.data(), c.data()}, {c.data(), b.data(), a.data()}, {a.data(), c.data(), b.data()}};
    const float* const rows[5] = {a.data(), b.data(), c.data(), b.data(), a.data()};
    const float mean[3] = {1.5F, -20, 33};
    for (const FindKernels* other : host::all_find_kernels()) {
        BOOST_TEST_CONTEXT(other->name) {
            std::vector<float> out[2][3];
            for (auto& set : out)
                for (auto& row : set) row.resize(row_pitch(count) + kRowStep);
            first.lab(linear.data(), pixels.row(0), count, out[0][0].data(), out[0][1].data(), out[0][2].data());
            other->lab(linear.data(), pixels.row(0), count, out[1][0].data(), out[1][1].data(), out[1][2].data());
            for (int i = 0; i < 3; ++i) BOOST_TEST(same(out[0][i], out[1][i], count));
            first.reach(a.data(), b.data(), c.data(), count, out[0][0].data(), out[0][1].data());
            other->reach(a.data(), b.data(), c.data(), count, out[1][0].data(), out[1][1].data());
            for (int i = 0; i < 2; ++i) BOOST_TEST(same(out[0][i], out[1][i], count));
            first.differences(s, t, 3, nullptr, count, out[0][0].data());
            other->differences(s, t, 3, nullptr, count, out[1][0].data());
            BOOST_TEST(same(out[0][0], out[1][0], count));
            const std::size_t block = std::min<std::size_t>(5, count);
            const float p = first.block_sums(rows, count, block, out[0][1].data(), out[0][2].data());
            const float q = other->block_sums(rows, count, block, out[1][1].data(), out[1][2].data());
            BOOST_TEST(p == q);
            BOOST_TEST(same(out[0][2], out[1][2], count - block + 1));
            std::vector<std::uint16_t> units[2];
            for (auto& row : units) row.resize(count);
            first.distances(rows, mean, 3, count, units[0].data());
            other->distances(rows, mean, 3, count, units[1].data());
            BOOST_TEST(units[0] == units[1]);
            const test::Image beside = test::noise(count, 1, count + 1);
            std::vector<std::uint8_t> taken(count);
            for (std::size_t i = 0; i < count; ++i) taken[i] = beside.row(0)[i] < 100 ? 0 : 255;
            for (const bool masked : {false, true}) {
                const std::uint8_t* const mask = masked ? taken.data() : nullptr;
                std::uint64_t want[3] = {}, sums[3] = {7, 8, 9};  // the kernel adds to what is there
                for (std::size_t i = 0; i < count; ++i) {
                    const std::uint64_t value = masked && mask[i] == 0 ? 0U : pixels.row(0)[i];
                    want[0] += value;
                    want[1] += value * value;
                    want[2] += value * beside.row(0)[i];
                }
                other->add_products(pixels.row(0), beside.row(0), mask, count, &sums[0], &sums[1], &sums[2]);
                for (std::uint64_t i = 0; i < 3; ++i) BOOST_TEST(sums[i] == want[i] + 7 + i);
            }
            for (const bool start : {true, false}) {
                first.add_row(pixels.row(0), 3.5F, start, count, out[0][0].data());
                other->add_row(pixels.row(0), 3.5F, start, count, out[1][0].data());
                BOOST_TEST(same(out[0][0], out[1][0], count));
            }
        }
    }
}

BOOST_DATA_TEST_CASE(transforms_agree, boost::unit_test::data::make({1U, 2U, 4U, 8U, 64U, 128U}), n) {
    std::vector<float> cosine(n), sine(n);
    for (std::size_t k = 0; k < n; ++k) {
        cosine[k] = static_cast<float>(std::cos(-2 * std::numbers::pi * static_cast<double>(k) / n));
        sine[k] = static_cast<float>(std::sin(-2 * std::numbers::pi * static_cast<double>(k) / n));
    }
    std::vector<std::vector<float>> results;
    for (const FindKernels* kernels : host::all_find_kernels()) {
        std::vector<float> re = random_row(n * host::kFftLanes, 1), im = random_row(n * host::kFftLanes, 2);
        std::vector<float> re_scratch(re.size()), im_scratch(im.size());
        const bool in_scratch =
            kernels->fft(n, cosine.data(), sine.data(), re.data(), im.data(), re_scratch.data(), im_scratch.data());
        results.push_back(in_scratch ? re_scratch : re);
        BOOST_TEST(same(results.front(), results.back(), n * host::kFftLanes));
    }
}

BOOST_AUTO_TEST_SUITE_END()
