#include "features/octave.h"

#include <algorithm>
#include <cmath>

namespace vedette::cpu::features {

namespace {

constexpr float image_sigma = 0.5F;  // blur that a camera's or screen's pixels are taken to have [Lowe]

}  // namespace

Blur::Blur(double sigma, std::uint32_t every) : step(every) {
    const auto size = static_cast<std::uint32_t>(std::lrint(sigma * 8 + 1)) | 1U;
    std::vector<double> exact(size / 2 / step + 1);
    double sum = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
        const double place = static_cast<double>(k * step) / sigma;
        exact[k] = std::exp(-0.5 * place * place);
        sum += k == 0 ? exact[k] : 2 * exact[k];
    }
    for (const double weight : exact) weights.push_back(static_cast<float>(weight / sum));
}

std::uint32_t widest_step(double sigma, double before) {
    constexpr double least = 2e-5, turn = 6.28318530717958648;
    // Values `step` apart also take a wave of frequency turn / step - w for one of w. The image holds exp(-before^2
    // w'^2 / 2) of a wave w', the filter exp(-sigma^2 w^2 / 2): their product is greatest where both add up to
    const double both = sigma * sigma * before * before / (sigma * sigma + before * before);
    std::uint32_t step = 1;
    while (step < 3 && std::exp(-both * (turn / (step + 1)) * (turn / (step + 1)) / 2) < least) ++step;
    return step;
}

float ScaleSpace::scale_of(float layer) const noexcept {
    return sigma * std::pow(2.0F, layer / static_cast<float>(octave_layers));
}

ScaleSpace make_scale_space(std::uint32_t octave_layers, double sigma) {
    ScaleSpace space;
    space.octave_layers = octave_layers;
    space.sigma = static_cast<float>(sigma);
    const float enlarged = 2 * image_sigma;
    space.blurs.emplace_back(std::sqrt(std::max(space.sigma * space.sigma - enlarged * enlarged, 0.01F)), 1);
    const double step = std::pow(2.0, 1.0 / octave_layers);
    for (std::uint32_t layer = 1; layer < space.layer_count(); ++layer) {
        const double before = std::pow(step, layer - 1.0) * sigma, more = before * std::sqrt(step * step - 1);
        // The blur that the image is taken to have from the start may be missing.
        const double sure = std::sqrt(std::max(before * before - enlarged * enlarged, 0.0));
        space.blurs.emplace_back(more, widest_step(more, sure));
    }
    // The descriptor's square has half a diagonal of 2.5 sqrt(2) cells of 3 sigma; the directions reach 4.5 sigma. One
    // pixel more for gradients, one for rounding.
    const float largest = space.scale_of(static_cast<float>(octave_layers) + 0.5F);
    space.patch_reach = static_cast<std::uint32_t>(std::ceil(largest * 3 * 2.5F * 1.41421356F)) + 2;
    return space;
}

OctavePlan::OctavePlan(const ScaleSpace& space, std::uint32_t width, std::uint32_t height, std::uint32_t band,
                       bool whole_base)
    : width_(width), height_(height), slots_(space.layer_count(), 0) {
    if (std::min(width, height) <= 2 * octave_border) return;
    const std::uint32_t layers = space.layer_count(), last = height - octave_border;
    const auto at_most = [height](std::uint64_t row) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(row, height));
    };
    std::vector<std::uint32_t> have(layers, 0);
    for (std::uint32_t begin = octave_border; begin < last; begin += band) {
        OctaveStep step;
        step.begin = begin;
        step.end = std::min(begin + band, last);
        step.have.resize(layers);
        for (std::uint32_t layer = layers; layer-- > 0;) {
            const bool has_patches = layer >= 1 && layer <= space.octave_layers;
            const std::uint32_t reach = refine_reach + 2 + (has_patches ? space.patch_reach : 0);
            step.have[layer] = at_most(std::uint64_t{step.end} + reach);
            // The layer above this one is made from it.
            if (layer + 1 < layers)
                step.have[layer] =
                    std::max(step.have[layer], at_most(step.have[layer + 1] + space.blurs[layer + 1].radius()));
            // Oldest row that this step still reads.
            std::uint32_t oldest = step.begin > reach ? step.begin - reach : 0;
            if (layer + 1 < layers) {
                const auto radius = space.blurs[layer + 1].radius();
                oldest = std::min(oldest, have[layer + 1] > radius ? have[layer + 1] - radius : 0);
                // At the lower edge rows are reflected.
                oldest = std::min(oldest, height > radius + 1 ? height - radius - 1 : 0);
            }
            slots_[layer] = std::max(slots_[layer], step.have[layer] - std::min(oldest, step.have[layer]));
        }
        have = step.have;
        steps_.push_back(std::move(step));
    }
    if (whole_base) slots_[0] = height;
}

std::int64_t row_stride(std::uint32_t width) noexcept {
    // 1024 are the 4096 bytes after which addresses fall into the same sets; rows lie 17 lines further.
    constexpr std::int64_t line = 16, page = 1024, shift = 17 * line;
    const std::int64_t least = std::int64_t{width} + sift_row_slack;
    if (least <= page / 2) return (least + line - 1) / line * line;
    return (least - shift + page - 1) / page * page + shift;
}

std::uint32_t reflected_row(std::int64_t y, std::uint32_t height) noexcept {
    if (height == 1) return 0;
    while (y < 0 || y >= height) y = y < 0 ? -y : 2 * (std::int64_t{height} - 1) - y;
    return static_cast<std::uint32_t>(y);
}

}  // namespace vedette::cpu::features
