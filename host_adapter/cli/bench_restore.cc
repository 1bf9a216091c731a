// Restoration of squares. They do not depend on the screen, so they are made for one.
//
// The peer does as many transforms as the iterations need, and nothing of what lies between them: the ratio of times is
// that of one transform with its share of the rest to one of the peer's alone.
#include "bench_work.h"

#include "table.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace vedette::cli {

namespace {

void set(Picture& picture, std::uint32_t x, std::uint32_t y, float value) {
    std::memcpy(picture.at(x, y), &value, sizeof value);
}

// A part of the screen with structure, in gray levels; never black, so that no arithmetic is left out.
Picture part_of(const BenchScreen& screen, std::uint32_t side, std::uint32_t batch) {
    const Picture gray = textured_part(gray_of(screen.bgr), side, side);
    Picture picture(VDT_FORMAT_GRAYF32, side, side * batch);
    for (std::uint32_t y = 0; y < side * batch; ++y) {
        for (std::uint32_t x = 0; x < side; ++x) {
            set(picture, x, y, static_cast<float>(*gray.at(x, y % side)) + 1);
        }
    }
    return picture;
}

// Gaussian around (0, 0) with wrap-around, sum 1.
Picture spread_of(std::uint32_t side, std::uint32_t batch) {
    constexpr double sigma = 1.5;
    const auto weight = [&](std::uint32_t x, std::uint32_t y) {
        const double dx = std::min(x, side - x), dy = std::min(y, side - y);
        return std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
    };
    double sum = 0;
    for (std::uint32_t y = 0; y < side; ++y) {
        for (std::uint32_t x = 0; x < side; ++x) {
            sum += weight(x, y);
        }
    }
    Picture picture(VDT_FORMAT_GRAYF32, side, side * batch);
    for (std::uint32_t y = 0; y < side * batch; ++y) {
        for (std::uint32_t x = 0; x < side; ++x) {
            set(picture, x, y, static_cast<float>(weight(x, y % side) / sum));
        }
    }
    return picture;
}

}  // namespace

std::vector<BenchCase> restore_cases(const BenchSetting& setting, const BenchScreen& screen) {
    std::vector<BenchCase> cases;
    if (screen.name != "3840x2160") {
        return cases;
    }
    const auto add = [&](std::uint32_t side, std::uint32_t method, std::uint32_t iterations, std::uint32_t batch) {
        vdt_restore_params params{};
        params.struct_size = sizeof params;
        params.method = method;
        params.iterations = iterations;
        params.batch = batch;
        params.epsilon = 1e-6;
        const auto work = std::make_shared<Work>(VDT_OP_RESTORE, params);
        work->inputs.push_back(part_of(screen, side, batch));
        work->inputs.push_back(spread_of(side, batch));
        work->outputs.emplace_back(VDT_FORMAT_GRAYF32, side, side * batch);
        if (method == VDT_RESTORE_MIA_BLIND) {
            work->outputs.emplace_back(VDT_FORMAT_GRAYF32, side, side * batch);
        }
        const char* const names[] = {"", "MIA blind", "MIA known", "Richardson-Lucy"};
        const std::uint32_t transforms = (method == VDT_RESTORE_MIA_BLIND ? 6 : 2 * (method - 1)) * iterations;
        cases.push_back(operation_case(setting,
                                       format("%u of %ux%u, %s, %u iterations = %u transforms", batch, side, side,
                                              names[method], iterations, transforms * batch),
                                       work));
    };
    for (std::uint32_t side = 32; side <= 512; side *= 2) {
        if (setting.quick && side != 64) {
            continue;
        }
        const std::uint32_t iterations = side <= 128 ? 50 : 10;
        for (std::uint32_t method = VDT_RESTORE_MIA_BLIND; method <= VDT_RESTORE_RICHARDSON_LUCY; ++method) {
            add(side, method, iterations, 1);
        }
    }
    if (!setting.quick) {
        add(128, VDT_RESTORE_MIA_BLIND, 200, 1);
        add(64, VDT_RESTORE_RICHARDSON_LUCY, 10, 264);
    }
    return cases;
}

}  // namespace vedette::cli
