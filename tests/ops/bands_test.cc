// The CUDA backend on its emulation where device memory does not hold what an operation needs at once: the same results
// in bands of rows, or a code that sends the host to the next backend.
// usage: ops_bands_test [Boost.Test options] -- vedette-cuda-emulated.so FOLDER
//   FOLDER: where libvedette.so lies, with the plugins of this build below
#define BOOST_TEST_MODULE vedette_bands
#include <core/context.h>
#include <core/execution.h>
#include <core/image.h>
#include <core/operations.h>
#include <unistd.h>
#include <vedette_emulation/faults.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "suite.h"
#include "test_list.h"

namespace vedette::ops {

namespace {

namespace fs = std::filesystem;
using vedette_emulation::calls_of;

const char* argument(int index) {
    const auto& suite = boost::unit_test::framework::master_test_suite();
    BOOST_REQUIRE_MESSAGE(suite.argc == 3, "usage: ops_bands_test [options] -- vedette-cuda-emulated.so FOLDER");
    return suite.argv[index];
}

struct Ran {
    Outcome outcome;
    std::uint64_t launches;
};

// A device of its own for one run, so that nothing is kept from another; 0 bytes: as much as there is.
Ran run_with(std::size_t bytes, const Operation& operation) {
    vedette_emulation::reset_faults();
    const Backend backend(argument(1), {});
    if (bytes != 0) vedette_emulation::set_device_memory(vedette_emulation::device_bytes_in_use(0) + bytes);
    const std::uint64_t before = calls_of("cudaLaunchKernelEx");
    Ran ran;
    ran.outcome = backend.run(operation);
    ran.launches = calls_of("cudaLaunchKernelEx") - before;
    vedette_emulation::reset_faults();
    return ran;
}

template <class Params>
Params params_of_kind() {
    Params params{};
    params.struct_size = sizeof params;
    return params;
}

// A picture with a third of the memory for input and output, and with all it wants, in every variant.
void check_picture(Operation operation, const TestImage& in, const TestImage& out) {
    const std::size_t third = (in.bytes().size() + out.bytes().size()) / 3;
    operation.inputs.insert(operation.inputs.begin(), in.ptr());
    for (operation.variant = 0;; ++operation.variant) {
        TestImage whole = out, banded = out;
        operation.outputs = {whole.ptr()};
        const Ran plenty = run_with(0, operation);
        BOOST_REQUIRE_MESSAGE(plenty.outcome.code == VDT_OK, plenty.outcome.text);
        operation.outputs = {banded.ptr()};
        const Ran little = run_with(third, operation);
        BOOST_REQUIRE_MESSAGE(little.outcome.code == VDT_OK, little.outcome.text);
        BOOST_TEST(little.launches > plenty.launches);
        BOOST_CHECK_MESSAGE(banded.bytes() == whole.bytes(), "variant " << operation.variant);
        if (operation.variant + 1 >= plenty.outcome.support.variant_count) break;
    }
}

constexpr std::uint32_t width = 240, height = 400;

}  // namespace

BOOST_AUTO_TEST_CASE(converted) {
    Random random(1);
    auto params = params_of_kind<vdt_convert_params>();
    params.scale = 0.5;
    Operation operation;
    operation.op = VDT_OP_CONVERT;
    operation.params = &params;
    for (const Layout layout : {Layout::tight, Layout::upward})
        check_picture(operation, random_image(random, VDT_FORMAT_BGR8, width, height, layout),
                      TestImage(VDT_FORMAT_PLANAR_BGRF32, width, height, layout));
}

BOOST_AUTO_TEST_CASE(filtered) {
    Random random(2);
    const std::vector<float> across{0.2f, -0.1f, 0.5f}, down{0.1f, 0.3f, -0.4f, 0.2f, 0.1f, 0.05f, 0.6f};
    auto params = params_of_kind<vdt_filter_params>();
    params.kind = VDT_FILTER_SEPARABLE;
    params.kernel_w = 3;
    params.kernel_h = 7;
    params.anchor_x = -1;
    params.anchor_y = 5;
    params.border_value = 77;
    params.kernel_x = across.data();
    params.kernel_y = down.data();
    Operation operation;
    operation.op = VDT_OP_FILTER;
    operation.params = &params;
    for (const std::uint32_t border :
         {VDT_BORDER_CONSTANT, VDT_BORDER_REPLICATE, VDT_BORDER_REFLECT, VDT_BORDER_REFLECT_101}) {
        params.border = border;
        BOOST_TEST_CONTEXT("border " << border)
        check_picture(operation, random_image(random, VDT_FORMAT_BGR8, width, height),
                      TestImage(VDT_FORMAT_BGR8, width, height));
    }
    params.border = VDT_BORDER_REFLECT;
    check_picture(operation, random_image(random, VDT_FORMAT_PLANAR_BGRF32, width, height),
                  TestImage(VDT_FORMAT_PLANAR_BGRF32, width, height));
}

// Its first rows stand on the last ones: no bands, but the host is told why.
BOOST_AUTO_TEST_CASE(a_border_that_wraps_has_no_bands) {
    Random random(3);
    auto params = params_of_kind<vdt_filter_params>();
    params.kind = VDT_FILTER_BOX;
    params.border = VDT_BORDER_WRAP;
    params.kernel_w = params.kernel_h = 3;
    params.anchor_x = params.anchor_y = -1;
    const TestImage in = random_image(random, VDT_FORMAT_BGR8, width, height);
    TestImage out(VDT_FORMAT_BGR8, width, height);
    Operation operation;
    operation.op = VDT_OP_FILTER;
    operation.params = &params;
    operation.inputs = {in.ptr()};
    operation.outputs = {out.ptr()};
    BOOST_TEST(run_with(0, operation).outcome.code == VDT_OK);
    const Outcome outcome = run_with(in.bytes().size() / 3, operation).outcome;
    BOOST_TEST(outcome.code == VDT_E_OUT_OF_MEMORY, outcome.text);
}

BOOST_AUTO_TEST_CASE(resized) {
    Random random(4);
    struct Case {
        std::uint32_t method, flags;
        vdt_format in, out;
        Size size;
    };
    for (const Case& one :
         {Case{VDT_RESIZE_HALF_PIXEL, 0, VDT_FORMAT_BGR8, VDT_FORMAT_BGR8, {201, 611}},
          Case{VDT_RESIZE_ALIGNED_CORNERS, 0, VDT_FORMAT_BGR8, VDT_FORMAT_PLANAR_BGRF32, {160, 313}},
          Case{VDT_RESIZE_AREA, 0, VDT_FORMAT_BGR8, VDT_FORMAT_BGR8, {101, 139}},
          Case{VDT_RESIZE_AREA, 0, VDT_FORMAT_GRAYF32, VDT_FORMAT_GRAYF32, {101, 139}},
          Case{VDT_RESIZE_AREA, 0, VDT_FORMAT_BGR8, VDT_FORMAT_BGR8, {2, 97}},
          Case{VDT_RESIZE_HALF_PIXEL, VDT_RESIZE_LETTERBOX, VDT_FORMAT_BGR8, VDT_FORMAT_BGR8, {90, 700}},
          Case{VDT_RESIZE_AREA, VDT_RESIZE_LETTERBOX, VDT_FORMAT_BGR8, VDT_FORMAT_PLANAR_BGRF32, {90, 500}}}) {
        auto params = params_of_kind<vdt_resize_params>();
        params.method = one.method;
        params.flags = one.flags;
        params.fill = 9;
        params.scale = 0.01;
        params.offset = -1;
        Operation operation;
        operation.op = VDT_OP_RESIZE;
        operation.params = &params;
        BOOST_TEST_CONTEXT("method " << one.method << ", flags " << one.flags << ", to " << one.size)
        check_picture(operation, random_image(random, one.in, width, height),
                      TestImage(one.out, one.size.width, one.size.height));
    }
}

BOOST_AUTO_TEST_CASE(mapped) {
    Random random(5);
    const TestImage scene = random_image(random, VDT_FORMAT_GRAY8, 150, 300);
    const TestImage pattern = scene.crop(30, 170, 13, 9), none = TestImage::none();
    auto params = params_of_kind<vdt_template_map_params>();
    Operation operation;
    operation.op = VDT_OP_TEMPLATE_MAP;
    operation.params = &params;
    operation.inputs = {pattern.ptr(), none.ptr()};
    for (const std::uint32_t method : {VDT_MATCH_CCOEFF_NORMED, VDT_MATCH_SQDIFF}) {
        params.method = method;
        check_picture(operation, scene, TestImage(VDT_FORMAT_GRAYF32, 138, 292));
    }
}

BOOST_AUTO_TEST_CASE(found) {
    Random random(6);
    TestImage scene = random_image(random, VDT_FORMAT_GRAY8, 300, 320);
    const TestImage first = scene.crop(40, 155, 8, 6), second = scene.crop(170, 20, 6, 4), none = TestImage::none();
    scene.paste(first, 200, 300);
    scene.paste(second, 111, 160);
    const vdt_rect exclude[] = {{30, 100, 60, 40}, {0, 250, 300, 12}, {-50, -50, 20, 30}};
    auto params = params_of_kind<vdt_template_find_params>();
    params.pattern_count = 2;
    Operation operation;
    operation.op = VDT_OP_TEMPLATE_FIND;
    operation.params = &params;
    operation.inputs = {scene.ptr(), first.ptr(), none.ptr(), second.ptr(), none.ptr()};
    constexpr std::size_t little = std::size_t{2} << 20;  // holds the hits and the candidates, not the scores
    for (const std::uint32_t flags : {0u, std::uint32_t{VDT_FIND_LOCAL_MAXIMA}, std::uint32_t{VDT_FIND_BEST_ONLY}})
        for (const bool parts : {false, true}) {
            params.flags = flags;
            params.threshold = parts ? 0.5 : 0.8;
            params.max_results = parts ? 7 : 400;
            params.region = parts ? vdt_rect{5, 10, 290, 309} : vdt_rect{};
            params.exclude = parts ? exclude : nullptr;
            params.exclude_count = parts ? 3 : 0;
            for (operation.variant = 0; operation.variant < 2; ++operation.variant)
                BOOST_TEST_CONTEXT("flags " << flags << ", parts " << parts << ", variant " << operation.variant) {
                    TestList whole(500), banded(500);
                    operation.lists_out = {whole.ptr()};
                    const Ran plenty = run_with(0, operation);
                    operation.lists_out = {banded.ptr()};
                    const Ran few = run_with(little, operation);
                    BOOST_REQUIRE_MESSAGE(few.outcome.code == plenty.outcome.code, few.outcome.text);
                    BOOST_TEST(few.launches > plenty.launches);
                    BOOST_TEST(whole.ptr()->count > 0u);
                    BOOST_TEST(banded.ptr()->count == whole.ptr()->count);
                    BOOST_TEST(banded.ptr()->needed == whole.ptr()->needed);
                    const auto a = whole.items(), b = banded.items();
                    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
                        BOOST_CHECK_MESSAGE(std::memcmp(&a[i], &b[i], sizeof a[i]) == 0, i << ": " << b[i].x << ","
                                                                                           << b[i].y << " instead of "
                                                                                           << a[i].x << "," << a[i].y);
                }
        }
}

// Flat patterns are named by their number, as when all are searched together.
BOOST_AUTO_TEST_CASE(wrong_patterns_are_named) {
    Random random(7);
    const TestImage scene = random_image(random, VDT_FORMAT_GRAY8, 300, 320);
    const TestImage good = scene.crop(40, 155, 8, 11), flat = flat_image(VDT_FORMAT_GRAY8, 8, 11, 5);
    const TestImage none = TestImage::none();
    auto params = params_of_kind<vdt_template_find_params>();
    params.pattern_count = 2;
    params.max_results = 5;
    TestList list(5);
    Operation operation;
    operation.op = VDT_OP_TEMPLATE_FIND;
    operation.params = &params;
    operation.inputs = {scene.ptr(), good.ptr(), none.ptr(), flat.ptr(), none.ptr()};
    operation.lists_out = {list.ptr()};
    const Outcome outcome = run_with(50000, operation).outcome;
    BOOST_TEST(outcome.code == VDT_E_ARGUMENT);
    BOOST_TEST(outcome.text.find("pattern 1 has no variance") != std::string::npos, outcome.text);
}

// What has no bands is done by the next backend, and the device serves again when there is memory.
BOOST_AUTO_TEST_CASE(the_host_goes_on_with_the_next_backend) {
    std::string place = (fs::temp_directory_path() / "vedette-bands-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(place.data()) != nullptr);
    fs::copy_file(argument(1), fs::path(place) / "cuda.so");
    std::ofstream(fs::path(place) / "cuda.json")
        << R"({"schema": 1, "id": "cuda", "library": "cuda.so", "abi": {"major": 1, "minor_min": 0, "minor_max": 1}})";
    vedette_emulation::reset_faults();
    {
        host::ContextOptions options;
        options.config_text = R"({"trial_seconds": 0, "threads": 1, "model": {"profiles": false},
                                  "backends": {"opencl": {"enabled": false}, "opencv": {"enabled": false}}})";
        options.plugin_directory = place;
        options.library_directory = argument(2);
        host::Context context(options);
        context.set_preferable_backend("cuda");
        Random random(8);
        const TestImage in = random_image(random, VDT_FORMAT_GRAY8, width, height);
        TestImage sums(VDT_FORMAT_I32, width + 1, height + 1);
        const auto params = params_of_kind<vdt_integral_params>();
        auto wanted = params;
        wanted.flags = VDT_INTEGRAL_SUM;
        host::Operation operation;
        operation.op = VDT_OP_INTEGRAL;
        operation.params = &wanted;
        operation.inputs = {host::OperationImage::of(in.view())};
        operation.outputs = {host::OperationImage::of(sums.view())};
        const auto run = [&] {
            host::RunReport report;
            BOOST_TEST(host::run_operation(context, operation, "", nullptr, report) == VDT_OK);
            return report;
        };
        BOOST_TEST(run().backend == "cuda");
        const std::vector<std::uint8_t> expected = sums.bytes();
        sums = TestImage(VDT_FORMAT_I32, width + 1, height + 1);
        operation.outputs = {host::OperationImage::of(sums.view())};
        // Another size is another plan, which finds no memory.
        const TestImage other = in.crop(0, 0, width - 1, height - 1);
        TestImage smaller(VDT_FORMAT_I32, width, height);
        operation.inputs = {host::OperationImage::of(other.view())};
        operation.outputs = {host::OperationImage::of(smaller.view())};
        vedette_emulation::set_device_memory(1000);
        const host::RunReport report = run();
        BOOST_TEST(report.backend == "cpu");
        BOOST_TEST(report.choice.find("cuda failed (") != std::string::npos, report.choice);
        BOOST_TEST(report.choice.find("memory") != std::string::npos, report.choice);
        vedette_emulation::reset_faults();
        operation.inputs = {host::OperationImage::of(in.view())};
        operation.outputs = {host::OperationImage::of(sums.view())};
        BOOST_TEST(run().backend == "cuda");
        BOOST_TEST(sums.bytes() == expected);
    }
    fs::remove_all(place);
}

}  // namespace vedette::ops
