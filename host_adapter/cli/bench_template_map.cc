// Full score maps.
#include "bench_work.h"

namespace vedette::cli {

namespace {

// The score map of a part of the screen in the screen.
std::shared_ptr<Work> map_work(const BenchScreen& screen, Size size, bool color) {
    const auto work = std::make_shared<Work>(
        VDT_OP_TEMPLATE_MAP, vdt_template_map_params{sizeof(vdt_template_map_params), VDT_MATCH_CCOEFF_NORMED});
    const Picture part = textured_part(screen.bgr, size.width, size.height);
    work->inputs.push_back(color ? screen.bgr : gray_of(screen.bgr));
    work->inputs.push_back(color ? part : gray_of(part));
    work->inputs.emplace_back();  // no mask
    work->outputs.emplace_back(VDT_FORMAT_GRAYF32, screen.bgr.width() - size.width + 1,
                               screen.bgr.height() - size.height + 1);
    return work;
}

}  // namespace

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
