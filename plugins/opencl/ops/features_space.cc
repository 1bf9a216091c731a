#include "features_space.h"

#include <algorithm>
#include <cmath>

namespace vedette::opencl {

namespace {

constexpr double image_sigma = 0.5;      // blur that a camera's or screen's pixels are taken to have [Lowe]
constexpr std::int32_t least_side = 11;  // of an octave with a pixel that may be a keypoint
constexpr long most_octaves = 16;
constexpr std::size_t slack = 64;  // floats that vectors read over the end
// Of a blur by tiles, whose loops over it are unrolled on processors. The usual radii are 5 to 12.
constexpr std::uint32_t widest_unrolled_radius = 32;

std::vector<float> gaussian_weights(double sigma) {
    const auto size = static_cast<std::uint32_t>(std::lrint(sigma * 8 + 1)) | 1U;
    std::vector<double> exact(size / 2 + 1);
    double sum = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
        const double place = static_cast<double>(k) / sigma;
        exact[k] = std::exp(-0.5 * place * place);
        sum += k == 0 ? exact[k] : 2 * exact[k];
    }
    std::vector<float> weights;
    for (const double weight : exact) weights.push_back(static_cast<float>(weight / sum));
    return weights;
}

std::size_t tile_bytes(const SiftForm& form, std::size_t radius) {
    return sizeof(float) * form.tile_width * (form.tile_height + 2 * radius);
}

}  // namespace

SiftShape sift_shape(std::uint32_t octave_layers, double sigma, std::uint32_t width, std::uint32_t height) {
    SiftShape shape;
    shape.octave_layers = octave_layers;
    shape.sigma = static_cast<float>(sigma);
    const double enlarged = 2 * image_sigma;
    shape.blurs.push_back(gaussian_weights(std::sqrt(std::max(sigma * sigma - enlarged * enlarged, 0.01))));
    const double step = std::pow(2.0, 1.0 / octave_layers);
    for (std::uint32_t layer = 1; layer < shape.layers(); ++layer)
        shape.blurs.push_back(gaussian_weights(std::pow(step, layer - 1.0) * sigma * std::sqrt(step * step - 1)));
    auto w = static_cast<std::int32_t>(2 * width), h = static_cast<std::int32_t>(2 * height);
    // OpenCV's number of octaves; those too small for a keypoint are left out.
    const long octaves = std::min(most_octaves, std::lrint(std::log2(std::min(w, h)) - 2) + 1);
    for (long index = 0; index < octaves && std::min(w, h) >= least_side; ++index, w /= 2, h /= 2) {
        SiftOctave octave{};
        octave.first = shape.floats;
        octave.width = w;
        octave.height = h;
        octave.stride = (static_cast<std::uint32_t>(w) + 31) / 32 * 32;
        octave.layer_floats = std::uint64_t{octave.stride} * static_cast<std::uint32_t>(h);
        shape.floats += shape.layers() * octave.layer_floats;
        shape.octaves.push_back(octave);
    }
    shape.floats += slack;
    return shape;
}

SiftForm sift_form(const DeviceLimits& limits) {
    SiftForm form{};
    form.vector = limits.native_floats >= 8 ? 8 : 4;
    form.tile_width = 64;
    form.rows = limits.kind == Kind::cpu;
    if (form.rows) {
        // A group is a loop of one thread: one work-item with much work, and a tile that fits a first-level cache.
        form.lanes = 1;
        form.keys = 1;
        form.tile_height = 64;
        form.group_columns = 1;
        form.group_rows = 1;
    } else {
        // Histograms of a group take 16 KiB.
        form.lanes = 16;
        form.keys = 2;
        form.tile_height = 32;
        form.group_columns = form.tile_width / form.vector;
        form.group_rows = 16;
    }
    return form;
}

std::string SiftForm::defines(const SiftShape& shape) const {
    return "-D VECTOR=" + std::to_string(vector) + " -D LAYERS=" + std::to_string(shape.octave_layers) +
           " -D LANES=" + std::to_string(lanes) + " -D KEYS=" + std::to_string(keys);
}

SiftSpace::SiftSpace(const Device& device, const SiftShape& shape, const SiftForm& form) : shape_(shape), form_(form) {
    const std::string defines = form.defines(shape);
    enlarge_ = device.programs.kernel("features_space", "enlarge", defines);
    halve_ = device.programs.kernel("features_space", "halve", defines);
    for (const std::vector<float>& weights : shape.blurs) {
        Blur blur;
        blur.radius = static_cast<std::uint32_t>(weights.size() - 1);
        blur.weights = device.buffer<float>(weights.size());
        write(device.service.get(), blur.weights, weights.data(), weights.size(), cl::blocking);
        // Two groups at least share a multiprocessor's memory.
        if ((!form.rows || blur.radius <= widest_unrolled_radius) &&
            tile_bytes(form, blur.radius) <= device.limits().local_bytes / 2)
            for (blur.group_rows = form.group_rows; blur.group_rows > 0; blur.group_rows /= 2) {
                blur.tile = device.programs.kernel("features_blur", "blur",
                                                   defines + " -D RADIUS=" + std::to_string(blur.radius) +
                                                       " -D TILE_WIDTH=" + std::to_string(form.tile_width) +
                                                       " -D TILE_HEIGHT=" + std::to_string(form.tile_height) +
                                                       " -D GROUP_ROWS=" + std::to_string(blur.group_rows));
                if (form.group_columns * blur.group_rows <= blur.tile.group_size()) break;
            }
        if (blur.group_rows == 0) {
            blur.across = device.programs.kernel("features_blur", "blur_across", defines);
            blur.down = device.programs.kernel("features_blur", "blur_down", defines);
            if (!scratch_) scratch_ = device.buffer<float>(shape.octaves.front().layer_floats + slack);
        }
        blurs_.push_back(std::move(blur));
    }
    layers_ = device.buffer<float>(shape.floats);
    octaves_ = device.buffer<SiftOctave>(shape.octaves.size());
    write(device.service.get(), octaves_, shape.octaves.data(), shape.octaves.size(), cl::blocking);
}

void SiftSpace::blur(cl::Queue queue, const Blur& blur, const SiftOctave& octave, std::uint64_t from,
                     std::uint64_t to) const {
    const auto width = static_cast<std::size_t>(octave.width), height = static_cast<std::size_t>(octave.height);
    const auto groups = [](std::size_t size, std::size_t part) { return (size + part - 1) / part; };
    if (blur.group_rows != 0) {
        launch(queue, blur.tile,
               cover({groups(width, form_.tile_width) * form_.group_columns,
                      groups(height, form_.tile_height) * blur.group_rows},
                     {form_.group_columns, blur.group_rows}),
               layers_, from, layers_, to, octave.stride, octave.width, octave.height, blur.weights);
        return;
    }
    const Range range = cover({groups(width, form_.vector), height}, {group_within(blur.across, 32), 1});
    launch(queue, blur.across, range, layers_, from, scratch_, std::uint64_t{0}, octave.stride, octave.width,
           octave.height, blur.weights, blur.radius);
    launch(queue, blur.down, range, scratch_, std::uint64_t{0}, layers_, to, octave.stride, octave.width, octave.height,
           blur.weights, blur.radius);
}

void SiftSpace::build(cl::Queue queue, const DeviceImage& image) const {
    const std::size_t group = group_within(halve_, 64);
    for (std::size_t index = 0; index < shape_.octaves.size(); ++index) {
        const SiftOctave& octave = shape_.octaves[index];
        const auto layer = [&](std::uint32_t number) { return octave.first + number * octave.layer_floats; };
        if (index == 0) {
            // The enlarged image lies where layer 1 will.
            const Range range = form_.rows ? cover({1, image.height}, {1, 1})
                                           : cover({image.width, image.height}, {group_within(enlarge_, 64), 1});
            launch(queue, enlarge_, range, image.plane(), static_cast<std::int32_t>(image.width),
                   static_cast<std::int32_t>(image.height), layers_, layer(1), octave.stride);
            blur(queue, blurs_[0], octave, layer(1), layer(0));
        } else {
            const SiftOctave& before = shape_.octaves[index - 1];
            launch(queue, halve_,
                   cover({static_cast<std::size_t>(octave.width), static_cast<std::size_t>(octave.height)}, {group, 1}),
                   layers_, before.first + shape_.octave_layers * before.layer_floats, before.stride, layer(0),
                   octave.stride, octave.width, octave.height);
        }
        for (std::uint32_t number = 1; number < shape_.layers(); ++number)
            blur(queue, blurs_[number], octave, layer(number - 1), layer(number));
    }
}

}  // namespace vedette::opencl
