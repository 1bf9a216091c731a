#include "operands.h"

#include "resident.h"
#include "streams.h"

#include <algorithm>
#include <cstring>

namespace vedette::opencl {

namespace {

constexpr std::uint64_t alignment = 128;

bool on_host(const vdt_image& image) noexcept {
    return image.memory == VDT_MEMORY_HOST || image.memory == VDT_MEMORY_PINNED;
}

std::uint64_t row_bytes_of(const vdt_image& image) noexcept {
    return plugin::row_bytes(*plugin::layout_of(image.format), image.width);
}

// Rows in rising order of address; the stride of a single row may be anything.
bool rising(const vdt_image& image, std::uint32_t plane) noexcept {
    return image.height == 1 || image.plane[plane].row_stride > 0;
}

std::size_t stride_of(const vdt_image& image, std::uint32_t plane) noexcept {
    return image.height == 1 ? row_bytes_of(image) : static_cast<std::size_t>(image.plane[plane].row_stride);
}

// Rows of one plane in a device buffer.
struct Rows {
    cl::Memory memory;
    std::size_t offset;
    std::ptrdiff_t stride;
};

// Where a rectangle begins, as origins of OpenCL say it: bytes along a row, rows.
struct Origin {
    std::size_t place[3];
    explicit Origin(std::size_t offset, std::size_t stride) : place{offset % stride, offset / stride, 0} {}
    bool holds(std::size_t row_bytes, std::size_t stride) const { return place[0] + row_bytes <= stride; }
};

void copy_on_device(const Rows& from, const Rows& to, std::size_t row_bytes, std::size_t rows, cl::Queue queue) {
    if (rows > 1 && from.stride > 0 && to.stride > 0) {
        const auto from_stride = static_cast<std::size_t>(from.stride), to_stride = static_cast<std::size_t>(to.stride);
        const Origin begin(from.offset, from_stride), end(to.offset, to_stride);
        const std::size_t region[3] = {row_bytes, rows, 1};
        if (begin.holds(row_bytes, from_stride) && end.holds(row_bytes, to_stride)) {
            check(cl::api().EnqueueCopyBufferRect(queue, from.memory, to.memory, begin.place, end.place, region,
                                                  from_stride, 0, to_stride, 0, 0, nullptr, nullptr),
                  "copying an image on the device");
            return;
        }
    }
    for (std::size_t y = 0; y < rows; ++y)
        check(cl::api().EnqueueCopyBuffer(
                  queue, from.memory, to.memory, from.offset + y * static_cast<std::size_t>(from.stride),
                  to.offset + y * static_cast<std::size_t>(to.stride), row_bytes, 0, nullptr, nullptr),
              "copying an image on the device");
}

Addresses::Place place_of(const Device& device, const vdt_plane& plane) {
    const Addresses::Place place = device.addresses.find(plane.base, plane.bytes);
    if (place.memory == nullptr)
        throw Failure(VDT_E_ARGUMENT,
                      "a plane in device memory does not lie inside a buffer of this device; make its "
                      "memory with buffer_create");
    return {place.memory, place.offset + plane.offset};
}

Rows rows_of(const Device& device, const vdt_image& image, std::uint32_t index) {
    const Addresses::Place place = place_of(device, image.plane[index]);
    return {place.memory, place.offset, static_cast<std::ptrdiff_t>(image.plane[index].row_stride)};
}

Rows rows_of(const DeviceImage& image, std::uint32_t index) {
    return {image.memory[index], image.offset[index], static_cast<std::ptrdiff_t>(image.stride)};
}

}  // namespace

std::uint32_t pitch_of(std::uint64_t row_bytes) noexcept {
    return static_cast<std::uint32_t>((row_bytes + alignment - 1) / alignment * alignment);
}

DeviceImage own_image(const Device& device, vdt_format format, std::uint32_t width, std::uint32_t height,
                      Buffer<std::byte>& memory) {
    const plugin::FormatLayout& layout = *plugin::layout_of(format);
    DeviceImage result;
    result.format = format;
    result.width = width;
    result.height = height;
    result.stride = pitch_of(plugin::row_bytes(layout, width));
    const std::size_t plane_bytes = std::size_t{result.stride} * height;
    if (memory.size() < plane_bytes * layout.planes) memory = device.buffer<std::byte>(plane_bytes * layout.planes);
    for (std::uint32_t index = 0; index < layout.planes; ++index) {
        result.memory[index] = memory.get();
        result.offset[index] = index * plane_bytes;
    }
    return result;
}

Operands::Operands(const Device& device) : device_(device), queue_(device.make_queue()) {}

Operands::~Operands() {
    // Staging memory of ours may still be read.
    if (last_ != nullptr && getpid() == cl::api().process && !device_.lost.load(std::memory_order_relaxed)) {
        const cl::Event event = last_.get();
        (void)cl::api().WaitForEvents(1, &event);
    }
    if (last_ != nullptr) device_.pool.end_call();
}

void Operands::wait_for_last() {
    if (last_ == nullptr) return;
    const cl::Event event = last_.get();
    check_wait(cl::api().WaitForEvents(1, &event), "waiting for the plan's last call");
    last_.reset();
    device_.pool.end_call();
}

// The caller's device memory where it keeps what DeviceImage promises; without memory where it does not.
DeviceImage Operands::as_it_is(const vdt_image& image) const {
    DeviceImage result;
    result.format = image.format;
    result.width = image.width;
    result.height = image.height;
    const std::uint64_t row = row_bytes_of(image);
    result.stride = image.height > 1 ? 0 : pitch_of(row);
    for (std::uint32_t index = 0; index < image.plane_count; ++index) {
        const vdt_plane& plane = image.plane[index];
        const Addresses::Place place = place_of(device_, plane);
        if (place.offset % 16 != 0) return {};
        if (image.height > 1) {
            if (plane.row_stride <= 0 || plane.row_stride % 16 != 0 || plane.row_stride > UINT32_MAX) return {};
            if (index > 0 && plane.row_stride != result.stride) return {};
            result.stride = static_cast<std::uint32_t>(plane.row_stride);
        }
        const std::uint64_t end = plane.offset + std::uint64_t{image.height - 1} * result.stride + (row + 15) / 16 * 16;
        if (end > plane.bytes) return {};
        result.memory[index] = place.memory;
        result.offset[index] = place.offset;
    }
    return result;
}

// Host memory that the device works in, without memory where it has to be copied. Outputs only without gaps between
// rows, since a driver that copies after all writes everything back; GPUs, whose drivers map pages, want whole ones.
DeviceImage Operands::in_host_memory(const vdt_image& image, bool is_output) {
    const DeviceEntry& entry = device_.entry;
    if (!entry.limits.unified_memory || (is_output && entry.kind != Kind::cpu)) return {};
    const std::size_t unit = entry.kind == Kind::cpu ? 16 : 4096;
    const std::size_t row = row_bytes_of(image);
    DeviceImage result;
    result.format = image.format;
    result.width = image.width;
    result.height = image.height;
    result.stride = static_cast<std::uint32_t>(image.height > 1 ? image.plane[0].row_stride : pitch_of(row));
    if (result.stride % 16 != 0 || (is_output && row % 16 != 0)) return {};
    const std::size_t bytes = std::size_t{image.height - 1} * result.stride + (row + 15) / 16 * 16;
    for (std::uint32_t index = 0; index < image.plane_count; ++index) {
        const vdt_plane& plane = image.plane[index];
        const auto address = reinterpret_cast<std::uintptr_t>(plane.base) + plane.offset;
        if (address % unit != 0 || plane.offset + bytes > plane.bytes || bytes > entry.limits.largest_allocation)
            return {};
        if (image.height > 1 && plane.row_stride != static_cast<std::int64_t>(result.stride)) return {};
        if (image.height > 1 && is_output && result.stride != row) return {};
    }
    for (std::uint32_t index = 0; index < image.plane_count; ++index) {
        std::byte* const address = static_cast<std::byte*>(image.plane[index].base) + image.plane[index].offset;
        shared_.push_back({make_memory_of_host(device_.context.get(), address, bytes,
                                               is_output ? cl::memory_read_write : cl::memory_read_only),
                           bytes, is_output});
        result.memory[index] = shared_.back().memory.get();
    }
    return result;
}

std::byte* Operands::staging(std::size_t bytes, std::size_t& place) {
    // Blocks keep their places from call to call: the same plan asks for the same sizes in the same order.
    if (used_staging_ == staging_.size()) staging_.emplace_back();
    place = used_staging_++;
    std::vector<std::byte>& block = staging_[place];
    if (block.size() < bytes) block.resize(bytes);
    return block.data();
}

void Operands::wait_for_event(vdt_event* ready) {
    if (ready != nullptr) event_of(ready).wait_on(queue_in_use_);
}

void Operands::upload(const vdt_image& image, const DeviceImage& to) {
    const std::size_t row = row_bytes_of(image);
    for (std::uint32_t index = 0; index < image.plane_count; ++index) {
        const std::byte* from = plugin::row_of<const std::byte>(image.plane[index], 0);
        std::size_t stride = stride_of(image, index);
        if (!rising(image, index)) {
            // The rows are read now, so the event must have fired by now.
            if (image.ready != nullptr) event_of(image.ready).wait_host();
            std::size_t place = 0;
            std::byte* const staged = staging(row * image.height, place);
            for (std::uint32_t y = 0; y < image.height; ++y)
                std::memcpy(staged + y * row, plugin::row_of<const std::byte>(image.plane[index], y), row);
            from = staged;
            stride = row;
        }
        if (stride == row && to.stride == row) {
            check(cl::api().EnqueueWriteBuffer(queue_in_use_, to.memory[index], cl::queued, to.offset[index],
                                               row * image.height, from, 0, nullptr, nullptr),
                  "copying an image to the device");
            continue;
        }
        const Origin begin(to.offset[index], to.stride);
        const std::size_t zero[3] = {};
        const std::size_t region[3] = {row, image.height, 1};
        check(cl::api().EnqueueWriteBufferRect(queue_in_use_, to.memory[index], cl::queued, begin.place, zero, region,
                                               to.stride, 0, stride, 0, from, 0, nullptr, nullptr),
              "copying an image to the device");
    }
}

DeviceImage Operands::copied_input(std::uint32_t index, Buffer<std::byte>& memory) {
    const vdt_image& image = *call_->inputs[index];
    const DeviceImage copy = own_image(device_, image.format, image.width, image.height, memory);
    if (on_host(image)) {
        upload(image, copy);
        return copy;
    }
    for (std::uint32_t plane = 0; plane < image.plane_count; ++plane)
        copy_on_device(rows_of(device_, image, plane), rows_of(copy, plane), row_bytes_of(image), image.height,
                       queue_in_use_);
    return copy;
}

DeviceImage Operands::input(std::uint32_t index) {
    const vdt_image& image = *call_->inputs[index];
    if (image.format == VDT_FORMAT_NONE) return {};
    if (image.resident != nullptr) return resident_of(image)->on_device();
    wait_for_event(image.ready);
    if (const DeviceImage same = on_host(image) ? in_host_memory(image, false) : as_it_is(image); same.present())
        return same;
    if (inputs_.size() <= index) inputs_.resize(index + 1);
    return copied_input(index, inputs_[index]);
}

DeviceImage Operands::output(std::uint32_t index) {
    const vdt_image& image = *call_->outputs[index];
    if (image.format == VDT_FORMAT_NONE) return {};
    wait_for_event(image.ready);
    if (const DeviceImage same = on_host(image) ? in_host_memory(image, true) : as_it_is(image); same.present())
        return same;
    if (outputs_.size() <= index) outputs_.resize(index + 1);
    const DeviceImage own = own_image(device_, image.format, image.width, image.height, outputs_[index]);
    downloads_.push_back({own, &image, image.height, {}});
    return own;
}

void Operands::keep_rows(std::uint32_t index, std::uint32_t rows) {
    for (Download& download : downloads_)
        if (download.to == call_->outputs[index]) download.rows = rows;
}

void Operands::copy_input_to_output() {
    const vdt_image& image = *call_->inputs[0];
    const DeviceImage from = input(0);
    const DeviceImage to = output(0);
    for (std::uint32_t plane = 0; plane < image.plane_count; ++plane)
        copy_on_device(rows_of(from, plane), rows_of(to, plane), row_bytes_of(image), image.height, queue_in_use_);
}

void Operands::download(Download& download) {
    const vdt_image& image = *download.to;
    const DeviceImage& from = download.from;
    const std::size_t row = row_bytes_of(image);
    if (download.rows == 0) return;
    for (std::uint32_t index = 0; index < image.plane_count; ++index) {
        if (!on_host(image)) {
            copy_on_device(rows_of(from, index), rows_of(device_, image, index), row, download.rows, queue_in_use_);
            continue;
        }
        std::byte* to = plugin::row_of<std::byte>(image.plane[index], 0);
        std::size_t stride = stride_of(image, index);
        if (!rising(image, index)) {
            to = staging(row * download.rows, download.staged[index]);
            stride = row;
        }
        if (stride == row && from.stride == row) {
            check(cl::api().EnqueueReadBuffer(queue_in_use_, from.memory[index], cl::queued, from.offset[index],
                                              row * download.rows, to, 0, nullptr, nullptr),
                  "copying an image from the device");
            continue;
        }
        const Origin begin(from.offset[index], from.stride);
        const std::size_t zero[3] = {};
        const std::size_t region[3] = {row, download.rows, 1};
        check(cl::api().EnqueueReadBufferRect(queue_in_use_, from.memory[index], cl::queued, begin.place, zero, region,
                                              from.stride, 0, stride, 0, to, 0, nullptr, nullptr),
              "copying an image from the device");
    }
}

// After the device has written the staging memory.
void Operands::write_staged() noexcept {
    for (const Download& download : downloads_) {
        const vdt_image& image = *download.to;
        const std::size_t row = row_bytes_of(image);
        for (std::uint32_t index = 0; index < image.plane_count; ++index) {
            if (!on_host(image) || rising(image, index)) continue;
            for (std::uint32_t y = 0; y < download.rows; ++y)
                std::memcpy(plugin::row_of<std::byte>(image.plane[index], y),
                            staging_[download.staged[index]].data() + y * row, row);
        }
    }
}

Operands::Call::Call(Operands& operands, const vdt_call& call) : operands_(operands) {
    Operands& self = operands;
    self.wait_for_last();
    self.call_ = &call;
    self.downloads_.clear();
    self.shared_.clear();
    self.used_staging_ = 0;
    self.queue_in_use_ = call.stream != nullptr ? stream_of(call.stream).queue.get() : self.queue_.get();
    self.device_.pool.begin_call();
}

Operands::Call::~Call() {
    if (!finished_) (void)cl::api().Finish(operands_.queue_in_use_);
    operands_.call_ = nullptr;
    if (operands_.last_ != nullptr) return;
    operands_.shared_.clear();
    operands_.device_.pool.end_call();
}

void Operands::Call::wait() {
    opencl::finish(operands_.queue_in_use_);
}

void Operands::Call::finish() {
    Operands& self = operands_;
    for (Download& download : self.downloads_) self.download(download);
    for (const Operands::Shared& shared : self.shared_)
        if (shared.is_output) give_to_host(self.queue_in_use_, shared.memory.get(), shared.bytes);
    if (self.call_->stream == nullptr || self.used_staging_ != 0) {
        wait();
        self.write_staged();
    } else {
        self.last_ = mark(self.queue_in_use_);
    }
    if (self.call_->done != nullptr) event_of(self.call_->done).record(self.queue_in_use_);
    finished_ = true;
}

Resident::Resident(const Device& device, const vdt_image& image) : plugin::Resident(image) {
    Operands operands(device);
    vdt_call call{};
    const vdt_image* const inputs[] = {&image};
    call.inputs = inputs;
    call.input_count = 1;
    Operands::Call running(operands, call);
    if (image.ready != nullptr) event_of(image.ready).wait_on(operands.queue());
    on_device_ = operands.copied_input(0, pixels_);
    on_device_.resident = this;
    running.finish();
}

}  // namespace vedette::opencl
