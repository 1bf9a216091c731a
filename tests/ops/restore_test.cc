#include <algorithm>
#include <cmath>
#include <limits>

#include "suite.h"

namespace vedette::ops {

namespace {

constexpr std::uint32_t methods[] = {VDT_RESTORE_MIA_BLIND, VDT_RESTORE_MIA_KNOWN, VDT_RESTORE_RICHARDSON_LUCY};
constexpr std::uint32_t sides[] = {32, 64, 128};
constexpr double most_error = 0.002;  // relative, in the 2-norm

bool has_restore() {
    return backend_has(VDT_OP_RESTORE, "restore");
}

vdt_restore_params params_of(std::uint32_t method, std::uint32_t iterations, std::uint32_t batch = 1) {
    vdt_restore_params params{};
    params.struct_size = sizeof params;
    params.method = method;
    params.iterations = iterations;
    params.batch = batch;
    params.epsilon = 1e-6;
    return params;
}

TestImage empty(std::uint32_t side, std::uint32_t batch = 1, Layout layout = Layout::tight) {
    return {VDT_FORMAT_GRAYF32, side, side * batch, layout};
}

// Gaussian, normalised to 1, around (0, 0) with wrap-around; one below the other for a batch.
TestImage gaussian(std::uint32_t side, double sigma, std::uint32_t batch = 1) {
    const auto weight = [&](std::uint32_t x, std::uint32_t y) {
        const double dx = std::min(x, side - x), dy = std::min(y, side - y);
        return std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
    };
    double sum = 0;
    for (std::uint32_t y = 0; y < side; ++y)
        for (std::uint32_t x = 0; x < side; ++x) sum += weight(x, y);
    TestImage spread = empty(side, batch);
    spread.fill([&](std::uint32_t x, std::uint32_t y, auto) { return weight(x, y % side) / sum; });
    return spread;
}

TestImage impulse(std::uint32_t side) {
    TestImage spread = empty(side);
    spread.fill([](std::uint32_t x, std::uint32_t y, auto) { return x == 0 && y == 0 ? 1 : 0; });
    return spread;
}

TestImage sharp_screen(std::uint32_t side, std::uint32_t seed, std::uint32_t batch = 1) {
    Random random(seed);
    const TestImage bytes = screen_image(random, VDT_FORMAT_GRAY8, side, side * batch);
    TestImage image = empty(side, batch);
    image.fill([&](std::uint32_t x, std::uint32_t y, auto) { return bytes.at(x, y); });
    return image;
}

// What a lens of that spread makes of each image, with noise of +-`noise`.
TestImage blurred(const TestImage& sharp, const TestImage& spread, double noise, std::uint32_t seed) {
    const std::uint32_t side = sharp.width();
    constexpr std::uint32_t reach = 6;
    Random random(seed);
    TestImage image = empty(side, sharp.height() / side);
    image.fill([&](std::uint32_t x, std::uint32_t y, auto) {
        const std::uint32_t top = y / side * side;
        double sum = 0;
        for (std::uint32_t j = 0; j <= 2 * reach; ++j)
            for (std::uint32_t i = 0; i <= 2 * reach; ++i)
                sum += spread.at((i + side - reach) % side, (j + side - reach) % side) *
                       sharp.at((x + side + reach - i) % side, top + (y - top + side + reach - j) % side);
        return std::max(0.0, sum + (below(random, 2001) / 1000.0 - 1) * noise);
    });
    return image;
}

struct Result {
    TestImage image, spread;
};

Outcome try_restore(const TestImage& image, const TestImage& spread, const vdt_restore_params& params, Result& result,
                    Limit* limit = nullptr) {
    Operation operation;
    operation.op = VDT_OP_RESTORE;
    operation.params = &params;
    operation.inputs = {image.ptr(), spread.ptr()};
    operation.outputs = {result.image.ptr()};
    if (params.method == VDT_RESTORE_MIA_BLIND) operation.outputs.push_back(result.spread.ptr());
    operation.limit = limit;
    return backend().run(operation);
}

Result restored(const TestImage& image, const TestImage& spread, const vdt_restore_params& params,
                Layout layout = Layout::tight) {
    const std::uint32_t batch = image.height() / image.width();
    Result result{empty(image.width(), batch, layout), empty(image.width(), batch, layout)};
    const Outcome outcome = try_restore(image, spread, params, result);
    BOOST_REQUIRE_MESSAGE(outcome.code == VDT_OK, "code " << outcome.code << ": " << outcome.text);
    BOOST_CHECK(result.image.guards_intact());
    BOOST_CHECK(result.spread.guards_intact());
    return result;
}

template <class Expected>
double relative_difference(const TestImage& image, const Expected& expected) {
    double difference = 0, size = 0;
    for (std::uint32_t y = 0; y < image.height(); ++y)
        for (std::uint32_t x = 0; x < image.width(); ++x) {
            difference += std::pow(image.at(x, y) - expected.at(x, y), 2);
            size += std::pow(expected.at(x, y), 2);
        }
    return std::sqrt(difference / size);
}

double sum_of(const TestImage& image) {
    double sum = 0;
    for (std::uint32_t y = 0; y < image.height(); ++y)
        for (std::uint32_t x = 0; x < image.width(); ++x) sum += image.at(x, y);
    return sum;
}

void check_sane(const TestImage& image) {
    std::size_t wrong = 0;
    for (std::uint32_t y = 0; y < image.height(); ++y)
        for (std::uint32_t x = 0; x < image.width(); ++x)
            wrong += !(image.at(x, y) >= 0 && image.at(x, y) <= std::numeric_limits<float>::max());
    BOOST_CHECK_MESSAGE(wrong == 0, wrong << " pixels are negative or not finite");
}

void check_against_reference(std::uint32_t side, std::uint32_t method, std::uint32_t iterations, double noise) {
    const TestImage spread = gaussian(side, 1.5);
    const TestImage image = blurred(sharp_screen(side, side), spread, noise, side);
    // Blind restoration begins with a guess that is not the truth.
    const TestImage guess = method == VDT_RESTORE_MIA_BLIND ? gaussian(side, 2) : spread;
    const vdt_restore_params params = params_of(method, iterations);
    const std::vector<Plane> expected = reference::restore(image.view(), guess.view(), params);
    const Result result = restored(image, guess, params);
    check_sane(result.image);
    BOOST_TEST(relative_difference(result.image, expected[0]) <= most_error);
    if (method == VDT_RESTORE_MIA_BLIND) {
        check_sane(result.spread);
        BOOST_TEST(relative_difference(result.spread, expected[1]) <= most_error);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(restore)

BOOST_DATA_TEST_CASE(equals_the_reference, bdata::make(sides) * bdata::make(methods), side, method) {
    if (!has_restore()) return;
    check_against_reference(side, method, 10, 2);
}

BOOST_DATA_TEST_CASE(equals_the_reference_after_many_iterations, bdata::make(methods), method) {
    if (!has_restore()) return;
    check_against_reference(32, method, 200, 2);
    check_against_reference(64, method, 200, 0);
}

// The sides that are shared between threads.
BOOST_DATA_TEST_CASE(equals_the_reference_on_large_squares, bdata::make(methods), method) {
    if (!has_restore()) return;
    check_against_reference(256, method, 2, 2);
    check_against_reference(512, method, 1, 2);
}

BOOST_DATA_TEST_CASE(layouts, bdata::make(methods), method) {
    if (!has_restore()) return;
    const TestImage spread = gaussian(32, 1.5, 2);
    const TestImage image = blurred(sharp_screen(32, 3, 2), gaussian(32, 1.5), 2, 3);
    const vdt_restore_params params = params_of(method, 5, 2);
    const Result plain = restored(image, spread, params);
    for (const Layout layout : all_layouts) BOOST_TEST_CONTEXT(layout) {
            const TestImage image_as = image.as(layout), spread_as = spread.as(layout);
            const std::vector<std::uint8_t> before = image_as.bytes(), spread_before = spread_as.bytes();
            const Result result = restored(image_as, spread_as, params, layout);
            BOOST_CHECK(image_as.bytes() == before && spread_as.bytes() == spread_before);
            BOOST_CHECK_EQUAL(relative_difference(result.image, plain.image), 0);
            if (method == VDT_RESTORE_MIA_BLIND) BOOST_CHECK_EQUAL(relative_difference(result.spread, plain.spread), 0);
        }
}

// Each image of a batch, with its own point-spread function, as it is alone.
BOOST_DATA_TEST_CASE(batches, bdata::make(sides) * bdata::make(methods), side, method) {
    if (!has_restore()) return;
    const std::uint32_t batch = 9;
    TestImage spread = empty(side, batch);
    for (std::uint32_t index = 0; index < batch; ++index)
        spread.paste(gaussian(side, 1 + 0.1 * index), 0, index * side);
    const TestImage image = sharp_screen(side, 5, batch);
    const Result all = restored(image, spread, params_of(method, 6, batch));
    for (const std::uint32_t index : {0u, 4u, 8u}) {
        const TestImage one = image.crop(0, index * side, side, side);
        const Result alone = restored(one, gaussian(side, 1 + 0.1 * index), params_of(method, 6));
        BOOST_CHECK_EQUAL(relative_difference(all.image.crop(0, index * side, side, side), alone.image), 0);
        if (method == VDT_RESTORE_MIA_BLIND)
            BOOST_CHECK_EQUAL(relative_difference(all.spread.crop(0, index * side, side, side), alone.spread), 0);
    }
}

// So many that a device with a form of its own for few images takes the one for many.
BOOST_DATA_TEST_CASE(large_batches, bdata::make(methods), method) {
    if (!has_restore()) return;
    constexpr std::uint32_t side = 128, batch = 70;
    const TestImage spread = gaussian(side, 1.5, batch);
    const TestImage image = sharp_screen(side, 6, batch);
    const Result all = restored(image, spread, params_of(method, 2, batch));
    for (const std::uint32_t index : {0u, 31u, batch - 1}) {
        const Result alone =
            restored(image.crop(0, index * side, side, side), gaussian(side, 1.5), params_of(method, 2));
        BOOST_CHECK_EQUAL(relative_difference(all.image.crop(0, index * side, side, side), alone.image), 0);
        if (method == VDT_RESTORE_MIA_BLIND)
            BOOST_CHECK_EQUAL(relative_difference(all.spread.crop(0, index * side, side, side), alone.spread), 0);
    }
}

BOOST_AUTO_TEST_CASE(no_iteration_gives_the_blurred_image) {
    if (!has_restore()) return;
    const TestImage image = sharp_screen(64, 8), spread = gaussian(64, 2);
    for (const std::uint32_t method : methods) {
        const Result result = restored(image, spread, params_of(method, 0));
        BOOST_CHECK_EQUAL(relative_difference(result.image, image), 0);
        if (method == VDT_RESTORE_MIA_BLIND) BOOST_CHECK_EQUAL(relative_difference(result.spread, spread), 0);
    }
}

// An image that nothing blurred, and an even one, are what they were.
BOOST_DATA_TEST_CASE(fixed_points, bdata::make(methods), method) {
    if (!has_restore()) return;
    TestImage even = empty(64);
    even.fill([](auto, auto, auto) { return 93; });
    BOOST_TEST(relative_difference(restored(even, gaussian(64, 2), params_of(method, 20)).image, even) <= 1e-4);
    TestImage image = sharp_screen(64, 9);
    image.fill([&](std::uint32_t x, std::uint32_t y, auto) { return image.at(x, y) + 1; });
    BOOST_TEST(relative_difference(restored(image, impulse(64), params_of(method, 20)).image, image) <= 1e-4);
}

// Every iteration of Richardson-Lucy keeps the sum of the image, with a point-spread function whose sum is 1.
BOOST_AUTO_TEST_CASE(richardson_lucy_keeps_the_sum) {
    if (!has_restore()) return;
    const TestImage spread = gaussian(64, 1.5);
    const TestImage image = blurred(sharp_screen(64, 10), spread, 3, 10);
    const Result result = restored(image, spread, params_of(VDT_RESTORE_RICHARDSON_LUCY, 50));
    BOOST_TEST(sum_of(result.image) == sum_of(image), boost::test_tools::tolerance(1e-4));
}

// What it is for: the restored image is nearer to the sharp one.
BOOST_DATA_TEST_CASE(sharpens, bdata::make(methods), method) {
    if (!has_restore()) return;
    const TestImage sharp = sharp_screen(128, 11), spread = gaussian(128, 1.5);
    const TestImage image = blurred(sharp, spread, 1, 11);
    const Result result = restored(image, spread, params_of(method, method == VDT_RESTORE_MIA_BLIND ? 10 : 40));
    BOOST_TEST(relative_difference(result.image, sharp) <=
               (method == VDT_RESTORE_MIA_BLIND ? 0.95 : 0.8) * relative_difference(image, sharp));
}

// Root of the mean square of x (or y) under a point-spread function.
double width_of(const TestImage& spread) {
    const std::uint32_t side = spread.width();
    double sum = 0, squares = 0;
    for (std::uint32_t y = 0; y < side; ++y)
        for (std::uint32_t x = 0; x < side; ++x) {
            const double dx = std::min(x, side - x), dy = std::min(y, side - y);
            sum += spread.at(x, y);
            squares += spread.at(x, y) * (dx * dx + dy * dy);
        }
    return std::sqrt(squares / sum / 2);
}

// As ops.h says of blind restoration: on black a guess that is too wide comes near the truth, one that is too narrow
// stays.
BOOST_AUTO_TEST_CASE(blind_narrows_a_wide_guess_on_black) {
    if (!has_restore()) return;
    Random random(15);
    TestImage sharp = empty(64);
    sharp.fill([](std::uint32_t, std::uint32_t, std::uint32_t) { return 0.0; });
    for (int i = 0; i < 14; ++i) {
        const std::uint32_t left = below(random, 52), top = below(random, 52);
        const std::uint32_t right = left + 2 + below(random, 10), bottom = top + 2 + below(random, 10);
        const double level = 60 + below(random, 196);
        for (std::uint32_t y = top; y < bottom; ++y)
            for (std::uint32_t x = left; x < right; ++x) sharp.set(x, y, 0, level);
    }
    const TestImage image = blurred(sharp, gaussian(64, 1.5), 0, 15);
    const Result wide = restored(image, gaussian(64, 2), params_of(VDT_RESTORE_MIA_BLIND, 50));
    BOOST_TEST(width_of(wide.spread) < 1.8);
    BOOST_TEST(width_of(wide.spread) > 1.4);
    BOOST_TEST(relative_difference(wide.image, sharp) < 0.9 * relative_difference(image, sharp));
    const Result narrow = restored(image, gaussian(64, 1), params_of(VDT_RESTORE_MIA_BLIND, 50));
    BOOST_TEST(width_of(narrow.spread) < 1.05);
}

// Zero, negative and enormous pixels, spreads that are no distribution, and divisors of every size.
BOOST_DATA_TEST_CASE(always_finite_and_never_negative, bdata::make(methods), method) {
    if (!has_restore()) return;
    const double factors[] = {0, -1, 1e-38, 1e10, 1e36};
    for (const double factor : factors)
        for (const double weight : {1e-20, 1.0, 1e20})
            for (const double epsilon : {1e-300, 1e-6, 1e300}) {
                TestImage image = sharp_screen(32, 12), spread = gaussian(32, 1);
                image.fill([&](std::uint32_t x, std::uint32_t y, auto) { return image.at(x, y) * factor; });
                spread.fill([&](std::uint32_t x, std::uint32_t y, auto) { return spread.at(x, y) * weight; });
                vdt_restore_params params = params_of(method, 12);
                params.epsilon = epsilon;
                BOOST_TEST_CONTEXT("pixels times " << factor << ", spread times " << weight << ", epsilon "
                                                   << epsilon) {
                    const Result result = restored(image, spread, params);
                    check_sane(result.image);
                    if (method == VDT_RESTORE_MIA_BLIND) check_sane(result.spread);
                    if (factor <= 0) BOOST_CHECK_EQUAL(sum_of(result.image), 0);
                }
            }
}

BOOST_DATA_TEST_CASE(ends_when_it_is_cancelled, bdata::make(methods), method) {
    if (!has_restore()) return;
    for (const std::uint32_t side : {32u, 256u}) {
        Limit limit;
        limit.checks_left = 3;
        Result result{empty(side), empty(side)};
        const Outcome outcome =
            try_restore(sharp_screen(side, 13), gaussian(side, 1), params_of(method, 1u << 31), result, &limit);
        BOOST_CHECK_EQUAL(outcome.code, VDT_E_CANCELLED);
    }
}

BOOST_AUTO_TEST_CASE(refusals) {
    if (!has_restore()) return;
    const TestImage image = sharp_screen(32, 14), spread = gaussian(32, 1);
    const auto refused = [](const TestImage& from, const TestImage& by, const vdt_restore_params& params,
                            vdt_code code) {
        Result result{empty(32), empty(32)};
        const Outcome outcome = try_restore(from, by, params, result);
        BOOST_CHECK_MESSAGE(outcome.code == code, "code " << outcome.code << ": " << outcome.text);
        BOOST_CHECK(!outcome.text.empty());
    };
    const vdt_restore_params good = params_of(VDT_RESTORE_MIA_BLIND, 2);
    for (const std::uint32_t method : {0u, 4u}) refused(image, spread, params_of(method, 2), VDT_E_ARGUMENT);
    refused(image, spread, params_of(VDT_RESTORE_MIA_BLIND, 2, 0), VDT_E_ARGUMENT);
    refused(image, spread, params_of(VDT_RESTORE_MIA_BLIND, 2, 2), VDT_E_SIZE);
    for (const double epsilon : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        vdt_restore_params params = good;
        params.epsilon = epsilon;
        refused(image, spread, params, VDT_E_ARGUMENT);
    }
    refused(sharp_screen(64, 1), spread, good, VDT_E_SIZE);
    refused(image, gaussian(64, 1), good, VDT_E_SIZE);
    const TestImage odd(VDT_FORMAT_GRAYF32, 48, 48);
    Operation operation;
    operation.op = VDT_OP_RESTORE;
    operation.params = &good;
    operation.inputs = {odd.ptr(), odd.ptr()};
    operation.outputs = {odd.ptr(), odd.ptr()};
    expect_refusal(operation, VDT_E_SIZE);
    const TestImage bytes(VDT_FORMAT_GRAY8, 32, 32);
    refused(bytes, spread, good, VDT_E_UNSUPPORTED_FORMAT);
    refused(image, bytes, good, VDT_E_UNSUPPORTED_FORMAT);

    // What only the pixels tell.
    TestImage zero = empty(32), negative = spread, broken = spread;
    zero.fill([](auto, auto, auto) { return 0; });
    negative.set(7, 9, 0, -0.1);
    refused(image, zero, good, VDT_E_ARGUMENT);
    refused(image, negative, good, VDT_E_ARGUMENT);
    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        broken.set(31, 31, 0, value);
        refused(image, broken, good, VDT_E_ARGUMENT);
        refused(broken, spread, good, VDT_E_ARGUMENT);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
