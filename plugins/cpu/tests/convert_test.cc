// convert on every instruction set that runs here, against the formulas of ops.h written as plain loops.
#include <cmath>
#include <limits>

#include "boost_test.h"
#include "test_host.h"

namespace vedette::cpu::test {

BOOST_AUTO_TEST_SUITE(convert)

namespace {

constexpr vdt_format formats[] = {
    VDT_FORMAT_GRAY8,   VDT_FORMAT_BGR8,   VDT_FORMAT_BGRA8,         VDT_FORMAT_RGB8,          VDT_FORMAT_RGBA8,
    VDT_FORMAT_GRAY16,  VDT_FORMAT_BGR16,  VDT_FORMAT_BGRA16,        VDT_FORMAT_RGB16,         VDT_FORMAT_RGBA16,
    VDT_FORMAT_GRAYF32, VDT_FORMAT_BGRF32, VDT_FORMAT_PLANAR_BGRF32, VDT_FORMAT_PLANAR_RGBF32,
};

bool red_first(vdt_format f) {
    return f == VDT_FORMAT_RGB8 || f == VDT_FORMAT_RGBA8 || f == VDT_FORMAT_RGB16 || f == VDT_FORMAT_RGBA16 ||
           f == VDT_FORMAT_PLANAR_RGBF32;
}
std::uint32_t channel_count(vdt_format f) {
    return std::max(layout_of(f)->pixel_elements, layout_of(f)->planes);
}
std::uint32_t element_bytes(vdt_format f) {
    return layout_of(f)->element_bytes;
}

// Channel in the order B, G, R, alpha (gray: 0).
template <class T>
T& element(const TestImage& image, std::uint32_t x, std::uint32_t y, std::uint32_t channel) {
    const vdt_format f = image.view().format;
    const std::uint32_t place = red_first(f) && channel < 3 ? 2 - channel : channel;
    if (layout_of(f)->planes == 3) return image.row<T>(place, y)[x];
    return image.row<T>(0, y)[std::uint64_t{x} * layout_of(f)->pixel_elements + place];
}

double value(const TestImage& image, std::uint32_t x, std::uint32_t y, std::uint32_t channel) {
    switch (element_bytes(image.view().format)) {
        case 1:
            return element<std::uint8_t>(image, x, y, channel);
        case 2:
            return element<std::uint16_t>(image, x, y, channel);
        default:
            return static_cast<double>(element<float>(image, x, y, channel));
    }
}

double gray(double b, double g, double r, std::uint32_t bytes) {
    if (bytes == 4) return static_cast<double>(static_cast<float>(0.114 * b + 0.587 * g + 0.299 * r));
    return std::floor((3735 * b + 19235 * g + 9798 * r + 16384) / 32768);
}

double depth(double v, std::uint32_t from, std::uint32_t to, double scale, double offset) {
    if (from == to) return v;
    if (from == 2 && to == 1) return std::floor((v + 128) / 257);
    if (from == 1 && to == 2) return v * 257;
    const double scaled = v * scale + offset;
    if (to == 4) return static_cast<double>(static_cast<float>(scaled));
    if (std::isnan(scaled)) return 0;
    return std::clamp(std::nearbyint(scaled), 0.0, to == 1 ? 255.0 : 65535.0);
}

double expected(const TestImage& in, vdt_format out, std::uint32_t x, std::uint32_t y, std::uint32_t channel,
                const vdt_convert_params& params) {
    const vdt_format f = in.view().format;
    const std::uint32_t from = element_bytes(f);
    const std::uint32_t to = element_bytes(out);
    if (channel == 3 && channel_count(f) != 4) return to == 1 ? 255 : 65535;
    double v = 0;
    if (channel_count(f) == 1)
        v = value(in, x, y, 0);
    else if (channel_count(out) == 1)
        v = gray(value(in, x, y, 0), value(in, x, y, 1), value(in, x, y, 2), from);
    else
        v = value(in, x, y, channel);
    return depth(v, from, to, params.scale, params.offset);
}

void fill(const TestImage& image, Random& random) {
    const vdt_image& view = image.view();
    constexpr float special[] = {0.5f,
                                 1.5f,
                                 2.5f,
                                 -0.5f,
                                 254.5f,
                                 255.5f,
                                 65534.5f,
                                 1e30f,
                                 -1e30f,
                                 -0.0f,
                                 std::numeric_limits<float>::quiet_NaN(),
                                 std::numeric_limits<float>::infinity()};
    std::uniform_real_distribution<float> real(-20, 300);
    for (std::uint32_t y = 0; y < view.height; ++y) {
        for (std::uint32_t x = 0; x < view.width; ++x) {
            for (std::uint32_t channel = 0; channel < channel_count(view.format); ++channel) {
                const bool extreme = below(random, 8) == 0;
                switch (element_bytes(view.format)) {
                    case 1:
                        element<std::uint8_t>(image, x, y, channel) =
                            static_cast<std::uint8_t>(extreme ? 255 : below(random, 256));
                        break;
                    case 2:
                        element<std::uint16_t>(image, x, y, channel) =
                            static_cast<std::uint16_t>(extreme ? 65535 : below(random, 65536));
                        break;
                    default:
                        element<float>(image, x, y, channel) =
                            extreme ? special[below(random, std::size(special))] : real(random);
                }
            }
        }
    }
}

// Number of wrong elements; the same bits count, and any NaN for a NaN.
std::size_t wrong(const TestImage& in, const TestImage& out, const vdt_convert_params& params) {
    std::size_t count = 0;
    const vdt_image& view = out.view();
    for (std::uint32_t y = 0; y < view.height; ++y)
        for (std::uint32_t x = 0; x < view.width; ++x)
            for (std::uint32_t channel = 0; channel < channel_count(view.format); ++channel) {
                const double want = expected(in, view.format, x, y, channel, params);
                const double got = value(out, x, y, channel);
                if (!(want == got || (std::isnan(want) && std::isnan(got)))) ++count;
            }
    return count;
}

constexpr const char* sets[] = {"portable", "avx2", "avx512"};

}  // namespace

BOOST_DATA_TEST_CASE(every_pair_of_formats, boost::unit_test::data::make(sets), isa) {
    TestHost host;
    TestDevice device(host, isa);
    if (!device.available()) {
        BOOST_TEST_MESSAGE("skipped: " << device.error().text);
        return;
    }
    Random random(1);
    for (const vdt_format from : formats) {
        for (const vdt_format to : formats) {
            for (int repeat = 0; repeat < 4; ++repeat) {
                const std::uint32_t width = repeat == 0 ? 1 + below(random, 700) : random_side(random);
                const std::uint32_t height = 1 + below(random, 5);
                const TestImage in(from, width, height, random_placement(random));
                const TestImage out(to, width, height, random_placement(random));
                fill(in, random);
                vdt_convert_params params{sizeof(vdt_convert_params), 0, 1, 0};
                if (repeat != 0) {
                    params.scale = std::uniform_real_distribution<double>(-2, 3)(random);
                    params.offset = std::uniform_real_distribution<double>(-50, 50)(random);
                }
                const vdt_code code = device.run(VDT_OP_CONVERT, &params, {&in.view()}, {&out.view()});
                BOOST_TEST_CONTEXT(isa << " " << layout_of(from)->name << " to " << layout_of(to)->name << " " << width
                                       << " x " << height) {
                    BOOST_TEST_REQUIRE(code == VDT_OK);
                    BOOST_TEST(wrong(in, out, params) == 0u);
                    BOOST_TEST(out.guards_untouched());
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(every_gray_of_a_byte_is_itself) {
    TestHost host;
    TestDevice device(host, "auto");
    const TestImage in(VDT_FORMAT_BGR8, 256, 1, {});
    const TestImage out(VDT_FORMAT_GRAY8, 256, 1, {});
    for (std::uint32_t v = 0; v < 256; ++v)
        for (std::uint32_t channel = 0; channel < 3; ++channel)
            in.row<std::uint8_t>(0, 0)[v * 3 + channel] = static_cast<std::uint8_t>(v);
    vdt_convert_params params{sizeof(vdt_convert_params), 0, 1, 0};
    BOOST_TEST_REQUIRE(device.run(VDT_OP_CONVERT, &params, {&in.view()}, {&out.view()}) == VDT_OK);
    for (std::uint32_t v = 0; v < 256; ++v) BOOST_TEST(out.row<std::uint8_t>(0, 0)[v] == v);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_done_is_refused) {
    TestHost host;
    TestDevice device(host, "auto");
    const TestImage gray8(VDT_FORMAT_GRAY8, 8, 4, {});
    const TestImage real(VDT_FORMAT_GRAYF32, 8, 4, {});
    const TestImage other_size(VDT_FORMAT_GRAY8, 7, 4, {});
    const TestImage sums(VDT_FORMAT_I32, 8, 4, {});
    vdt_convert_params params{sizeof(vdt_convert_params), 0, 1, 0};
    const auto run = [&](const TestImage& in, const TestImage& out) {
        return device.run(VDT_OP_CONVERT, &params, {&in.view()}, {&out.view()});
    };
    BOOST_TEST(run(gray8, sums) == VDT_E_UNSUPPORTED_FORMAT);
    BOOST_TEST(run(sums, gray8) == VDT_E_UNSUPPORTED_FORMAT);
    BOOST_TEST(run(gray8, other_size) == VDT_E_SIZE);
    params.scale = 0;
    BOOST_TEST(run(gray8, real) == VDT_E_ARGUMENT);
    BOOST_TEST(run(gray8, gray8) == VDT_OK);  // the scale is not used
    params.scale = std::numeric_limits<double>::quiet_NaN();
    BOOST_TEST(run(real, gray8) == VDT_E_ARGUMENT);
    params = {sizeof(vdt_convert_params), 0, 1, std::numeric_limits<double>::infinity()};
    BOOST_TEST(run(gray8, real) == VDT_E_ARGUMENT);
    params = {sizeof(vdt_convert_params), 1, 1, 0};
    BOOST_TEST(run(gray8, real) == VDT_E_ARGUMENT);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::cpu::test
