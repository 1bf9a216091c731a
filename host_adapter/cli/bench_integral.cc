// Integral images.
#include "bench_work.h"

namespace vedette::cli {

std::vector<BenchCase> integral_cases(const BenchSetting& setting, const BenchScreen& screen) {
    std::vector<BenchCase> cases;
    for (const bool squared : {false, true}) {
        vdt_integral_params params{sizeof params, VDT_INTEGRAL_SUM};
        if (squared) {
            params.flags |= VDT_INTEGRAL_SQUARED;
        }
        const auto work = std::make_shared<Work>(VDT_OP_INTEGRAL, params);
        work->inputs.push_back(gray_of(screen.bgr));
        work->outputs.emplace_back(VDT_FORMAT_I32, screen.bgr.width() + 1, screen.bgr.height() + 1);
        if (squared) {
            work->outputs.emplace_back(VDT_FORMAT_I64, screen.bgr.width() + 1, screen.bgr.height() + 1);
        }
        cases.push_back(operation_case(setting, screen.name + (squared ? " sum and squares" : " sum"), work));
    }
    return cases;
}

}  // namespace vedette::cli
