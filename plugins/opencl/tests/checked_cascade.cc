// A cascade so small that a checker interprets every kernel of cascade_detect and of grouping in seconds: ten stages,
// so that windows go through first_stage, next_stages and, one to a group, last_stages, on a picture of 40 x 30. Both
// variants find the same, and something. Arguments: the plugin, then its options.
#include "ops/plugin_fixture.h"
#include "ops/test_image.h"
#include "ops/test_list.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace vedette::ops;

// Every stage has two stumps; stages 3 and 9 reject some windows, and the thresholds of others are sums of leaves,
// which are added in double precision then.
std::string cascade(bool trees) {
    std::string text =
        "<?xml version=\"1.0\"?><opencv_storage><cascade type_id=\"opencv-cascade-classifier\"><stageType>BOOST"
        "</stageType><featureType>HAAR</featureType><height>8</height><width>8</width><featureParams><maxCatCount>0"
        "</maxCatCount></featureParams><stageNum>10</stageNum><stages>";
    const std::string first = trees ? "<internalNodes>1 0 0 0.01 -1 -2 1 -0.01</internalNodes><leafValues>0.5 0.25 -0.5"
                                    : "<internalNodes>0 -1 0 0.01</internalNodes><leafValues>0.5 -0.5";
    for (int stage = 0; stage < 10; ++stage) {
        const char* const threshold = stage == 3 || stage == 9 ? "0." : stage % 2 == 0 ? "-0.75" : "-5.";
        text += std::string("<_><maxWeakCount>2</maxWeakCount><stageThreshold>") + threshold +
                "</stageThreshold><weakClassifiers><_>" + first +
                "</leafValues></_><_><internalNodes>0 -1 1 -0.005</internalNodes><leafValues>-0.25 0.25</leafValues>"
                "</_></weakClassifiers></_>";
    }
    return text +
           "</stages><features><_><rects><_>0 0 8 4 1.</_><_>0 4 8 4 -1.</_></rects><tilted>0</tilted></_>"
           "<_><rects><_>0 0 8 8 -1.</_><_>2 2 4 4 3.</_><_>6 0 2 8 0.5</_></rects><tilted>0</tilted></_></features>"
           "</cascade></opencv_storage>";
}

std::vector<vdt_item> found(const Backend& backend, const TestImage& image, const std::string& text, int neighbors,
                            std::uint32_t variant) {
    vdt_cascade_params params{};
    params.struct_size = sizeof params;
    params.cascade = text.data();
    params.cascade_bytes = text.size();
    params.scale_factor = 1.9;
    params.min_neighbors = neighbors;
    TestList list(2000);
    Operation operation;
    operation.op = VDT_OP_CASCADE_DETECT;
    operation.variant = variant;
    operation.params = &params;
    operation.inputs = {image.ptr()};
    operation.lists_out = {list.ptr()};
    const Outcome outcome = backend.run(operation);
    if (outcome.code != VDT_OK) throw std::runtime_error(outcome.text);
    if (!list.guards_intact()) throw std::runtime_error("a list was written beyond its end");
    return list.items();
}

bool same(const vdt_item& a, const vdt_item& b) {
    return a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h && a.score == b.score && a.neighbors == b.neighbors;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    try {
        const Backend backend(argv[1], std::vector<std::string>(argv + 2, argv + argc));
        std::mt19937 random(5);
        TestImage image(VDT_FORMAT_GRAY8, 40, 30);
        const auto first = static_cast<std::uint32_t>(random());
        // The same noise at four pixels, so that windows of the larger scale lie side by side.
        image.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t) {
            const std::uint32_t number = (y / 2 * 20 + x / 2) * 2654435761u + first;
            return x * 2 + y * 3 + (number >> 24) / 4;
        });
        for (const bool trees : {false, true})
            for (const int neighbors : {0, 1}) {
                const std::string text = cascade(trees);
                const std::vector<vdt_item> items = found(backend, image, text, neighbors, 0);
                const std::vector<vdt_item> others = found(backend, image, text, neighbors, 1);
                std::printf("%s, at least %d neighbours: %zu windows\n", trees ? "trees" : "stumps", neighbors,
                            items.size());
                if (items.empty() || !std::equal(items.begin(), items.end(), others.begin(), others.end(), same)) {
                    std::printf("the variants find %zu and %zu windows\n", items.size(), others.size());
                    return 1;
                }
            }
    } catch (const CannotUse& error) {
        std::printf("skip: %s\n", error.what());
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
    return 0;
}
