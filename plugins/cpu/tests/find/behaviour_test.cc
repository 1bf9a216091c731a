// What template_find promises beside the scores: errors, caps, cancellation, reuse of plans and residents.
#include "boost_test.h"
#include "cases.h"

using namespace vedette::cpu;
using namespace vedette::cpu::test;

namespace {

struct Fixture {
    Host host{2};
    Device device{&host.table, runs_here(Isa::avx2) ? Isa::avx2 : Isa::portable, 2};
    Random random{5};
    Picture scene = make_scene(random, 0, 120, 90, 1);
    Picture pattern = cut(scene, 30, 20, 16, 16);
    FindCall call;
    std::vector<vdt_item> items;

    Fixture() {
        call.scene = &scene;
        call.patterns = {&pattern};
        call.params.threshold = 0.9;
        call.params.max_results = 100;
        call.capacity = 1000;
    }
    static Picture cut(const Picture& from, int x0, int y0, int w, int h) {
        Picture p(w, h, from.channels);
        for (int c = 0; c < from.channels; ++c)
            for (int y = 0; y < h; ++y)
                for (int x = 0; x < w; ++x) p.at(x, y, c) = from.at(x0 + x, y0 + y, c);
        return p;
    }
    void fails(vdt_code code, const std::string& word) {
        try {
            call.run(device, items);
            BOOST_ERROR("no failure, but one about \"" + word + "\" was due");
        } catch (const Failure& failure) {
            BOOST_TEST(failure.code() == code, failure.what());
            BOOST_TEST(std::string(failure.what()).find(word) != std::string::npos, failure.what());
        }
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(behaviour, Fixture)

BOOST_AUTO_TEST_CASE(an_identical_patch_scores_exactly_one) {
    call.params.threshold = 1;
    BOOST_TEST(call.run(device, items) == VDT_OK);
    BOOST_REQUIRE(items.size() == 1u);
    BOOST_TEST(items[0].score == 1.0);
    BOOST_TEST(items[0].x == 30.0F);
    BOOST_TEST(items[0].y == 20.0F);
}

BOOST_AUTO_TEST_CASE(several_patterns_keep_their_order_and_too_large_ones_have_no_items) {
    Picture wide(121, 10, 1), other = cut(scene, 7, 60, 21, 13);
    for (std::size_t i = 0; i < wide.bytes.size(); ++i) wide.bytes[i] = static_cast<std::uint8_t>(i);
    call.patterns = {&other, &wide, &pattern, &other};
    BOOST_TEST(call.run(device, items) == VDT_OK);
    BOOST_REQUIRE(items.size() == 3u);
    BOOST_TEST(items[0].pattern == 0u);
    BOOST_TEST(items[0].x == 7.0F);
    BOOST_TEST(items[1].pattern == 2u);
    BOOST_TEST(items[1].x == 30.0F);
    BOOST_TEST(items[2].pattern == 3u);
}

BOOST_AUTO_TEST_CASE(results_are_capped_and_counted) {
    call.params.threshold = -1;
    call.params.max_results = 7;
    std::uint64_t needed = 0;
    const std::uint64_t positions = 105 * 75;
    BOOST_TEST(call.run(device, items, &needed) == VDT_INCOMPLETE);  // `needed` is above the capacity of 1000
    BOOST_TEST(items.size() == 7u);
    BOOST_TEST(needed == positions);
    const std::vector<vdt_item> all = expected_items(brute_scores(scene, pattern, nullptr), pattern, 0, call.params);
    BOOST_TEST(difference(items, {all.begin(), all.begin() + 7}) == "");
    // A list without room still says how many there are.
    call.capacity = 0;
    call.params.threshold = 0.9;
    BOOST_TEST(call.run(device, items, &needed) == VDT_INCOMPLETE);
    BOOST_TEST(needed == 1u);
}

BOOST_AUTO_TEST_CASE(patterns_without_texture_are_named) {
    Picture flat(9, 9, 1), mask(16, 16, 1);
    call.patterns = {&pattern, &flat};
    fails(VDT_E_ARGUMENT, "pattern 1");
    call.patterns = {&pattern};
    call.masks = {&mask};
    fails(VDT_E_ARGUMENT, "pattern 0");
    mask.at(3, 3) = 1;  // a single pixel has no variance
    fails(VDT_E_ARGUMENT, "pattern 0");
}

BOOST_AUTO_TEST_CASE(bad_parameters_are_named) {
    call.params.threshold = std::nan("");
    fails(VDT_E_ARGUMENT, "threshold");
    call.params.threshold = 1.5;
    fails(VDT_E_ARGUMENT, "threshold");
    call.params.threshold = 0.5;
    call.params.max_results = 0;
    fails(VDT_E_ARGUMENT, "max_results");
    call.params.max_results = 1;
    call.params.flags = 64;
    fails(VDT_E_ARGUMENT, "flags");
    call.params.flags = 0;
    for (const vdt_rect& region :
         {vdt_rect{-1, 0, 5, 5}, {0, 0, 121, 5}, {100, 0, 21, 5}, {0, 0, 0, 5}, {2147483647, 0, 2147483647, 1}}) {
        call.params.region = region;
        fails(VDT_E_ARGUMENT, "region");
    }
    call.params.region = {};
    call.params.exclude_count = 1;
    fails(VDT_E_ARGUMENT, "exclude");
    call.params.exclude_count = 0;
    const double scales[] = {-1.0};
    call.params.scales = scales;
    call.params.scale_count = 1;
    fails(VDT_E_ARGUMENT, "scale");
    call.params.scale_count = 0;
    Picture colour(16, 16, 3);
    call.patterns = {&colour};
    fails(VDT_E_ARGUMENT, "format");
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_says_so_and_the_plan_still_works) {
    const auto plan = template_find_operation.plan(device, vdt_query{});
    host.limited = true;
    host.cancel_after = 0;
    try {
        call.run(device, items, nullptr, plan.get());
        BOOST_ERROR("the call was not cancelled");
    } catch (const Failure& failure) {
        BOOST_TEST(failure.code() == VDT_E_CANCELLED);
    }
    host.limited = false;
    BOOST_TEST(call.run(device, items, nullptr, plan.get()) == VDT_OK);
    BOOST_TEST(items.size() == 1u);
}

BOOST_AUTO_TEST_CASE(one_plan_serves_other_pixels) {
    const auto plan = template_find_operation.plan(device, vdt_query{});
    for (int i = 0; i < 12; ++i) {
        scene = make_scene(random, i % scene_kind_count, 120, 90, 1);
        std::string how;
        do pattern = make_pattern(random, scene, 16, 16, how);
        while (!has_variance(pattern, nullptr));
        call.params.threshold = 0.7;
        call.params.max_results = 100000;
        call.capacity = 100000;
        BOOST_TEST(call.run(device, items, nullptr, plan.get()) == VDT_OK);
        BOOST_TEST(difference(items, expected_items(brute_scores(scene, pattern, nullptr), pattern, 0, call.params)) ==
                   "");
    }
}

BOOST_AUTO_TEST_CASE(residents_give_the_same_results) {
    for (const int channels : {1, 3}) {
        const Picture big = make_scene(random, 8, 150, 110, channels);
        const Picture small = cut(big, 40, 30, 20, 18);
        Resident scene_resident(big.view()), pattern_resident(small.view());
        vdt_image images[] = {big.view(), small.view(), no_image()};
        const vdt_image* inputs[] = {&images[0], &images[1], &images[2]};
        vdt_template_find_params params{};
        params.struct_size = sizeof params;
        params.threshold = 0.8;
        params.pattern_count = 1;
        params.max_results = 5000;
        params.region = {11, 13, 120, 90};
        std::vector<vdt_item> kept;
        for (const bool resident : {false, true, true}) {
            images[0].resident = resident ? reinterpret_cast<vdt_resident*>(&scene_resident) : nullptr;
            images[1].resident = resident ? reinterpret_cast<vdt_resident*>(&pattern_resident) : nullptr;
            std::vector<vdt_item> room(5000);
            vdt_list list{sizeof list, sizeof(vdt_item), room.size(), 0, 0, room.data()};
            vdt_list* lists[] = {&list};
            vdt_call raw{};
            raw.struct_size = sizeof raw;
            raw.input_count = 3;
            raw.inputs = inputs;
            raw.list_out_count = 1;
            raw.lists_out = lists;
            raw.params = &params;
            BOOST_TEST(template_find_operation.plan(device, vdt_query{})->run(raw) == VDT_OK);
            room.resize(list.count);
            if (resident) BOOST_TEST(difference(room, kept) == "");
            kept = room;
        }
        BOOST_TEST(difference(kept, expected_items(brute_scores(big, small, nullptr), small, 0, params)) == "");
    }
}

BOOST_AUTO_TEST_SUITE_END()
