// Grouping of the raw windows that a detector finds.
#include "bench_work.h"

#include <algorithm>
#include <random>

namespace vedette::cli {

namespace {

// Windows as a cascade leaves them on a 4K screen: many around each object, of sizes near its own, and strays.
std::vector<vdt_item> raw_windows(std::size_t count) {
    constexpr std::uint32_t width = 3840, height = 2160;
    std::mt19937 random(20240229);
    const auto below = [&random](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    std::vector<vdt_item> windows;
    while (windows.size() < count) {
        std::uint32_t side = 24u << below(5);
        side += below(side);
        const std::uint32_t x = below(width - side), y = below(height - side);
        const std::uint32_t around = below(3) == 0 ? 20 + below(200) : 1 + below(3);
        for (std::uint32_t i = 0; i < around && windows.size() < count; ++i) {
            const std::uint32_t spread = std::max(1u, side / 8);
            vdt_item window{};
            window.x = static_cast<float>(x + below(spread));
            window.y = static_cast<float>(y + below(spread));
            window.w = window.h = static_cast<float>(side + below(spread));
            windows.push_back(window);
        }
    }
    // A cascade reports them by scale and row, not by object.
    std::shuffle(windows.begin(), windows.end(), random);
    return windows;
}

}  // namespace

// The lists do not depend on the screen, so they are made for one. OpenCV compares all pairs: 100,000 windows take it
// most of a minute.
std::vector<BenchCase> group_cases(const BenchSetting& setting, const BenchScreen& screen) {
    std::vector<BenchCase> cases;
    if (screen.name != "3840x2160") {
        return cases;
    }
    for (const std::size_t count : {std::size_t{1000}, std::size_t{100000}}) {
        if (setting.quick && count > 1000) {
            continue;
        }
        const auto work = std::make_shared<Work>(VDT_OP_GROUP, vdt_group_params{sizeof(vdt_group_params), 3, 0.2});
        work->lists_in.push_back(ItemList::of(raw_windows(count)));
        work->lists_out.emplace_back(sizeof(vdt_item), count);
        cases.push_back(operation_case(setting, std::to_string(count) + " raw rectangles", work));
    }
    return cases;
}

}  // namespace vedette::cli
