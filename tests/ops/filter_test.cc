#include "suite.h"

#ifdef VEDETTE_TESTS_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace vedette::ops {

namespace {

const std::uint32_t kinds[] = {VDT_FILTER_SEPARABLE, VDT_FILTER_GENERAL, VDT_FILTER_GAUSSIAN, VDT_FILTER_BOX};
const std::uint32_t borders[] = {VDT_BORDER_CONSTANT, VDT_BORDER_REPLICATE, VDT_BORDER_REFLECT, VDT_BORDER_WRAP,
                                 VDT_BORDER_REFLECT_101};

// A kernel with the weights it points to.
struct Filter {
    std::vector<float> x, y;
    vdt_filter_params params{};

    Filter(std::uint32_t kind, std::uint32_t border, std::uint32_t w, std::uint32_t h, unsigned seed) {
        Random random(seed);
        std::uniform_real_distribution<float> weight(-0.4f, 0.6f);
        x.resize(std::size_t{w} * h);
        y.resize(h);
        for (float& value : x) value = weight(random);
        for (float& value : y) value = weight(random);
        params.struct_size = sizeof params;
        params.kind = kind;
        params.border = border;
        params.kernel_w = w;
        params.kernel_h = h;
        params.anchor_x = -1;
        params.anchor_y = -1;
        params.border_value = 40.25f;
        params.sigma_x = 1.3;
        params.sigma_y = 0.7;
        params.delta = 3.25;
        params.kernel_x = x.data();
        params.kernel_y = y.data();
    }
};

// Whether the backend filters between these formats; checks every variant.
bool check_filter(const TestImage& in, TestImage& out, const vdt_filter_params& params) {
    Operation operation;
    operation.op = VDT_OP_FILTER;
    operation.params = &params;
    operation.inputs = {in.ptr()};
    operation.outputs = {out.ptr()};
    const Outcome first = backend().run(operation);
    if (VDT_IS_UNSUPPORTED(first.code)) return false;
    const Plane expected = reference::filter(in.view(), out.format(), params);
    for (; operation.variant < first.support.variant_count; ++operation.variant)
        BOOST_TEST_CONTEXT("variant " << operation.variant) {
            out.fill([](std::uint32_t, std::uint32_t, std::uint32_t) { return 77.0; });
            expect_output(operation, {&in}, out, expected);
        }
    return true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(filter)

BOOST_DATA_TEST_CASE(every_kind_border_and_format, bdata::make(kinds) * bdata::make(borders), kind, border) {
    if (!backend_has(VDT_OP_FILTER, "filter")) return;
    const std::uint32_t shapes[][4] = {{1, 1, 1, 1}, {1, 1, 3, 5},   {9, 1, 3, 3},
                                       {1, 9, 5, 3}, {17, 11, 5, 3}, {6, 5, 9, 13}};
    const vdt_op_support general = backend().general(VDT_OP_FILTER);
    Random random(kind * 16 + border);
    for (const auto& [w, h, kernel_w, kernel_h] : shapes)
        for (const vdt_format in_format : formats_in(general.input_formats)) {
            int ran = 0;
            for (const vdt_format out_format : formats_in(general.output_formats)) {
                if (reference::channels(in_format) != reference::channels(out_format)) continue;
                const Filter filter(kind, border, kernel_w, kernel_h, w);
                const Layout layout = all_layouts[(in_format + out_format + w) % 4];
                const TestImage in = random_image(random, in_format, w, h, layout);
                TestImage out(out_format, w, h, layout);
                BOOST_TEST_CONTEXT(name_of(in_format) << " to " << name_of(out_format) << ", " << w << "x" << h)
                ran += check_filter(in, out, filter.params) ? 1 : 0;
            }
            BOOST_CHECK_MESSAGE(ran > 0, name_of(in_format) << " is advertised but not filtered into anything");
        }
}

BOOST_DATA_TEST_CASE(anchors_and_even_kernels, bdata::make(borders), border) {
    if (!backend_has(VDT_OP_FILTER, "filter")) return;
    Random random(border);
    const TestImage in = random_image(random, VDT_FORMAT_BGR8, 21, 19);
    for (const std::uint32_t kind : {VDT_FILTER_SEPARABLE, VDT_FILTER_GENERAL, VDT_FILTER_BOX})
        for (const std::int32_t anchor_x : {-1, 0, 3})
            for (const std::int32_t anchor_y : {-1, 0, 5}) {
                Filter filter(kind, border, 4, 6, 5);
                filter.params.anchor_x = anchor_x;
                filter.params.anchor_y = anchor_y;
                TestImage out(VDT_FORMAT_BGR8, 21, 19, Layout::odd);
                BOOST_TEST_CONTEXT("kind " << kind << ", anchor " << anchor_x << ", " << anchor_y)
                BOOST_CHECK(check_filter(in, out, filter.params));
            }
}

BOOST_AUTO_TEST_CASE(large_images_and_kernels) {
    if (!backend_has(VDT_OP_FILTER, "filter")) return;
    Random random(8);
    const TestImage in = random_image(random, VDT_FORMAT_GRAY8, 301, 203),
                    wide = random_image(random, VDT_FORMAT_BGR8, 640, 360);
    TestImage out(VDT_FORMAT_GRAY8, 301, 203), wide_out(VDT_FORMAT_BGR8, 640, 360);
    for (const std::uint32_t kind : kinds)
        BOOST_CHECK(check_filter(in, out, Filter(kind, VDT_BORDER_REFLECT, 21, 17, 1).params));
    BOOST_CHECK(check_filter(wide, wide_out, Filter(VDT_FILTER_GAUSSIAN, VDT_BORDER_REFLECT_101, 5, 5, 1).params));
}

// Around the lengths that backends have loops of their own for, and beyond what fits their caches.
BOOST_AUTO_TEST_CASE(lengths_of_lines) {
    if (!backend_has(VDT_OP_FILTER, "filter")) return;
    Random random(9);
    const TestImage bytes = random_image(random, VDT_FORMAT_BGR8, 83, 70),
                    floats = random_image(random, VDT_FORMAT_GRAYF32, 83, 70);
    TestImage bytes_out(VDT_FORMAT_BGR8, 83, 70), floats_out(VDT_FORMAT_GRAYF32, 83, 70);
    for (const std::uint32_t kind : {VDT_FILTER_SEPARABLE, VDT_FILTER_GAUSSIAN, VDT_FILTER_BOX})
        for (std::uint32_t side = 3; side <= 33; side += 2) BOOST_TEST_CONTEXT("kind " << kind << ", side " << side) {
                Filter filter(kind, VDT_BORDER_REFLECT_101, side, 36 - side, side);
                filter.params.kernel_h |= 1;
                filter.params.sigma_x = side / 5.0;
                BOOST_CHECK(check_filter(bytes, bytes_out, filter.params));
                BOOST_CHECK(check_filter(floats, floats_out, filter.params));
            }
    const TestImage small = random_image(random, VDT_FORMAT_BGR8, 19, 9);
    TestImage small_out(VDT_FORMAT_BGR8, 19, 9);
    for (const std::uint32_t kind : kinds)
        BOOST_CHECK(check_filter(small, small_out, Filter(kind, VDT_BORDER_WRAP, 301, 303, 2).params));
}

// Squares of symmetric lines, which backends sum in strips: widths around theirs, with every border at their ends.
BOOST_DATA_TEST_CASE(short_lines_of_squares, bdata::make(borders), border) {
    if (!backend_has(VDT_OP_FILTER, "filter")) return;
    Random random(border);
    const std::uint32_t widths[] = {1, 3, 4, 112, 119, 122, 225, 354};
    std::uint32_t turn = 0;
    for (std::uint32_t side = 3; side <= 17; side += 2)
        for (const std::uint32_t width : widths) {
            const std::uint32_t height = (turn++ % 3) * 37 + 2;
            for (const vdt_format format :
                 {VDT_FORMAT_GRAY8, VDT_FORMAT_GRAY16, VDT_FORMAT_GRAYF32, VDT_FORMAT_PLANAR_BGRF32}) {
                const TestImage in = random_image(random, format, width, height, all_layouts[turn % 4]);
                TestImage out(format, width, height, all_layouts[(turn + 1) % 4]);
                Filter filter(turn % 2 == 0 ? VDT_FILTER_BOX : VDT_FILTER_GAUSSIAN, border, side, side, side);
                filter.params.sigma_x = side / 5.0;
                BOOST_TEST_CONTEXT(name_of(format) << ", " << width << "x" << height << ", side " << side)
                BOOST_CHECK(check_filter(in, out, filter.params));
            }
        }
}

BOOST_AUTO_TEST_CASE(refusals) {
    if (!backend_has(VDT_OP_FILTER, "filter")) return;
    const TestImage in = flat_image(VDT_FORMAT_GRAY8, 5, 5, 1), out(VDT_FORMAT_GRAY8, 5, 5);
    const std::vector<std::function<void(vdt_filter_params&)>> faults = {
        [](vdt_filter_params& p) { p.kind = 9; },
        [](vdt_filter_params& p) { p.border = 9; },
        [](vdt_filter_params& p) { p.kernel_w = 0; },
        [](vdt_filter_params& p) { p.anchor_x = 3; },
        [](vdt_filter_params& p) { p.anchor_y = -2; },
        [](vdt_filter_params& p) { p.kernel_x = nullptr; },
        [](vdt_filter_params& p) { p.delta = std::nan(""); },
        [](vdt_filter_params& p) { p.kind = VDT_FILTER_GAUSSIAN, p.sigma_x = 0; },
        [](vdt_filter_params& p) { p.kind = VDT_FILTER_GAUSSIAN, p.kernel_h = 2; },
    };
    for (std::size_t i = 0; i < faults.size(); ++i) {
        Filter filter(VDT_FILTER_GENERAL, VDT_BORDER_REPLICATE, 3, 3, 1);
        faults[i](filter.params);
        Operation operation;
        operation.op = VDT_OP_FILTER;
        operation.params = &filter.params;
        operation.inputs = {in.ptr()};
        operation.outputs = {out.ptr()};
        BOOST_TEST_CONTEXT("fault " << i) expect_refusal(operation, VDT_E_ARGUMENT);
    }
}

#ifdef VEDETTE_TESTS_OPENCV
BOOST_AUTO_TEST_CASE(values_are_those_of_opencv) {
    if (!backend_has(VDT_OP_FILTER, "filter")) return;
    Random random(6);
    const TestImage in = random_image(random, VDT_FORMAT_GRAY8, 90, 70);
    const cv::Mat pixels(70, 90, CV_8U, const_cast<std::uint8_t*>(in.bytes().data()));
    Filter filter(VDT_FILTER_GENERAL, VDT_BORDER_REFLECT_101, 5, 3, 4);
    TestImage out(VDT_FORMAT_GRAY8, 90, 70);
    if (!check_filter(in, out, filter.params)) return;
    cv::Mat expected;
    cv::filter2D(pixels, expected, CV_8U, cv::Mat(3, 5, CV_32F, filter.x.data()), cv::Point(-1, -1),
                 filter.params.delta);
    double worst = 0;
    for (int y = 0; y < 70; ++y)
        for (int x = 0; x < 90; ++x)
            worst = std::max(worst, std::abs(out.at(static_cast<unsigned>(x), static_cast<unsigned>(y)) -
                                             expected.at<std::uint8_t>(y, x)));
    BOOST_CHECK_LE(worst, 1);
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
