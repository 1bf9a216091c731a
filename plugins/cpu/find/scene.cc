#include "scene.h"

#include <cstring>

#include "../parallel.h"

namespace vedette::cpu::find {
namespace {

constexpr std::uint64_t planes_key = 0x66696E6400000001u;  // "find", kind 1

void split(const Device& device, vdt_token* token, const vdt_image& image, const vdt_rect& region, Planes& planes) {
    planes.width = region.w;
    planes.height = region.h;
    planes.stride = (region.w + over_read + 63) / 64 * 64;
    const std::size_t bytes =
        static_cast<std::size_t>(planes.stride) * static_cast<std::size_t>(region.h) * max_channels;
    if (planes.bytes.size() < bytes) planes.bytes.resize(bytes);
    const Kernels& kernels = kernels_for(device.isa);
    parallel_for(device, token, 0, static_cast<std::uint32_t>(region.h), 0,
                 [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                     for (std::uint32_t y = begin; y < end; ++y) {
                         const std::uint8_t* in =
                             row_start(image, static_cast<std::uint32_t>(region.y) + y) + 3 * std::int64_t{region.x};
                         std::uint8_t* out[max_channels];
                         for (int c = 0; c < max_channels; ++c)
                             out[c] =
                                 planes.bytes.data() + (static_cast<std::int64_t>(c) * region.h + y) * planes.stride;
                         kernels.split_row(in, out, region.w);
                     }
                 });
}

}  // namespace

void Scene::set(const Device& device, vdt_token* token, const vdt_image& image, const vdt_rect& region) {
    width_ = region.w;
    height_ = region.h;
    channels_ = image.format == VDT_FORMAT_BGR8 ? 3 : 1;
    const auto rows = static_cast<std::size_t>(region.h);
    for (int c = 0; c < channels_; ++c) rows_[c].resize(rows);
    if (channels_ == 3) {
        const Planes* planes = &own_;
        int x = 0, y = 0;
        if (Resident* resident = resident_of(image)) {
            kept_ = resident->get<Planes>(planes_key, [&] {
                auto made = std::make_shared<Planes>();
                const vdt_rect whole = {0, 0, static_cast<std::int32_t>(image.width),
                                        static_cast<std::int32_t>(image.height)};
                split(device, token, image, whole, *made);
                return made;
            });
            planes = kept_.get();
            x = region.x;
            y = region.y;
        } else {
            split(device, token, image, region, own_);
        }
        for (int c = 0; c < channels_; ++c)
            for (int k = 0; k < height_; ++k) rows_[c][static_cast<std::size_t>(k)] = planes->row(c, y + k) + x;
        return;
    }
    const std::uint8_t* const end = static_cast<const std::uint8_t*>(image.plane[0].base) + image.plane[0].bytes;
    // Copies first, pointers afterwards: the buffer may move while it grows.
    std::size_t near = 0;
    const auto is_near = [&](int k) {
        return end - (row_start(image, static_cast<std::uint32_t>(region.y + k)) + region.x) <
               std::int64_t{width_} + over_read;
    };
    for (int k = 0; k < height_; ++k) near += is_near(k) ? 1 : 0;
    const auto padded = static_cast<std::size_t>(width_ + over_read);
    if (tail_.size() < near * padded) tail_.resize(near * padded);
    std::uint8_t* copy = tail_.data();
    for (int k = 0; k < height_; ++k) {
        const std::uint8_t* row = row_start(image, static_cast<std::uint32_t>(region.y + k)) + region.x;
        if (is_near(k)) {
            std::memcpy(copy, row, static_cast<std::size_t>(width_));
            row = copy;
            copy += padded;
        }
        rows_[0][static_cast<std::size_t>(k)] = row;
    }
}

}  // namespace vedette::cpu::find
