// Read-only view of interleaved 8-bit pixels: what the judging code works on, free of the plugin ABI.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vedette::host {

// `channels` is 1 (gray, or a mask: 0 = ignored) or 3 (B, G, R). Row y begins at data + y * stride. The pixels belong
// to whoever made the view and outlive it.
struct PixelView {
    const std::uint8_t* data = nullptr;
    std::ptrdiff_t stride = 0;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t channels = 0;

    const std::uint8_t* row(std::uint32_t y) const noexcept { return data + static_cast<std::ptrdiff_t>(y) * stride; }
    bool empty() const noexcept { return width == 0; }
};

// Pixels of a window: left, top, size.
struct Window {
    std::uint32_t x = 0, y = 0, w = 0, h = 0;
};

}  // namespace vedette::host
