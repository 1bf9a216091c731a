#include "suite.h"

#ifdef VEDETTE_TESTS_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace vedette::ops {

namespace {

constexpr Size sizes[] = {{1, 1}, {1, 9}, {9, 1}, {7, 5}, {67, 3}, {33, 18}};

vdt_convert_params params_with(double scale, double offset) {
    vdt_convert_params params{};
    params.struct_size = sizeof params;
    params.scale = scale;
    params.offset = offset;
    return params;
}

void check_pair(const TestImage& in, vdt_format out_format, Layout out_layout, const vdt_convert_params& params) {
    TestImage out(out_format, in.width(), in.height(), out_layout);
    Operation operation;
    operation.op = VDT_OP_CONVERT;
    operation.params = &params;
    expect_output(operation, {&in}, out, reference::convert(in.view(), out_format, params));
}

// Which outputs an input can be converted to.
std::uint64_t outputs_of(const TestImage& in, const vdt_convert_params& params) {
    const vdt_op_support general = backend().general(VDT_OP_CONVERT);
    std::uint64_t outputs = 0;
    for (const vdt_format format : formats_in(general.output_formats)) {
        TestImage out(format, in.width(), in.height());
        Operation operation;
        operation.op = VDT_OP_CONVERT;
        operation.params = &params;
        operation.inputs = {in.ptr()};
        operation.outputs = {out.ptr()};
        const Outcome outcome = backend().run(operation);
        if (outcome.code == VDT_OK)
            outputs |= VDT_FORMAT_BIT(format);
        else
            BOOST_CHECK_EQUAL(outcome.code, VDT_E_UNSUPPORTED_FORMAT);
        // A pair that the answer for this very input names must run.
        const bool promised = (outcome.support.output_formats & VDT_FORMAT_BIT(format)) != 0;
        BOOST_CHECK_MESSAGE(!promised || outcome.code == VDT_OK,
                            name_of(in.format()) << " to " << name_of(format) << ": " << outcome.text);
    }
    BOOST_CHECK_MESSAGE(outputs != 0, name_of(in.format()) << " is advertised but cannot be converted to anything");
    return outputs;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(convert)

BOOST_DATA_TEST_CASE(every_pair_size_and_layout, bdata::make(sizes) ^ bdata::xrange(6), size, seed) {
    if (!backend_has(VDT_OP_CONVERT, "convert")) return;
    Random random(static_cast<unsigned>(seed));
    for (const vdt_format in_format : formats_in(backend().general(VDT_OP_CONVERT).input_formats)) {
        const TestImage in = random_image(random, in_format, size.width, size.height);
        // Towards float the range becomes 0..1 and back; one value in three leaves the range on the way back.
        const vdt_convert_params params =
            is_float(in_format) ? params_with(255, 0.25) : params_with(1 / top_of(in_format), -0.125);
        for (const vdt_format out_format : formats_in(outputs_of(in, params)))
            for (const Layout layout : all_layouts)
                BOOST_TEST_CONTEXT(name_of(in_format) << " to " << name_of(out_format) << ", " << layout)
        check_pair(in.as(layout), out_format, layout, params);
    }
}

// 0, 1, half and top of every channel against each other: rounding of gray, saturation, ties.
BOOST_AUTO_TEST_CASE(extreme_values) {
    if (!backend_has(VDT_OP_CONVERT, "convert")) return;
    for (const vdt_format in_format : formats_in(backend().general(VDT_OP_CONVERT).input_formats)) {
        const double top = top_of(in_format);
        const double values[] = {0, is_float(in_format) ? 0.5 / 255 : 1,
                                 is_float(in_format) ? 0.5 : std::floor(top / 2), top};
        TestImage in(in_format, 64, 4);
        in.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t c) {
            const std::uint32_t digits[] = {x & 3, x >> 2 & 3, x >> 4 & 3, y};
            return values[digits[c]];
        });
        const vdt_convert_params params = is_float(in_format) ? params_with(255, 0) : params_with(2.5, 7);
        for (const vdt_format out_format : formats_in(outputs_of(in, params)))
            BOOST_TEST_CONTEXT(name_of(in_format) << " to " << name_of(out_format))
        check_pair(in, out_format, Layout::padded, params);
    }
}

BOOST_AUTO_TEST_CASE(floats_far_outside_and_no_numbers) {
    if (!backend_has(VDT_OP_CONVERT, "convert")) return;
    TestImage in(VDT_FORMAT_GRAYF32, 6, 1);
    const double values[] = {1e30, -1e30, HUGE_VAL, -HUGE_VAL, std::nan(""), 254.5};
    in.fill([&](std::uint32_t x, std::uint32_t, std::uint32_t) { return values[x]; });
    const vdt_convert_params params = params_with(1, 0);
    for (const vdt_format out_format : formats_in(outputs_of(in, params)))
        if (!is_float(out_format))
            BOOST_TEST_CONTEXT(name_of(out_format)) check_pair(in, out_format, Layout::tight, params);
}

BOOST_AUTO_TEST_CASE(whole_screen) {
    if (!backend_has(VDT_OP_CONVERT, "convert")) return;
    Random random(4);
    const TestImage in = random_image(random, VDT_FORMAT_BGRA8, 1921, 1083);
    const vdt_convert_params params = params_with(1, 0);
    check_pair(in, VDT_FORMAT_GRAY8, Layout::tight, params);
    check_pair(in, VDT_FORMAT_BGR8, Layout::upward, params);
}

BOOST_AUTO_TEST_CASE(bad_parameters) {
    if (!backend_has(VDT_OP_CONVERT, "convert")) return;
    const TestImage gray = flat_image(VDT_FORMAT_GRAY8, 4, 4, 9), floats(VDT_FORMAT_GRAYF32, 4, 4),
                    small(VDT_FORMAT_BGR8, 4, 3);
    for (const double scale : {0.0, std::nan(""), HUGE_VAL}) {
        const vdt_convert_params params = params_with(scale, 0);
        Operation operation;
        operation.op = VDT_OP_CONVERT;
        operation.params = &params;
        operation.inputs = {gray.ptr()};
        operation.outputs = {floats.ptr()};
        expect_refusal(operation, VDT_E_ARGUMENT);
    }
    const vdt_convert_params params = params_with(1, 0);
    Operation operation;
    operation.op = VDT_OP_CONVERT;
    operation.params = &params;
    operation.inputs = {gray.ptr()};
    operation.outputs = {small.ptr()};
    const Outcome outcome = backend().run(operation);
    BOOST_CHECK_MESSAGE(VDT_IS_CALLER_FAULT(outcome.code), "an output of another size gave " << outcome.code);
}

#ifdef VEDETTE_TESTS_OPENCV
BOOST_AUTO_TEST_CASE(gray_is_that_of_opencv) {
    if (!backend_has(VDT_OP_CONVERT, "convert")) return;
    Random random(5);
    const TestImage in = random_image(random, VDT_FORMAT_BGR8, 640, 200);
    TestImage out(VDT_FORMAT_GRAY8, 640, 200);
    const vdt_convert_params params = params_with(1, 0);
    check_pair(in, VDT_FORMAT_GRAY8, Layout::tight, params);
    Operation operation;
    operation.op = VDT_OP_CONVERT;
    operation.params = &params;
    operation.inputs = {in.ptr()};
    operation.outputs = {out.ptr()};
    BOOST_REQUIRE_EQUAL(backend().run(operation).code, VDT_OK);
    cv::Mat gray;
    cv::cvtColor(cv::Mat(200, 640, CV_8UC3, const_cast<std::uint8_t*>(in.bytes().data())), gray, cv::COLOR_BGR2GRAY);
    BOOST_CHECK(std::equal(gray.begin<std::uint8_t>(), gray.end<std::uint8_t>(), out.bytes().begin()));
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
