#include "test_image.h"

#include "reference/reference.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

namespace vedette::conformance {

const char* layout_name(Layout layout) {
    switch (layout) {
        case Layout::packed:
            return "packed rows";
        case Layout::padded:
            return "padded rows";
        case Layout::bottom_up:
            return "rows from the bottom up";
        case Layout::unaligned:
            return "unaligned rows";
    }
    return "";
}

std::string format_name(vdt_format format) {
    static const char* const names[] = {"none",   "GRAY8",   "BGR8",   "BGRA8",         "RGB8",
                                        "RGBA8",  "GRAY16",  "BGR16",  "BGRA16",        "RGB16",
                                        "RGBA16", "GRAYF32", "BGRF32", "PLANAR_BGRF32", "PLANAR_RGBF32",
                                        "I32",    "I64",     "F64",    "COMPLEXF32"};
    return format < VDT_FORMAT_COUNT ? names[format] : "format " + std::to_string(format);
}

namespace {

constexpr std::uint8_t untouched = 0xA5;

std::uint32_t element_bytes(vdt_format format) {
    const bool planar = format == VDT_FORMAT_PLANAR_BGRF32 || format == VDT_FORMAT_PLANAR_RGBF32;
    return reference::bytes_per_pixel(format) / (planar ? 1 : reference::channels(format));
}

}  // namespace

// The bytes of one plane, between two pages without access. They end at the second one, except for bottom_up, where
// they begin at the first: so reading or writing one byte too far in the direction of travel is a crash.
struct TestImage::Memory {
    std::uint8_t* mapping = nullptr;
    std::size_t mapped = 0;
    std::uint8_t* pages = nullptr;  // what can be touched, `inner` bytes
    std::size_t inner = 0;
    std::uint8_t* begin = nullptr;  // what the plane is told of
    std::vector<std::uint8_t> before;

    Memory(std::size_t size, bool at_start) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        inner = (size + page - 1) / page * page;
        mapped = inner + 2 * page;
        void* memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        mapping = static_cast<std::uint8_t*>(memory);
        if (mprotect(mapping, page, PROT_NONE) != 0 || mprotect(mapping + page + inner, page, PROT_NONE) != 0)
            throw std::bad_alloc();
        pages = mapping + page;
        begin = at_start ? pages : pages + inner - size;
        std::memset(pages, untouched, inner);
    }
    ~Memory() { munmap(mapping, mapped); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
};

TestImage::TestImage() : view_(std::make_unique<vdt_image>()) {
    *view_ = vdt_image{};
    view_->struct_size = sizeof(vdt_image);
}

TestImage::TestImage(vdt_format format, std::uint32_t width, std::uint32_t height, Layout layout) : TestImage() {
    view_->format = format;
    view_->width = width;
    view_->height = height;
    view_->memory = VDT_MEMORY_HOST;
    view_->plane_count = format == VDT_FORMAT_PLANAR_BGRF32 || format == VDT_FORMAT_PLANAR_RGBF32 ? 3 : 1;
    const std::size_t element = element_bytes(format);
    const std::size_t row = std::size_t{width} * reference::bytes_per_pixel(format);
    const std::size_t stride = layout == Layout::packed ? row : row + 5 * element;
    const std::size_t lead = layout == Layout::unaligned ? 3 * element : 0;  // bytes before the first row
    // Sized to an odd number of elements, so that a begin aligned at a page end is aligned to one element at most.
    std::size_t size = lead + stride * (height - 1) + row;
    if (layout == Layout::unaligned && (size / element) % 2 == 0) size += element;
    for (std::uint32_t p = 0; p < view_->plane_count; ++p) {
        auto memory = std::make_shared<Memory>(size, layout == Layout::bottom_up);
        vdt_plane& plane = view_->plane[p];
        plane.base = memory->begin;
        plane.bytes = size;
        plane.offset = layout == Layout::bottom_up ? stride * (height - 1) : lead;
        plane.row_stride =
            layout == Layout::bottom_up ? -static_cast<std::int64_t>(stride) : static_cast<std::int64_t>(stride);
        planes_.push_back(std::move(memory));
    }
    remember();
}

void TestImage::set(std::uint32_t x, std::uint32_t y, std::uint32_t channel, double value) {
    const bool planar = view_->plane_count > 1;
    const vdt_plane& plane = view_->plane[planar ? channel : 0];
    const std::size_t element = element_bytes(view_->format);
    std::uint8_t* at = static_cast<std::uint8_t*>(plane.base) + static_cast<std::int64_t>(plane.offset) +
                       static_cast<std::int64_t>(y) * plane.row_stride +
                       static_cast<std::int64_t>(std::size_t{x} * reference::bytes_per_pixel(view_->format) +
                                                 (planar ? 0 : channel * element));
    const auto store = [at](auto typed) { std::memcpy(at, &typed, sizeof typed); };
    switch (view_->format) {
        case VDT_FORMAT_I32:
            store(static_cast<std::int32_t>(value));
            return;
        case VDT_FORMAT_I64:
            store(static_cast<std::int64_t>(value));
            return;
        case VDT_FORMAT_F64:
            store(value);
            return;
        default:
            break;
    }
    if (element == 1)
        store(static_cast<std::uint8_t>(value));
    else if (element == 2)
        store(static_cast<std::uint16_t>(value));
    else
        store(static_cast<float>(value));
}

double TestImage::get(std::uint32_t x, std::uint32_t y, std::uint32_t channel) const {
    return reference::pixel(*view_, x, y, channel);
}

void TestImage::remember() {
    for (const auto& memory : planes_) memory->before.assign(memory->pages, memory->pages + memory->inner);
}

std::string TestImage::change() const {
    for (const auto& memory : planes_)
        if (std::memcmp(memory->before.data(), memory->pages, memory->inner) != 0)
            return "an input image was written to";
    return "";
}

std::string TestImage::change_outside_pixels() const {
    const std::size_t row = std::size_t{view_->width} * reference::bytes_per_pixel(view_->format);
    for (std::size_t p = 0; p < planes_.size(); ++p) {
        const Memory& memory = *planes_[p];
        const vdt_plane& plane = view_->plane[p];
        std::vector<bool> is_pixel(memory.inner, false);
        const std::int64_t lead = memory.begin - memory.pages + static_cast<std::int64_t>(plane.offset);
        for (std::uint32_t y = 0; y < view_->height; ++y) {
            std::fill_n(is_pixel.begin() + lead + static_cast<std::int64_t>(y) * plane.row_stride, row, true);
        }
        for (std::size_t i = 0; i < memory.inner; ++i)
            if (!is_pixel[i] && memory.pages[i] != memory.before[i])
                return "a byte of an output's buffer was written, which belongs to no pixel";
    }
    return "";
}

std::vector<std::uint8_t> TestImage::pixel_bytes() const {
    const std::size_t row = std::size_t{view_->width} * reference::bytes_per_pixel(view_->format);
    std::vector<std::uint8_t> bytes;
    for (std::size_t p = 0; p < planes_.size(); ++p) {
        const vdt_plane& plane = view_->plane[p];
        for (std::uint32_t y = 0; y < view_->height; ++y) {
            const std::uint8_t* first = static_cast<const std::uint8_t*>(plane.base) +
                                        static_cast<std::int64_t>(plane.offset) +
                                        static_cast<std::int64_t>(y) * plane.row_stride;
            bytes.insert(bytes.end(), first, first + row);
        }
    }
    return bytes;
}

}  // namespace vedette::conformance
