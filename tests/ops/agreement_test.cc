// Two backends that promise exact answers give the same list, bit for bit, on made and on real screens.
// usage: ops_agreement_test [Boost.Test options] -- PLUGIN_A.so PLUGIN_B.so
#define BOOST_TEST_MODULE vedette_agreement
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "find_search.h"
#include "imageio/read_image.h"

namespace vedette::ops {

namespace {

std::unique_ptr<Backend> first, second;

struct Load {
    Load() {
        const auto& suite = boost::unit_test::framework::master_test_suite();
        if (suite.argc != 3) throw std::runtime_error("usage: ops_agreement_test [options] -- PLUGIN_A.so PLUGIN_B.so");
        first = std::make_unique<Backend>(suite.argv[1], std::vector<std::string>{});
        second = std::make_unique<Backend>(suite.argv[2], std::vector<std::string>{});
    }
    ~Load() {
        first.reset();
        second.reset();
    }
};
BOOST_TEST_GLOBAL_FIXTURE(Load);

void check_agreement(const Search& search) {
    const Found a = find_on(*first, search), b = find_on(*second, search);
    BOOST_REQUIRE_MESSAGE(a.code == VDT_OK, a.text);
    BOOST_REQUIRE_MESSAGE(b.code == VDT_OK, b.text);
    BOOST_CHECK_EQUAL(a.needed, b.needed);
    const std::string wrong = list_difference(a.items, b.items);
    BOOST_CHECK_MESSAGE(wrong.empty(), first->name() << " against " << second->name() << ": " << wrong);
}

// `format`: GRAY8 or BGR8; an alpha is dropped, gray is by the ABI's formula.
TestImage image_from(const host::Image& from, vdt_format format) {
    TestImage image(format, from.width(), from.height());
    const vdt_convert_params params{sizeof params, 0, 1, 0};
    const Plane plane = reference::convert(from.view(), format, params);
    image.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t c) { return plane.at(x, y, c); });
    return image;
}

// Opaque is taken.
TestImage mask_from(const host::Image& from) {
    if (from.format() != VDT_FORMAT_BGRA8) return TestImage::none();
    TestImage mask(VDT_FORMAT_GRAY8, from.width(), from.height());
    const vdt_image view = from.view();
    mask.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t) {
        return reference::pixel(view, x, y, 3) == 255 ? 255 : 0;
    });
    return mask;
}

}  // namespace

BOOST_DATA_TEST_CASE(made_screens, bdata::xrange(12), seed) {
    Random random(static_cast<unsigned>(seed));
    const vdt_format format = seed % 2 != 0 ? VDT_FORMAT_BGR8 : VDT_FORMAT_GRAY8;
    Search search(screen_image(random, format, 700 + below(random, 300), 400 + below(random, 200)));
    for (const std::uint32_t side : {8u, 31u, 64u, 150u}) {
        const std::uint32_t w = side + below(random, side), h = side / 2 + below(random, side);
        TestImage pattern =
            search.scene.crop(below(random, search.scene.width() - w), below(random, search.scene.height() - h), w, h);
        pattern.set(0, 0, 0, pattern.at(0, 0) < 128 ? 255 : 0);  // never flat, and in the scene only nearly
        search.add(pattern);
    }
    for (const double threshold : {0.5, 0.9}) {
        search.threshold = threshold;
        search.max_results = threshold < 0.9 ? 5000 : 1u << 30;
        for (const std::uint32_t flags : {0u, 1u}) {
            search.flags = flags;
            check_agreement(search);
        }
    }
}

// A few screens and patterns of each public test suite.
BOOST_AUTO_TEST_CASE(real_screens) {
    const std::filesystem::path folder = std::filesystem::path(VEDETTE_SHARED_DIR) / "data/real";
    if (!std::filesystem::is_regular_file(folder / "cases.json")) {
        std::cout << "left out: " << folder << " is not there, so real screens are not tried\n";
        return;
    }
    const nlohmann::json cases = nlohmann::json::parse(std::ifstream(folder / "cases.json"))["cases"];
    std::set<std::string> sources;
    int searched = 0;
    for (const nlohmann::json& one : cases) {
        if (one["level"] == "cascade" || !sources.insert(one["source"]).second) continue;
        const host::Image screen = host::read_image((folder / one["screenshot"].get<std::string>()).string());
        const vdt_format format = searched % 3 == 2 ? VDT_FORMAT_GRAY8 : VDT_FORMAT_BGR8;
        if (std::uint64_t{screen.width()} * screen.height() > 2'100'000) continue;
        Search search(image_from(screen, format));
        for (const nlohmann::json& pattern : one["templates"]) {
            const host::Image image = host::read_image((folder / pattern["file"].get<std::string>()).string());
            const TestImage pixels = image_from(image, format), mask = mask_from(image);
            if (reference::score_at(pixels.view(), pixels.view(), mask.ptr(), 0, 0) != 1) continue;  // flat
            if (search.patterns.size() < 2) search.add(pixels, mask);
        }
        if (search.patterns.empty()) continue;
        search.threshold = 0.6;
        search.flags = VDT_FIND_LOCAL_MAXIMA;
        BOOST_TEST_CONTEXT(one["id"]) check_agreement(search);
        ++searched;
    }
    BOOST_CHECK_GT(searched, 5);
}

}  // namespace vedette::ops
