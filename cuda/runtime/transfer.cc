#include "transfer.h"

#include <algorithm>
#include <cstring>

namespace vedette::cuda {

namespace {

// What a thread copies at a time: at 10 GB/s 128 KiB take 13 us, a few times what handing it out takes.
constexpr std::size_t slice_bytes = std::size_t{128} << 10;
// Slices that go to the device in one transfer: 2 MiB take it 40 us.
constexpr std::size_t slices_of_part = 16;
// What one thread copies by itself: until others have woken up and helped, 40 us go by (16 cores of an Emerald Rapids
// Xeon beside an H200), in which one thread copies more than this.
constexpr std::size_t alone_bytes = std::size_t{256} << 10;

std::size_t rows_of_slice(const Plane& plane) {
    return std::max<std::size_t>(1, slice_bytes / std::max<std::size_t>(1, plane.row_bytes));
}

std::byte* row(const Plane& plane, std::size_t y) {
    return static_cast<std::byte*>(plane.data) + static_cast<std::ptrdiff_t>(y) * plane.stride;
}

// The device copies rows at a positive pitch only.
void copy_rows(const Plane& from, std::size_t from_row, const Plane& to, std::size_t to_row, std::size_t rows,
               cudaMemcpyKind kind, cudaStream_t stream) {
    const auto pitch = [](const Plane& plane) { return static_cast<std::size_t>(plane.stride); };
    if (rows == 1 || (pitch(from) == from.row_bytes && pitch(to) == from.row_bytes)) {
        check(cudaMemcpyAsync(row(to, to_row), row(from, from_row), from.row_bytes * rows, kind, stream),
              "copying an image");
        return;
    }
    check(cudaMemcpy2DAsync(row(to, to_row), pitch(to), row(from, from_row), pitch(from), from.row_bytes, rows, kind,
                            stream),
          "copying an image");
}

// Rows in rising order of address, which negative strides have not.
bool rising(const Plane& plane) {
    return plane.rows == 1 || plane.stride > 0;
}

}  // namespace

std::byte* Transfer::pinned_bytes(std::size_t bytes) {
    // Blocks keep their places from call to call: the same plan asks for the same sizes in the same order.
    if (used_blocks_ == blocks_.size()) blocks_.emplace_back();
    Block<std::byte>& block = blocks_[used_blocks_++];
    if (block.size() < bytes) block = Block<std::byte>(pinned_, bytes);
    return block.data();
}

Event Transfer::take_event() {
    if (events_.empty()) return make_event();
    Event event = std::move(events_.back());
    events_.pop_back();
    return event;
}

void Transfer::upload(const Plane& host, bool host_pinned, const Plane& device, cudaStream_t stream,
                      const ParallelFor& parallel_for) {
    if (host_pinned && rising(host)) {
        copy_rows(host, 0, device, 0, host.rows, cudaMemcpyHostToDevice, stream);
        return;
    }
    // All transfers are started by this thread: others would have to wait for each other in the driver.
    std::byte* const pinned = pinned_bytes(host.row_bytes * host.rows);
    const Plane staged{pinned, static_cast<std::ptrdiff_t>(host.row_bytes), host.row_bytes, host.rows};
    const bool alone = host.row_bytes * host.rows <= alone_bytes;
    const std::size_t step = alone ? host.rows : rows_of_slice(host);
    const std::size_t part = step * slices_of_part;
    for (std::size_t first = 0; first < host.rows; first += part) {
        const std::size_t rows = std::min(part, host.rows - first);
        parallel_for(static_cast<std::uint32_t>((rows + step - 1) / step), [&](std::uint32_t slice) {
            const std::size_t begin = first + slice * step;
            const std::size_t end = std::min(begin + step, first + rows);
            for (std::size_t y = begin; y < end; ++y) std::memcpy(row(staged, y), row(host, y), host.row_bytes);
        });
        copy_rows(staged, first, device, first, rows, cudaMemcpyHostToDevice, stream);
    }
}

void Transfer::download(const Plane& device, const Plane& host, bool host_pinned, cudaStream_t stream) {
    if (host_pinned && rising(host)) {
        copy_rows(device, 0, host, 0, host.rows, cudaMemcpyDeviceToHost, stream);
        return;
    }
    std::byte* const pinned = pinned_bytes(host.row_bytes * host.rows);
    const Plane staged{pinned, static_cast<std::ptrdiff_t>(host.row_bytes), host.row_bytes, host.rows};
    // Larger slices than upwards: each costs an event, too.
    const std::size_t step = 8 * rows_of_slice(host);
    for (std::size_t first = 0; first < host.rows; first += step) {
        const std::size_t rows = std::min(step, host.rows - first);
        copy_rows(device, first, staged, first, rows, cudaMemcpyDeviceToHost, stream);
        Event event = take_event();
        check(cudaEventRecord(event.get(), stream), "recording an event");
        owed_.push_back({row(staged, first), host, first, rows, std::move(event)});
    }
}

void Transfer::finish(cudaStream_t stream, const ParallelFor& parallel_for, bool done) {
    if (!owed_.empty()) {
        parallel_for(static_cast<std::uint32_t>(owed_.size()), [&](std::uint32_t index) {
            const Owed& slice = owed_[index];
            check(cudaEventSynchronize(slice.arrived.get()), "waiting for the device");
            for (std::size_t y = 0; y < slice.rows; ++y)
                std::memcpy(row(slice.host, slice.first_row + y), slice.pinned + y * slice.host.row_bytes,
                            slice.host.row_bytes);
        });
        for (Owed& slice : owed_) events_.push_back(std::move(slice.arrived));
        owed_.clear();
    }
    if (!done) synchronize(stream);
    used_blocks_ = 0;
}

void Transfer::drop(cudaStream_t stream) noexcept {
    (void)cudaStreamSynchronize(stream);
    (void)cudaGetLastError();
    owed_.clear();
    used_blocks_ = 0;
}

}  // namespace vedette::cuda
