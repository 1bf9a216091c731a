// Pairs of descriptors, and a homography from them.
#include "bench_work.h"

#include <cstring>
#include <random>

namespace vedette::cli {

namespace {

constexpr std::uint32_t length = 128;

// Rows like SIFT's: few large values, many small ones, norm about 512.
Picture random_descriptors(std::mt19937& random, std::uint32_t count) {
    Picture picture(VDT_FORMAT_GRAYF32, length, count);
    for (std::uint32_t y = 0; y < count; ++y) {
        for (std::uint32_t x = 0; x < length; ++x) {
            const std::uint32_t bits = static_cast<std::uint32_t>(random());
            const auto value = static_cast<float>(bits % 4 == 0 ? bits / 4 % 150 : bits / 4 % 40);
            std::memcpy(picture.at(x, y), &value, sizeof value);
        }
    }
    return picture;
}

std::vector<vdt_keypoint> random_places(std::mt19937& random, std::uint32_t count) {
    std::vector<vdt_keypoint> keypoints(count);
    for (vdt_keypoint& keypoint : keypoints) {
        keypoint.x = static_cast<float>(random() % 3840);
        keypoint.y = static_cast<float>(random() % 2160);
        keypoint.size = 3;
    }
    return keypoints;
}

}  // namespace

// The same for every screen, so made for one of the drawn sizes only.
std::vector<BenchCase> feature_match_cases(const BenchSetting& setting, const BenchScreen& screen) {
    const std::uint32_t count = setting.quick ? 2000 : 10000;
    if (screen.name != "1920x1080") {
        return {};
    }
    std::mt19937 random(1);
    vdt_feature_match_params params{};
    params.struct_size = sizeof params;
    params.max_iterations = 2000;
    params.ratio = 0.75;
    params.reprojection = 3;
    params.seed = 1;
    const auto work = std::make_shared<Work>(VDT_OP_FEATURE_MATCH, params);
    for (int side = 0; side < 2; ++side) {
        work->inputs.push_back(random_descriptors(random, count));
        work->lists_in.push_back(ItemList::of(random_places(random, count)));
    }
    work->outputs.emplace_back(VDT_FORMAT_F64, 3, 3);
    work->lists_out.emplace_back(sizeof(vdt_descriptor_match), count);
    const std::string text = std::to_string(count);
    return {operation_case(setting, text + " x " + text + " descriptors, two nearest", work)};
}

}  // namespace vedette::cli
