#include "plane.h"

namespace vedette::reference {
namespace {

// Position inside [0, length) that stands for `i`; -1 = the border's constant value.
std::int64_t inside(std::int64_t i, std::int64_t length, std::uint32_t border) {
    if (i >= 0 && i < length) return i;
    switch (border) {
        case VDT_BORDER_CONSTANT:
            return -1;
        case VDT_BORDER_REPLICATE:
            return i < 0 ? 0 : length - 1;
        case VDT_BORDER_WRAP:
            return ((i % length) + length) % length;
        case VDT_BORDER_REFLECT:
        case VDT_BORDER_REFLECT_101:
            break;
        default:
            throw std::invalid_argument("no such border");
    }
    if (length == 1) return 0;
    const std::int64_t once = border == VDT_BORDER_REFLECT_101 ? 1 : 0;  // the edge pixel is not repeated
    while (i < 0 || i >= length) i = i < 0 ? -i - 1 + once : 2 * length - 1 - i - once;
    return i;
}

std::vector<double> gaussian(std::uint32_t size, double sigma) {
    std::vector<double> weight(size);
    double sum = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
        const double d = i - (size - 1) / 2.0;
        weight[i] = std::exp(-d * d / (2 * sigma * sigma));
        sum += weight[i];
    }
    for (double& w : weight) w /= sum;
    return weight;
}

std::vector<double> kernel_of(const vdt_filter_params& params) {
    const std::size_t width = params.kernel_w, height = params.kernel_h;
    std::vector<double> across(width, 1.0 / static_cast<double>(width));
    std::vector<double> down(height, 1.0 / static_cast<double>(height));
    if (params.kind == VDT_FILTER_GENERAL) return {params.kernel_x, params.kernel_x + width * height};
    if (params.kind == VDT_FILTER_SEPARABLE) {
        across.assign(params.kernel_x, params.kernel_x + width);
        down.assign(params.kernel_y, params.kernel_y + height);
    } else if (params.kind == VDT_FILTER_GAUSSIAN) {
        across = gaussian(params.kernel_w, params.sigma_x);
        down = gaussian(params.kernel_h, params.sigma_y);
    } else if (params.kind != VDT_FILTER_BOX) {
        throw std::invalid_argument("no such filter");
    }
    std::vector<double> kernel;
    for (const double v : down)
        for (const double h : across) kernel.push_back(v * h);
    return kernel;
}

double at_or_border(const Plane& in, std::int64_t x, std::int64_t y, std::uint32_t c, const vdt_filter_params& params) {
    const std::int64_t column = inside(x, in.width, params.border);
    const std::int64_t row = inside(y, in.height, params.border);
    if (column < 0 || row < 0) return params.border_value;
    return in.at(static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(row), c);
}

}  // namespace

Plane filter(const vdt_image& image, vdt_format out_format, const vdt_filter_params& params) {
    const Plane in = read(image);
    if (channels(out_format) != in.channels) throw std::invalid_argument("filter keeps the channels");
    const std::vector<double> kernel = kernel_of(params);
    const std::int64_t anchor_x = params.anchor_x < 0 ? params.kernel_w / 2 : params.anchor_x;
    const std::int64_t anchor_y = params.anchor_y < 0 ? params.kernel_h / 2 : params.anchor_y;
    const Depth depth = depth_of(out_format);
    Plane out = make_plane(in.width, in.height, in.channels);
    for (std::uint32_t y = 0; y < in.height; ++y)
        for (std::uint32_t x = 0; x < in.width; ++x)
            for (std::uint32_t c = 0; c < in.channels; ++c) {
                double sum = params.delta;
                for (std::uint32_t j = 0; j < params.kernel_h; ++j)
                    for (std::uint32_t i = 0; i < params.kernel_w; ++i)
                        sum +=
                            kernel[static_cast<std::size_t>(j) * params.kernel_w + i] *
                            at_or_border(in, std::int64_t{x} + i - anchor_x, std::int64_t{y} + j - anchor_y, c, params);
                at(out, x, y, c) =
                    depth == Depth::u8 || depth == Depth::u16 ? saturate(round_half_even(sum), depth) : sum;
            }
    return out;
}

// Edges: AREA2 takes the mean of what exists of the 2 x 2 pixels; GAUSS5 reflects without repeating the edge. Whole
// numbers are rounded half up.
Plane pyramid_level(const vdt_image& image, std::uint32_t method) {
    const Plane in = read(image);
    Plane out = make_plane((in.width + 1) / 2, (in.height + 1) / 2, in.channels);
    const std::vector<double> weights =
        method == VDT_PYRAMID_AREA2 ? std::vector<double>{1, 1} : std::vector<double>{1, 4, 6, 4, 1};
    if (method != VDT_PYRAMID_AREA2 && method != VDT_PYRAMID_GAUSS5) throw std::invalid_argument("no such pyramid");
    const std::uint32_t border = method == VDT_PYRAMID_AREA2 ? VDT_BORDER_REPLICATE : VDT_BORDER_REFLECT_101;
    const std::int64_t lead = method == VDT_PYRAMID_AREA2 ? 0 : 2;
    const double total = method == VDT_PYRAMID_AREA2 ? 4.0 : 256.0;
    const Depth depth = depth_of(image.format);
    for (std::uint32_t y = 0; y < out.height; ++y)
        for (std::uint32_t x = 0; x < out.width; ++x)
            for (std::uint32_t c = 0; c < in.channels; ++c) {
                double sum = 0;
                for (std::size_t j = 0; j < weights.size(); ++j)
                    for (std::size_t i = 0; i < weights.size(); ++i) {
                        const std::int64_t column = 2 * std::int64_t{x} + static_cast<std::int64_t>(i) - lead;
                        const std::int64_t row = 2 * std::int64_t{y} + static_cast<std::int64_t>(j) - lead;
                        sum += weights[i] * weights[j] *
                               in.at(static_cast<std::uint32_t>(inside(column, in.width, border)),
                                     static_cast<std::uint32_t>(inside(row, in.height, border)), c);
                    }
                at(out, x, y, c) = depth == Depth::f32 ? sum / total : round_half_up(sum / total);
            }
    return out;
}

}  // namespace vedette::reference
