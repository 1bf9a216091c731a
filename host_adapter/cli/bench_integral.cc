// Integral images.
#include "bench_work.h"

#include <cstring>

namespace vedette::cli {

namespace {

// The picture four times, two by two.
Picture twice_as_large(const Picture& gray) {
    Picture large(gray.format(), 2 * gray.width(), 2 * gray.height());
    for (std::uint32_t y = 0; y < large.height(); ++y) {
        for (const std::uint32_t x : {0u, gray.width()}) {
            std::memcpy(large.at(x, y), gray.at(0, y % gray.height()), gray.stride());
        }
    }
    return large;
}

std::shared_ptr<Work> work_of(Picture gray, bool squared) {
    vdt_integral_params params{sizeof params, VDT_INTEGRAL_SUM};
    if (squared) {
        params.flags |= VDT_INTEGRAL_SQUARED;
    }
    const auto work = std::make_shared<Work>(VDT_OP_INTEGRAL, params);
    work->outputs.emplace_back(VDT_FORMAT_I32, gray.width() + 1, gray.height() + 1);
    if (squared) {
        work->outputs.emplace_back(VDT_FORMAT_I64, gray.width() + 1, gray.height() + 1);
    }
    work->inputs.push_back(std::move(gray));
    return work;
}

}  // namespace

std::vector<BenchCase> integral_cases(const BenchSetting& setting, const BenchScreen& screen) {
    std::vector<BenchCase> cases;
    const Picture gray = gray_of(screen.bgr);
    cases.push_back(operation_case(setting, screen.name + " sum", work_of(gray, false)));
    cases.push_back(operation_case(setting, screen.name + " sum and squares", work_of(gray, true)));
    if (!setting.quick && screen.name == "3840x2160") {
        cases.push_back(operation_case(setting, "7680x4320 sum", work_of(twice_as_large(gray), false)));
    }
    return cases;
}

}  // namespace vedette::cli
