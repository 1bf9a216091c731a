// Faces on the screen, by the classifier that everyone measures with. It is OpenCV's: where its data is not installed
// there is nothing to measure.
#include "bench_work.h"

#include <fstream>
#include <iterator>

namespace vedette::cli {

std::vector<BenchCase> cascade_detect_cases(const BenchSetting& setting, const BenchScreen& screen) {
    constexpr std::uint64_t most = 100000;
    const std::string name = "haarcascade_frontalface_default";
    std::ifstream file(std::string(VEDETTE_OPENCV_DATA) + "/haarcascades/" + name + ".xml", std::ios::binary);
    const auto text =
        std::make_shared<const std::string>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    // A 4K screen takes OpenCV seconds.
    if (text->empty() || (setting.quick && screen.bgr.width() > 1920)) {
        return {};
    }
    vdt_cascade_params params{};
    params.struct_size = sizeof params;
    params.cascade = text->data();
    params.cascade_bytes = text->size();
    params.scale_factor = 1.1;
    params.min_neighbors = 3;
    params.min_w = params.min_h = 24;
    const auto work = std::make_shared<Work>(VDT_OP_CASCADE_DETECT, params);
    work->kept = text;
    work->inputs.push_back(gray_of(screen.bgr));
    work->lists_out.emplace_back(sizeof(vdt_item), most);
    return {operation_case(setting, screen.name + " frontalface_default, step 1.1, from 24", work)};
}

}  // namespace vedette::cli
