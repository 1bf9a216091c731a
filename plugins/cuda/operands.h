// The images of a call in device memory: where they lie elsewhere they are copied, and results are copied back.
#pragma once

#include "backend.h"

#include <runtime/transfer.h>
#include <runtime/view.h>

#include <vector>

namespace vedette::cuda_plugin {

class Resident;

// An image in device memory, as View promises it. Without planes when the image was left out (VDT_FORMAT_NONE).
struct DeviceImage {
    vdt_format format = VDT_FORMAT_NONE;
    std::int32_t width = 0;  // pixels
    std::int32_t height = 0;
    std::byte* plane[3] = {};
    std::size_t stride = 0;        // of every plane
    Resident* resident = nullptr;  // what is kept with it, if anything

    bool present() const noexcept { return format != VDT_FORMAT_NONE; }

    // Plane `index` as elements of T, `elements` to a pixel.
    template <class T>
    cuda::View<T> view(int elements = 1, int index = 0) const noexcept {
        return {reinterpret_cast<T*>(plane[index]), stride, width * elements, height};
    }
};

// Bytes of the rows of an image of our own: a multiple of 128, so that rows begin where memory transactions do.
std::size_t pitch_of(std::size_t row_bytes) noexcept;

// One plan's stream, transfers and copies of images. Memory that was needed once is kept for the next call.
//
//     const Operands::Call call(operands, vdt_call);    // the device is current on this thread from here on
//     ... operands.input(0) ... operands.output(0) ... kernels on operands.stream() ...
//     call.finish();                                    // results are where the caller wants them
//
// A call that ends without finish has failed: it waits for the device and forgets what was to be copied back.
class Operands {
public:
    explicit Operands(const Device& device);

    class Call {
    public:
        Call(Operands& operands, const vdt_call& call);
        ~Call();
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        // Waits for the results, except where the call names a stream and everything lies where the device reaches it
        // by itself: then they are queued. Fires the call's `done`. `all_done`: what was queued is known to have been
        // done, so that the driver need not be asked.
        void finish(bool all_done = false);
        // For operations that read results on the host: waits for what was queued so far.
        void wait();

    private:
        Operands& operands_;
        const cuda::Current current_;
        bool finished_ = false;
    };

    cudaStream_t stream() const noexcept { return stream_in_use_; }

    // Input `index` of the call; queues its transfer unless it is already on the device.
    DeviceImage input(std::uint32_t index);
    // Output `index`; finish copies it back where needed. Write every pixel.
    DeviceImage output(std::uint32_t index);
    // Only the first rows of output `index` are results: the others are left as they are.
    void keep_rows(std::uint32_t index, std::uint32_t rows);

    // Input `index` as a copy in `block`, wherever it lies.
    DeviceImage copied_input(std::uint32_t index, cuda::Block<std::byte>& block);
    // Queues the copy of input 0 to output 0 of the same format and size.
    void copy_input_to_output();

    // Gives back the memory that is kept for the next call. Not within a call.
    void release() noexcept;

    // Runs body(0) ... body(count - 1) on the host's threads.
    void parallel_for(std::uint32_t count, const std::function<void(std::uint32_t)>& body) const;

private:
    struct Download {
        DeviceImage from;
        const vdt_image* to;
        std::uint32_t rows;  // to be copied
    };

    DeviceImage own_image(const vdt_image& image, cuda::Block<std::byte>& block);
    void download(const Download& download);
    void wait_for(vdt_event* ready);

    const Device& device_;
    cuda::Stream stream_;
    cudaStream_t stream_in_use_ = nullptr;
    cuda::Transfer transfer_;
    cuda::ParallelFor parallel_;
    std::vector<cuda::Block<std::byte>> inputs_;
    std::vector<cuda::Block<std::byte>> outputs_;
    std::vector<Download> downloads_;
    const vdt_call* call_ = nullptr;
    bool staged_ = false;  // this call copies through pinned memory of ours
    cuda::Event last_;     // of a call that was only queued: its memory is in use until then
    bool queued_ = false;
};

}  // namespace vedette::cuda_plugin
