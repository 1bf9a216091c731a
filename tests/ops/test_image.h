// Images for tests: any format, any layout of rows, guard bytes around and between the rows.
#pragma once

#include <vedette/plugin/image.h>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <random>
#include <string>
#include <vector>

#include "reference/reference.h"

namespace vedette::ops {

using reference::Plane;

// How rows lie in memory.
enum class Layout : std::uint8_t {
    tight,   // row after row, in a buffer of exactly their size
    padded,  // with bytes between rows that belong to nobody
    upward,  // negative stride
    odd      // first row and stride at odd multiples of the channel's size
};
constexpr Layout all_layouts[] = {Layout::tight, Layout::padded, Layout::upward, Layout::odd};
std::ostream& operator<<(std::ostream& out, Layout layout);

// Owns pixels. New images are poisoned: every byte, pixels too, has a fixed irregular value.
class TestImage {
public:
    TestImage(vdt_format format, std::uint32_t width, std::uint32_t height, Layout layout = Layout::tight);
    static TestImage none();

    const vdt_image& view() const { return view_; }
    const vdt_image* ptr() const { return &view_; }
    vdt_format format() const { return view_.format; }
    std::uint32_t width() const { return view_.width; }
    std::uint32_t height() const { return view_.height; }

    double at(std::uint32_t x, std::uint32_t y, std::uint32_t channel = 0) const {
        return reference::pixel(view_, x, y, channel);
    }
    // Rounds and saturates into integer formats.
    void set(std::uint32_t x, std::uint32_t y, std::uint32_t channel, double value);
    void fill(const std::function<double(std::uint32_t x, std::uint32_t y, std::uint32_t channel)>& value);
    // The same pixels in another layout.
    TestImage as(Layout layout) const;
    TestImage crop(std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height) const;
    void paste(const TestImage& image, std::uint32_t x, std::uint32_t y);

    // Whether every byte outside the pixels still has its poison.
    bool guards_intact() const;
    // All bytes, to see that an input was not written.
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

    TestImage(const TestImage& other);
    TestImage& operator=(const TestImage& other);

private:
    std::uint8_t* address(std::uint32_t x, std::uint32_t y, std::uint32_t channel);
    void point_at_bytes();

    vdt_image view_{};
    std::vector<std::uint8_t> bytes_;
};

const char* name_of(vdt_format format);
bool is_float(vdt_format format);
// Largest value of an integer format's channel; 1 of float.
double top_of(vdt_format format);
// Formats in a mask.
std::vector<vdt_format> formats_in(std::uint64_t mask);

using Random = std::mt19937;
// Independent pixels over the format's whole range; float formats over [-0.5, 1.5].
TestImage random_image(Random& random, vdt_format format, std::uint32_t width, std::uint32_t height,
                       Layout layout = Layout::tight);
// Like a screen: flat panels, lines, text-like specks, one gradient; most windows are flat or nearly so.
TestImage screen_image(Random& random, vdt_format format, std::uint32_t width, std::uint32_t height,
                       Layout layout = Layout::tight);
TestImage flat_image(vdt_format format, std::uint32_t width, std::uint32_t height, double value,
                     Layout layout = Layout::tight);
// Mask of zeros and several different non-zero values.
TestImage random_mask(Random& random, std::uint32_t width, std::uint32_t height, double share_taken,
                      Layout layout = Layout::tight);

std::uint32_t below(Random& random, std::uint32_t limit);  // 0 .. limit - 1

// "" when every channel of `image` is within `tolerance` of `expected` and its guards are intact, else the worst
// difference. Tolerance 0: equal to the value as the format can hold it.
std::string difference(const TestImage& image, const Plane& expected, double tolerance);

}  // namespace vedette::ops
