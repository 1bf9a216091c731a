#include "suite.h"

#ifdef VEDETTE_TESTS_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace vedette::ops {

namespace {

constexpr std::uint32_t flags[] = {VDT_INTEGRAL_SUM, VDT_INTEGRAL_SQUARED, VDT_INTEGRAL_TILTED};
constexpr Size sizes[] = {{1, 1}, {1, 8}, {8, 1}, {7, 5}, {64, 4}, {131, 37}};

// Runs with the outputs given; true when the backend takes these formats.
bool run_integral(const TestImage& in, std::uint32_t set, std::vector<TestImage>& outputs, double& tolerance) {
    vdt_integral_params params{};
    params.struct_size = sizeof params;
    params.flags = set;
    Operation operation;
    operation.op = VDT_OP_INTEGRAL;
    operation.params = &params;
    operation.inputs = {in.ptr()};
    for (const TestImage& output : outputs) operation.outputs.push_back(output.ptr());
    const Outcome outcome = backend().run(operation);
    if (VDT_IS_UNSUPPORTED(outcome.code)) return false;
    BOOST_REQUIRE_MESSAGE(outcome.code == VDT_OK, "code " << outcome.code << ": " << outcome.text);
    tolerance = outcome.support.determinism == VDT_DETERMINISM_EXACT ? 0 : outcome.support.tolerance;
    return true;
}

// The reference is exact; 32-bit sums wrap.
Plane expected_of(const TestImage& in, std::uint32_t flag, vdt_format format) {
    Plane plane = reference::integral(in.view(), flag);
    if (format == VDT_FORMAT_I32)
        for (double& value : plane.value)
            value = static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value)));
    return plane;
}

// Every combination of flags, each output in the integer or the float format. Returns how many ran.
int check_all(const TestImage& in, Layout layout) {
    int ran = 0;
    for (std::uint32_t set = 1; set < 8; ++set)
        for (const bool floats : {false, true}) {
            std::vector<TestImage> outputs;
            std::vector<std::uint32_t> named;
            for (const std::uint32_t flag : flags) {
                if ((set & flag) == 0) continue;
                const vdt_format whole = flag == VDT_INTEGRAL_SQUARED ? VDT_FORMAT_I64 : VDT_FORMAT_I32;
                const vdt_format format = floats ? vdt_format{VDT_FORMAT_F64} : whole;
                outputs.emplace_back(format, in.width() + 1, in.height() + 1, layout);
                named.push_back(flag);
            }
            double tolerance = 0;
            const std::vector<std::uint8_t> before = in.bytes();
            if (!run_integral(in, set, outputs, tolerance)) continue;
            ++ran;
            BOOST_CHECK(in.bytes() == before);
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                const std::string wrong =
                    difference(outputs[i], expected_of(in, named[i], outputs[i].format()), tolerance);
                BOOST_CHECK_MESSAGE(wrong.empty(), "flags " << set << ", output " << i << " "
                                                            << name_of(outputs[i].format()) << ": " << wrong);
            }
        }
    return ran;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(integral)

BOOST_DATA_TEST_CASE(every_output, bdata::make(sizes) ^ bdata::xrange(6), size, seed) {
    if (!backend_has(VDT_OP_INTEGRAL, "integral")) return;
    Random random(static_cast<unsigned>(seed));
    for (const vdt_format format : formats_in(backend().general(VDT_OP_INTEGRAL).input_formats))
        for (const Layout layout : all_layouts) BOOST_TEST_CONTEXT(name_of(format) << ", " << layout) {
                const TestImage in = random_image(random, format, size.width, size.height, layout);
                BOOST_CHECK_GT(check_all(in, layout), 0);
            }
}

BOOST_AUTO_TEST_CASE(flat_and_saturated) {
    if (!backend_has(VDT_OP_INTEGRAL, "integral")) return;
    for (const double value : {0.0, 1.0, 255.0})
        BOOST_CHECK_GT(check_all(flat_image(VDT_FORMAT_GRAY8, 65, 33, value), Layout::tight), 0);
}

// 8.7 million white pixels: the sum leaves 31 bits; of 16.9 million it leaves 32.
BOOST_AUTO_TEST_CASE(sums_beyond_32_bits) {
    if (!backend_has(VDT_OP_INTEGRAL, "integral")) return;
    for (const std::uint32_t height : {2100u, 4100u}) {
        const TestImage in = flat_image(VDT_FORMAT_GRAY8, 4130, height, 255);
        std::vector<TestImage> outputs;
        outputs.emplace_back(VDT_FORMAT_I32, in.width() + 1, in.height() + 1);
        outputs.emplace_back(VDT_FORMAT_I64, in.width() + 1, in.height() + 1);
        double tolerance = 0;
        BOOST_REQUIRE(run_integral(in, VDT_INTEGRAL_SUM | VDT_INTEGRAL_SQUARED, outputs, tolerance));
        int wrong = 0;
        for (std::uint32_t y = 0; y <= height; y += 7)
            for (std::uint32_t x = 0; x <= in.width(); x += 13) {
                const std::uint64_t pixels = std::uint64_t{x} * y;
                wrong += outputs[0].at(x, y) != static_cast<std::int32_t>(static_cast<std::uint32_t>(pixels * 255));
                wrong += outputs[1].at(x, y) != static_cast<double>(pixels * 65025);
            }
        BOOST_CHECK_EQUAL(wrong, 0);
    }
}

BOOST_AUTO_TEST_CASE(refusals) {
    if (!backend_has(VDT_OP_INTEGRAL, "integral")) return;
    const TestImage in = flat_image(VDT_FORMAT_GRAY8, 5, 5, 1), out(VDT_FORMAT_I32, 6, 6), small(VDT_FORMAT_I32, 5, 5);
    vdt_integral_params params{};
    params.struct_size = sizeof params;
    Operation operation;
    operation.op = VDT_OP_INTEGRAL;
    operation.params = &params;
    operation.inputs = {in.ptr()};
    operation.outputs = {out.ptr()};
    expect_refusal(operation, VDT_E_ARGUMENT);  // no flag
    params.flags = VDT_INTEGRAL_SUM | VDT_INTEGRAL_SQUARED;
    expect_refusal(operation, VDT_E_ARGUMENT);  // one output for two flags
    params.flags = VDT_INTEGRAL_SUM;
    operation.outputs = {small.ptr()};
    BOOST_CHECK(VDT_IS_CALLER_FAULT(backend().run(operation).code));
}

#ifdef VEDETTE_TESTS_OPENCV
BOOST_AUTO_TEST_CASE(values_are_those_of_opencv) {
    if (!backend_has(VDT_OP_INTEGRAL, "integral")) return;
    Random random(3);
    const TestImage in = random_image(random, VDT_FORMAT_GRAY8, 100, 60);
    cv::Mat sum, squared, tilted;
    cv::integral(cv::Mat(60, 100, CV_8U, const_cast<std::uint8_t*>(in.bytes().data())), sum, squared, tilted, CV_64F,
                 CV_64F);
    const cv::Mat expected[] = {sum, squared, tilted};
    for (std::size_t i = 0; i < 3; ++i) {
        std::vector<TestImage> outputs;
        outputs.emplace_back(VDT_FORMAT_F64, 101, 61);
        double tolerance = 0;
        if (!run_integral(in, flags[i], outputs, tolerance)) continue;
        for (int y = 0; y <= 60; ++y)
            for (int x = 0; x <= 100; ++x)
                BOOST_REQUIRE_EQUAL(outputs[0].at(static_cast<unsigned>(x), static_cast<unsigned>(y)),
                                    expected[i].at<double>(y, x));
    }
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
