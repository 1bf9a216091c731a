#include "suite.h"

#ifdef VEDETTE_TESTS_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace vedette::ops {

namespace {

struct Sizes {
    std::uint32_t scene_w, scene_h, pattern_w, pattern_h;
};
std::ostream& operator<<(std::ostream& out, const Sizes& s) {
    return out << s.pattern_w << "x" << s.pattern_h << " on " << s.scene_w << "x" << s.scene_h;
}
const Sizes sizes[] = {{1, 1, 1, 1},     {9, 7, 1, 1},   {9, 1, 4, 1},     {1, 9, 1, 5},
                       {12, 10, 12, 10}, {33, 20, 5, 3}, {70, 41, 17, 16}, {67, 50, 33, 35}};

void check_map(const TestImage& scene, const TestImage& pattern, const TestImage& mask, std::uint32_t method,
               Layout layout) {
    vdt_template_map_params params{};
    params.struct_size = sizeof params;
    params.method = method;
    TestImage out(VDT_FORMAT_GRAYF32, scene.width() - pattern.width() + 1, scene.height() - pattern.height() + 1,
                  layout);
    Operation operation;
    operation.op = VDT_OP_TEMPLATE_MAP;
    operation.params = &params;
    expect_output(operation, {&scene, &pattern, &mask}, out,
                  reference::template_map(scene.view(), pattern.view(), mask.ptr(), method));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(template_map)

BOOST_DATA_TEST_CASE(every_method, bdata::make(sizes) * bdata::xrange(6u), size, method) {
    if (!backend_has(VDT_OP_TEMPLATE_MAP, "template_map")) return;
    Random random(size.scene_w + method);
    for (const vdt_format format : formats_in(backend().general(VDT_OP_TEMPLATE_MAP).input_formats))
        for (const bool screen : {false, true})
            for (const double taken : {-1.0, 0.0, 0.4, 1.0}) {
                const Layout layout = all_layouts[(format + size.pattern_w + (screen ? 1u : 0u)) % 4];
                const TestImage scene = screen ? screen_image(random, format, size.scene_w, size.scene_h, layout)
                                               : random_image(random, format, size.scene_w, size.scene_h, layout);
                const TestImage pattern = scene
                                              .crop((size.scene_w - size.pattern_w) / 2,
                                                    (size.scene_h - size.pattern_h) / 2, size.pattern_w, size.pattern_h)
                                              .as(layout);
                const TestImage mask =
                    taken < 0 ? TestImage::none() : random_mask(random, size.pattern_w, size.pattern_h, taken, layout);
                BOOST_TEST_CONTEXT(name_of(format) << (screen ? ", screen" : ", noise") << ", taken " << taken)
                check_map(scene, pattern, mask, method, layout);
            }
}

// Flat windows, flat patterns, black on black, white on white.
BOOST_DATA_TEST_CASE(flat, bdata::xrange(6u), method) {
    if (!backend_has(VDT_OP_TEMPLATE_MAP, "template_map")) return;
    Random random(3);
    const TestImage textured = random_image(random, VDT_FORMAT_GRAY8, 7, 5);
    TestImage half = flat_image(VDT_FORMAT_GRAY8, 40, 30, 255);
    half.paste(textured, 3, 3);
    for (const double scene : {0.0, 90.0, 255.0})
        for (const double pattern : {0.0, 90.0, 255.0})
            check_map(flat_image(VDT_FORMAT_GRAY8, 20, 9, scene), flat_image(VDT_FORMAT_GRAY8, 7, 5, pattern),
                      TestImage::none(), method, Layout::tight);
    check_map(half, textured, TestImage::none(), method, Layout::tight);
    check_map(half, flat_image(VDT_FORMAT_GRAY8, 7, 5, 255), TestImage::none(), method, Layout::tight);
    check_map(half, textured, random_mask(random, 7, 5, 0.1), method, Layout::tight);
}

// One gray level of difference on a bright screen: what floating-point window sums lose.
BOOST_DATA_TEST_CASE(faint, bdata::xrange(6u), method) {
    if (!backend_has(VDT_OP_TEMPLATE_MAP, "template_map")) return;
    TestImage scene = flat_image(VDT_FORMAT_BGR8, 300, 60, 254);
    scene.set(120, 30, 1, 255);
    scene.set(201, 20, 0, 253);
    check_map(scene, scene.crop(110, 20, 32, 32), TestImage::none(), method, Layout::tight);
}

BOOST_AUTO_TEST_CASE(pattern_too_large) {
    if (!backend_has(VDT_OP_TEMPLATE_MAP, "template_map")) return;
    const TestImage scene = flat_image(VDT_FORMAT_GRAY8, 8, 8, 1), pattern = flat_image(VDT_FORMAT_GRAY8, 9, 3, 1),
                    none = TestImage::none(), out(VDT_FORMAT_GRAYF32, 1, 6);
    vdt_template_map_params params{};
    params.struct_size = sizeof params;
    params.method = VDT_MATCH_CCOEFF_NORMED;
    Operation operation;
    operation.op = VDT_OP_TEMPLATE_MAP;
    operation.params = &params;
    operation.inputs = {scene.ptr(), pattern.ptr(), none.ptr()};
    operation.outputs = {out.ptr()};
    expect_refusal(operation, VDT_E_SIZE);
}

#ifdef VEDETTE_TESTS_OPENCV
// On noise, where OpenCV's float sums are good to a few millionths.
BOOST_DATA_TEST_CASE(values_are_those_of_opencv, bdata::xrange(6u) * bdata::make({1, 3}), method, channels) {
    if (!backend_has(VDT_OP_TEMPLATE_MAP, "template_map")) return;
    Random random(11);
    const vdt_format format = channels == 1 ? VDT_FORMAT_GRAY8 : VDT_FORMAT_BGR8;
    const TestImage scene = random_image(random, format, 120, 80), pattern = scene.crop(30, 20, 24, 17),
                    mask = random_mask(random, 24, 17, 0.6);
    const auto mat = [channels](const TestImage& image, int type_channels) {
        return cv::Mat(static_cast<int>(image.height()), static_cast<int>(image.width()),
                       CV_MAKETYPE(CV_8U, type_channels), const_cast<std::uint8_t*>(image.bytes().data()));
    };
    for (const bool masked : {false, true}) {
        const TestImage none = TestImage::none();
        vdt_template_map_params params{};
        params.struct_size = sizeof params;
        params.method = method;
        TestImage out(VDT_FORMAT_GRAYF32, 97, 64);
        Operation operation;
        operation.op = VDT_OP_TEMPLATE_MAP;
        operation.params = &params;
        operation.inputs = {scene.ptr(), pattern.ptr(), masked ? mask.ptr() : none.ptr()};
        operation.outputs = {out.ptr()};
        BOOST_REQUIRE_EQUAL(backend().run(operation).code, VDT_OK);
        cv::Mat expected;
        cv::matchTemplate(mat(scene, channels), mat(pattern, channels), expected, static_cast<int>(method),
                          masked ? mat(mask, 1).clone() : cv::Mat());  // OpenCV writes to its mask
        double largest = 0, worst = 0;
        for (int y = 0; y < 64; ++y)
            for (int x = 0; x < 97; ++x) {
                largest = std::max(largest, std::abs(double{expected.at<float>(y, x)}));
                worst = std::max(worst, std::abs(out.at(static_cast<unsigned>(x), static_cast<unsigned>(y)) -
                                                 expected.at<float>(y, x)));
            }
        BOOST_CHECK_MESSAGE(worst <= 2e-5 * largest, "masked " << masked << ": " << worst << " of " << largest);
    }
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
