#include "filter/weights.h"

#include <vedette/plugin/cpp/guard.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace vedette::imaging {

namespace {

[[noreturn]] void refuse(const std::string& text) {
    throw plugin::Failure(VDT_E_ARGUMENT, "filter: " + text);
}

void check_weights(const float* weights, std::uint64_t count, const char* name) {
    if (weights == nullptr) refuse(std::string(name) + " is NULL");
    for (std::uint64_t i = 0; i < count; ++i)
        if (!std::isfinite(weights[i])) refuse(std::string(name) + " has a weight that is not finite");
}

void check_gaussian(std::uint32_t size, double sigma, const char* name) {
    if (size % 2 == 0) refuse("the sides of a Gaussian kernel must be odd");
    if (!std::isfinite(sigma) || sigma <= 0) refuse(std::string(name) + " must be finite and above 0");
}

std::vector<float> gaussian(std::uint32_t size, double sigma) {
    std::vector<double> exact(size);
    double sum = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
        const double distance = i - (size - 1) / 2.0;
        exact[i] = std::exp(-distance * distance / (2 * sigma * sigma));
        sum += exact[i];
    }
    std::vector<float> weights;
    for (const double weight : exact) weights.push_back(static_cast<float>(weight / sum));
    return weights;
}

double absolute_sum(const std::vector<float>& weights) {
    double sum = 0;
    for (const float weight : weights) sum += std::abs(static_cast<double>(weight));
    return sum;
}

LineWeights line(const std::vector<float>& weights) {
    return {weights.data(), static_cast<std::uint32_t>(weights.size()),
            std::equal(weights.begin(), weights.end(), weights.rbegin())};
}

}  // namespace

LineWeights FilterWeights::across_line() const noexcept {
    return line(across);
}

LineWeights FilterWeights::down_line() const noexcept {
    return line(down);
}

void check_filter_params(const vdt_filter_params& params) {
    if (params.kind < VDT_FILTER_SEPARABLE || params.kind > VDT_FILTER_BOX)
        refuse("there is no kind " + std::to_string(params.kind));
    if (params.border > VDT_BORDER_REFLECT_101) refuse("there is no border " + std::to_string(params.border));
    const std::uint32_t w = params.kernel_w, h = params.kernel_h;
    if (w == 0 || h == 0) refuse("the kernel has no weights");
    if (w > most_kernel_side || h > most_kernel_side)
        throw plugin::Failure(VDT_E_UNSUPPORTED_SIZE, "filter: this backend takes kernels of up to " +
                                                          std::to_string(most_kernel_side) + " a side");
    const auto is_inside = [](std::int32_t anchor, std::uint32_t size) {
        return anchor >= -1 && anchor < static_cast<std::int64_t>(size);
    };
    if (!is_inside(params.anchor_x, w) || !is_inside(params.anchor_y, h)) refuse("the anchor lies outside the kernel");
    if (params.border == VDT_BORDER_CONSTANT && !std::isfinite(params.border_value))
        refuse("border_value must be finite");
    if (!std::isfinite(params.delta)) refuse("delta must be finite");
    if (params.kind == VDT_FILTER_GENERAL) check_weights(params.kernel_x, std::uint64_t{w} * h, "kernel_x");
    if (params.kind == VDT_FILTER_SEPARABLE) {
        check_weights(params.kernel_x, w, "kernel_x");
        check_weights(params.kernel_y, h, "kernel_y");
    }
    if (params.kind == VDT_FILTER_GAUSSIAN) {
        check_gaussian(w, params.sigma_x, "sigma_x");
        check_gaussian(h, params.sigma_y, "sigma_y");
    }
}

FilterWeights weights_of(const vdt_filter_params& params) {
    const std::uint32_t w = params.kernel_w, h = params.kernel_h;
    FilterWeights weights{};
    weights.width = w;
    weights.height = h;
    weights.anchor_x = params.anchor_x < 0 ? w / 2 : static_cast<std::uint32_t>(params.anchor_x);
    weights.anchor_y = params.anchor_y < 0 ? h / 2 : static_cast<std::uint32_t>(params.anchor_y);
    switch (params.kind) {
        case VDT_FILTER_GENERAL:
            weights.matrix.assign(params.kernel_x, params.kernel_x + std::uint64_t{w} * h);
            weights.gain = absolute_sum(weights.matrix);
            return weights;
        case VDT_FILTER_SEPARABLE:
            weights.across.assign(params.kernel_x, params.kernel_x + w);
            weights.down.assign(params.kernel_y, params.kernel_y + h);
            break;
        case VDT_FILTER_GAUSSIAN:
            weights.across = gaussian(w, params.sigma_x);
            weights.down = gaussian(h, params.sigma_y);
            break;
        default:
            // Sums of whole numbers along a row are exact; the mean is taken on the way down.
            weights.across.assign(w, 1.0F);
            weights.down.assign(h, static_cast<float>(1.0 / (static_cast<double>(w) * h)));
            break;
    }
    weights.gain = absolute_sum(weights.across) * absolute_sum(weights.down);
    return weights;
}

}  // namespace vedette::imaging
