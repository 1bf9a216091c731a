// Full score maps.
#include "bench_work.h"

namespace vedette::cli {

std::vector<BenchCase> template_map_cases(const BenchSetting& setting, const BenchScreen& screen) {
    std::vector<BenchCase> cases;
    for (const std::uint32_t side :
         setting.quick ? std::vector<std::uint32_t>{32} : std::vector<std::uint32_t>{32, 128}) {
        const Size size = pattern_size(screen, side);
        cases.push_back(
            operation_case(setting, screen.name + " gray " + size_text(size), map_work(screen, size, false)));
        if (screen.bgr.height() < 300) {
            break;  // one size there
        }
    }
    return cases;
}

}  // namespace vedette::cli
