#include "image_view.h"

#include <cstring>
#include <vector>

#include "formats.h"

namespace vedette::opencv {

namespace {

// One plane as a Mat: a header over the caller's memory, or a copy when rows run upwards (cv::Mat's step is unsigned).
cv::Mat read_plane(const vdt_plane& plane, const cv::Size& size, int type, std::size_t bytes) {
    if (size.height == 1) return cv::Mat(size, type, plugin::row_of<unsigned char>(plane, 0));
    if (plane.row_stride > 0)
        return cv::Mat(size, type, plugin::row_of<unsigned char>(plane, 0), static_cast<std::size_t>(plane.row_stride));
    cv::Mat copy(size, type);
    for (int y = 0; y < size.height; ++y)
        std::memcpy(copy.ptr(y), plugin::row_of<unsigned char>(plane, static_cast<std::uint32_t>(y)), bytes);
    return copy;
}

void write_plane(const cv::Mat& pixels, const vdt_plane& plane, std::size_t bytes, int first_row) {
    for (int y = 0; y < pixels.rows; ++y)
        std::memcpy(plugin::row_of<unsigned char>(plane, static_cast<std::uint32_t>(first_row + y)), pixels.ptr(y),
                    bytes);
}

}  // namespace

cv::Size size_of(const vdt_image& image) noexcept {
    return {static_cast<int>(image.width), static_cast<int>(image.height)};
}

cv::Mat read_pixels(const vdt_image& image) {
    const FormatLayout& layout = *layout_of(image.format);
    const std::size_t bytes = row_bytes(layout, image.width);
    if (layout.planes == 1)
        return read_plane(image.plane[0], size_of(image), CV_MAKETYPE(layout.depth, layout.channels), bytes);
    std::vector<cv::Mat> planes;
    for (std::uint32_t p = 0; p < layout.planes; ++p)
        planes.push_back(read_plane(image.plane[p], size_of(image), layout.depth, bytes));
    cv::Mat merged;
    cv::merge(planes, merged);
    return merged;
}

void write_pixels(const cv::Mat& pixels, const vdt_image& image, int first_row) {
    const FormatLayout& layout = *layout_of(image.format);
    CV_Assert(pixels.cols == size_of(image).width && first_row + pixels.rows <= size_of(image).height);
    CV_Assert(pixels.depth() == layout.depth && pixels.channels() == layout.channels);
    const std::size_t bytes = row_bytes(layout, image.width);
    if (layout.planes == 1) return write_plane(pixels, image.plane[0], bytes, first_row);
    std::vector<cv::Mat> planes;
    cv::split(pixels, planes);
    for (std::uint32_t p = 0; p < layout.planes; ++p) write_plane(planes[p], image.plane[p], bytes, first_row);
}

}  // namespace vedette::opencv
