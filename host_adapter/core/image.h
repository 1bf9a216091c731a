// Images that libvedette owns, and what each device keeps of them.
#pragma once

#include <vedette/plugin/image.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace vedette::host {

// Bytes of one pixel of an interleaved format; 0 for formats with several planes or none.
std::size_t bytes_per_pixel(vdt_format format) noexcept;
// Bytes of all pixels of a view, without padding.
double pixel_bytes(const vdt_image& view) noexcept;

// Pixels in host memory. Rows are 64-byte aligned and padded by at least 64 readable bytes, so that vector loads may
// run over the end of a row. Movable, not copyable. Constructor: Failure VDT_E_SIZE for 0 or more than
// VDT_MAX_DIMENSION pixels a side, VDT_E_OUT_OF_MEMORY.
class Image {
public:
    // What the pixels are at first: zero, or, where all are written anyway, whatever lay there.
    enum class Content { zero, unset };

    Image() = default;
    Image(vdt_format format, std::uint32_t width, std::uint32_t height, Content content = Content::zero);

    vdt_format format() const noexcept { return format_; }
    std::uint32_t width() const noexcept { return width_; }
    std::uint32_t height() const noexcept { return height_; }
    std::size_t stride() const noexcept { return stride_; }
    bool empty() const noexcept { return width_ == 0; }
    std::uint8_t* row(std::uint32_t y) noexcept { return data_.get() + y * stride_; }
    const std::uint8_t* row(std::uint32_t y) const noexcept { return data_.get() + y * stride_; }

    // View for the plugin ABI; valid as long as the image.
    vdt_image view() const noexcept;

private:
    struct Free {
        void operator()(std::uint8_t* pixels) const noexcept;
    };
    vdt_format format_ = VDT_FORMAT_NONE;
    std::uint32_t width_ = 0;
    std::uint32_t height_ = 0;
    std::size_t stride_ = 0;
    std::size_t bytes_ = 0;
    std::unique_ptr<std::uint8_t[], Free> data_;
};

class Device;

// An image that many runs share, with the resident object of every device that has used it (made once, on first use,
// under a lock; destroyed with this object). Used by screens and patterns. Thread-safe.
class SharedImage {
public:
    explicit SharedImage(Image image);
    ~SharedImage();
    SharedImage(const SharedImage&) = delete;
    SharedImage& operator=(const SharedImage&) = delete;

    const Image& image() const noexcept;
    // View with `resident` set for `device`; without it when the device keeps nothing or could not (out of memory).
    vdt_image view_on(Device& device);
    // The same, but nothing is made: without `resident` when the device keeps nothing yet.
    vdt_image view_if_kept(const Device& device) const;
    // Bit device.ordinal(): that device keeps the image. For predictions.
    std::uint64_t kept_mask() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace vedette::host
