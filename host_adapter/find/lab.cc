#include "lab.h"

#include "kernels/kernels.h"

#include <array>
#include <cmath>

namespace vedette::host {
namespace {

struct Tables {
    std::array<float, 256> linear;  // light of a value, 0..1
    std::array<float, 256> lightness;

    Tables() noexcept {
        for (unsigned value = 0; value < 256; ++value) {
            const double v = value / 255.0;
            const double light = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
            linear[value] = static_cast<float>(light);
        }
        // By the same arithmetic as colours, so that gray patterns and gray pixels of colour screens agree.
        for (unsigned value = 0; value < 256; ++value) {
            const auto gray = static_cast<std::uint8_t>(value);
            const std::uint8_t pixel[3] = {gray, gray, gray};
            float l[kRowStep], a[kRowStep], b[kRowStep];
            find_kernels().lab(linear.data(), pixel, 1, l, a, b);
            lightness[value] = l[0];
        }
    }
};

const Tables& tables() noexcept {
    static const Tables made;
    return made;
}

}  // namespace

void lab_of_bgr(const std::uint8_t* pixels, std::uint32_t count, float* l, float* a, float* b) noexcept {
    find_kernels().lab(tables().linear.data(), pixels, count, l, a, b);
}

void lightness_of_gray(const std::uint8_t* pixels, std::uint32_t count, float* l) noexcept {
    const Tables& table = tables();
    for (std::uint32_t i = 0; i < count; ++i) l[i] = table.lightness[pixels[i]];
}

Lab lab_of_bgr(std::uint8_t blue, std::uint8_t green, std::uint8_t red) noexcept {
    const std::uint8_t pixel[3] = {blue, green, red};
    float l[kRowStep], a[kRowStep], b[kRowStep];
    lab_of_bgr(pixel, 1, l, a, b);
    return {l[0], a[0], b[0]};
}

}  // namespace vedette::host
