// SIFT, detection and description.
#include "bench_work.h"
#include "find/feature_parameters.h"

namespace vedette::cli {

std::vector<BenchCase> features_cases(const BenchSetting& setting, const BenchScreen& screen) {
    if (setting.quick && screen.bgr.height() > 1500) {
        return {};  // seconds a run
    }
    constexpr std::uint32_t most = 65535;  // rows of the largest image
    const vdt_features_params params = host::usual_features(most);
    const auto work = std::make_shared<Work>(VDT_OP_FEATURES, params);
    work->inputs.push_back(gray_of(screen.bgr));
    work->inputs.emplace_back();  // no mask
    work->outputs.emplace_back(VDT_FORMAT_GRAYF32, 128, most);
    work->lists_out.emplace_back(sizeof(vdt_keypoint), most);
    return {operation_case(setting, screen.name + " gray", work)};
}

}  // namespace vedette::cli
