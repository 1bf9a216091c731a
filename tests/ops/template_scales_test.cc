// template_find with scales against the host's own shrinking and brute force at every size.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "find/resample.h"
#include "find_search.h"
#include "suite.h"

namespace vedette::ops {

namespace {

host::Image host_image(const TestImage& image) {
    const std::uint32_t channels = image.format() == VDT_FORMAT_BGR8 ? 3 : 1;
    host::Image out(image.format(), image.width(), image.height());
    for (std::uint32_t y = 0; y < image.height(); ++y)
        for (std::uint32_t x = 0; x < image.width() * channels; ++x)
            out.row(y)[x] = static_cast<std::uint8_t>(image.at(x / channels, y, x % channels));
    return out;
}

TestImage test_image(const host::Image& image) {
    const std::uint32_t channels = image.format() == VDT_FORMAT_BGR8 ? 3 : 1;
    TestImage out(image.format(), image.width(), image.height());
    out.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t c) { return image.row(y)[x * channels + c]; });
    return out;
}

TestImage shrunk(const TestImage& image, std::uint32_t width, std::uint32_t height) {
    return test_image(host::shrink(host_image(image), width, height, host::Workers()));
}

bool has_structure(const TestImage& pattern, const TestImage& mask) {
    return reference::score_at(pattern.view(), pattern.view(), mask.ptr(), 0, 0) == 1;
}

// Brute force at every factor, put together in the order of ops.h; max_results as given.
std::vector<vdt_item> expected_at_scales(const Search& search) {
    std::vector<vdt_item> all;
    for (std::uint32_t i = 0; i < search.scales.size(); ++i) {
        const double factor = search.scales[i];
        const auto side = [](std::uint32_t whole, double by) { return std::min(whole, host::scaled_side(whole, by)); };
        const std::uint32_t width = side(search.scene.width(), std::min(1.0, 1 / factor)),
                            height = side(search.scene.height(), std::min(1.0, 1 / factor));
        const double step_x = static_cast<double>(search.scene.width()) / width,
                     step_y = static_cast<double>(search.scene.height()) / height;
        Search at(shrunk(search.scene, width, height));
        at.threshold = search.threshold;
        at.flags = search.flags;
        const vdt_rect whole{0, 0, static_cast<std::int32_t>(search.scene.width()),
                             static_cast<std::int32_t>(search.scene.height())};
        const vdt_rect& region = search.region.w == 0 ? whole : search.region;
        const auto first = [](std::int32_t begin, double step) {
            return static_cast<std::int32_t>(std::ceil(begin / step - 1e-9));
        };
        const auto last = [](std::int32_t end, double step) {
            return static_cast<std::int32_t>(std::floor(end / step + 1e-9));
        };
        at.region.x = first(region.x, step_x);
        at.region.y = first(region.y, step_y);
        at.region.w = last(region.x + region.w, step_x) - at.region.x;
        at.region.h = last(region.y + region.h, step_y) - at.region.y;
        if (at.region.w <= 0 || at.region.h <= 0) continue;
        for (const vdt_rect& area : search.exclude) {
            const auto left = static_cast<std::int32_t>(std::floor(area.x / step_x + 1e-9)),
                       top = static_cast<std::int32_t>(std::floor(area.y / step_y + 1e-9));
            at.exclude.push_back({left, top,
                                  static_cast<std::int32_t>(std::ceil((area.x + area.w) / step_x - 1e-9)) - left,
                                  static_cast<std::int32_t>(std::ceil((area.y + area.h) / step_y - 1e-9)) - top});
        }
        std::vector<std::uint32_t> patterns;
        for (std::uint32_t p = 0; p < search.patterns.size(); ++p) {
            const TestImage &pattern = search.patterns[p], &mask = search.masks[p];
            const std::uint32_t w = side(pattern.width(), std::min(1.0, factor)),
                                h = side(pattern.height(), std::min(1.0, factor));
            const TestImage smaller = shrunk(pattern, w, h);
            std::uint64_t counted = 1;
            const TestImage taken = mask.format() == VDT_FORMAT_NONE
                                        ? TestImage::none()
                                        : test_image(host::shrink_mask(host_image(mask), w, h, counted));
            if (counted == 0 || !has_structure(smaller, taken)) continue;
            at.add(smaller, taken);
            patterns.push_back(p);
        }
        if (patterns.empty()) continue;
        for (vdt_item item : expected_of(at)) {
            item.pattern = patterns[item.pattern];
            item.scale = i;
            item.x = static_cast<float>(item.x * step_x);
            item.y = static_cast<float>(item.y * step_y);
            item.w = static_cast<float>(item.w * step_x);
            item.h = static_cast<float>(item.h * step_y);
            all.push_back(item);
        }
    }
    std::sort(all.begin(), all.end(), [](const vdt_item& a, const vdt_item& b) {
        return std::tuple(a.pattern, -a.score, a.y, a.x, a.scale) < std::tuple(b.pattern, -b.score, b.y, b.x, b.scale);
    });
    std::vector<vdt_item> kept;
    std::vector<std::uint32_t> of_pattern(search.patterns.size());
    const std::uint32_t most = (search.flags & VDT_FIND_BEST_ONLY) != 0 ? 1 : search.max_results;
    for (const vdt_item& item : all)
        if (++of_pattern[item.pattern] <= most) kept.push_back(item);
    return kept;
}

void check(const Search& search) {
    const Found found = find_on(backend(), search);
    BOOST_REQUIRE_MESSAGE(found.code == VDT_OK, "code " << found.code << ": " << found.text);
    std::vector<vdt_item> should = expected_at_scales(search);
    BOOST_REQUIRE_EQUAL(found.items.size(), should.size());
    for (std::size_t i = 0; i < should.size(); ++i) {
        // Rounded so that the item does not reach beyond the scene.
        const vdt_item& is = found.items[i];
        BOOST_CHECK_LE(double{is.x} + double{is.w}, static_cast<double>(search.scene.width()));
        BOOST_CHECK_LE(double{is.y} + double{is.h}, static_cast<double>(search.scene.height()));
        BOOST_CHECK_SMALL(is.w - should[i].w, 1e-3F);
        BOOST_CHECK_SMALL(is.h - should[i].h, 1e-3F);
        should[i].w = is.w;
        should[i].h = is.h;
    }
    const std::string wrong = list_difference(found.items, should);
    BOOST_CHECK_MESSAGE(wrong.empty(), wrong);
}

bool has_scales() {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return false;
    Random random(1);
    Search search(screen_image(random, VDT_FORMAT_GRAY8, 30, 20));
    search.add(random_image(random, VDT_FORMAT_GRAY8, 5, 4));
    search.scales = {0.9};
    if (!VDT_IS_UNSUPPORTED(find_on(backend(), search).code)) return true;
    BOOST_TEST_MESSAGE("skipped: " << backend().name() << " searches at scale 1 only");
    return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(template_find)

BOOST_AUTO_TEST_CASE(scales_as_shrunk_one_by_one) {
    if (!has_scales()) return;
    Random random(31);
    for (const vdt_format format : {VDT_FORMAT_GRAY8, VDT_FORMAT_BGR8})
        for (const double threshold : {0.3, 0.75}) {
            Search search(screen_image(random, format, 131, 97, Layout::odd));
            search.add(search.scene.crop(40, 30, 21, 17));
            search.add(random_image(random, format, 40, 9, Layout::upward));
            TestImage mask = random_mask(random, 24, 18, 0.97);
            mask.set(0, 0, 0, 1);
            search.add(random_image(random, format, 24, 18), mask);
            search.threshold = threshold;
            search.scales = {0.5, 2, 0.8, 1, 1.3, 1.37, 0.51, 3.1, 6, 0.1};
            for (const std::uint32_t flags :
                 {0u, std::uint32_t{VDT_FIND_LOCAL_MAXIMA}, std::uint32_t{VDT_FIND_BEST_ONLY}}) {
                search.flags = flags;
                search.region = {};
                search.exclude.clear();
                check(search);
                search.region = {13, 7, 101, 71};
                search.exclude = {{60, 40, 9, 8}, {-5, -5, 20, 20}, {90, 10, 0, 9}, {100, 60, 1000, 1000}};
                check(search);
                search.max_results = 3;
                check(search);
                search.max_results = 1U << 30U;
            }
        }
}

// What was shrunk to be looked for is found at its size, and as the best one.
BOOST_AUTO_TEST_CASE(the_best_of_all_scales) {
    if (!has_scales()) return;
    Random random(32);
    Search search(screen_image(random, VDT_FORMAT_GRAY8, 200, 150));
    const TestImage pattern = random_image(random, VDT_FORMAT_GRAY8, 48, 32);
    search.scene.paste(shrunk(pattern, 36, 24), 90, 70);
    search.add(pattern);
    search.scales = {0.6, 0.75, 1, 1.5};
    search.threshold = 0.5;
    search.flags = VDT_FIND_BEST_ONLY;
    const Found found = find_on(backend(), search);
    BOOST_REQUIRE_EQUAL(found.items.size(), 1U);
    BOOST_CHECK_EQUAL(found.items[0].score, 1);
    BOOST_CHECK_EQUAL(found.items[0].scale, 1U);
    BOOST_CHECK_EQUAL(found.items[0].x, 90);
    BOOST_CHECK_EQUAL(found.items[0].w, 36);
    check(search);
}

BOOST_AUTO_TEST_CASE(scales_that_cannot_be) {
    if (!has_scales()) return;
    Random random(33);
    Search search(screen_image(random, VDT_FORMAT_GRAY8, 40, 30));
    search.add(random_image(random, VDT_FORMAT_GRAY8, 9, 7));
    for (const double factor : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
        search.scales = {1, factor};
        const Found found = find_on(backend(), search);
        BOOST_CHECK_EQUAL(found.code, VDT_E_ARGUMENT);
        BOOST_CHECK(found.text.find("scale") != std::string::npos);
    }
    // Sizes of a pixel, and beyond all bounds.
    search.scales = {1e-9, 1e9, 1e300, 1e-300};
    check(search);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
