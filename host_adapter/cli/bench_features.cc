// SIFT, detection and description. Besides whole screens the sizes that Xu and Wang measured [J. Computer Applications
// 2016], as parts of drawn ones, named with the processors that OpenCV's threads, and a backend's, share.
#include "bench_work.h"
#include "core/processors.h"
#include "find/feature_parameters.h"
#include "table.h"

namespace vedette::cli {

namespace {

// A part and the width of the drawn screen that it is cut from.
struct Part {
    Size size;
    std::uint32_t screen_width;
};
constexpr Part published_sizes[] = {
    {{320, 300}, 1024}, {{512, 512}, 1024}, {{960, 720}, 1024}, {{1280, 960}, 1920}, {{2560, 1440}, 3840}};

BenchCase case_of(const BenchSetting& setting, const std::string& name, Picture gray) {
    constexpr std::uint32_t most = 65535;  // rows of the largest image
    const vdt_features_params params = host::usual_features(most);
    const auto work = std::make_shared<Work>(VDT_OP_FEATURES, params);
    work->inputs.push_back(std::move(gray));
    work->inputs.emplace_back();  // no mask
    work->outputs.emplace_back(VDT_FORMAT_GRAYF32, 128, most);
    work->lists_out.emplace_back(sizeof(vdt_keypoint), most);
    return operation_case(setting, name, work);
}

}  // namespace

std::vector<BenchCase> features_cases(const BenchSetting& setting, const BenchScreen& screen) {
    if (setting.quick && screen.bgr.height() > 1500) {
        return {};  // seconds a run
    }
    const Picture gray = gray_of(screen.bgr);
    std::vector<BenchCase> cases = {case_of(setting, screen.name + " gray", gray)};
    if (setting.quick) {
        return cases;
    }
    for (const Part& part : published_sizes) {
        if (screen.name == size_text({gray.width(), gray.height()}) && gray.width() == part.screen_width &&
            part.size.height <= gray.height()) {
            cases.push_back(case_of(setting,
                                    screen.name + format(" gray, %s of it, %u processors", size_text(part.size).c_str(),
                                                         host::usable_processors()),
                                    crop(gray, (gray.width() - part.size.width) / 2,
                                         (gray.height() - part.size.height) / 2, part.size.width, part.size.height)));
        }
    }
    return cases;
}

}  // namespace vedette::cli
