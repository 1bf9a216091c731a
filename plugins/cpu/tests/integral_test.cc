// integral on every instruction set that runs here, against sums written as plain loops.
#include <cmath>

#include "boost_test.h"
#include "processor.h"
#include "test_host.h"

namespace vedette::cpu::test {

BOOST_AUTO_TEST_SUITE(integral)

namespace {

constexpr const char* sets[] = {"portable", "avx2", "avx512"};

double pixel(const TestImage& image, std::int64_t x, std::int64_t y) {
    if (x < 0 || y < 0 || x >= image.view().width || y >= image.view().height) return 0;
    const auto row = static_cast<std::uint32_t>(y);
    return image.view().format == VDT_FORMAT_GRAY8 ? image.row<std::uint8_t>(0, row)[x]
                                                   : static_cast<double>(image.row<float>(0, row)[x]);
}

// All sums by the text of ops.h. The upright ones add a row at a time; exact for bytes.
std::vector<double> expected(const TestImage& in, std::uint32_t flag) {
    const std::int64_t width = in.view().width + 1;
    const std::int64_t height = in.view().height + 1;
    std::vector<double> sums(static_cast<std::size_t>(width * height));
    for (std::int64_t y = 1; y < height; ++y) {
        double row = 0;
        for (std::int64_t x = 0; x < width; ++x) {
            double& sum = sums[static_cast<std::size_t>(y * width + x)];
            if (flag == VDT_INTEGRAL_TILTED) {
                for (std::int64_t j = 0; j < y; ++j)
                    for (std::int64_t i = x - 1 - (y - 1 - j); i <= x - 1 + (y - 1 - j); ++i) sum += pixel(in, i, j);
            } else {
                const double v = pixel(in, x - 1, y - 1);
                row += flag == VDT_INTEGRAL_SQUARED ? v * v : v;
                sum = sums[static_cast<std::size_t>((y - 1) * width + x)] + row;
            }
        }
    }
    return sums;
}

double value(const TestImage& image, std::uint32_t x, std::uint32_t y) {
    switch (image.view().format) {
        case VDT_FORMAT_I32:
            return image.row<std::int32_t>(0, y)[x];
        case VDT_FORMAT_I64:
            return static_cast<double>(image.row<std::int64_t>(0, y)[x]);
        default:
            return image.row<double>(0, y)[x];
    }
}

// Sums of 32 bits are modulo 2^32; both values are whole numbers far below 2^53 then.
double difference(const TestImage& image, double given, double sum) {
    if (image.view().format != VDT_FORMAT_I32) return std::abs(given - sum);
    return std::abs(std::remainder(given - sum, 0x1p32));
}

double largest_error(const TestImage& image, const std::vector<double>& sums) {
    double error = 0;
    std::size_t index = 0;
    for (std::uint32_t y = 0; y < image.view().height; ++y)
        for (std::uint32_t x = 0; x < image.view().width; ++x)
            error = std::max(error, difference(image, value(image, x, y), sums[index++]));
    return error;
}

void fill(const TestImage& image, Random& random) {
    std::uniform_real_distribution<float> real(-255, 255);
    for (std::uint32_t y = 0; y < image.view().height; ++y)
        for (std::uint32_t x = 0; x < image.view().width; ++x)
            if (image.view().format == VDT_FORMAT_GRAY8)
                image.row<std::uint8_t>(0, y)[x] =
                    static_cast<std::uint8_t>(below(random, 3) == 0 ? 255 : below(random, 256));
            else
                image.row<float>(0, y)[x] = real(random);
}

void check(TestDevice& device, Random& random, vdt_format format, std::uint32_t width, std::uint32_t height,
           std::uint32_t flags, bool real) {
    const TestImage in(format, width, height, random_placement(random));
    fill(in, random);
    std::vector<TestImage> outputs;
    std::vector<std::uint32_t> flag_of;
    for (const std::uint32_t flag : {VDT_INTEGRAL_SUM, VDT_INTEGRAL_SQUARED, VDT_INTEGRAL_TILTED}) {
        if ((flags & flag) == 0) continue;
        const vdt_format integer = flag == VDT_INTEGRAL_SQUARED ? VDT_FORMAT_I64 : VDT_FORMAT_I32;
        outputs.emplace_back(real ? vdt_format{VDT_FORMAT_F64} : integer, width + 1, height + 1,
                             random_placement(random));
        flag_of.push_back(flag);
    }
    std::vector<const vdt_image*> views;
    for (const TestImage& output : outputs) views.push_back(&output.view());
    const vdt_integral_params params{sizeof(vdt_integral_params), flags};
    BOOST_TEST_CONTEXT(layout_of(format)->name << " " << width << " x " << height << " flags " << flags << " real "
                                               << real) {
        BOOST_TEST_REQUIRE(device.run(VDT_OP_INTEGRAL, &params, {&in.view()}, views) == VDT_OK);
        for (std::size_t index = 0; index < outputs.size(); ++index) {
            const double tolerance =
                format == VDT_FORMAT_GRAY8 ? 0 : 4 * (width + height) * 0x1p-53 * width * height * 65025;
            BOOST_TEST(largest_error(outputs[index], expected(in, flag_of[index])) <= tolerance);
            BOOST_TEST(outputs[index].guards_untouched());
        }
    }
}

}  // namespace

BOOST_DATA_TEST_CASE(random_sizes, boost::unit_test::data::make(sets), isa) {
    TestHost host;
    TestDevice device(host, isa);
    if (!device.available()) {
        BOOST_TEST_MESSAGE("skipped: " << device.error().text);
        return;
    }
    Random random(2);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const std::uint32_t flags = 1 + below(random, 7);
        const std::uint32_t width = random_side(random);
        const std::uint32_t height = random_side(random);
        // The brute force of tilted sums grows with the fourth power of the side.
        const bool small = (flags & VDT_INTEGRAL_TILTED) == 0;
        check(device, random, VDT_FORMAT_GRAY8, small ? width : std::min(width, 60u),
              small ? height : std::min(height, 40u), flags, repeat % 2 == 0);
        check(device, random, VDT_FORMAT_GRAYF32, small ? width : std::min(width, 60u),
              small ? height : std::min(height, 40u), flags, true);
    }
}

// Large enough to be cut into bands, with heights that do not divide evenly.
BOOST_DATA_TEST_CASE(large_enough_for_bands, boost::unit_test::data::make(sets), isa) {
    TestHost host;
    TestDevice device(host, isa);
    if (!device.available()) {
        BOOST_TEST_MESSAGE("skipped: " << device.error().text);
        return;
    }
    Random random(3);
    for (const std::uint32_t width : {523u, 1024u, 2049u, 3840u})
        for (const bool real : {false, true}) {
            for (const std::uint32_t height : {128u, 131u, 190u})
                check(device, random, VDT_FORMAT_GRAY8, width, height, VDT_INTEGRAL_SUM | VDT_INTEGRAL_SQUARED, real);
            check(device, random, VDT_FORMAT_GRAY8, width, 140, VDT_INTEGRAL_SQUARED, real);
            check(device, random, VDT_FORMAT_GRAYF32, width, 40, VDT_INTEGRAL_SUM | VDT_INTEGRAL_SQUARED, true);
        }
    check(device, random, VDT_FORMAT_GRAY8, 700, 12, VDT_INTEGRAL_SUM | VDT_INTEGRAL_SQUARED | VDT_INTEGRAL_TILTED,
          false);
}

// Rows of an image of this width with so many bytes a pixel, input and outputs together, that no cache holds them.
std::uint32_t rows_beyond_the_caches(std::uint32_t width, std::uint32_t pixel_bytes) {
    return static_cast<std::uint32_t>(last_cache_bytes() / (std::uint64_t{width} * pixel_bytes)) + 13;
}

// Larger than the caches, so that sums go past them.
BOOST_DATA_TEST_CASE(larger_than_the_caches, boost::unit_test::data::make(sets), isa) {
    TestHost host;
    TestDevice device(host, isa);
    if (!device.available()) {
        BOOST_TEST_MESSAGE("skipped: " << device.error().text);
        return;
    }
    Random random(4);
    check(device, random, VDT_FORMAT_GRAY8, 4501, rows_beyond_the_caches(4501, 5), VDT_INTEGRAL_SUM, false);
    const std::uint32_t both = VDT_INTEGRAL_SUM | VDT_INTEGRAL_SQUARED;
    check(device, random, VDT_FORMAT_GRAY8, 3283, rows_beyond_the_caches(3283, 13), both, false);
    check(device, random, VDT_FORMAT_GRAY8, 3409, rows_beyond_the_caches(3409, 17), both, true);
}

// The widest row of white pixels has the largest sum of squares a row can have.
BOOST_DATA_TEST_CASE(widest_white_row, boost::unit_test::data::make(sets), isa) {
    TestHost host;
    host.workers = 1;
    TestDevice device(host, isa);
    if (!device.available()) {
        BOOST_TEST_MESSAGE("skipped: " << device.error().text);
        return;
    }
    const std::uint32_t width = VDT_MAX_DIMENSION - 1;
    const TestImage in(VDT_FORMAT_GRAY8, width, 3, {});
    for (std::uint32_t y = 0; y < 3; ++y) std::memset(in.row<std::uint8_t>(0, y), 255, width);
    const vdt_integral_params params{sizeof(vdt_integral_params), VDT_INTEGRAL_SQUARED};
    for (const vdt_format format : {VDT_FORMAT_I64, VDT_FORMAT_F64}) {
        const TestImage out(format, width + 1, 4, {});
        BOOST_TEST_REQUIRE(device.run(VDT_OP_INTEGRAL, &params, {&in.view()}, {&out.view()}) == VDT_OK);
        BOOST_TEST(largest_error(out, expected(in, VDT_INTEGRAL_SQUARED)) == 0);
    }
}

// Several blocks of rows, with and without tiles beside each other, against brute force.
BOOST_DATA_TEST_CASE(tilted_sums_over_blocks_and_tiles, boost::unit_test::data::make(sets), isa) {
    for (const std::uint32_t workers : {1u, 4u}) {
        TestHost host;
        host.workers = workers;
        TestDevice device(host, isa);
        if (!device.available()) {
            BOOST_TEST_MESSAGE("skipped: " << device.error().text);
            return;
        }
        Random random(5);
        check(device, random, VDT_FORMAT_GRAY8, 37, 150, VDT_INTEGRAL_TILTED, false);
        check(device, random, VDT_FORMAT_GRAY8, 1100, 61, VDT_INTEGRAL_TILTED, false);
        check(device, random, VDT_FORMAT_GRAYF32, 520, 127, VDT_INTEGRAL_TILTED, true);
    }
}

// Float sums are rounded in one order, whatever the number of threads and the instruction set.
BOOST_AUTO_TEST_CASE(float_sums_have_the_same_bits_everywhere) {
    Random random(4);
    const std::uint32_t width = 2100;
    const std::uint32_t height = 150;
    const TestImage in(VDT_FORMAT_GRAYF32, width, height, {});
    fill(in, random);
    const vdt_integral_params params{sizeof(vdt_integral_params),
                                     VDT_INTEGRAL_SUM | VDT_INTEGRAL_SQUARED | VDT_INTEGRAL_TILTED};
    std::vector<double> first;
    for (const char* const isa : sets) {
        for (const std::uint32_t workers : {1u, 2u, 5u}) {
            TestHost host;
            host.workers = workers;
            TestDevice device(host, isa);
            if (!device.available()) continue;
            std::vector<TestImage> outputs;
            for (int index = 0; index < 3; ++index)
                outputs.emplace_back(VDT_FORMAT_F64, width + 1, height + 1, Placement{});
            BOOST_TEST_REQUIRE(device.run(VDT_OP_INTEGRAL, &params, {&in.view()},
                                          {&outputs[0].view(), &outputs[1].view(), &outputs[2].view()}) == VDT_OK);
            std::vector<double> all;
            for (const TestImage& output : outputs)
                for (std::uint32_t y = 0; y <= height; ++y)
                    all.insert(all.end(), output.row<double>(0, y), output.row<double>(0, y) + width + 1);
            if (first.empty()) first = all;
            BOOST_TEST((std::memcmp(first.data(), all.data(), all.size() * sizeof(double)) == 0));
        }
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_done_is_refused) {
    TestHost host;
    TestDevice device(host, "auto");
    const TestImage bytes(VDT_FORMAT_GRAY8, 8, 4, {});
    const TestImage reals(VDT_FORMAT_GRAYF32, 8, 4, {});
    const TestImage color(VDT_FORMAT_BGR8, 8, 4, {});
    const TestImage i32(VDT_FORMAT_I32, 9, 5, {});
    const TestImage i64(VDT_FORMAT_I64, 9, 5, {});
    const TestImage f64(VDT_FORMAT_F64, 9, 5, {});
    const TestImage too_small(VDT_FORMAT_I32, 8, 4, {});
    vdt_integral_params params{sizeof(vdt_integral_params), VDT_INTEGRAL_SUM};
    const auto run = [&](const TestImage& in, const TestImage& out) {
        return device.run(VDT_OP_INTEGRAL, &params, {&in.view()}, {&out.view()});
    };
    BOOST_TEST(run(color, i32) == VDT_E_UNSUPPORTED_FORMAT);
    BOOST_TEST(run(reals, i32) == VDT_E_UNSUPPORTED_FORMAT);
    BOOST_TEST(run(bytes, i64) == VDT_E_UNSUPPORTED_FORMAT);
    BOOST_TEST(run(bytes, too_small) == VDT_E_SIZE);
    BOOST_TEST(run(bytes, i32) == VDT_OK);
    params.flags = VDT_INTEGRAL_SQUARED;
    BOOST_TEST(run(bytes, i32) == VDT_E_UNSUPPORTED_FORMAT);
    BOOST_TEST(run(bytes, i64) == VDT_OK);
    BOOST_TEST(run(reals, f64) == VDT_OK);
    params.flags = 0;
    BOOST_TEST(run(bytes, i32) == VDT_E_ARGUMENT);
    params.flags = 8;
    BOOST_TEST(run(bytes, i32) == VDT_E_ARGUMENT);
    params.flags = VDT_INTEGRAL_SUM | VDT_INTEGRAL_SQUARED;
    BOOST_TEST(run(bytes, i32) == VDT_E_ARGUMENT);  // an output for each flag
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::cpu::test
