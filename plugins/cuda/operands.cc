#include "operands.h"

#include "resident.h"
#include "streams.h"

#include <vedette/plugin/cpp/loop.hpp>

namespace vedette::cuda_plugin {

namespace {

constexpr std::size_t alignment = 128;

bool on_host(const vdt_image& image) noexcept {
    return image.memory == VDT_MEMORY_HOST || image.memory == VDT_MEMORY_PINNED;
}

// Whether transfers go through pinned memory of our own, which is in use until the device is done.
bool needs_staging(const vdt_image& image) noexcept {
    return image.memory == VDT_MEMORY_HOST ||
           (image.memory == VDT_MEMORY_PINNED && image.height > 1 && image.plane[0].row_stride < 0);
}

std::byte* first_row(const vdt_plane& plane) noexcept {
    return static_cast<std::byte*>(plane.base) + plane.offset;
}

std::size_t row_bytes_of(const vdt_image& image) noexcept {
    return plugin::row_bytes(*plugin::layout_of(image.format), image.width);
}

cuda::Plane plane_of(const vdt_image& image, std::uint32_t index) noexcept {
    const vdt_plane& plane = image.plane[index];
    return {first_row(plane), static_cast<std::ptrdiff_t>(plane.row_stride), row_bytes_of(image), image.height};
}

cuda::Plane plane_of(const DeviceImage& image, std::uint32_t index, std::size_t row_bytes) noexcept {
    return {image.plane[index], static_cast<std::ptrdiff_t>(image.stride), row_bytes,
            static_cast<std::size_t>(image.height)};
}

// Whether kernels can work on the caller's device memory as it is: what View promises, and one stride for all planes.
// `readable`: rows are read up to the next multiple of 16 bytes.
bool fits(const vdt_image& image, bool readable) noexcept {
    const std::size_t row = row_bytes_of(image);
    for (std::uint32_t index = 0; index < image.plane_count; ++index) {
        const vdt_plane& plane = image.plane[index];
        if (reinterpret_cast<std::uintptr_t>(first_row(plane)) % 16 != 0) return false;
        if (image.height > 1 && (plane.row_stride <= 0 || plane.row_stride % 16 != 0)) return false;
        if (plane.row_stride != image.plane[0].row_stride) return false;
        const std::uint64_t end = plane.offset +
                                  std::uint64_t{image.height - 1} * static_cast<std::uint64_t>(plane.row_stride) +
                                  (row + 15) / 16 * 16;
        if (readable && end > plane.bytes) return false;
    }
    return true;
}

DeviceImage as_it_is(const vdt_image& image) noexcept {
    DeviceImage result;
    result.format = image.format;
    result.width = static_cast<std::int32_t>(image.width);
    result.height = static_cast<std::int32_t>(image.height);
    for (std::uint32_t index = 0; index < image.plane_count; ++index)
        result.plane[index] = first_row(image.plane[index]);
    // The stride of a single row may be anything.
    result.stride =
        image.height > 1 ? static_cast<std::size_t>(image.plane[0].row_stride) : pitch_of(row_bytes_of(image));
    return result;
}

// Between planes in device memory; strides may be negative in the caller's.
void copy_on_device(const cuda::Plane& from, const cuda::Plane& to, cudaStream_t stream) {
    if (from.stride > 0 && to.stride > 0) {
        cuda::check(cudaMemcpy2DAsync(to.data, static_cast<std::size_t>(to.stride), from.data,
                                      static_cast<std::size_t>(from.stride), from.row_bytes, from.rows,
                                      cudaMemcpyDeviceToDevice, stream),
                    "copying an image on the device");
        return;
    }
    for (std::size_t y = 0; y < from.rows; ++y)
        cuda::check(cudaMemcpyAsync(static_cast<std::byte*>(to.data) + static_cast<std::ptrdiff_t>(y) * to.stride,
                                    static_cast<std::byte*>(from.data) + static_cast<std::ptrdiff_t>(y) * from.stride,
                                    from.row_bytes, cudaMemcpyDeviceToDevice, stream),
                    "copying an image on the device");
}

}  // namespace

std::size_t pitch_of(std::size_t row_bytes) noexcept {
    return (row_bytes + alignment - 1) / alignment * alignment;
}

Operands::Operands(const Device& device)
    : device_(device),
      stream_(cuda::make_stream()),
      transfer_(device.cuda.pinned),
      parallel_(
          [this](std::uint32_t count, const std::function<void(std::uint32_t)>& body) { parallel_for(count, body); }),
      last_(cuda::make_event()) {}

void Operands::parallel_for(std::uint32_t count, const std::function<void(std::uint32_t)>& body) const {
    if (count == 1) return body(0);
    // No token: a copy that was begun is finished, since the device may already be reading.
    plugin::parallel_for(*device_.host, nullptr, 0, count, 1,
                         [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                             for (std::uint32_t index = begin; index < end; ++index) body(index);
                         });
}

DeviceImage Operands::own_image(const vdt_image& image, cuda::Block<std::byte>& block) {
    DeviceImage result;
    result.format = image.format;
    result.width = static_cast<std::int32_t>(image.width);
    result.height = static_cast<std::int32_t>(image.height);
    result.stride = pitch_of(row_bytes_of(image));
    const std::size_t plane_bytes = result.stride * image.height;
    cuda::make_room(block, device_.cuda.memory, plane_bytes * image.plane_count, stream_in_use_);
    for (std::uint32_t index = 0; index < image.plane_count; ++index)
        result.plane[index] = block.data() + index * plane_bytes;
    return result;
}

void Operands::wait_for(vdt_event* ready) {
    if (ready != nullptr)
        cuda::check(cudaStreamWaitEvent(stream_in_use_, event_of(ready), 0), "waiting for an image's event");
}

DeviceImage Operands::copied_input(std::uint32_t index, cuda::Block<std::byte>& block) {
    const vdt_image& image = *call_->inputs[index];
    const DeviceImage copy = own_image(image, block);
    if (on_host(image) && image.ready != nullptr)
        cuda::check(cudaEventSynchronize(event_of(image.ready)), "waiting for an image");
    for (std::uint32_t plane = 0; plane < image.plane_count; ++plane) {
        const cuda::Plane to = plane_of(copy, plane, row_bytes_of(image));
        if (on_host(image))
            transfer_.upload(plane_of(image, plane), image.memory == VDT_MEMORY_PINNED, to, stream_in_use_, parallel_);
        else
            copy_on_device(plane_of(image, plane), to, stream_in_use_);
    }
    staged_ = staged_ || needs_staging(image);
    return copy;
}

DeviceImage Operands::input(std::uint32_t index) {
    const vdt_image& image = *call_->inputs[index];
    if (image.format == VDT_FORMAT_NONE) return {};
    if (image.resident != nullptr) return resident_of(image)->on_device();
    wait_for(image.ready);
    if (!on_host(image) && fits(image, true)) return as_it_is(image);
    if (inputs_.size() <= index) inputs_.resize(index + 1);
    return copied_input(index, inputs_[index]);
}

void Operands::copy_input_to_output() {
    const vdt_image& image = *call_->inputs[0];
    const DeviceImage from = input(0);
    const DeviceImage to = output(0);
    for (std::uint32_t plane = 0; plane < image.plane_count; ++plane)
        copy_on_device(plane_of(from, plane, row_bytes_of(image)), plane_of(to, plane, row_bytes_of(image)),
                       stream_in_use_);
}

DeviceImage Operands::output(std::uint32_t index) {
    const vdt_image& image = *call_->outputs[index];
    if (image.format == VDT_FORMAT_NONE) return {};
    wait_for(image.ready);
    if (!on_host(image) && fits(image, false)) return as_it_is(image);
    if (outputs_.size() <= index) outputs_.resize(index + 1);
    const DeviceImage own = own_image(image, outputs_[index]);
    downloads_.push_back({own, &image, image.height});
    return own;
}

void Operands::keep_rows(std::uint32_t index, std::uint32_t rows) {
    for (Download& download : downloads_)
        if (download.to == call_->outputs[index]) download.rows = rows;
}

void Operands::download(const Download& download) {
    const vdt_image& image = *download.to;
    if (download.rows == 0) return;
    for (std::uint32_t plane = 0; plane < image.plane_count; ++plane) {
        cuda::Plane from = plane_of(download.from, plane, row_bytes_of(image)), to = plane_of(image, plane);
        from.rows = to.rows = download.rows;
        if (on_host(image))
            transfer_.download(from, to, image.memory == VDT_MEMORY_PINNED, stream_in_use_);
        else
            copy_on_device(from, to, stream_in_use_);
    }
    staged_ = staged_ || needs_staging(image);
}

void Operands::release() noexcept {
    inputs_.clear();
    outputs_.clear();
}

Operands::Call::Call(Operands& operands, const vdt_call& call)
    : operands_(operands), current_(operands.device_.cuda.limits.ordinal) {
    Operands& self = operands;
    if (self.queued_) cuda::check(cudaEventSynchronize(self.last_.get()), "waiting for the plan's last call");
    self.queued_ = false;
    self.call_ = &call;
    self.staged_ = false;
    self.downloads_.clear();
    self.stream_in_use_ = call.stream != nullptr ? stream_of(call.stream) : self.stream_.get();
}

Operands::Call::~Call() {
    if (!finished_) operands_.transfer_.drop(operands_.stream_in_use_);
    operands_.call_ = nullptr;
}

void Operands::Call::wait() {
    cuda::synchronize(operands_.stream_in_use_);
}

void Operands::Call::finish(bool all_done) {
    Operands& self = operands_;
    for (const Download& download : self.downloads_) self.download(download);
    if (self.call_->stream == nullptr || self.staged_) {
        self.transfer_.finish(self.stream_in_use_, self.parallel_, all_done && self.downloads_.empty());
    } else {
        cuda::check(cudaEventRecord(self.last_.get(), self.stream_in_use_), "recording an event");
        self.queued_ = true;
    }
    if (self.call_->done != nullptr)
        cuda::check(cudaEventRecord(event_of(self.call_->done), self.stream_in_use_), "recording an event");
    finished_ = true;
}

}  // namespace vedette::cuda_plugin
