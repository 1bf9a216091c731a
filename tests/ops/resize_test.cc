#include "suite.h"

#ifdef VEDETTE_TESTS_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace vedette::ops {

namespace {

struct Sizes {
    std::uint32_t in_w, in_h, out_w, out_h;
};
std::ostream& operator<<(std::ostream& out, const Sizes& s) {
    return out << s.in_w << "x" << s.in_h << " to " << s.out_w << "x" << s.out_h;
}
const Sizes sizes[] = {{1, 1, 1, 1},   {1, 1, 5, 3},   {9, 1, 4, 1},     {1, 9, 1, 20},   {8, 8, 4, 4},
                       {12, 9, 4, 3},  {17, 11, 7, 5}, {17, 11, 40, 30}, {17, 11, 9, 30}, {64, 48, 63, 47},
                       {100, 3, 7, 3}, {31, 33, 1, 1}, {900, 5, 1, 2},   {3, 700, 2, 3},  {5, 40, 31, 9},
                       {40, 5, 9, 31}, {150, 90, 2, 1}};
const std::uint32_t methods[] = {VDT_RESIZE_HALF_PIXEL, VDT_RESIZE_AREA, VDT_RESIZE_ALIGNED_CORNERS};

vdt_resize_params params_with(std::uint32_t method, std::uint32_t flags) {
    vdt_resize_params params{};
    params.struct_size = sizeof params;
    params.method = method;
    params.flags = flags;
    params.fill = 113.5f;
    params.scale = 1.0 / 255;
    params.offset = -0.25;
    return params;
}

// Whether the backend resizes between these formats; checks that it does.
bool check_resize(const TestImage& in, TestImage& out, const vdt_resize_params& params) {
    Operation operation;
    operation.op = VDT_OP_RESIZE;
    operation.params = &params;
    operation.inputs = {in.ptr()};
    operation.outputs = {out.ptr()};
    if (VDT_IS_UNSUPPORTED(backend().run(operation).code)) return false;
    expect_output(operation, {&in}, out, reference::resize(in.view(), out.format(), out.width(), out.height(), params));
    return true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resize)

BOOST_DATA_TEST_CASE(every_method_and_format, bdata::make(sizes) * bdata::make(methods), size, method) {
    if (!backend_has(VDT_OP_RESIZE, "resize")) return;
    Random random(size.in_w + 7 * size.out_w + method);
    const vdt_op_support general = backend().general(VDT_OP_RESIZE);
    for (const vdt_format in_format : formats_in(general.input_formats)) {
        int ran = 0;
        for (const vdt_format out_format : formats_in(general.output_formats))
            for (const std::uint32_t flags : {0u, std::uint32_t{VDT_RESIZE_LETTERBOX}}) {
                const Layout layout = all_layouts[(in_format + out_format + flags) % 4];
                const TestImage in = random_image(random, in_format, size.in_w, size.in_h, layout);
                TestImage out(out_format, size.out_w, size.out_h, layout);
                BOOST_TEST_CONTEXT(name_of(in_format) << " to " << name_of(out_format) << ", flags " << flags)
                ran += check_resize(in, out, params_with(method, flags)) ? 1 : 0;
            }
        BOOST_CHECK_MESSAGE(ran > 0, name_of(in_format) << " is advertised but not resized to anything");
    }
}

// A flat image stays flat, whatever the weights.
BOOST_DATA_TEST_CASE(flat_stays_flat, bdata::make(methods), method) {
    if (!backend_has(VDT_OP_RESIZE, "resize")) return;
    for (const double value : {0.0, 77.0, 255.0})
        for (const Sizes& size : sizes) {
            const TestImage in = flat_image(VDT_FORMAT_BGR8, size.in_w, size.in_h, value);
            TestImage out(VDT_FORMAT_BGR8, size.out_w, size.out_h);
            const vdt_resize_params params = params_with(method, 0);
            Operation operation;
            operation.op = VDT_OP_RESIZE;
            operation.params = &params;
            operation.inputs = {in.ptr()};
            operation.outputs = {out.ptr()};
            BOOST_REQUIRE_EQUAL(backend().run(operation).code, VDT_OK);
            const TestImage expected = flat_image(VDT_FORMAT_BGR8, size.out_w, size.out_h, value);
            BOOST_CHECK_MESSAGE(out.bytes() == expected.bytes(), size << ", value " << value);
        }
}

BOOST_DATA_TEST_CASE(whole_screen, bdata::make(methods), method) {
    if (!backend_has(VDT_OP_RESIZE, "resize")) return;
    Random random(2);
    const TestImage in = random_image(random, VDT_FORMAT_BGR8, 1283, 721);
    TestImage small(VDT_FORMAT_BGR8, 640, 360), planar(VDT_FORMAT_PLANAR_RGBF32, 416, 416);
    check_resize(in, small, params_with(method, 0));
    check_resize(in, planar, params_with(method, VDT_RESIZE_LETTERBOX));
}

BOOST_AUTO_TEST_CASE(refusals) {
    if (!backend_has(VDT_OP_RESIZE, "resize")) return;
    const TestImage in = flat_image(VDT_FORMAT_GRAY8, 5, 5, 1), out(VDT_FORMAT_GRAY8, 3, 3),
                    floats(VDT_FORMAT_GRAYF32, 3, 3);
    vdt_resize_params params = params_with(0, 0);
    Operation operation;
    operation.op = VDT_OP_RESIZE;
    operation.params = &params;
    operation.inputs = {in.ptr()};
    operation.outputs = {out.ptr()};
    expect_refusal(operation, VDT_E_ARGUMENT);
    params = params_with(VDT_RESIZE_AREA, 0x80);
    expect_refusal(operation, VDT_E_ARGUMENT);
    params = params_with(VDT_RESIZE_AREA, 0);
    params.scale = std::nan("");
    operation.outputs = {floats.ptr()};
    BOOST_CHECK(VDT_IS_ERROR(backend().run(operation).code));
}

#ifdef VEDETTE_TESTS_OPENCV
BOOST_AUTO_TEST_CASE(values_are_those_of_opencv) {
    if (!backend_has(VDT_OP_RESIZE, "resize")) return;
    Random random(9);
    const TestImage in = random_image(random, VDT_FORMAT_GRAY8, 150, 90);
    const cv::Mat pixels(90, 150, CV_8U, const_cast<std::uint8_t*>(in.bytes().data()));
    const std::pair<std::uint32_t, int> same[] = {{VDT_RESIZE_HALF_PIXEL, cv::INTER_LINEAR},
                                                  {VDT_RESIZE_AREA, cv::INTER_AREA}};
    for (const auto& [method, interpolation] : same) {
        TestImage out(VDT_FORMAT_GRAY8, 50, 45);
        if (!check_resize(in, out, params_with(method, 0))) continue;
        cv::Mat expected;
        cv::resize(pixels, expected, cv::Size(50, 45), 0, 0, interpolation);
        double worst = 0;
        for (int y = 0; y < 45; ++y)
            for (int x = 0; x < 50; ++x)
                worst = std::max(worst, std::abs(out.at(static_cast<unsigned>(x), static_cast<unsigned>(y)) -
                                                 expected.at<std::uint8_t>(y, x)));
        BOOST_CHECK_LE(worst, 1);
    }
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
