// Images whose memory tells what was done to it: pages that cannot be touched lie directly before or behind the pixels,
// and every byte between rows holds a known value.
#pragma once

#include <vedette/plugin/image.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vedette::conformance {

enum class Layout {
    packed,     // rows follow each other
    padded,     // bytes between rows
    bottom_up,  // negative stride, padded
    unaligned   // base only as aligned as one element, non-zero offset, padded
};
constexpr Layout all_layouts[] = {Layout::packed, Layout::padded, Layout::bottom_up, Layout::unaligned};
const char* layout_name(Layout layout);

// Movable; the view's address stays the same.
class TestImage {
public:
    TestImage();  // VDT_FORMAT_NONE
    TestImage(vdt_format format, std::uint32_t width, std::uint32_t height, Layout layout = Layout::packed);

    vdt_image& view() noexcept { return *view_; }
    const vdt_image& view() const noexcept { return *view_; }
    // Writes a value in the format's own type; whole formats take whole numbers in range.
    void set(std::uint32_t x, std::uint32_t y, std::uint32_t channel, double value);
    double get(std::uint32_t x, std::uint32_t y, std::uint32_t channel) const;

    // Remembers the bytes as they are. Then: what changed that must not have. Empty = nothing.
    void remember();
    std::string change_outside_pixels() const;  // for outputs
    std::string change() const;                 // for inputs
    // Bytes of the pixels, row by row, without padding.
    std::vector<std::uint8_t> pixel_bytes() const;

private:
    struct Memory;  // of one plane
    std::unique_ptr<vdt_image> view_;
    std::vector<std::shared_ptr<Memory>> planes_;
};

std::string format_name(vdt_format format);

}  // namespace vedette::conformance
