#include "test_image.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>
#include <sstream>

namespace vedette::ops {

namespace {

constexpr const char* format_names[VDT_FORMAT_COUNT] = {
    "NONE",   "GRAY8",   "BGR8",   "BGRA8",         "RGB8",          "RGBA8", "GRAY16", "BGR16", "BGRA16",    "RGB16",
    "RGBA16", "GRAYF32", "BGRF32", "PLANAR_BGRF32", "PLANAR_RGBF32", "I32",   "I64",    "F64",   "COMPLEXF32"};

bool is_planar(vdt_format format) {
    return format == VDT_FORMAT_PLANAR_BGRF32 || format == VDT_FORMAT_PLANAR_RGBF32;
}

std::uint32_t element_bytes(vdt_format format) {
    return reference::bytes_per_pixel(format) / (is_planar(format) ? 1 : reference::channels(format));
}

std::uint8_t poison_at(std::size_t i) {
    return static_cast<std::uint8_t>(0xA5u ^ (i * 29u) ^ (i >> 8));
}

template <class T>
void store(std::uint8_t* at, double value) {
    T stored;
    if constexpr (std::is_floating_point_v<T>)
        stored = static_cast<T>(value);
    else
        stored = static_cast<T>(std::clamp(std::nearbyint(value), static_cast<double>(std::numeric_limits<T>::min()),
                                           static_cast<double>(std::numeric_limits<T>::max())));
    std::memcpy(at, &stored, sizeof stored);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, Layout layout) {
    constexpr const char* names[] = {"tight", "padded", "upward", "odd"};
    return out << names[static_cast<int>(layout)];
}

const char* name_of(vdt_format format) {
    return format < VDT_FORMAT_COUNT ? format_names[format] : "?";
}

bool is_float(vdt_format format) {
    return (format >= VDT_FORMAT_GRAYF32 && format <= VDT_FORMAT_PLANAR_RGBF32) || format == VDT_FORMAT_F64 ||
           format == VDT_FORMAT_COMPLEXF32;
}

double top_of(vdt_format format) {
    if (is_float(format)) return 1;
    return element_bytes(format) == 2 ? 65535 : 255;
}

std::vector<vdt_format> formats_in(std::uint64_t mask) {
    std::vector<vdt_format> formats;
    for (vdt_format format = 1; format < VDT_FORMAT_COUNT; ++format)
        if ((mask & VDT_FORMAT_BIT(format)) != 0) formats.push_back(format);
    return formats;
}

TestImage TestImage::none() {
    TestImage image(VDT_FORMAT_GRAY8, 1, 1);
    image.view_ = {};
    image.view_.struct_size = sizeof(vdt_image);
    image.bytes_.clear();
    return image;
}

TestImage::TestImage(vdt_format format, std::uint32_t width, std::uint32_t height, Layout layout) {
    view_.struct_size = sizeof view_;
    view_.format = format;
    view_.width = width;
    view_.height = height;
    view_.plane_count = is_planar(format) ? 3 : 1;
    const std::uint64_t row = std::uint64_t{width} * reference::bytes_per_pixel(format),
                        element = element_bytes(format);
    const std::uint64_t pad = layout == Layout::padded ? 16 * element : layout == Layout::odd ? 3 * element : 0;
    const std::uint64_t lead = layout == Layout::odd ? 5 * element : layout == Layout::tight ? 0 : 32;
    const std::uint64_t tail = layout == Layout::tight ? 0 : 24;
    const std::uint64_t stride = row + pad;
    std::uint64_t offset = 0;
    for (std::uint32_t p = 0; p < view_.plane_count; ++p) {
        const bool upward = layout == Layout::upward;
        view_.plane[p].offset = offset + lead + (upward ? stride * (height - 1) : 0);
        view_.plane[p].row_stride = static_cast<std::int64_t>(stride) * (upward ? -1 : 1);
        offset += lead + stride * (height - 1) + row + tail;
        // A plane ends where the next one begins, so that a plugin that checks bounds sees each by itself.
    }
    for (std::uint32_t p = 0; p < view_.plane_count; ++p) view_.plane[p].bytes = offset;
    bytes_.resize(offset);
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = poison_at(i);
    point_at_bytes();
}

TestImage::TestImage(const TestImage& other) : view_(other.view_), bytes_(other.bytes_) {
    point_at_bytes();
}

TestImage& TestImage::operator=(const TestImage& other) {
    view_ = other.view_;
    bytes_ = other.bytes_;
    point_at_bytes();
    return *this;
}

void TestImage::point_at_bytes() {
    for (std::uint32_t p = 0; p < view_.plane_count; ++p) view_.plane[p].base = bytes_.data();
}

std::uint8_t* TestImage::address(std::uint32_t x, std::uint32_t y, std::uint32_t channel) {
    const vdt_plane& plane = view_.plane[is_planar(view_.format) ? channel : 0];
    const std::int64_t row = static_cast<std::int64_t>(plane.offset) + std::int64_t{y} * plane.row_stride;
    const std::uint32_t inside = is_planar(view_.format) ? 0 : channel * element_bytes(view_.format);
    return bytes_.data() + row + std::uint64_t{x} * reference::bytes_per_pixel(view_.format) + inside;
}

void TestImage::set(std::uint32_t x, std::uint32_t y, std::uint32_t channel, double value) {
    std::uint8_t* at = address(x, y, channel);
    if (view_.format == VDT_FORMAT_F64)
        store<double>(at, value);
    else if (is_float(view_.format))
        store<float>(at, value);
    else if (element_bytes(view_.format) == 2)
        store<std::uint16_t>(at, value);
    else
        store<std::uint8_t>(at, value);
}

void TestImage::fill(const std::function<double(std::uint32_t, std::uint32_t, std::uint32_t)>& value) {
    const std::uint32_t channels = reference::channels(view_.format);
    for (std::uint32_t y = 0; y < view_.height; ++y)
        for (std::uint32_t x = 0; x < view_.width; ++x)
            for (std::uint32_t c = 0; c < channels; ++c) set(x, y, c, value(x, y, c));
}

TestImage TestImage::as(Layout layout) const {
    TestImage copy(format(), width(), height(), layout);
    copy.fill([this](std::uint32_t x, std::uint32_t y, std::uint32_t c) { return at(x, y, c); });
    return copy;
}

TestImage TestImage::crop(std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height) const {
    TestImage part(format(), width, height);
    part.fill([&](std::uint32_t i, std::uint32_t j, std::uint32_t c) { return at(x + i, y + j, c); });
    return part;
}

void TestImage::paste(const TestImage& image, std::uint32_t x, std::uint32_t y) {
    const std::uint32_t channels = reference::channels(format());
    for (std::uint32_t j = 0; j < image.height(); ++j)
        for (std::uint32_t i = 0; i < image.width(); ++i)
            for (std::uint32_t c = 0; c < channels; ++c) set(x + i, y + j, c, image.at(i, j, c));
}

bool TestImage::guards_intact() const {
    std::vector<std::uint8_t> expected(bytes_.size());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = poison_at(i);
    const std::size_t row_bytes = std::size_t{view_.width} * reference::bytes_per_pixel(view_.format);
    for (std::uint32_t p = 0; p < view_.plane_count; ++p)
        for (std::uint32_t y = 0; y < view_.height; ++y) {
            const vdt_plane& plane = view_.plane[p];
            const std::int64_t row = static_cast<std::int64_t>(plane.offset) + std::int64_t{y} * plane.row_stride;
            std::copy_n(bytes_.begin() + row, row_bytes, expected.begin() + row);
        }
    return expected == bytes_;
}

TestImage random_image(Random& random, vdt_format format, std::uint32_t width, std::uint32_t height, Layout layout) {
    TestImage image(format, width, height, layout);
    std::uniform_int_distribution<int> whole(0, static_cast<int>(top_of(format)));
    std::uniform_real_distribution<float> real(-0.5f, 1.5f);
    const bool floats = is_float(format);
    image.fill(
        [&](std::uint32_t, std::uint32_t, std::uint32_t) { return floats ? double{real(random)} : whole(random); });
    return image;
}

TestImage screen_image(Random& random, vdt_format format, std::uint32_t width, std::uint32_t height, Layout layout) {
    const auto below = [&random](std::uint32_t limit) { return ops::below(random, limit); };
    const std::uint32_t channels = reference::channels(format);
    TestImage image = flat_image(format, width, height, 200, layout);
    const auto box = [&](std::uint32_t x, std::uint32_t y, std::uint32_t w, std::uint32_t h) {
        double color[4];
        for (double& value : color) value = below(256);
        for (std::uint32_t j = y; j < std::min(height, y + h); ++j)
            for (std::uint32_t i = x; i < std::min(width, x + w); ++i)
                for (std::uint32_t c = 0; c < channels; ++c) image.set(i, j, c, color[c]);
    };
    for (std::uint32_t n = 0; n < width * height / 400 + 2; ++n)
        box(below(width), below(height), 1 + below(width / 3 + 1), 1 + below(height / 3 + 1));
    for (std::uint32_t n = 0; n < width * height / 60 + 2; ++n)
        box(below(width), below(height), 1 + below(4), 1 + below(3));
    for (std::uint32_t y = 0; y < height / 3; ++y)
        for (std::uint32_t x = width / 2; x < width; ++x)
            for (std::uint32_t c = 0; c < channels; ++c) image.set(x, y, c, (x + 2 * y + 40 * c) % 256);
    return image;
}

TestImage flat_image(vdt_format format, std::uint32_t width, std::uint32_t height, double value, Layout layout) {
    TestImage image(format, width, height, layout);
    image.fill([value](std::uint32_t, std::uint32_t, std::uint32_t) { return value; });
    return image;
}

TestImage random_mask(Random& random, std::uint32_t width, std::uint32_t height, double share_taken, Layout layout) {
    TestImage mask(VDT_FORMAT_GRAY8, width, height, layout);
    std::uniform_real_distribution<double> share(0, 1);
    std::uniform_int_distribution<int> value(1, 255);
    mask.fill(
        [&](std::uint32_t, std::uint32_t, std::uint32_t) { return share(random) < share_taken ? value(random) : 0; });
    return mask;
}

std::uint32_t below(Random& random, std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
}

std::string difference(const TestImage& image, const Plane& expected, double tolerance) {
    std::ostringstream text;
    if (!image.guards_intact()) return "bytes outside the pixels were written";
    const std::uint32_t channels = reference::channels(image.format());
    if (image.width() != expected.width || image.height() != expected.height || channels != expected.channels)
        return "the reference has another shape";
    const bool single = is_float(image.format()) && image.format() != VDT_FORMAT_F64;
    double worst = -1;
    std::size_t wrong = 0;
    text.precision(12);
    for (std::uint32_t y = 0; y < expected.height; ++y)
        for (std::uint32_t x = 0; x < expected.width; ++x)
            for (std::uint32_t c = 0; c < channels; ++c) {
                double should = expected.at(x, y, c);
                if (tolerance == 0 && single) should = double{static_cast<float>(should)};
                const double is = image.at(x, y, c), off = std::abs(is - should);
                if (off <= tolerance) continue;
                ++wrong;
                if (off <= worst) continue;
                worst = off;
                text.str("");
                text << "at (" << x << ", " << y << ") channel " << c << ": is " << is << ", should be " << should;
            }
    if (wrong == 0) return "";
    std::ostringstream summary;
    summary << wrong << " values differ by more than " << tolerance << "; worst " << text.str();
    return summary.str();
}

}  // namespace vedette::ops
