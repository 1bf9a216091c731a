// Faces on the screen, by the classifier that everyone measures with. It is OpenCV's: where its data is not installed
// and no other classifier is named there is nothing to measure.
#include "bench_work.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace vedette::cli {

std::vector<BenchCase> cascade_detect_cases(const BenchSetting& setting, const BenchScreen& screen) {
    constexpr std::uint64_t most = 100000;
    const std::filesystem::path usual =
        std::filesystem::path(VEDETTE_OPENCV_DATA) / "haarcascades" / "haarcascade_frontalface_default.xml";
    const std::filesystem::path path = setting.cascade.empty() ? usual : std::filesystem::path(setting.cascade);
    std::ifstream file(path, std::ios::binary);
    const auto text =
        std::make_shared<const std::string>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (text->empty() && !setting.cascade.empty()) {
        throw Problem(VDT_E_FILE, "--cascade " + setting.cascade + " cannot be read.");
    }
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
    std::string name = path.stem().string();
    const std::string common = "haarcascade_";
    if (name.starts_with(common)) {
        name.erase(0, common.size());
    }
    return {operation_case(setting, screen.name + " " + name + ", step 1.1, from 24", work)};
}

}  // namespace vedette::cli
