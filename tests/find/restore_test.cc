// What restoration is for: an element that a camera's blur hides from a find is found again on the restored picture.
// Through the public API, on every backend of the build that restores.
// usage: restore_visible_test [Boost.Test options] -- FOLDER_OF_SAMPLE
#define BOOST_TEST_MODULE restore_visible
#include <vedette/vedette.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "boost_test.h"

namespace {

struct Destroy {
    void operator()(vdt_context* object) const { vdt_context_destroy(object); }
    void operator()(vdt_screen* object) const { vdt_screen_destroy(object); }
    void operator()(vdt_pattern* object) const { vdt_pattern_destroy(object); }
    void operator()(vdt_result* object) const { vdt_result_destroy(object); }
};
template <class T>
using Owned = std::unique_ptr<T, Destroy>;

// Runs a call of the API that must succeed.
template <class Call>
void must(const Call& call) {
    vdt_error error{};
    error.struct_size = sizeof error;
    const vdt_code code = call(&error);
    BOOST_REQUIRE_MESSAGE(!VDT_IS_ERROR(code), error.text);
}

// The part of the screen that the camera sees, with the element somewhere in the middle.
constexpr int side = 256, left = 850, top = 20;
constexpr double sigma = 1.8, noise = 1.5;
constexpr int reach = 6;  // of the blur, pixels

// Channels as planes of side x side.
using Planes = std::vector<float>;
constexpr std::size_t plane = std::size_t{side} * side;

std::string sample(const char* name) {
    return std::string(boost::unit_test::framework::master_test_suite().argv[1]) + "/" + name;
}

Planes read_part(const std::string& path) {
    vdt_pixels pixels{};
    pixels.struct_size = sizeof pixels;
    must([&](vdt_error* error) { return vdt_pixels_from_file(path.c_str(), &pixels, error); });
    BOOST_REQUIRE(pixels.width >= left + side && pixels.height >= top + side);
    const int step = pixels.format == VDT_FORMAT_BGR8 ? 3 : 4;
    BOOST_REQUIRE(pixels.format != VDT_FORMAT_GRAY8);
    Planes planes(3 * plane);
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x)
            for (int c = 0; c < 3; ++c)
                planes[c * plane + static_cast<std::size_t>(y * side + x)] =
                    static_cast<const std::uint8_t*>(pixels.data)[(top + y) * pixels.stride + (left + x) * step + c];
    vdt_pixels_free(&pixels);
    return planes;
}

// As one row of weights, which serves both directions.
std::vector<double> gaussian() {
    std::vector<double> weights;
    double sum = 0;
    for (int i = -reach; i <= reach; ++i) weights.push_back(std::exp(-i * i / (2 * sigma * sigma)));
    for (const double weight : weights) sum += weight;
    for (double& weight : weights) weight /= sum;
    return weights;
}

// Blurred, noisy, and in 8 bits as a camera gives it.
Planes photograph(const Planes& sharp) {
    const std::vector<double> weights = gaussian();
    std::mt19937 random(1);
    Planes seen(sharp.size());
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) {
                double value = 0;
                for (int j = -reach; j <= reach; ++j)
                    for (int i = -reach; i <= reach; ++i)
                        value += weights[static_cast<std::size_t>(j + reach)] *
                                 weights[static_cast<std::size_t>(i + reach)] *
                                 static_cast<double>(
                                     sharp[c * plane + static_cast<std::size_t>((y + j + side) % side * side +
                                                                                (x + i + side) % side)]);
                // Twelve uniform numbers: nearly normal, the same with every standard library.
                double normal = -6;
                for (int k = 0; k < 12; ++k) normal += static_cast<double>(random()) / 4294967296.0;
                seen[c * plane + static_cast<std::size_t>(y * side + x)] =
                    static_cast<float>(std::clamp(std::round(value + normal * noise), 0.0, 255.0));
            }
    return seen;
}

vdt_image view_of(Planes& planes) {
    vdt_image view{};
    view.struct_size = sizeof view;
    view.format = VDT_FORMAT_GRAYF32;
    view.width = side;
    view.height = static_cast<std::uint32_t>(planes.size() / side);
    view.plane_count = 1;
    view.plane[0].base = planes.data();
    view.plane[0].row_stride = side * std::int64_t{sizeof(float)};
    view.plane[0].bytes = planes.size() * sizeof(float);
    return view;
}

Planes restore(vdt_context* context, const char* backend, Planes seen, std::uint32_t method, std::uint32_t iterations) {
    const std::vector<double> weights = gaussian();
    Planes spread(seen.size()), restored(seen.size());
    for (std::size_t c = 0; c < 3; ++c)
        for (int j = -reach; j <= reach; ++j)
            for (int i = -reach; i <= reach; ++i)
                spread[c * plane + static_cast<std::size_t>((j + side) % side * side + (i + side) % side)] =
                    static_cast<float>(weights[static_cast<std::size_t>(j + reach)] *
                                       weights[static_cast<std::size_t>(i + reach)]);
    vdt_restore_params params{};
    params.struct_size = sizeof params;
    params.method = method;
    params.iterations = iterations;
    params.batch = 3;
    params.epsilon = 1e-3;
    const vdt_image images[] = {view_of(seen), view_of(spread), view_of(restored)};
    const vdt_image* const inputs[] = {&images[0], &images[1]};
    const vdt_image* const outputs[] = {&images[2]};
    must([&](vdt_error* error) {
        return vdt_run_operation(context, VDT_OP_RESTORE, &params, inputs, 2, outputs, 1, nullptr, 0, nullptr, 0,
                                 backend, nullptr, error);
    });
    return restored;
}

// The outcome of looking for the element on a picture.
vdt_outcome look(vdt_context* context, const Planes& planes, const char* element) {
    std::vector<std::uint8_t> bytes(planes.size());
    for (std::size_t i = 0; i < plane; ++i)
        for (std::size_t c = 0; c < 3; ++c)
            bytes[3 * i + c] = static_cast<std::uint8_t>(std::clamp(std::round(planes[c * plane + i]), 0.0F, 255.0F));
    vdt_pixels pixels{};
    pixels.struct_size = sizeof pixels;
    pixels.format = VDT_FORMAT_BGR8;
    pixels.width = pixels.height = side;
    pixels.stride = 3 * side;
    pixels.bytes = bytes.size();
    pixels.data = bytes.data();
    vdt_screen* screen = nullptr;
    must([&](vdt_error* error) { return vdt_screen_create(context, &pixels, &screen, error); });
    const Owned<vdt_screen> screen_owner(screen);
    vdt_pattern* pattern = nullptr;
    must([&](vdt_error* error) { return vdt_pattern_from_file(context, sample(element).c_str(), &pattern, error); });
    const Owned<vdt_pattern> pattern_owner(pattern);
    vdt_result* result = nullptr;
    must([&](vdt_error* error) { return vdt_find(context, screen, &pattern, 1, nullptr, &result, error); });
    const Owned<vdt_result> result_owner(result);
    vdt_outcome outcome{};
    outcome.struct_size = sizeof outcome;
    outcome.best.struct_size = sizeof outcome.best;
    must([&](vdt_error* error) { return vdt_result_outcome(result, 0, &outcome, error); });
    return outcome;
}

}  // namespace

BOOST_AUTO_TEST_CASE(found_again) {
    vdt_context* raw = nullptr;
    must([&](vdt_error* error) { return vdt_context_create(nullptr, &raw, error); });
    const Owned<vdt_context> context(raw);
    const char* const element = "magnifier.png";

    const Planes sharp = read_part(sample("screen.png"));
    const vdt_outcome there = look(raw, sharp, element);
    BOOST_REQUIRE_EQUAL(there.match_count, 1u);
    const Planes seen = photograph(sharp);
    const vdt_outcome hidden = look(raw, seen, element);
    BOOST_TEST(hidden.match_count == 0u);

    unsigned tried = 0;
    for (std::uint32_t index = 0; index < vdt_backend_count(raw); ++index) {
        vdt_backend_info info{};
        info.struct_size = sizeof info;
        must([&](vdt_error* error) { return vdt_backend_at(raw, index, &info, error); });
        if ((info.operations >> VDT_OP_RESTORE & 1U) == 0) continue;
        ++tried;
        for (const std::uint32_t method : {VDT_RESTORE_RICHARDSON_LUCY, VDT_RESTORE_MIA_KNOWN})
            BOOST_TEST_CONTEXT(info.backend << ", method " << method) {
                const vdt_outcome found = look(raw, restore(raw, info.backend, seen, method, 60), element);
                BOOST_REQUIRE_EQUAL(found.match_count, 1u);
                BOOST_TEST(std::abs(found.best.x - there.best.x) <= 1);
                BOOST_TEST(std::abs(found.best.y - there.best.y) <= 1);
                BOOST_TEST(found.best.score >= hidden.best.score + 0.05);
            }
    }
    BOOST_TEST(tried > 0);
}
