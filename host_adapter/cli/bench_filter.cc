// Filters.
#include "bench_work.h"

namespace vedette::cli {

namespace {

vdt_filter_params params_of(std::uint32_t kind, std::uint32_t side) {
    vdt_filter_params params{};
    params.struct_size = sizeof params;
    params.kind = kind;
    params.border = VDT_BORDER_REFLECT_101;
    params.kernel_w = params.kernel_h = side;
    params.anchor_x = params.anchor_y = -1;
    params.sigma_x = params.sigma_y = 0.3 * ((side - 1) * 0.5 - 1) + 0.8;  // what OpenCV takes for a side
    return params;
}

Picture real_gray_of(const Picture& bgr) {
    const Picture gray = gray_of(bgr);
    Picture real(VDT_FORMAT_GRAYF32, bgr.width(), bgr.height());
    for (std::uint32_t y = 0; y < bgr.height(); ++y) {
        auto* const row = reinterpret_cast<float*>(real.at(0, y));
        for (std::uint32_t x = 0; x < bgr.width(); ++x) {
            row[x] = *gray.at(x, y);
        }
    }
    return real;
}

}  // namespace

std::vector<BenchCase> filter_cases(const BenchSetting& setting, const BenchScreen& screen) {
    std::vector<BenchCase> cases;
    const auto add = [&](const std::string& name, const vdt_filter_params& params, const Picture& in,
                         std::shared_ptr<const void> kept) {
        const auto work = std::make_shared<Work>(VDT_OP_FILTER, params);
        work->kept = std::move(kept);
        work->inputs.push_back(in);
        work->outputs.emplace_back(in.format(), in.width(), in.height());
        cases.push_back(operation_case(setting, screen.name + " " + name, work));
    };
    add("Gaussian 11x11, float", params_of(VDT_FILTER_GAUSSIAN, 11), real_gray_of(screen.bgr), nullptr);
    if (setting.quick) {
        return cases;
    }
    add("Gaussian 5x5, BGR", params_of(VDT_FILTER_GAUSSIAN, 5), screen.bgr, nullptr);
    add("box 15x15, gray", params_of(VDT_FILTER_BOX, 15), gray_of(screen.bgr), nullptr);
    const auto sharpen = std::make_shared<std::vector<float>>(std::vector<float>{0, -1, 0, -1, 5, -1, 0, -1, 0});
    vdt_filter_params general = params_of(VDT_FILTER_GENERAL, 3);
    general.kernel_x = sharpen->data();
    add("general 3x3, gray", general, gray_of(screen.bgr), sharpen);
    return cases;
}

}  // namespace vedette::cli
