#include "template_pattern.h"

#include "streams.h"

#include <vedette/plugin/cpp/format.hpp>

#include <bit>
#include <cstring>

namespace vedette::opencl {

namespace {

__extension__ typedef __int128 Wide;

// Rows of an image of bytes, without padding, wherever it lies.
void read_rows(Operands& operands, const vdt_call& call, std::uint32_t index, std::uint32_t channels,
               std::vector<std::uint8_t>& to) {
    const vdt_image& image = *call.inputs[index];
    const std::size_t row = std::size_t{image.width} * channels;
    to.resize(row * image.height);
    if (image.memory == VDT_MEMORY_DEVICE) {
        const Plane plane = operands.input(index).plane();
        for (std::uint32_t y = 0; y < image.height; ++y)
            check_wait(cl::api().EnqueueReadBuffer(operands.queue(), plane.memory, cl::queued,
                                                   plane.offset + std::uint64_t{y} * plane.stride, row,
                                                   to.data() + y * row, 0, nullptr, nullptr),
                       "copying a pattern");
        finish(operands.queue());
        return;
    }
    if (image.ready != nullptr) event_of(image.ready).wait_host();
    for (std::uint32_t y = 0; y < image.height; ++y)
        std::memcpy(to.data() + y * row, plugin::row_of<const std::uint8_t>(image.plane[0], y), row);
}

}  // namespace

TemplateShape template_shape(const vdt_image& pattern, const vdt_image& mask) noexcept {
    return {pattern.width, pattern.height, pattern.format == VDT_FORMAT_BGR8 ? 3U : 1U, mask.format != VDT_FORMAT_NONE};
}

std::uint64_t TemplatePattern::device_floats(const TemplateShape& shape) noexcept {
    return std::uint64_t{stride(shape.width)} * shape.height * shape.channels;
}

void TemplatePattern::prepare(Operands& operands, const vdt_call& call, std::uint32_t index) {
    const TemplateShape shape = template_shape(*call.inputs[index], *call.inputs[index + 1]);
    read_rows(operands, call, index, shape.channels, new_pixels_);
    new_mask_.clear();
    if (shape.masked) {
        read_rows(operands, call, index + 1, 1, new_mask_);
        for (std::uint8_t& taken : new_mask_) taken = taken != 0 ? 1 : 0;
    }
    const bool same = ready_ && shape.width == shape_.width && shape.height == shape_.height &&
                      shape.channels == shape_.channels && shape.masked == shape_.masked && pixels_ == new_pixels_ &&
                      mask_ == new_mask_;
    if (same) return;
    // A failure on the way must not leave a pattern with another's pixels.
    ready_ = false;
    shape_ = shape;
    pixels_.swap(new_pixels_);
    mask_.swap(new_mask_);
    sum_up();
    upload(operands.device(), operands.queue());
    ready_ = true;
}

void TemplatePattern::sum_up() {
    sums_ = {};
    sums_.masked = shape_.masked ? 1 : 0;
    const std::size_t places = std::size_t{shape_.width} * shape_.height;
    for (std::size_t place = 0; place < places; ++place) {
        if (shape_.masked && mask_[place] == 0) continue;
        ++sums_.area;
        for (std::size_t c = 0; c < shape_.channels; ++c) {
            const std::uint64_t value = pixels_[place * shape_.channels + c];
            sums_.sum[c] += value;
            sums_.square += value * value;
        }
    }
    Wide variance = static_cast<Wide>(sums_.area) * static_cast<Wide>(sums_.square);
    for (const std::uint64_t sum : sums_.sum) variance -= static_cast<Wide>(sum) * static_cast<Wide>(sum);
    sums_.variance = std::bit_cast<std::uint64_t>(static_cast<double>(variance));
}

void TemplatePattern::upload(const Device& device, cl::Queue queue) {
    const std::size_t row = stride(shape_.width), plane = row * shape_.height;
    std::vector<float> pixels(plane * shape_.channels), mask(shape_.masked ? plane : row);
    for (std::size_t y = 0; y < shape_.height; ++y)
        for (std::size_t x = 0; x < shape_.width; ++x) {
            const std::size_t place = y * shape_.width + x;
            const bool taken = !shape_.masked || mask_[place] != 0;
            if (shape_.masked || y == 0) mask[y * row + x] = taken ? 1.0F : 0.0F;
            for (std::size_t c = 0; taken && c < shape_.channels; ++c)
                pixels[c * plane + y * row + x] = static_cast<float>(pixels_[place * shape_.channels + c]);
        }
    if (device_pixels_.size() < pixels.size()) device_pixels_ = device.buffer<float>(pixels.size());
    if (device_mask_.size() < mask.size()) device_mask_ = device.buffer<float>(mask.size());
    write(queue, device_pixels_, pixels.data(), pixels.size(), cl::blocking);
    write(queue, device_mask_, mask.data(), mask.size(), cl::blocking);
}

}  // namespace vedette::opencl
