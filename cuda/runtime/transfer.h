// Images between ordinary host memory and the device. The driver copies ordinary memory through a small pinned buffer
// of its own on one thread; here several threads copy slices into pinned memory, and a part of several slices is
// transferred while the next one is copied.
#pragma once

#include "memory.h"
#include "stream.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace vedette::cuda {

// Runs body(0) ... body(count - 1), on several threads at once where there are any, and returns when all are done.
// What a body throws must reach the caller.
using ParallelFor = std::function<void(std::uint32_t count, const std::function<void(std::uint32_t)>& body)>;

// One plane: row y begins at data + y * stride (bytes, may be negative in host memory).
struct Plane {
    void* data = nullptr;
    std::ptrdiff_t stride = 0;
    std::size_t row_bytes = 0;
    std::size_t rows = 0;
};

// Transfers of one plan. The pinned memory is kept from call to call. One thread at a time.
class Transfer {
public:
    explicit Transfer(std::shared_ptr<Pool> pinned) : pinned_(std::move(pinned)) {}

    // Queues the copy of `host` into `device` on `stream`. The host's rows are read before this returns when they lie
    // in ordinary memory, and later by the device when `host_pinned`.
    void upload(const Plane& host, bool host_pinned, const Plane& device, cudaStream_t stream,
                const ParallelFor& parallel_for);

    // Queues the copy of `device` to `host`. For ordinary memory the rows are written by `finish`.
    void download(const Plane& device, const Plane& host, bool host_pinned, cudaStream_t stream);

    // Waits for all that was queued on `stream`, unless it is known to be `done`, and writes what downloads still owe.
    // The pinned memory is free again.
    void finish(cudaStream_t stream, const ParallelFor& parallel_for, bool done = false);

    // Like `finish` for a call that failed: waits, and forgets what downloads owe.
    void drop(cudaStream_t stream) noexcept;

private:
    struct Owed {
        std::byte* pinned;
        Plane host;
        std::size_t first_row;
        std::size_t rows;
        Event arrived;
    };

    std::byte* pinned_bytes(std::size_t bytes);
    Event take_event();

    std::shared_ptr<Pool> pinned_;
    std::vector<Block<std::byte>> blocks_;
    std::size_t used_blocks_ = 0;
    std::vector<Owed> owed_;
    std::vector<Event> events_;
};

}  // namespace vedette::cuda
