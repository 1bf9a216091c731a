#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "suite.h"

namespace vedette::ops {

namespace {

constexpr std::uint32_t sides[] = {32, 64, 128, 256, 512};
constexpr std::uint32_t small_sides[] = {32, 64, 128};

using Complex = std::complex<double>;

enum class Kind { complex_forward, complex_inverse, real_forward, real_inverse };
constexpr Kind kinds[] = {Kind::complex_forward, Kind::complex_inverse, Kind::real_forward, Kind::real_inverse};
std::ostream& operator<<(std::ostream& out, Kind kind) {
    constexpr const char* names[] = {"complex forward", "complex inverse", "real forward", "real inverse"};
    return out << names[static_cast<int>(kind)];
}

bool has_fft2() {
    return backend_has(VDT_OP_FFT2, "fft2");
}

vdt_fft2_params params_of(std::uint32_t direction, std::uint32_t batch = 1) {
    vdt_fft2_params params{};
    params.struct_size = sizeof params;
    params.direction = direction;
    params.batch = batch;
    return params;
}
vdt_fft2_params params_of(Kind kind, std::uint32_t batch = 1) {
    const bool forward = kind == Kind::complex_forward || kind == Kind::real_forward;
    return params_of(forward ? VDT_FFT_FORWARD : VDT_FFT_INVERSE, batch);
}

// Poisoned images of the formats and sizes that a transform takes and gives.
TestImage input_of(Kind kind, std::uint32_t side, std::uint32_t batch = 1, Layout layout = Layout::tight) {
    const bool real = kind == Kind::real_forward;
    return {real ? VDT_FORMAT_GRAYF32 : VDT_FORMAT_COMPLEXF32, kind == Kind::real_inverse ? side / 2 + 1 : side,
            side * batch, layout};
}
TestImage output_of(Kind kind, std::uint32_t side, std::uint32_t batch = 1, Layout layout = Layout::tight) {
    const bool real = kind == Kind::real_inverse;
    return {real ? VDT_FORMAT_GRAYF32 : VDT_FORMAT_COMPLEXF32, kind == Kind::real_forward ? side / 2 + 1 : side,
            side * batch, layout};
}

void fill_random(TestImage& image, std::uint32_t seed) {
    Random random(seed);
    image.fill([&](auto, auto, auto) { return static_cast<float>(below(random, 511000)) / 1000.0 - 255.5; });
}

void run(const TestImage& in, TestImage& out, const vdt_fft2_params& params) {
    Operation operation;
    operation.op = VDT_OP_FFT2;
    operation.params = &params;
    operation.inputs = {in.ptr()};
    operation.outputs = {out.ptr()};
    const Outcome outcome = backend().run(operation);
    BOOST_REQUIRE_MESSAGE(outcome.code == VDT_OK, "code " << outcome.code << ": " << outcome.text);
}

Complex number(const TestImage& image, std::uint32_t x, std::uint32_t y) {
    return {image.at(x, y, 0), image.format() == VDT_FORMAT_COMPLEXF32 ? image.at(x, y, 1) : 0.0};
}

// 2-norms of all numbers, and of the differences between two images.
double norm(const TestImage& image) {
    double sum = 0;
    for (std::uint32_t y = 0; y < image.height(); ++y)
        for (std::uint32_t x = 0; x < image.width(); ++x) sum += std::norm(number(image, x, y));
    return std::sqrt(sum);
}
double distance(const TestImage& a, const TestImage& b) {
    double sum = 0;
    for (std::uint32_t y = 0; y < a.height(); ++y)
        for (std::uint32_t x = 0; x < a.width(); ++x) sum += std::norm(number(a, x, y) - number(b, x, y));
    return std::sqrt(sum);
}
double distance(const TestImage& image, const Plane& expected) {
    double sum = 0;
    for (std::uint32_t y = 0; y < image.height(); ++y)
        for (std::uint32_t x = 0; x < image.width(); ++x)
            for (std::uint32_t c = 0; c < expected.channels; ++c)
                sum += std::pow(image.at(x, y, c) - expected.at(x, y, c), 2);
    return std::sqrt(sum);
}

// Floats have 24 bits; a transform of n points adds up log2 n roundings at most.
double relative_error(std::uint32_t side) {
    return std::log2(static_cast<double>(side)) * 2 * std::numeric_limits<float>::epsilon() / 4;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fft2)

BOOST_DATA_TEST_CASE(equals_the_reference, bdata::make(sides) * bdata::make(kinds), side, kind) {
    if (!has_fft2()) return;
    const std::uint32_t batch = side <= 64 ? 3 : 1;
    TestImage in = input_of(kind, side, batch), out = output_of(kind, side, batch);
    fill_random(in, side);
    const vdt_fft2_params params = params_of(kind, batch);
    const Plane expected = reference::fft2(in.view(), out.format(), params);
    Operation operation;
    operation.op = VDT_OP_FFT2;
    operation.params = &params;
    expect_output(operation, {&in}, out, expected);
    double size = 0;
    for (const double value : expected.value) size += value * value;
    BOOST_TEST(distance(out, expected) <= relative_error(side) * std::sqrt(size));
}

BOOST_DATA_TEST_CASE(every_layout, bdata::make(small_sides) * bdata::make(kinds), side, kind) {
    if (!has_fft2()) return;
    TestImage in = input_of(kind, side, 2);
    fill_random(in, side + 1);
    const vdt_fft2_params params = params_of(kind, 2);
    TestImage plain = output_of(kind, side, 2);
    run(in, plain, params);
    for (const Layout from : all_layouts)
        for (const Layout to : all_layouts) BOOST_TEST_CONTEXT("from " << from << " to " << to) {
                TestImage out = output_of(kind, side, 2, to);
                run(in.as(from), out, params);
                BOOST_CHECK(out.guards_intact());
                BOOST_CHECK_EQUAL(distance(out, plain), 0);
            }
}

// Each image of a batch has the values that it has alone; large batches are spread over threads.
BOOST_DATA_TEST_CASE(batches, bdata::make(small_sides) * bdata::make(kinds), side, kind) {
    if (!has_fft2()) return;
    const std::uint32_t batch = 37;
    TestImage in = input_of(kind, side, batch), out = output_of(kind, side, batch);
    fill_random(in, side + 2);
    run(in, out, params_of(kind, batch));
    for (const std::uint32_t index : {0u, 1u, 19u, batch - 1}) {
        const TestImage one = in.crop(0, index * side, in.width(), side);
        TestImage alone = output_of(kind, side);
        run(one, alone, params_of(kind));
        BOOST_CHECK_EQUAL(distance(out.crop(0, index * side, out.width(), side), alone), 0);
    }
}

BOOST_DATA_TEST_CASE(there_and_back, bdata::make(sides), side) {
    if (!has_fft2()) return;
    for (const bool real : {false, true}) BOOST_TEST_CONTEXT((real ? "real" : "complex")) {
            const Kind forward = real ? Kind::real_forward : Kind::complex_forward;
            const Kind inverse = real ? Kind::real_inverse : Kind::complex_inverse;
            TestImage in = input_of(forward, side), spectrum = output_of(forward, side), out = output_of(inverse, side);
            fill_random(in, side + 3);
            run(in, spectrum, params_of(forward));
            run(spectrum, out, params_of(inverse));
            BOOST_TEST(distance(out, in) <= 2 * relative_error(side) * norm(in));
        }
}

// Sum of |F|^2 = n^2 times the sum of |f|^2; of a real image's half every column but the first and last counts twice.
BOOST_DATA_TEST_CASE(parseval, bdata::make(sides), side) {
    if (!has_fft2()) return;
    for (const Kind kind : {Kind::complex_forward, Kind::real_forward}) {
        TestImage in = input_of(kind, side), out = output_of(kind, side);
        fill_random(in, side + 4);
        run(in, out, params_of(kind));
        double sum = 0;
        for (std::uint32_t y = 0; y < side; ++y)
            for (std::uint32_t x = 0; x < out.width(); ++x) {
                const bool twice = kind == Kind::real_forward && x != 0 && x != side / 2;
                sum += (twice ? 2 : 1) * std::norm(number(out, x, y));
            }
        BOOST_TEST(std::sqrt(sum) == side * norm(in), boost::test_tools::tolerance(1e-6));
    }
}

// A shift turns each number by exp(-2 pi i (u a + v b) / n).
BOOST_DATA_TEST_CASE(shift_theorem, bdata::make(sides), side) {
    if (!has_fft2()) return;
    const std::uint32_t a = 5, b = side - 3;
    for (const Kind kind : {Kind::complex_forward, Kind::real_forward}) {
        TestImage in = input_of(kind, side), moved = input_of(kind, side);
        TestImage out = output_of(kind, side), moved_out = output_of(kind, side);
        fill_random(in, side + 5);
        moved.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t c) {
            return in.at((x + side - a) % side, (y + side - b) % side, c);
        });
        run(in, out, params_of(kind));
        run(moved, moved_out, params_of(kind));
        double sum = 0;
        for (std::uint32_t v = 0; v < side; ++v)
            for (std::uint32_t u = 0; u < out.width(); ++u) {
                const double angle = -2 * std::numbers::pi * ((u * a + v * b) % side) / side;
                sum += std::norm(number(moved_out, u, v) - number(out, u, v) * std::polar(1.0, angle));
            }
        BOOST_TEST(std::sqrt(sum) <= 2 * relative_error(side) * norm(out));
    }
}

BOOST_DATA_TEST_CASE(closed_forms, bdata::make(sides), side) {
    if (!has_fft2()) return;
    for (const Kind kind : {Kind::complex_forward, Kind::real_forward}) {
        TestImage in = input_of(kind, side), out = output_of(kind, side);
        // An impulse at (3, 1): every number has magnitude 1 and a known angle.
        in.fill([](std::uint32_t x, std::uint32_t y, std::uint32_t c) { return x == 3 && y == 1 && c == 0 ? 1.0 : 0; });
        run(in, out, params_of(kind));
        double worst = 0;
        for (std::uint32_t v = 0; v < side; ++v)
            for (std::uint32_t u = 0; u < out.width(); ++u) {
                const double angle = -2 * std::numbers::pi * ((3 * u + v) % side) / side;
                worst = std::max(worst, std::abs(number(out, u, v) - std::polar(1.0, angle)));
            }
        BOOST_TEST(worst <= 1e-6);
        // A constant: everything in the number at zero.
        in.fill([](auto, auto, std::uint32_t c) { return c == 0 ? 2.0 : 0.0; });
        run(in, out, params_of(kind));
        BOOST_TEST(number(out, 0, 0).real() == 2.0 * side * side);
        out.set(0, 0, 0, 0);
        BOOST_TEST(norm(out) <= 1e-6 * side * side);
        // cos(2 pi (2 x + 3 y) / n): one half of n^2 at (2, 3) and at the opposite place.
        in.fill([side](std::uint32_t x, std::uint32_t y, std::uint32_t c) {
            return c == 0 ? std::cos(2 * std::numbers::pi * (2 * x + 3 * y) / side) : 0.0;
        });
        run(in, out, params_of(kind));
        const double half = 0.5 * side * side;
        BOOST_TEST(std::abs(number(out, 2, 3) - half) <= 1e-5 * half);
        out.set(2, 3, 0, 0);
        out.set(2, 3, 1, 0);
        if (kind == Kind::complex_forward) {
            BOOST_TEST(std::abs(number(out, side - 2, side - 3) - half) <= 1e-5 * half);
            out.set(side - 2, side - 3, 0, 0);
            out.set(side - 2, side - 3, 1, 0);
        }
        BOOST_TEST(norm(out) <= 1e-5 * half);
    }
}

BOOST_AUTO_TEST_CASE(refusals) {
    if (!has_fft2()) return;
    const auto refused = [](const TestImage& in, const TestImage& out, const vdt_fft2_params& params, vdt_code code) {
        Operation operation;
        operation.op = VDT_OP_FFT2;
        operation.params = &params;
        operation.inputs = {in.ptr()};
        operation.outputs = {out.ptr()};
        expect_refusal(operation, code);
    };
    const TestImage square(VDT_FORMAT_COMPLEXF32, 32, 32), real(VDT_FORMAT_GRAYF32, 32, 32);
    const TestImage half(VDT_FORMAT_COMPLEXF32, 17, 32);
    refused(square, square, params_of(0u), VDT_E_ARGUMENT);
    refused(square, square, params_of(3u), VDT_E_ARGUMENT);
    refused(square, square, params_of(VDT_FFT_FORWARD, 0), VDT_E_ARGUMENT);
    vdt_fft2_params flagged = params_of(VDT_FFT_FORWARD);
    flagged.flags = 1;
    refused(square, square, flagged, VDT_E_ARGUMENT);
    refused(square, square, params_of(VDT_FFT_FORWARD, 2), VDT_E_SIZE);
    refused(square, square, params_of(VDT_FFT_FORWARD, 0x08000001), VDT_E_SIZE);  // times 32 is 32 modulo 2^32
    refused(real, square, params_of(VDT_FFT_FORWARD), VDT_E_SIZE);
    refused(real, half, params_of(VDT_FFT_INVERSE), VDT_E_UNSUPPORTED_FORMAT);
    refused(real, real, params_of(VDT_FFT_FORWARD), VDT_E_UNSUPPORTED_FORMAT);
    refused(half, square, params_of(VDT_FFT_INVERSE), VDT_E_SIZE);
    refused(TestImage(VDT_FORMAT_GRAY8, 32, 32), half, params_of(VDT_FFT_FORWARD), VDT_E_UNSUPPORTED_FORMAT);
    for (const std::uint32_t side : {1u, 16u, 33u, 48u, 1024u}) {
        const TestImage other(VDT_FORMAT_COMPLEXF32, side, side);
        refused(other, other, params_of(VDT_FFT_FORWARD), VDT_E_SIZE);
    }
    const TestImage wide(VDT_FORMAT_COMPLEXF32, 64, 32);
    refused(wide, wide, params_of(VDT_FFT_FORWARD), VDT_E_SIZE);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
