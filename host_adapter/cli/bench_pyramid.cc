// Pyramids of four levels.
#include "bench_work.h"

namespace vedette::cli {

std::vector<BenchCase> pyramid_cases(const BenchSetting& setting, const BenchScreen& screen) {
    constexpr std::uint32_t levels = 4;
    std::vector<BenchCase> cases;
    const auto add = [&](const std::string& name, std::uint32_t method, Picture in) {
        const auto work =
            std::make_shared<Work>(VDT_OP_PYRAMID, vdt_pyramid_params{sizeof(vdt_pyramid_params), method, levels, 0});
        std::uint32_t width = in.width(), height = in.height();
        for (std::uint32_t level = 0; level < levels; ++level) {
            width = (width + 1) / 2;
            height = (height + 1) / 2;
            work->outputs.emplace_back(in.format(), width, height);
        }
        work->inputs.push_back(std::move(in));
        cases.push_back(operation_case(setting, screen.name + " " + name, work));
    };
    add("gray, Gaussian", VDT_PYRAMID_GAUSS5, gray_of(screen.bgr));
    if (setting.quick) {
        return cases;
    }
    add("gray, area", VDT_PYRAMID_AREA2, gray_of(screen.bgr));
    add("BGR, Gaussian", VDT_PYRAMID_GAUSS5, screen.bgr);
    add("BGR, area", VDT_PYRAMID_AREA2, screen.bgr);
    return cases;
}

}  // namespace vedette::cli
