// What the planner chooses. Whatever it is, the search finds the same: random_test.cc.
#include "find/planner.h"
#include "boost_test.h"
#include "cases.h"

using namespace vedette::cpu;
using namespace vedette::cpu::test;

namespace {

Picture noise(Random& random, int w, int h) {
    Picture picture(w, h, 1);
    for (std::uint8_t& value : picture.bytes) value = static_cast<std::uint8_t>(random());
    return picture;
}

// Strokes on light ground, in some fields of it: detail finer than the blocks of a large pattern.
Picture text(Random& random, int w, int h) {
    Picture picture(w, h, 1);
    std::fill(picture.bytes.begin(), picture.bytes.end(), std::uint8_t{240});
    for (int field = 0; field < w * h / 40000 + 1; ++field) {
        const int left = pick(random, 0, w - 120), right = left + pick(random, 60, 110);
        const int top = pick(random, 0, h - 60), bottom = top + pick(random, 20, 50);
        for (int y = top; y < bottom; y += 10)
            for (int x = left; x < right; x += pick(random, 2, 9))
                for (int k = 0, across = pick(random, 0, 1); k < 7; ++k)
                    picture.at(x + (across != 0 ? k : 0), y + (across != 0 ? 3 : k), 0) = 20;
    }
    return picture;
}

find::Choice choice_on(const Picture& screen, const Picture& pattern, double exhaustive_cost) {
    Host host(2);
    const Device device{&host.table, runs_here(Isa::avx2) ? Isa::avx2 : Isa::portable, 2};
    const vdt_image view = screen.view(), pattern_view = pattern.view();
    find::Scene scene;
    scene.set(device, nullptr, view, {0, 0, screen.width, screen.height});
    const find::Prepared prepared(find::read_pattern(pattern_view, nullptr));
    BOOST_TEST(!prepared.pattern().small());
    return find::choose(prepared, scene, 0.6, exhaustive_cost, device, nullptr);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(planner)

BOOST_AUTO_TEST_CASE(a_large_pattern_is_bounded_where_windows_fall) {
    Random random(11);
    constexpr int width = 1400, height = 1000, w = 430, h = 305;
    const Picture letters = text(random, width, height), other_letters = text(random, w, h);
    const find::Choice bounded = choice_on(letters, other_letters, 200);
    BOOST_TEST(bounded.pruned);
    BOOST_TEST(bounded.cost < 200);
    BOOST_TEST(bounded.share < 0.1);
}

BOOST_AUTO_TEST_CASE(of_a_pattern_too_large_for_the_blocks_a_part_is_bounded) {
    Random random(13);
    constexpr int width = 1400, height = 1000, w = 700, h = 420;
    const Picture letters = text(random, width, height), other_letters = text(random, w, h);
    const find::Choice bounded = choice_on(letters, other_letters, 400);
    BOOST_TEST(bounded.pruned);
    const find::BlockGrid& grid = bounded.grid;
    BOOST_TEST(grid.covered_w() * grid.covered_h() < w * h / 2);
    BOOST_TEST(grid.left >= 0);
    BOOST_TEST(grid.top >= 0);
    BOOST_TEST(grid.left + grid.covered_w() <= w);
    BOOST_TEST(grid.top + grid.covered_h() <= h);
}

BOOST_AUTO_TEST_CASE(a_large_pattern_is_correlated_where_windows_survive) {
    Random random(12);
    constexpr int width = 1400, height = 1000, w = 430, h = 305;
    const Picture rough = noise(random, width, height), other_rough = noise(random, w, h);
    const find::Choice correlated = choice_on(rough, other_rough, 200);
    BOOST_TEST(!correlated.pruned);
    BOOST_TEST(correlated.cost == 200);
}

BOOST_AUTO_TEST_SUITE_END()
