// Features, their strongest, hits that are cut to the best, filters that are not separable and averages over large
// areas, each so small that a checker interprets its kernels in seconds. That the values are right is for the tests of
// the operations; here something must come out. Arguments: the plugin, then its options.
#include "ops/plugin_fixture.h"
#include "ops/test_image.h"
#include "ops/test_list.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace vedette::ops;

void need(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error(what);
}

void run(const Backend& backend, const Operation& operation, const std::string& what) {
    const Outcome outcome = backend.run(operation);
    need(outcome.code >= VDT_OK, what + ": " + outcome.text);
}

// Two round spots, which SIFT finds whatever its precision.
TestImage spots() {
    TestImage image(VDT_FORMAT_GRAY8, 34, 28);
    image.fill([](std::uint32_t x, std::uint32_t y, std::uint32_t) {
        const auto spot = [&](double at_x, double at_y, double size) {
            return std::exp(-(std::pow(x - at_x, 2) + std::pow(y - at_y, 2)) / (2 * size * size));
        };
        return 40 + 180 * spot(11, 12, 2) + 150 * spot(24, 15, 2.5) + x;
    });
    return image;
}

std::uint64_t features(const Backend& backend, const TestImage& image, std::uint32_t most) {
    constexpr std::uint32_t room = 64, length = 128;
    TestImage descriptors(VDT_FORMAT_GRAYF32, length, room), no_mask = TestImage::none();
    std::array<vdt_keypoint, room> keypoints{};
    vdt_list list{};
    list.struct_size = sizeof list;
    list.item_size = sizeof(vdt_keypoint);
    list.capacity = room;
    list.items = keypoints.data();
    vdt_features_params params{};
    params.struct_size = sizeof params;
    params.max_features = most;
    params.octave_layers = 3;
    params.contrast_threshold = 0.01;
    params.edge_threshold = 10;
    params.sigma = 1.6;
    Operation operation;
    operation.op = VDT_OP_FEATURES;
    operation.params = &params;
    operation.inputs = {image.ptr(), no_mask.ptr()};
    operation.outputs = {descriptors.ptr()};
    operation.lists_out = {&list};
    run(backend, operation, "features");
    need(descriptors.guards_intact(), "features wrote beyond the descriptors");
    return list.count;
}

std::uint64_t hits(const Backend& backend, const TestImage& scene, std::uint32_t flags, std::uint32_t most) {
    const TestImage pattern = scene.crop(9, 10, 5, 4), no_mask = TestImage::none();
    TestList list(2000);
    vdt_template_find_params params{};
    params.struct_size = sizeof params;
    params.flags = flags;
    params.threshold = -1;
    params.pattern_count = 1;
    params.max_results = most;
    Operation operation;
    operation.op = VDT_OP_TEMPLATE_FIND;
    operation.params = &params;
    operation.inputs = {scene.ptr(), pattern.ptr(), no_mask.ptr()};
    operation.lists_out = {list.ptr()};
    run(backend, operation, "template_find");
    need(list.guards_intact(), "template_find wrote beyond its list");
    return list.items().size();
}

void filter(const Backend& backend, const TestImage& image, std::uint32_t variant) {
    const std::array<float, 9> kernel = {0, 1, 0, 1, -3, 1, 0, 1, 0.5F};
    TestImage out(VDT_FORMAT_GRAY8, image.width(), image.height());
    vdt_filter_params params{};
    params.struct_size = sizeof params;
    params.kind = VDT_FILTER_GENERAL;
    params.border = VDT_BORDER_REFLECT_101;
    params.kernel_w = params.kernel_h = 3;
    params.anchor_x = params.anchor_y = -1;
    params.kernel_x = kernel.data();
    Operation operation;
    operation.op = VDT_OP_FILTER;
    operation.variant = variant;
    operation.params = &params;
    operation.inputs = {image.ptr()};
    operation.outputs = {out.ptr()};
    run(backend, operation, "filter");
    need(out.guards_intact(), "filter wrote beyond its output");
}

void average(const Backend& backend, const TestImage& image) {
    TestImage out(VDT_FORMAT_GRAY8, 2, 2);
    vdt_resize_params params{};
    params.struct_size = sizeof params;
    params.method = VDT_RESIZE_AREA;
    Operation operation;
    operation.op = VDT_OP_RESIZE;
    operation.params = &params;
    operation.inputs = {image.ptr()};
    operation.outputs = {out.ptr()};
    run(backend, operation, "resize");
    need(out.guards_intact(), "resize wrote beyond its output");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    try {
        const Backend backend(argv[1], std::vector<std::string>(argv + 2, argv + argc));
        const TestImage image = spots();
        const std::uint64_t all = features(backend, image, 0);
        need(all >= 2, "two spots give " + std::to_string(all) + " keypoints");
        need(features(backend, image, 1) == 1, "the strongest keypoint is not one");
        const std::uint64_t positions = hits(backend, image, 0, 2000);
        need(positions > 20, "at -1 a pattern has " + std::to_string(positions) + " hits");
        need(hits(backend, image, 0, 3) == 3, "hits are not cut to the best three");
        need(hits(backend, image, VDT_FIND_LOCAL_MAXIMA, 2) == 2, "local maxima are not cut to the best two");
        need(hits(backend, image, VDT_FIND_BEST_ONLY, 10) == 1, "the best hit is not one");
        for (const std::uint32_t variant : {0U, 1U}) filter(backend, image, variant);
        average(backend, image);
        std::printf("%llu keypoints, %llu hits\n", static_cast<unsigned long long>(all),
                    static_cast<unsigned long long>(positions));
    } catch (const CannotUse& error) {
        std::printf("skip: %s\n", error.what());
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
    return 0;
}
