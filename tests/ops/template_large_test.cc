// template_find with patterns of 36 x 47 pixels and more, which backends compare by coarser forms of them first, on
// screens whose parts are easy and hard for that: windows, a gradient, noise, stripes, and nothing at all.
#include <cmath>

#include "find_search.h"
#include "suite.h"

namespace vedette::ops {

namespace {

// 330 x 100 pixels.
TestImage mixed_screen(Random& random) {
    TestImage screen = screen_image(random, VDT_FORMAT_GRAY8, 330, 100);
    const auto fill = [&](std::uint32_t left, std::uint32_t right, const auto& value) {
        for (std::uint32_t y = 0; y < screen.height(); ++y)
            for (std::uint32_t x = left; x < right; ++x) screen.set(x, y, 0, value(x, y));
    };
    fill(130, 190, [](std::uint32_t x, std::uint32_t y) { return static_cast<int>(100 + x / 16 + y / 32); });
    fill(190, 250, [](std::uint32_t x, std::uint32_t y) { return (x / 4 + y / 8) % 2 == 0 ? 60 : 190; });
    fill(250, 290, [&](std::uint32_t, std::uint32_t) { return static_cast<int>(below(random, 256)); });
    fill(290, 310, [](std::uint32_t, std::uint32_t) { return 77; });
    return screen;
}

void check(const TestImage& scene, const TestImage& pattern, double threshold, std::uint32_t flags,
           const vdt_rect& region) {
    Search search(scene);
    search.add(pattern);
    search.threshold = threshold;
    search.flags = flags;
    search.region = region;
    // What the first search learns must not change what the next one says.
    search.runs = 2;
    check_variants(backend(), search);
}

struct Piece {
    std::uint32_t x, y, w, h;
};
std::ostream& operator<<(std::ostream& out, const Piece& piece) {
    return out << piece.w << "x" << piece.h << " at " << piece.x << ", " << piece.y;
}
const Piece pieces[] = {{20, 30, 48, 50},  {3, 9, 67, 64},    {132, 5, 50, 48},
                        {192, 30, 57, 49}, {240, 11, 36, 47}, {255, 20, 65, 71}};

}  // namespace

BOOST_AUTO_TEST_SUITE(template_find)

BOOST_DATA_TEST_CASE(large_patterns, bdata::make(pieces) * bdata::make({0.6, 0.9}), piece, threshold) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(piece.x + 7 * piece.w);
    const TestImage scene = mixed_screen(random);
    const TestImage pattern = scene.crop(piece.x, piece.y, piece.w, piece.h);
    check(scene, pattern, threshold, VDT_FIND_LOCAL_MAXIMA, {});
    check(scene, pattern, threshold, VDT_FIND_BEST_ONLY, {static_cast<std::int32_t>(piece.x / 4), 1, 251, 99});
    // Altered: noise on it, and a contrast that the screen does not have.
    TestImage altered = pattern;
    altered.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t) {
        return 120 + (pattern.at(x, y) - 120) / 12 + static_cast<int>(below(random, 3));
    });
    check(scene, altered, threshold, 0, {});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
