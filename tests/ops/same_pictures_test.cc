// Two backends that resize, filter and halve alike give the same integers, bit for bit, whatever their tolerance.
// usage: ops_same_pictures_test [Boost.Test options] -- PLUGIN_A.so PLUGIN_B.so
#define BOOST_TEST_MODULE vedette_same_pictures
#include <cmath>
#include <iostream>

#include "suite.h"

namespace vedette::ops {

namespace {

std::unique_ptr<Backend> first, second;

struct Load {
    Load() {
        const auto& suite = boost::unit_test::framework::master_test_suite();
        if (suite.argc != 3)
            throw std::runtime_error("usage: ops_same_pictures_test [options] -- PLUGIN_A.so PLUGIN_B.so");
        first = std::make_unique<Backend>(suite.argv[1], std::vector<std::string>{});
        try {
            second = std::make_unique<Backend>(suite.argv[2], std::vector<std::string>{});
        } catch (const CannotUse& reason) {
            if (reason.code() != VDT_E_NO_DEVICE && reason.code() != VDT_E_NO_DRIVER) throw;
            std::cout << "skip: " << reason.what() << '\n';
        }
    }
    ~Load() {
        first.reset();
        second.reset();
    }
};
BOOST_TEST_GLOBAL_FIXTURE(Load);

constexpr vdt_format formats[] = {VDT_FORMAT_GRAY8, VDT_FORMAT_BGR8, VDT_FORMAT_BGRA8, VDT_FORMAT_GRAY16,
                                  VDT_FORMAT_RGB16};

// Every variant of both backends.
void check_same(Operation operation, const TestImage& in, const std::vector<Size>& sizes, vdt_format format) {
    if (!second) return;
    operation.inputs = {in.ptr()};
    std::vector<TestImage> expected;
    for (const Backend* backend : {first.get(), second.get()})
        for (operation.variant = 0;; ++operation.variant) {
            std::vector<TestImage> outputs;
            for (const Size& size : sizes) outputs.emplace_back(format, size.width, size.height);
            operation.outputs.clear();
            for (const TestImage& output : outputs) operation.outputs.push_back(output.ptr());
            const Outcome outcome = backend->run(operation);
            BOOST_REQUIRE_MESSAGE(outcome.code == VDT_OK, backend->name() << ": " << outcome.text);
            for (std::size_t i = 0; i < expected.size(); ++i)
                BOOST_CHECK_MESSAGE(outputs[i].bytes() == expected[i].bytes(),
                                    backend->name() << ", variant " << operation.variant << ", output " << i);
            if (expected.empty()) expected = std::move(outputs);
            if (operation.variant + 1 >= outcome.support.variant_count) break;
        }
}

}  // namespace

BOOST_AUTO_TEST_CASE(resized) {
    Random random(1);
    for (const vdt_format format : formats)
        for (const std::uint32_t method : {VDT_RESIZE_HALF_PIXEL, VDT_RESIZE_AREA, VDT_RESIZE_ALIGNED_CORNERS})
            for (const Size& size : {Size{90, 58}, Size{61, 45}, Size{200, 70}, Size{7, 3}}) {
                vdt_resize_params params{};
                params.struct_size = sizeof params;
                params.method = method;
                Operation operation;
                operation.op = VDT_OP_RESIZE;
                operation.params = &params;
                BOOST_TEST_CONTEXT("format " << format << ", method " << method << ", to " << size)
                check_same(operation, random_image(random, format, 180, 116), {size}, format);
            }
}

BOOST_AUTO_TEST_CASE(filtered) {
    Random random(2);
    std::uniform_real_distribution<float> weight(-0.2f, 0.3f);
    for (const vdt_format format : formats)
        for (const std::uint32_t kind : {VDT_FILTER_SEPARABLE, VDT_FILTER_GENERAL, VDT_FILTER_GAUSSIAN, VDT_FILTER_BOX})
            for (const std::uint32_t side : {3u, 4u, 11u, 21u}) {
                std::vector<float> x(std::size_t{side} * side), y(side);
                for (float& value : x) value = weight(random);
                for (float& value : y) value = weight(random);
                vdt_filter_params params{};
                params.struct_size = sizeof params;
                params.kind = kind;
                params.border = side % 3 == 0 ? VDT_BORDER_CONSTANT : VDT_BORDER_REFLECT;
                params.border_value = 100;
                params.kernel_w = params.kernel_h = kind == VDT_FILTER_GAUSSIAN ? side | 1 : side;
                params.anchor_x = params.anchor_y = -1;
                params.sigma_x = params.sigma_y = side * 0.2;
                params.kernel_x = x.data();
                params.kernel_y = y.data();
                Operation operation;
                operation.op = VDT_OP_FILTER;
                operation.params = &params;
                BOOST_TEST_CONTEXT("format " << format << ", kind " << kind << ", side " << side)
                check_same(operation, random_image(random, format, 101, 77), {{101, 77}}, format);
            }
}

BOOST_AUTO_TEST_CASE(halved) {
    Random random(3);
    for (const vdt_format format : formats)
        for (const std::uint32_t method : {VDT_PYRAMID_AREA2, VDT_PYRAMID_GAUSS5}) {
            vdt_pyramid_params params{sizeof params, method, 4, 0};
            Operation operation;
            operation.op = VDT_OP_PYRAMID;
            operation.params = &params;
            BOOST_TEST_CONTEXT("format " << format << ", method " << method)
            check_same(operation, random_image(random, format, 183, 117), {{92, 59}, {46, 30}, {23, 15}, {12, 8}},
                       format);
        }
}

}  // namespace vedette::ops
