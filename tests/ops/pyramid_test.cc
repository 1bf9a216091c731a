#include "suite.h"

namespace vedette::ops {

namespace {

constexpr Size sizes[] = {{1, 1}, {2, 2}, {1, 7}, {9, 1}, {16, 8}, {37, 21}};
const std::uint32_t methods[] = {VDT_PYRAMID_AREA2, VDT_PYRAMID_GAUSS5};

}  // namespace

BOOST_AUTO_TEST_SUITE(pyramid)

// Each level is judged against the level before as the backend gave it: rounding there is part of the definition.
void check_pyramid(const TestImage& in, std::uint32_t method, std::uint32_t levels, Layout layout) {
    vdt_pyramid_params params{};
    params.struct_size = sizeof params;
    params.method = method;
    params.levels = levels;
    std::vector<TestImage> outputs;
    std::uint32_t w = in.width(), h = in.height();
    for (std::uint32_t level = 0; level < levels; ++level) {
        w = (w + 1) / 2;
        h = (h + 1) / 2;
        outputs.emplace_back(in.format(), w, h, layout);
    }
    Operation operation;
    operation.op = VDT_OP_PYRAMID;
    operation.params = &params;
    operation.inputs = {in.ptr()};
    for (const TestImage& output : outputs) operation.outputs.push_back(output.ptr());
    const Outcome outcome = backend().run(operation);
    BOOST_REQUIRE_MESSAGE(outcome.code == VDT_OK, "code " << outcome.code << ": " << outcome.text);
    const double tolerance = outcome.support.determinism == VDT_DETERMINISM_EXACT ? 0 : outcome.support.tolerance;
    const TestImage* previous = &in;
    for (const TestImage& output : outputs) {
        const std::string wrong = difference(output, reference::pyramid_level(previous->view(), method), tolerance);
        BOOST_CHECK_MESSAGE(wrong.empty(), wrong);
        previous = &output;
    }
}

BOOST_DATA_TEST_CASE(every_method_and_format, bdata::make(sizes) * bdata::make(methods), size, method) {
    if (!backend_has(VDT_OP_PYRAMID, "pyramid")) return;
    Random random(size.width);
    for (const vdt_format format : formats_in(backend().general(VDT_OP_PYRAMID).input_formats))
        for (const Layout layout : all_layouts) BOOST_TEST_CONTEXT(name_of(format) << ", " << layout)
    check_pyramid(random_image(random, format, size.width, size.height, layout), method, 3, layout);
}

BOOST_DATA_TEST_CASE(screen, bdata::make(methods), method) {
    if (!backend_has(VDT_OP_PYRAMID, "pyramid")) return;
    Random random(1);
    check_pyramid(screen_image(random, VDT_FORMAT_BGR8, 1001, 703), method, 10, Layout::tight);
    check_pyramid(flat_image(VDT_FORMAT_GRAY8, 129, 127, 255), method, 8, Layout::tight);
}

BOOST_AUTO_TEST_CASE(refusals) {
    if (!backend_has(VDT_OP_PYRAMID, "pyramid")) return;
    const TestImage in = flat_image(VDT_FORMAT_GRAY8, 5, 5, 1), out(VDT_FORMAT_GRAY8, 3, 3),
                    low(VDT_FORMAT_GRAY8, 2, 2);
    vdt_pyramid_params params{};
    params.struct_size = sizeof params;
    params.levels = 1;
    Operation operation;
    operation.op = VDT_OP_PYRAMID;
    operation.params = &params;
    operation.inputs = {in.ptr()};
    operation.outputs = {out.ptr()};
    expect_refusal(operation, VDT_E_ARGUMENT);  // no method
    params.method = VDT_PYRAMID_AREA2;
    params.levels = 2;
    expect_refusal(operation, VDT_E_ARGUMENT);  // one output for two levels
    params.levels = 1;
    operation.outputs = {low.ptr()};
    BOOST_CHECK(VDT_IS_CALLER_FAULT(backend().run(operation).code));  // half of five, rounded down
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
