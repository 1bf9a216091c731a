// Transforms of squares. They do not depend on the screen, so they are made for one.
#include "bench_work.h"

#include "table.h"

#include <cstring>
#include <random>

namespace vedette::cli {

namespace {

Picture noise(vdt_format format, std::uint32_t width, std::uint32_t height) {
    Picture picture(format, width, height);
    std::mt19937 random(20240229);
    for (std::size_t i = 0; i < picture.bytes() / sizeof(float); ++i) {
        const auto value = static_cast<float>(random() % 256);
        std::memcpy(picture.at(0, 0) + i * sizeof value, &value, sizeof value);
    }
    return picture;
}

std::shared_ptr<Work> work_of(std::uint32_t side, std::uint32_t batch, bool real, std::uint32_t direction) {
    vdt_fft2_params params{};
    params.struct_size = sizeof params;
    params.direction = direction;
    params.batch = batch;
    const auto work = std::make_shared<Work>(VDT_OP_FFT2, params);
    const bool forward = direction == VDT_FFT_FORWARD;
    const std::uint32_t half = real ? side / 2 + 1 : side;
    constexpr vdt_format spectrum = VDT_FORMAT_COMPLEXF32;
    const vdt_format plain = real ? vdt_format{VDT_FORMAT_GRAYF32} : spectrum;
    work->inputs.push_back(noise(forward ? plain : spectrum, forward ? side : half, side * batch));
    work->outputs.emplace_back(forward ? spectrum : plain, forward ? half : side, side * batch);
    return work;
}

}  // namespace

std::vector<BenchCase> fft2_cases(const BenchSetting& setting, const BenchScreen& screen) {
    std::vector<BenchCase> cases;
    if (screen.name != "3840x2160") {
        return cases;
    }
    // As many as fill a millisecond or so: a single small square takes less time than asking for it.
    constexpr std::uint32_t pixels = 1u << 19;
    for (std::uint32_t side = 32; side <= 512; side *= 2) {
        if (setting.quick && side != 64) {
            continue;
        }
        const std::uint32_t batch = pixels / side / side;
        const auto add = [&](const char* name, bool real, std::uint32_t direction) {
            cases.push_back(operation_case(setting, format("%u of %ux%u, %s", batch, side, side, name),
                                           work_of(side, batch, real, direction)));
        };
        add("real forward", true, VDT_FFT_FORWARD);
        add("real inverse", true, VDT_FFT_INVERSE);
        add("complex forward", false, VDT_FFT_FORWARD);
    }
    return cases;
}

}  // namespace vedette::cli
