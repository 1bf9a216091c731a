// Resizing: to the input of a network, and screens to half their size.
#include "bench_work.h"

namespace vedette::cli {

namespace {

std::shared_ptr<Work> work_of(const BenchScreen& screen, std::uint32_t method, vdt_format format, Size size) {
    vdt_resize_params params{};
    params.struct_size = sizeof params;
    params.method = method;
    params.scale = 1.0 / 255;
    const auto work = std::make_shared<Work>(VDT_OP_RESIZE, params);
    work->inputs.push_back(format == VDT_FORMAT_GRAY8 ? gray_of(screen.bgr) : screen.bgr);
    work->outputs.emplace_back(format, size.width, size.height);
    return work;
}

}  // namespace

std::vector<BenchCase> resize_cases(const BenchSetting& setting, const BenchScreen& screen) {
    std::vector<BenchCase> cases;
    const auto add = [&](const std::string& name, std::uint32_t method, vdt_format format, Size size) {
        cases.push_back(operation_case(setting, screen.name + " " + name, work_of(screen, method, format, size)));
    };
    add("BGR to 608x608 planar float", VDT_RESIZE_ALIGNED_CORNERS, VDT_FORMAT_PLANAR_BGRF32, {608, 608});
    if (setting.quick) {
        return cases;
    }
    const Size half{(screen.bgr.width() + 1) / 2, (screen.bgr.height() + 1) / 2};
    const Size part{screen.bgr.width() * 2 / 5, screen.bgr.height() * 2 / 5};
    add("BGR to half, bilinear", VDT_RESIZE_HALF_PIXEL, VDT_FORMAT_BGR8, half);
    add("BGR to half, area", VDT_RESIZE_AREA, VDT_FORMAT_BGR8, half);
    add("gray to 2/5, bilinear", VDT_RESIZE_HALF_PIXEL, VDT_FORMAT_GRAY8, part);
    add("gray to 2/5, area", VDT_RESIZE_AREA, VDT_FORMAT_GRAY8, part);
    return cases;
}

}  // namespace vedette::cli
