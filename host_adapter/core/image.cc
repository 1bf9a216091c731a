#include "image.h"

#include "device.h"
#include "failure.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace vedette::host {
namespace {

constexpr std::size_t row_alignment = 64;  // one cache line, and the widest vector load
constexpr std::size_t row_padding = 64;

}  // namespace

std::size_t bytes_per_pixel(vdt_format format) noexcept {
    switch (format) {
        case VDT_FORMAT_GRAY8:
            return 1;
        case VDT_FORMAT_BGR8:
        case VDT_FORMAT_RGB8:
            return 3;
        case VDT_FORMAT_BGRA8:
        case VDT_FORMAT_RGBA8:
            return 4;
        case VDT_FORMAT_GRAY16:
            return 2;
        case VDT_FORMAT_BGR16:
        case VDT_FORMAT_RGB16:
            return 6;
        case VDT_FORMAT_BGRA16:
        case VDT_FORMAT_RGBA16:
            return 8;
        case VDT_FORMAT_GRAYF32:
        case VDT_FORMAT_I32:
            return 4;
        case VDT_FORMAT_BGRF32:
            return 12;
        case VDT_FORMAT_I64:
        case VDT_FORMAT_F64:
        case VDT_FORMAT_COMPLEXF32:
            return 8;
        default:
            return 0;
    }
}

double pixel_bytes(const vdt_image& view) noexcept {
    const bool planar = view.format == VDT_FORMAT_PLANAR_BGRF32 || view.format == VDT_FORMAT_PLANAR_RGBF32;
    const std::size_t pixel = planar ? 12 : bytes_per_pixel(view.format);
    return static_cast<double>(view.width) * view.height * static_cast<double>(pixel);
}

// The address that was allocated lies in the word before the first pixel: calloc gives zeroed memory without touching
// it, but not on a cache line.
void Image::Free::operator()(std::uint8_t* pixels) const noexcept {
    if (pixels != nullptr) std::free(reinterpret_cast<void**>(pixels)[-1]);
}

Image::Image(vdt_format format, std::uint32_t width, std::uint32_t height, Content content)
    : format_(format), width_(width), height_(height) {
    const std::size_t pixel = bytes_per_pixel(format);
    if (pixel == 0) throw Failure(VDT_E_ARGUMENT, "Pixel format " + std::to_string(format) + " has no single plane.");
    if (width == 0 || height == 0 || width > VDT_MAX_DIMENSION || height > VDT_MAX_DIMENSION)
        throw Failure(VDT_E_SIZE, "An image of " + std::to_string(width) + " x " + std::to_string(height) +
                                      " pixels is not possible: each side must be 1 to " +
                                      std::to_string(VDT_MAX_DIMENSION) + ".");
    // At most (65535 * 12 + 128) * 65535 bytes: no overflow in 64 bits.
    stride_ = (width * pixel + row_padding + row_alignment - 1) / row_alignment * row_alignment;
    bytes_ = stride_ * height;
    const std::size_t block_bytes = bytes_ + row_alignment + sizeof(void*);
    void* const block = content == Content::zero ? std::calloc(1, block_bytes) : std::malloc(block_bytes);
    if (block == nullptr)
        throw Failure(VDT_E_OUT_OF_MEMORY, "There is no memory for an image of " + std::to_string(width) + " x " +
                                               std::to_string(height) + " pixels.");
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(block) + sizeof(void*);
    const std::uintptr_t aligned = (first + row_alignment - 1) / row_alignment * row_alignment;
    data_.reset(reinterpret_cast<std::uint8_t*>(aligned));
    reinterpret_cast<void**>(data_.get())[-1] = block;
}

vdt_image Image::view() const noexcept {
    vdt_image view{};
    view.struct_size = sizeof view;
    if (data_ == nullptr) return view;
    view.format = format_;
    view.width = width_;
    view.height = height_;
    view.memory = VDT_MEMORY_HOST;
    view.plane_count = 1;
    view.plane[0].base = data_.get();
    view.plane[0].row_stride = static_cast<std::int64_t>(stride_);
    view.plane[0].bytes = bytes_;
    return view;
}

struct SharedImage::State {
    explicit State(Image pixels) : image(std::move(pixels)) {}

    Image image;
    std::mutex mutex;
    // The device is held open as long as it keeps something of this image. NULL resident: it keeps nothing.
    std::map<const Device*, std::pair<std::shared_ptr<Device>, vdt_resident*>> kept;
    std::atomic<std::uint64_t> kept_mask{0};
};

SharedImage::SharedImage(Image image) : state_(std::make_unique<State>(std::move(image))) {}

SharedImage::~SharedImage() {
    for (auto& [device, entry] : state_->kept) entry.first->destroy_resident(entry.second);
}

const Image& SharedImage::image() const noexcept {
    return state_->image;
}

vdt_image SharedImage::view_on(Device& device) {
    vdt_image view = state_->image.view();
    if (!device.keeps_images()) return view;
    const std::lock_guard lock(state_->mutex);
    auto found = state_->kept.find(&device);
    if (found == state_->kept.end()) {
        // Tried once: what failed for lack of memory would fail again, and each try costs an upload.
        found = state_->kept.try_emplace(&device, device.shared_from_this(), nullptr).first;
        found->second.second = device.create_resident(view);
        if (found->second.second != nullptr) state_->kept_mask |= std::uint64_t{1} << device.ordinal();
    }
    view.resident = found->second.second;
    return view;
}

vdt_image SharedImage::view_if_kept(const Device& device) const {
    vdt_image view = state_->image.view();
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->kept.find(&device);
    if (found != state_->kept.end()) view.resident = found->second.second;
    return view;
}

std::uint64_t SharedImage::kept_mask() const noexcept {
    return state_->kept_mask;
}

}  // namespace vedette::host
