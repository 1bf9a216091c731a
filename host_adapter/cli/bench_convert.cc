// Conversions of colour.
#include "bench_work.h"

namespace vedette::cli {

std::vector<BenchCase> convert_cases(const BenchSetting& setting, const BenchScreen& screen) {
    const vdt_convert_params params{sizeof params, 0, 1, 0};
    const auto to_gray = std::make_shared<Work>(VDT_OP_CONVERT, params);
    to_gray->inputs.push_back(screen.bgr);
    to_gray->outputs.emplace_back(VDT_FORMAT_GRAY8, screen.bgr.width(), screen.bgr.height());
    const auto drop_alpha = std::make_shared<Work>(VDT_OP_CONVERT, params);
    drop_alpha->inputs.push_back(with_alpha(screen.bgr));
    drop_alpha->outputs.emplace_back(VDT_FORMAT_BGR8, screen.bgr.width(), screen.bgr.height());
    return {operation_case(setting, screen.name + " bgr to gray", to_gray),
            operation_case(setting, screen.name + " bgra to bgr", drop_alpha)};
}

}  // namespace vedette::cli
