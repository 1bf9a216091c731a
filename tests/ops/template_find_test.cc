// template_find against brute force in exact integers: same items, same order, same bits of the score.
#include <cmath>
#include <thread>

#include "find_search.h"
#include "suite.h"

namespace vedette::ops {

namespace {

struct Sizes {
    std::uint32_t scene_w, scene_h, pattern_w, pattern_h;
};
std::ostream& operator<<(std::ostream& out, const Sizes& s) {
    return out << s.pattern_w << "x" << s.pattern_h << " on " << s.scene_w << "x" << s.scene_h;
}
const Sizes sizes[] = {{2, 1, 2, 1},     {9, 1, 4, 1},   {1, 9, 1, 5},     {12, 10, 12, 10}, {33, 20, 5, 3},
                       {70, 41, 17, 16}, {90, 64, 8, 8}, {67, 50, 33, 35}, {150, 40, 32, 9}, {101, 37, 64, 3}};
const double thresholds[] = {-1, 0, 0.5, 0.9, 1};

void check(const Search& search) {
    const Found found = find_on(backend(), search);
    BOOST_REQUIRE_MESSAGE(found.code == VDT_OK, "code " << found.code << ": " << found.text);
    const std::string wrong = list_difference(found.items, expected_of(search));
    BOOST_CHECK_MESSAGE(wrong.empty(), wrong);
}

// A piece of the scene that is not flat under `mask`.
TestImage textured_crop(Random& random, const TestImage& scene, std::uint32_t w, std::uint32_t h,
                        const TestImage& mask) {
    for (int attempt = 0; attempt < 200; ++attempt) {
        const auto x = std::uniform_int_distribution<std::uint32_t>(0, scene.width() - w)(random);
        const auto y = std::uniform_int_distribution<std::uint32_t>(0, scene.height() - h)(random);
        TestImage crop = scene.crop(x, y, w, h);
        if (reference::score_at(crop.view(), crop.view(), mask.ptr(), 0, 0) == 1) return crop;
    }
    return random_image(random, scene.format(), w, h);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(template_find)

BOOST_DATA_TEST_CASE(as_brute_force, bdata::make(sizes) * bdata::make(thresholds), size, threshold) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(size.scene_w * 3 + size.pattern_w);
    for (const vdt_format format : formats_in(backend().general(VDT_OP_TEMPLATE_FIND).input_formats))
        for (const bool screen : {false, true})
            for (const double taken : {-1.0, 0.6, 1.0}) {
                if (taken == 1 && threshold != 0.5) continue;  // one run of a mask that takes all is enough
                const Layout layout = all_layouts[(format + size.pattern_w + (screen ? 1u : 0u)) % 4];
                Search search(screen ? screen_image(random, format, size.scene_w, size.scene_h, layout)
                                     : random_image(random, format, size.scene_w, size.scene_h, layout));
                // At least the corners, so that two pixels are never all that is taken or nothing.
                TestImage mask =
                    taken < 0 ? TestImage::none() : random_mask(random, size.pattern_w, size.pattern_h, taken, layout);
                if (taken >= 0) {
                    mask.set(0, 0, 0, 1);
                    mask.set(size.pattern_w - 1, size.pattern_h - 1, 0, 255);
                }
                search.add(textured_crop(random, search.scene, size.pattern_w, size.pattern_h, mask).as(layout), mask);
                search.threshold = threshold;
                for (const std::uint32_t flags :
                     {0u, std::uint32_t{VDT_FIND_LOCAL_MAXIMA}, std::uint32_t{VDT_FIND_BEST_ONLY},
                      std::uint32_t{VDT_FIND_LOCAL_MAXIMA | VDT_FIND_BEST_ONLY}}) {
                    if ((flags & VDT_FIND_BEST_ONLY) != 0 && threshold != 0 && threshold != 0.9) continue;
                    search.flags = flags;
                    BOOST_TEST_CONTEXT(name_of(format) << (screen ? ", screen" : ", noise") << ", taken " << taken
                                                       << ", flags " << flags)
                    check(search);
                }
            }
}

BOOST_AUTO_TEST_CASE(several_patterns) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(12);
    Search search(screen_image(random, VDT_FORMAT_BGR8, 120, 90));
    for (const std::uint32_t side : {4u, 7u, 16u, 33u, 100u})
        search.add(textured_crop(random, search.scene, side, std::min(side, 90u), TestImage::none()));
    search.add(random_image(random, VDT_FORMAT_BGR8, 121, 5));  // wider than the scene: no items
    search.add(textured_crop(random, search.scene, 12, 12, TestImage::none()), random_mask(random, 12, 12, 0.7));
    for (const double threshold : {0.3, 0.95}) {
        search.threshold = threshold;
        check_variants(backend(), search);
    }
}

// As a tool asks for all its icons at once: a backend may search them together.
BOOST_AUTO_TEST_CASE(many_patterns_of_one_size) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    struct Many {
        std::uint32_t count, w, h;
    };
    for (const Many many : {Many{15, 9, 8}, {40, 40, 6}, {33, 16, 16}, {70, 8, 11}, {36, 40, 40}}) {
        Random random(many.count);
        Search search(screen_image(random, VDT_FORMAT_GRAY8, 131, 50));
        for (std::uint32_t i = 0; i < many.count; ++i)
            search.add(textured_crop(random, search.scene, many.w, many.h, TestImage::none()));
        search.threshold = 0.7;
        check(search);
        search.flags = VDT_FIND_LOCAL_MAXIMA;
        search.region = {5, 3, 117, 41};
        search.exclude = {{30, 10, 20, 15}};
        search.max_results = 5;
        BOOST_TEST_CONTEXT(many.count << " of " << many.w << "x" << many.h << ", best five") check(search);
        search.flags = VDT_FIND_BEST_ONLY;
        BOOST_TEST_CONTEXT(many.count << " of " << many.w << "x" << many.h << ", best") check(search);
    }
}

// Sums of products far from 0 whose windows differ by a grey level or two, beside windows that do not differ at all.
BOOST_AUTO_TEST_CASE(many_patterns_of_little_contrast) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    for (const std::uint32_t level : {0u, 254u}) {
        Random random(level);
        TestImage scene(VDT_FORMAT_GRAY8, 120, 60);
        scene.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t) {
            const bool busy = x < 70 && y < 40;
            return static_cast<std::uint8_t>(level + (busy && below(random, 12) == 0 ? 1u : 0u));
        });
        Search search(std::move(scene));
        for (int i = 0; i < 18; ++i) search.add(textured_crop(random, search.scene, 14, 10, TestImage::none()));
        for (const double threshold : {0.4, 0.9}) {
            search.threshold = threshold;
            BOOST_TEST_CONTEXT("level " << level << ", threshold " << threshold) check(search);
        }
    }
}

// Bounds that look at a part of the window only must not lose what lies beside it: patterns whose contrast is mostly in
// one border, at places of every parity.
BOOST_AUTO_TEST_CASE(contrast_in_a_border) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(21);
    for (const int border : {0, 1, 2, 3})
        for (const int inner : {0, 4, 30}) {
            TestImage pattern(VDT_FORMAT_GRAY8, 22, 18);
            pattern.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t) {
                const bool edge = border == 0 ? x == 0 : border == 1 ? x == 21 : border == 2 ? y == 0 : y == 17;
                const int noise = inner == 0 ? 0 : static_cast<int>(below(random, static_cast<unsigned>(2 * inner)));
                return (edge ? 190 : 90) + noise;
            });
            Search search(screen_image(random, VDT_FORMAT_GRAY8, 150, 90));
            const std::uint32_t places[][2] = {{4, 4}, {41, 4}, {80, 31}, {115, 50}, {10, 61}, {127, 71}};
            for (const auto& place : places) search.scene.paste(pattern, place[0], place[1]);
            search.add(pattern);
            for (const double threshold : {0.5, 0.8, 0.95}) {
                search.threshold = threshold;
                BOOST_TEST_CONTEXT("border " << border << ", inner contrast " << inner << ", >= " << threshold)
                check_variants(backend(), search);
            }
        }
}

// Whole areas that reach the threshold.
BOOST_AUTO_TEST_CASE(crowds_of_matches) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    TestImage scene(VDT_FORMAT_GRAY8, 200, 120);
    scene.fill([](std::uint32_t x, std::uint32_t y, std::uint32_t) {
        return static_cast<int>(128 + 60 * std::sin(x / 7.0) + 60 * std::sin(y / 9.0));
    });
    Search search(scene);
    search.add(scene.crop(20, 20, 12, 10)).add(scene.crop(61, 40, 12, 10)).add(scene.crop(100, 70, 20, 10));
    search.threshold = 0.2;
    for (const std::uint32_t flags : {std::uint32_t{VDT_FIND_LOCAL_MAXIMA}, 0u})
        for (const std::uint32_t max_results : {9u, 1u << 30}) {
            search.flags = flags;
            search.max_results = max_results;
            // Twice: what the first search learns must not change what the next one says.
            for (search.runs = 1; search.runs <= 2; ++search.runs) check(search);
        }
}

// Chequers and stripes: thousands of equal scores, so that only the order decides.
BOOST_AUTO_TEST_CASE(equal_scores) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    for (const std::uint32_t period : {1u, 2u, 5u}) {
        TestImage scene(VDT_FORMAT_GRAY8, 64, 40);
        scene.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t) {
            return (x / period + y / period) % 2 != 0 ? 255 : 0;
        });
        Search search(scene);
        search.add(scene.crop(0, 0, 12, 10));
        for (const std::uint32_t flags : {0u, 1u, 2u, 3u})
            for (const std::uint32_t max_results : {1u, 7u, 1u << 30}) {
                search.flags = flags;
                search.max_results = max_results;
                BOOST_TEST_CONTEXT("period " << period << ", flags " << flags << ", max " << max_results) check(search);
            }
    }
    // A plateau of equal neighbours: of two flat halves' edges the earlier in reading order stays.
    TestImage scene(VDT_FORMAT_GRAY8, 30, 30);
    scene.fill([](std::uint32_t x, std::uint32_t, std::uint32_t) { return x < 15 ? 20 : 220; });
    Search search(scene);
    search.add(scene.crop(11, 3, 8, 8));
    search.flags = VDT_FIND_LOCAL_MAXIMA;
    check(search);
}

BOOST_AUTO_TEST_CASE(extreme_pixels) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(5);
    for (const vdt_format format : {VDT_FORMAT_GRAY8, VDT_FORMAT_BGR8}) {
        TestImage scene(format, 80, 60);
        scene.fill([&](std::uint32_t, std::uint32_t, std::uint32_t) { return random() % 2 != 0 ? 255 : 0; });
        Search search(scene);
        search.add(scene.crop(5, 5, 40, 40)).add(scene.crop(60, 30, 3, 2));
        // One level of one channel: the smallest variance there is.
        TestImage faint = flat_image(format, 20, 20, 255);
        faint.set(19, 0, 0, 254);
        search.add(faint);
        search.threshold = 0.2;
        check(search);
        Search nearly_flat(flat_image(format, 70, 50, 255));
        nearly_flat.scene.set(33, 22, 0, 254);
        nearly_flat.scene.set(50, 40, 0, 253);
        nearly_flat.add(faint);
        for (const double threshold : {-1.0, 0.5}) {
            nearly_flat.threshold = threshold;
            check(nearly_flat);
        }
    }
}

BOOST_AUTO_TEST_CASE(identical_patch_scores_one) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(77);
    for (int i = 0; i < 40; ++i) {
        const vdt_format format = i % 2 != 0 ? VDT_FORMAT_BGR8 : VDT_FORMAT_GRAY8;
        Search search(screen_image(random, format, 160, 100));
        const std::uint32_t w = 2 + below(random, 60), h = 2 + below(random, 60);
        search.add(textured_crop(random, search.scene, w, h, TestImage::none()));
        search.scene.paste(search.patterns[0], 160 - w, 100 - h);
        search.threshold = 1;
        const Found found = find_on(backend(), search);
        bool there = false;
        for (const vdt_item& item : found.items) {
            BOOST_CHECK_EQUAL(item.score, 1.0);
            there = there || (item.x == static_cast<float>(160 - w) && item.y == static_cast<float>(100 - h));
        }
        BOOST_CHECK_MESSAGE(there, "an identical patch of " << w << "x" << h << " was not found at 1");
    }
}

// A pattern of several megapixels and a scene wider than any screen: sums beyond 32 bits, tiles, odd shapes.
BOOST_AUTO_TEST_CASE(large) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(31);
    Search huge(random_image(random, VDT_FORMAT_BGR8, 1203, 902));
    huge.add(huge.scene.crop(2, 1, 1201, 900));
    huge.threshold = -1;
    check(huge);
    Search wide(random_image(random, VDT_FORMAT_GRAY8, 40000, 12));
    wide.add(wide.scene.crop(39000, 2, 31, 9));
    wide.threshold = 0.5;
    const Found found = find_on(backend(), wide);
    BOOST_REQUIRE_MESSAGE(found.code == VDT_OK, found.text);
    BOOST_REQUIRE_EQUAL(found.items.size(), 1);
    BOOST_CHECK_EQUAL(found.items[0].x, 39000);
    BOOST_CHECK_EQUAL(found.items[0].score, 1.0);
}

BOOST_AUTO_TEST_CASE(list_protocol) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(8);
    Search search(screen_image(random, VDT_FORMAT_GRAY8, 90, 70));
    search.add(textured_crop(random, search.scene, 9, 7, TestImage::none()));
    search.add(textured_crop(random, search.scene, 14, 5, TestImage::none()));
    search.threshold = 0.1;
    const Found all = find_on(backend(), search);
    BOOST_REQUIRE_GT(all.items.size(), 30);
    BOOST_CHECK_EQUAL(all.needed, all.items.size());
    for (const std::uint64_t capacity : {0u, 1u, 10u}) {
        const Found cut = find_on(backend(), search, capacity);
        BOOST_CHECK_EQUAL(cut.code, VDT_INCOMPLETE);
        BOOST_CHECK_EQUAL(cut.needed, all.needed);
        const std::string wrong =
            list_difference(cut.items, {all.items.begin(), all.items.begin() + static_cast<std::ptrdiff_t>(capacity)});
        BOOST_CHECK_MESSAGE(wrong.empty(), wrong);
    }
    // What is kept of a pattern is the head of its full list, however small the cap.
    for (const std::uint32_t cap : {1u, 2u, 5u, 1000000u}) {
        search.max_results = cap;
        const Found capped = find_on(backend(), search);
        BOOST_CHECK_EQUAL(capped.needed, all.needed);
        std::vector<vdt_item> head;
        std::uint32_t of_pattern[2] = {};
        for (const vdt_item& item : all.items)
            if (++of_pattern[item.pattern] <= cap) head.push_back(item);
        const std::string wrong = list_difference(capped.items, head);
        BOOST_CHECK_MESSAGE(wrong.empty(), wrong);
    }
}

BOOST_AUTO_TEST_CASE(residents_change_nothing) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(21);
    Search search(screen_image(random, VDT_FORMAT_BGR8, 110, 80));
    search.add(textured_crop(random, search.scene, 20, 12, TestImage::none()), random_mask(random, 20, 12, 0.8));
    search.add(textured_crop(random, search.scene, 11, 11, TestImage::none()));
    search.threshold = 0.3;
    const std::vector<vdt_item> expected = expected_of(search);
    const std::shared_ptr<vdt_resident> scene = backend().resident(search.scene.view());
    if (scene == nullptr) return;
    const std::shared_ptr<vdt_resident> pattern = backend().resident(search.patterns[0].view());
    std::vector<vdt_image> views;
    for (const vdt_image* image : search.inputs()) views.push_back(*image);
    views[0].resident = scene.get();
    views[1].resident = pattern.get();
    const vdt_template_find_params params = search.params();
    for (int round = 0; round < 3; ++round) {
        TestList list(100000);
        Operation operation;
        operation.op = VDT_OP_TEMPLATE_FIND;
        operation.params = &params;
        for (const vdt_image& view : views) operation.inputs.push_back(&view);
        operation.lists_out = {list.ptr()};
        BOOST_REQUIRE_EQUAL(backend().run(operation).code, VDT_OK);
        const std::string wrong = list_difference(list.items(), expected);
        BOOST_CHECK_MESSAGE(wrong.empty(), wrong);
    }
}

// Plans of one device run at the same time, and share the pool.
BOOST_AUTO_TEST_CASE(several_threads) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(14);
    Search search(screen_image(random, VDT_FORMAT_BGR8, 300, 200));
    search.add(search.scene.crop(140, 20, 24, 18))
        .add(search.scene.crop(200, 60, 9, 9), random_mask(random, 9, 9, 0.7));
    search.threshold = 0.7;
    const std::shared_ptr<vdt_resident> scene = backend().resident(search.scene.view());
    std::vector<vdt_image> views;
    for (const vdt_image* image : search.inputs()) views.push_back(*image);
    views[0].resident = scene.get();
    const vdt_template_find_params params = search.params();
    std::vector<TestList> lists(4, TestList(20000));
    std::vector<vdt_code> codes(lists.size(), VDT_E_INTERNAL);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < lists.size(); ++i)
        threads.emplace_back([&, i] {
            Operation operation;
            operation.op = VDT_OP_TEMPLATE_FIND;
            operation.params = &params;
            for (const vdt_image& view : views) operation.inputs.push_back(&view);
            operation.lists_out = {lists[i].ptr()};
            codes[i] = backend().run(operation).code;
        });
    for (std::thread& thread : threads) thread.join();
    const std::vector<vdt_item> expected = expected_of(search);
    for (std::size_t i = 0; i < lists.size(); ++i) {
        BOOST_CHECK_EQUAL(codes[i], VDT_OK);
        const std::string wrong = list_difference(lists[i].items(), expected);
        BOOST_CHECK_MESSAGE(wrong.empty(), wrong);
    }
}

BOOST_AUTO_TEST_CASE(cancellation) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(2);
    Search search(random_image(random, VDT_FORMAT_GRAY8, 800, 600));
    search.add(search.scene.crop(0, 0, 24, 24)).add(search.scene.crop(400, 200, 32, 16));
    const Found all = find_on(backend(), search);
    bool stopped = false;
    for (const std::int64_t checks : {0, 1, 2, 5, 1000000}) {
        for (const vdt_code code : {VDT_E_CANCELLED, VDT_E_TIMEOUT}) {
            Limit limit;
            limit.checks_left = checks;
            limit.code = code;
            const Found found = find_on(backend(), search, 200000, &limit);
            if (found.code == code)
                stopped = true;
            else
                BOOST_CHECK_MESSAGE(found.code == VDT_OK && list_difference(found.items, all.items).empty(),
                                    found.code << " " << found.text);
            if (checks == 0) BOOST_CHECK_EQUAL(found.code, code);
            if (checks == 1000000) BOOST_CHECK_EQUAL(found.code, VDT_OK);
        }
    }
    BOOST_CHECK(stopped);
}

BOOST_AUTO_TEST_CASE(refusals) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(4);
    const auto refused = [](const Search& search, vdt_code code) {
        const Found found = find_on(backend(), search);
        BOOST_CHECK_MESSAGE(found.code == code, "code " << found.code << " instead of " << code << ": " << found.text);
        BOOST_CHECK(!found.text.empty());
    };
    Search good(random_image(random, VDT_FORMAT_GRAY8, 30, 20));
    good.add(good.scene.crop(3, 3, 6, 6));
    for (const double threshold : {std::nan(""), 1.5, -1.01}) {
        Search search = good;
        search.threshold = threshold;
        BOOST_TEST_CONTEXT("threshold " << threshold) refused(search, VDT_E_ARGUMENT);
    }
    const vdt_rect regions[] = {{-1, 0, 10, 10}, {0, 0, 31, 20}, {25, 5, 10, 10},
                                {0, 0, -5, 5},   {0, 0, 5, 0},   {2147483647, 0, 2147483647, 5}};
    for (const vdt_rect& region : regions) {
        Search search = good;
        search.region = region;
        BOOST_TEST_CONTEXT("region " << region.x << "," << region.y << "," << region.w << "," << region.h)
        refused(search, VDT_E_ARGUMENT);
    }
    Search flat = good;
    flat.add(flat_image(VDT_FORMAT_GRAY8, 4, 4, 9));
    refused(flat, VDT_E_ARGUMENT);
    BOOST_CHECK_NE(find_on(backend(), flat).text.find('1'), std::string::npos);  // names the pattern
    Search ignored = good;
    ignored.masks[0] = flat_image(VDT_FORMAT_GRAY8, 6, 6, 0);
    refused(ignored, VDT_E_ARGUMENT);
    Search unflagged = good;
    unflagged.flags = 0x100;
    refused(unflagged, VDT_E_ARGUMENT);
    Search capless = good;
    capless.max_results = 0;
    refused(capless, VDT_E_ARGUMENT);
    Search mixed = good;
    mixed.patterns[0] = random_image(random, VDT_FORMAT_BGR8, 6, 6);
    BOOST_CHECK(VDT_IS_ERROR(find_on(backend(), mixed).code));
    Search large = good;
    large.patterns[0] = random_image(random, VDT_FORMAT_GRAY8, 31, 6);
    const Found none = find_on(backend(), large);
    BOOST_CHECK_EQUAL(none.code, VDT_OK);
    BOOST_CHECK(none.items.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
