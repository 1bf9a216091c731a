// resize, filter and pyramid give the same bits on every instruction set, with any number of workers and in any
// placement.
#include "boost_test.h"
#include "processor.h"
#include "test_host.h"

namespace vedette::cpu::test {

BOOST_AUTO_TEST_SUITE(equal)

namespace {

struct Shape {
    vdt_format format;
    std::uint32_t width, height;
};

void fill(const TestImage& image, Random random) {
    const FormatLayout& layout = *layout_of(image.view().format);
    const std::uint32_t elements = image.view().width * layout.pixel_elements;
    std::uniform_real_distribution<float> real(-100, 355);
    for (std::uint32_t plane = 0; plane < layout.planes; ++plane)
        for (std::uint32_t y = 0; y < image.view().height; ++y)
            for (std::uint32_t i = 0; i < elements; ++i) {
                if (layout.element_bytes == 4)
                    image.row<float>(plane, y)[i] = real(random);
                else if (layout.element_bytes == 2)
                    image.row<std::uint16_t>(plane, y)[i] = static_cast<std::uint16_t>(random());
                else
                    image.row<std::uint8_t>(plane, y)[i] = static_cast<std::uint8_t>(random());
            }
}

// Rows of an image of this width with so many bytes a pixel, input and output together, that no cache holds them.
std::uint32_t rows_beyond_the_caches(std::uint32_t width, std::uint32_t pixel_bytes) {
    return static_cast<std::uint32_t>(last_cache_bytes() / (std::uint64_t{width} * pixel_bytes)) + 13;
}

// The bytes of all pixels of all outputs.
std::vector<unsigned char> run(const char* isa, std::uint32_t workers, vdt_op op, const void* params, const Shape& in,
                               const std::vector<Shape>& outs, const Placement& placement) {
    TestHost host;
    host.workers = workers;
    TestDevice device(host, isa);
    std::vector<unsigned char> bytes;
    if (!device.available()) return bytes;
    const TestImage input(in.format, in.width, in.height, placement);
    fill(input, Random(7));
    std::vector<TestImage> outputs;
    std::vector<const vdt_image*> views;
    for (const Shape& out : outs) outputs.emplace_back(out.format, out.width, out.height, placement);
    for (const TestImage& output : outputs) views.push_back(&output.view());
    BOOST_TEST_REQUIRE(device.run(op, params, {&input.view()}, views) == VDT_OK, device.error().text);
    for (const TestImage& output : outputs) {
        BOOST_TEST(output.guards_untouched());
        const FormatLayout& layout = *layout_of(output.view().format);
        for (std::uint32_t plane = 0; plane < layout.planes; ++plane)
            for (std::uint32_t y = 0; y < output.view().height; ++y) {
                const auto* const row = output.row<unsigned char>(plane, y);
                bytes.insert(bytes.end(), row, row + row_bytes(layout, output.view().width));
            }
    }
    return bytes;
}

void check(vdt_op op, const void* params, const Shape& in, const std::vector<Shape>& outs) {
    BOOST_TEST_CONTEXT("operation " << op << " " << layout_of(in.format)->name << " " << in.width << " x " << in.height
                                    << " to " << layout_of(outs[0].format)->name << " " << outs[0].width << " x "
                                    << outs[0].height) {
        const std::vector<unsigned char> expected = run("portable", 1, op, params, in, outs, {});
        for (const char* const isa : {"portable", "avx2", "avx512"})
            for (const std::uint32_t workers : {1u, 3u})
                for (const Placement& placement : {Placement{}, Placement{3, 5, true}}) {
                    const std::vector<unsigned char> bytes = run(isa, workers, op, params, in, outs, placement);
                    BOOST_TEST((bytes.empty() || bytes == expected), isa << ", " << workers << " workers");
                }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(resized) {
    vdt_resize_params params{};
    params.struct_size = sizeof params;
    params.scale = 1 / 255.0;
    params.offset = -0.4;
    params.fill = 3;
    for (const std::uint32_t method : {VDT_RESIZE_HALF_PIXEL, VDT_RESIZE_AREA, VDT_RESIZE_ALIGNED_CORNERS})
        for (const std::uint32_t flags : {0u, std::uint32_t{VDT_RESIZE_LETTERBOX}})
            for (const auto& [width, height] : {std::pair{61u, 47u}, {333u, 211u}, {1u, 1u}}) {
                params.method = method;
                params.flags = flags;
                for (const auto& [in, out] : {std::pair{VDT_FORMAT_BGR8, VDT_FORMAT_PLANAR_BGRF32},
                                              {VDT_FORMAT_BGRA8, VDT_FORMAT_PLANAR_RGBF32},
                                              {VDT_FORMAT_GRAY8, VDT_FORMAT_GRAY8},
                                              {VDT_FORMAT_RGB8, VDT_FORMAT_BGR8},
                                              {VDT_FORMAT_BGRA16, VDT_FORMAT_BGRA16},
                                              {VDT_FORMAT_BGRF32, VDT_FORMAT_GRAYF32}})
                    check(VDT_OP_RESIZE, &params, {vdt_format(in), 303, 200}, {{vdt_format(out), width, height}});
            }
}

// Eight-bit rows are sampled in groups and halved in pieces: every width around those, the largest steps that groups
// reach and beyond, and halves on all sides.
BOOST_AUTO_TEST_CASE(resized_bytes) {
    vdt_resize_params params{};
    params.struct_size = sizeof params;
    for (const std::uint32_t method : {VDT_RESIZE_HALF_PIXEL, VDT_RESIZE_AREA, VDT_RESIZE_ALIGNED_CORNERS})
        for (const vdt_format format : {VDT_FORMAT_GRAY8, VDT_FORMAT_BGR8, VDT_FORMAT_BGRA8}) {
            params.method = method;
            for (std::uint32_t width = 1; width <= 70; width += width < 20 ? 1 : 7)
                check(VDT_OP_RESIZE, &params, {format, 2 * width, 6}, {{format, width, 3}});
            for (const std::uint32_t from : {1u, 2u, 3u, 4u, 5u, 6u, 15u, 16u, 17u, 64u, 90u, 150u})
                for (const std::uint32_t to : {1u, 2u, 7u, 9u, 16u, 23u, 33u, 100u})
                    check(VDT_OP_RESIZE, &params, {format, from, 5}, {{format, to, 3}});
            params.flags = VDT_RESIZE_LETTERBOX;
            check(VDT_OP_RESIZE, &params, {format, 86, 40}, {{format, 43, 31}});
            check(VDT_OP_RESIZE, &params, {format, 86, 40}, {{format, 60, 20}});
            params.flags = 0;
        }
}

BOOST_AUTO_TEST_CASE(filtered) {
    vdt_filter_params params{};
    params.struct_size = sizeof params;
    params.border = VDT_BORDER_REFLECT;
    params.anchor_x = params.anchor_y = -1;
    params.sigma_x = 1.7;
    params.sigma_y = 2.3;
    params.delta = 0.75;
    std::vector<float> weights;
    for (int i = 0; i < 99; ++i) weights.push_back(static_cast<float>(i * 37 % 23 - 9) / 64);
    params.kernel_x = params.kernel_y = weights.data();
    params.kernel_w = 9;
    params.kernel_h = 11;
    for (const std::uint32_t kind : {VDT_FILTER_SEPARABLE, VDT_FILTER_GENERAL, VDT_FILTER_GAUSSIAN, VDT_FILTER_BOX}) {
        params.kind = kind;
        for (const auto& [in, out] : {std::pair{VDT_FORMAT_GRAY8, VDT_FORMAT_GRAY8},
                                      {VDT_FORMAT_BGR8, VDT_FORMAT_BGR8},
                                      {VDT_FORMAT_BGR16, VDT_FORMAT_PLANAR_BGRF32},
                                      {VDT_FORMAT_RGBA16, VDT_FORMAT_RGBA16},
                                      {VDT_FORMAT_GRAYF32, VDT_FORMAT_GRAYF32}})
            check(VDT_OP_FILTER, &params, {vdt_format(in), 271, 150}, {{vdt_format(out), 271, 150}});
    }
    // Larger than the caches, so that results go past them.
    params.kind = VDT_FILTER_GAUSSIAN;
    const Shape large{VDT_FORMAT_GRAYF32, 4017, rows_beyond_the_caches(4017, 8)};
    check(VDT_OP_FILTER, &params, large, {large});
}

// Bytes to bytes in fixed point: every border and format, kernels of every length, images narrower than they.
BOOST_AUTO_TEST_CASE(filtered_bytes) {
    vdt_filter_params params{};
    params.struct_size = sizeof params;
    params.kind = VDT_FILTER_GAUSSIAN;
    params.anchor_x = params.anchor_y = -1;
    params.border_value = 90;
    for (const std::uint32_t border :
         {VDT_BORDER_CONSTANT, VDT_BORDER_REPLICATE, VDT_BORDER_REFLECT, VDT_BORDER_WRAP, VDT_BORDER_REFLECT_101})
        for (const std::uint32_t side : {3u, 5u, 7u, 9u, 31u}) {
            params.border = border;
            params.kernel_w = side;
            params.kernel_h = 34 - side;
            params.sigma_x = params.sigma_y = 0.2 * side + 0.4;
            for (const vdt_format format : {VDT_FORMAT_GRAY8, VDT_FORMAT_BGR8, VDT_FORMAT_RGBA8})
                for (const std::uint32_t width : {5u, 83u})
                    check(VDT_OP_FILTER, &params, {format, width, 21}, {{format, width, 21}});
        }
    const Shape large{VDT_FORMAT_BGR8, 4000, rows_beyond_the_caches(4000, 6)};
    params.kernel_w = params.kernel_h = 5;
    check(VDT_OP_FILTER, &params, large, {large});
}

BOOST_AUTO_TEST_CASE(alpha_dropped_past_the_caches) {
    const vdt_convert_params params{sizeof(vdt_convert_params), 0, 1, 0};
    const std::uint32_t rows = rows_beyond_the_caches(4019, 7);
    for (const vdt_format format : {VDT_FORMAT_BGR8, VDT_FORMAT_RGB8})
        check(VDT_OP_CONVERT, &params, {VDT_FORMAT_BGRA8, 4019, rows}, {{format, 4019, rows}});
}

BOOST_AUTO_TEST_CASE(pyramids) {
    for (const std::uint32_t method : {VDT_PYRAMID_AREA2, VDT_PYRAMID_GAUSS5})
        for (const vdt_format format :
             {VDT_FORMAT_GRAY8, VDT_FORMAT_BGR8, VDT_FORMAT_BGRA8, VDT_FORMAT_BGRA16, VDT_FORMAT_PLANAR_RGBF32}) {
            const vdt_pyramid_params params{sizeof(vdt_pyramid_params), method, 3, 0};
            check(VDT_OP_PYRAMID, &params, {format, 301, 175}, {{format, 151, 88}, {format, 76, 44}, {format, 38, 22}});
        }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::cpu::test
