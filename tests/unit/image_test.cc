#define BOOST_TEST_MODULE image
#include "core/image.h"
#include "boost_test.h"
#include "core/image_check.h"
#include "failure_of.h"

#include <array>
#include <vector>

using namespace vedette::host;
using vedette::test::contains;
using vedette::test::failure_of;

namespace {

vdt_code check(const vdt_image& image, ImageUse use = ImageUse::Input) {
    return failure_of([&] { check_host_image(&image, use, "it"); }).code();
}

// 8 x 4 gray pixels in a buffer of exactly 32 bytes.
struct Gray {
    std::array<std::uint8_t, 32> bytes{};
    vdt_image view{};
    Gray() {
        view.struct_size = sizeof view;
        view.format = VDT_FORMAT_GRAY8;
        view.width = 8;
        view.height = 4;
        view.plane_count = 1;
        view.plane[0] = {bytes.data(), 0, 8, bytes.size()};
    }
};

vdt_pixels pixels_of(std::vector<std::uint8_t>& bytes) {
    vdt_pixels pixels{};
    pixels.struct_size = sizeof pixels;
    pixels.format = VDT_FORMAT_BGR8;
    pixels.width = 5;
    pixels.height = 3;
    pixels.stride = 16;
    pixels.bytes = bytes.size();
    pixels.data = bytes.data();
    return pixels;
}

vdt_code check(const vdt_pixels& pixels) {
    return failure_of([&] { checked_view(&pixels, "it"); }).code();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(image)

BOOST_AUTO_TEST_CASE(owned_images) {
    for (const auto& [format, pixel] : {std::pair{VDT_FORMAT_GRAY8, 1u},
                                        {VDT_FORMAT_BGR8, 3u},
                                        {VDT_FORMAT_RGBA16, 8u},
                                        {VDT_FORMAT_BGRF32, 12u},
                                        {VDT_FORMAT_F64, 8u}}) {
        for (const std::uint32_t width : {1u, 21u, 64u, 3840u}) {
            Image image(format, width, 3);
            BOOST_TEST(image.stride() >= std::size_t{width} * pixel + 64);
            BOOST_TEST(reinterpret_cast<std::uintptr_t>(image.row(0)) % 64 == 0u);
            BOOST_TEST(reinterpret_cast<std::uintptr_t>(image.row(2)) % 64 == 0u);
            bool zero = true;
            for (std::uint32_t y = 0; y < 3; ++y)
                for (std::size_t i = 0; i < image.stride(); ++i)
                    zero = zero && image.row(y)[i] == 0;  // padding is there
            BOOST_TEST(zero);
            const vdt_image view = image.view();
            BOOST_TEST(check(view, ImageUse::Output) == VDT_OK);
            Image moved = std::move(image);
            BOOST_TEST(moved.view().plane[0].base == view.plane[0].base);
        }
    }
    BOOST_TEST(Image().empty());
    BOOST_TEST(Image().view().format == VDT_FORMAT_NONE);
}

BOOST_AUTO_TEST_CASE(impossible_owned_images) {
    const auto code = [](vdt_format format, std::uint32_t width, std::uint32_t height) {
        return failure_of([&] { Image(format, width, height); }).code();
    };
    BOOST_TEST(code(VDT_FORMAT_GRAY8, 0, 5) == VDT_E_SIZE);
    BOOST_TEST(code(VDT_FORMAT_GRAY8, 5, 0) == VDT_E_SIZE);
    BOOST_TEST(code(VDT_FORMAT_GRAY8, 65536, 1) == VDT_E_SIZE);
    BOOST_TEST(code(VDT_FORMAT_GRAY8, UINT32_MAX, UINT32_MAX) == VDT_E_SIZE);
    BOOST_TEST(code(VDT_FORMAT_PLANAR_BGRF32, 5, 5) == VDT_E_ARGUMENT);
    BOOST_TEST(code(VDT_FORMAT_NONE, 5, 5) == VDT_E_ARGUMENT);
    BOOST_TEST(code(77, 5, 5) == VDT_E_ARGUMENT);
    BOOST_TEST(code(VDT_FORMAT_GRAY8, 65535, 1) == VDT_OK);
}

BOOST_AUTO_TEST_CASE(views_inside_their_buffer) {
    Gray gray;
    BOOST_TEST(check(gray.view) == VDT_OK);
    BOOST_TEST(check(gray.view, ImageUse::Output) == VDT_OK);
    gray.view.plane[0] = {gray.bytes.data(), 24, -8, 32};
    BOOST_TEST(check(gray.view, ImageUse::Output) == VDT_OK);
    gray.view.height = 1;
    gray.view.plane[0] = {gray.bytes.data(), 24, 0, 32};  // one row needs no stride
    BOOST_TEST(check(gray.view, ImageUse::Output) == VDT_OK);
    vdt_image none{};
    none.struct_size = sizeof none;
    BOOST_TEST(check(none, ImageUse::OptionalInput) == VDT_OK);
    BOOST_TEST(check(none) == VDT_E_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(views_that_reach_outside) {
    const auto plane = [](std::uint64_t offset, std::int64_t stride, std::uint64_t bytes) {
        Gray gray;
        gray.view.plane[0] = {gray.bytes.data(), offset, stride, bytes};
        return check(gray.view);
    };
    BOOST_TEST(plane(0, 8, 31) == VDT_E_SIZE);
    BOOST_TEST(plane(1, 8, 32) == VDT_E_SIZE);
    BOOST_TEST(plane(0, 9, 32) == VDT_E_SIZE);
    BOOST_TEST(plane(23, -8, 32) == VDT_E_SIZE);
    BOOST_TEST(plane(25, -8, 32) == VDT_E_SIZE);
    BOOST_TEST(plane(0, -8, 32) == VDT_E_SIZE);
    BOOST_TEST(plane(0, 0, 32) == VDT_E_SIZE);
    BOOST_TEST(plane(0, INT64_MAX, 32) == VDT_E_SIZE);
    BOOST_TEST(plane(0, INT64_MIN, 32) == VDT_E_SIZE);
    BOOST_TEST(plane(UINT64_MAX, 8, 32) == VDT_E_SIZE);
    BOOST_TEST(plane(UINT64_MAX, INT64_MIN, UINT64_MAX) == VDT_E_SIZE);
    BOOST_TEST(plane(0, 8, UINT64_MAX) == VDT_E_SIZE);  // no such buffer fits behind that address
    BOOST_TEST(plane(0, 8, 0) == VDT_E_SIZE);
}

BOOST_AUTO_TEST_CASE(views_that_are_wrong_otherwise) {
    const auto changed = [](auto&& change, ImageUse use = ImageUse::Input) {
        Gray gray;
        change(gray.view);
        return check(gray.view, use);
    };
    BOOST_TEST(changed([](vdt_image& view) { view.struct_size = 8; }) == VDT_E_ARGUMENT);
    BOOST_TEST(changed([](vdt_image& view) { view.format = 77; }) == VDT_E_ARGUMENT);
    BOOST_TEST(changed([](vdt_image& view) { view.width = 0; }) == VDT_E_SIZE);
    BOOST_TEST(changed([](vdt_image& view) { view.height = 65536; }) == VDT_E_SIZE);
    BOOST_TEST(changed([](vdt_image& view) { view.memory = VDT_MEMORY_DEVICE; }) == VDT_E_ARGUMENT);
    BOOST_TEST(changed([](vdt_image& view) { view.plane_count = 3; }) == VDT_E_ARGUMENT);
    BOOST_TEST(changed([](vdt_image& view) { view.plane_count = 0; }) == VDT_E_ARGUMENT);
    BOOST_TEST(changed([](vdt_image& view) { view.plane[0].base = nullptr; }) == VDT_E_ARGUMENT);
    BOOST_TEST(changed([](vdt_image& view) { view.flags = 1; }) == VDT_E_ARGUMENT);
    BOOST_TEST(changed([](vdt_image& view) { view.resident = reinterpret_cast<vdt_resident*>(&view); }) ==
               VDT_E_ARGUMENT);
    const auto overlap = [](vdt_image& view) {
        view.height = 2;
        view.plane[0].row_stride = 4;
    };
    BOOST_TEST(changed(overlap, ImageUse::Input) == VDT_OK);
    BOOST_TEST(changed(overlap, ImageUse::Output) == VDT_E_SIZE);
    vdt_link link{7, sizeof link, nullptr};
    BOOST_TEST(changed([&](vdt_image& view) { view.next = &link; }) == VDT_OK);
    link.kind |= VDT_LINK_MUST_UNDERSTAND;
    BOOST_TEST(changed([&](vdt_image& view) { view.next = &link; }) == VDT_E_UNSUPPORTED);
    // 16-bit pixels on an odd address or with an odd stride.
    const auto wide = [](vdt_image& view) {
        view.format = VDT_FORMAT_GRAY16;
        view.width = 2;
        view.height = 2;
    };
    BOOST_TEST(changed([&](vdt_image& view) { wide(view); }) == VDT_OK);
    BOOST_TEST(changed([&](vdt_image& view) { wide(view), view.plane[0].offset = 1; }) == VDT_E_ARGUMENT);
    BOOST_TEST(changed([&](vdt_image& view) { wide(view), view.plane[0].row_stride = 5; }) == VDT_E_ARGUMENT);
    BOOST_TEST(
        contains(failure_of([] { check_host_image(nullptr, ImageUse::Input, "inputs[3]"); }).text(), "inputs[3]"));
}

BOOST_AUTO_TEST_CASE(planar_views) {
    std::array<float, 3 * 4> values{};
    vdt_image view{};
    view.struct_size = sizeof view;
    view.format = VDT_FORMAT_PLANAR_BGRF32;
    view.width = 2;
    view.height = 2;
    view.plane_count = 3;
    for (std::uint32_t i = 0; i < 3; ++i) view.plane[i] = {values.data(), i * 16, 8, sizeof values};
    BOOST_TEST(check(view) == VDT_OK);
    view.plane[2].offset += 4;
    BOOST_TEST(check(view) == VDT_E_SIZE);
}

BOOST_AUTO_TEST_CASE(pixels_of_the_caller) {
    std::vector<std::uint8_t> bytes(2 * 16 + 15);
    vdt_pixels pixels = pixels_of(bytes);
    const vdt_image view = checked_view(&pixels, "it");
    BOOST_TEST(view.plane[0].base == static_cast<void*>(bytes.data()));
    BOOST_TEST(view.plane[0].offset == 0u);
    pixels.bytes = bytes.size() - 1;
    BOOST_TEST(check(pixels) == VDT_E_SIZE);

    // Upside down: `data` is the row that lies last; `bytes` counts from the lowest address.
    pixels = pixels_of(bytes);
    pixels.stride = -16;
    pixels.data = bytes.data() + 32;
    const vdt_image flipped = checked_view(&pixels, "it");
    BOOST_TEST(flipped.plane[0].base == static_cast<void*>(bytes.data()));
    BOOST_TEST(flipped.plane[0].offset == 32u);
    BOOST_TEST(flipped.plane[0].row_stride == -16);
    pixels.bytes = 46;
    BOOST_TEST(check(pixels) == VDT_E_SIZE);
}

BOOST_AUTO_TEST_CASE(wrong_pixels_of_the_caller) {
    std::vector<std::uint8_t> bytes(47);
    const auto changed = [&](auto&& change) {
        vdt_pixels pixels = pixels_of(bytes);
        change(pixels);
        return check(pixels);
    };
    BOOST_TEST(changed([](vdt_pixels& pixels) { pixels.struct_size = 0; }) == VDT_E_ARGUMENT);
    BOOST_TEST(changed([](vdt_pixels& pixels) { pixels.data = nullptr; }) == VDT_E_ARGUMENT);
    BOOST_TEST(changed([](vdt_pixels& pixels) { pixels.format = VDT_FORMAT_GRAYF32; }) == VDT_E_ARGUMENT);
    BOOST_TEST(changed([](vdt_pixels& pixels) { pixels.format = VDT_FORMAT_NONE; }) == VDT_E_ARGUMENT);
    BOOST_TEST(changed([](vdt_pixels& pixels) { pixels.width = 0; }) == VDT_E_SIZE);
    BOOST_TEST(changed([](vdt_pixels& pixels) { pixels.width = 40000000; }) == VDT_E_SIZE);
    BOOST_TEST(changed([](vdt_pixels& pixels) { pixels.stride = 0; }) == VDT_E_SIZE);
    BOOST_TEST(changed([](vdt_pixels& pixels) { pixels.stride = INT64_MIN; }) == VDT_E_SIZE);
    BOOST_TEST(changed([](vdt_pixels& pixels) { pixels.stride = INT64_MAX; }) == VDT_E_SIZE);
    BOOST_TEST(changed([](vdt_pixels& pixels) { pixels.bytes = 0; }) == VDT_E_SIZE);
    BOOST_TEST(changed([](vdt_pixels& pixels) { pixels.bytes = UINT64_MAX; }) == VDT_E_SIZE);
    BOOST_TEST(failure_of([] { checked_view(nullptr, "it"); }).code() == VDT_E_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(names_of_formats) {
    BOOST_TEST(format_name(VDT_FORMAT_BGR8) == "BGR8");
    BOOST_TEST(format_name(VDT_FORMAT_COMPLEXF32) == "COMPLEXF32");
    BOOST_TEST(format_name(77) == "unknown format 77");
}

BOOST_AUTO_TEST_SUITE_END()
