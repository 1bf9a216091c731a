// The images of a call in device memory: where they lie elsewhere they are copied, and results are copied back. Devices
// that work in the host's memory take images there as they are, where rows lie as kernels want them.
#pragma once

#include "backend.h"

#include <vector>

namespace vedette::opencl {

class Resident;

// An image in device memory. Planes begin at multiples of 16 bytes, strides are positive multiples of 16 and the same
// for all planes, and each row may be read up to the next multiple of 16 bytes; kernels write inside width x height
// only. Without memory when the image was left out (VDT_FORMAT_NONE).
struct DeviceImage {
    vdt_format format = VDT_FORMAT_NONE;
    std::uint32_t width = 0;  // pixels
    std::uint32_t height = 0;
    cl::Memory memory[3] = {};
    std::uint64_t offset[3] = {};  // bytes, of the first row
    std::uint32_t stride = 0;      // bytes
    Resident* resident = nullptr;  // what is kept with it, if anything

    bool present() const noexcept { return format != VDT_FORMAT_NONE; }
    Plane plane(int index = 0) const noexcept { return {memory[index], offset[index], stride}; }
};

// Bytes of the rows of an image of our own: a multiple of 128, so that rows begin where memory transactions do.
std::uint32_t pitch_of(std::uint64_t row_bytes) noexcept;

// An image of our own in `memory`, which is taken anew where it is too small.
DeviceImage own_image(const Device& device, vdt_format format, std::uint32_t width, std::uint32_t height,
                      Buffer<std::byte>& memory);

// One plan's queue and copies of images. Memory that was needed once is kept for the next call.
//
//     Operands::Call running(operands, vdt_call);
//     ... operands.input(0) ... operands.output(0) ... launches on operands.queue() ...
//     running.finish();  // results are where the caller wants them
//
// A call that ends without finish has failed: it waits for the device and forgets what was to be copied back.
class Operands {
public:
    explicit Operands(const Device& device);
    ~Operands();
    Operands(const Operands&) = delete;
    Operands& operator=(const Operands&) = delete;

    class Call {
    public:
        Call(Operands& operands, const vdt_call& call);
        ~Call();
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        // Queues what is to be copied back, and waits for it, except where the call names a stream. Fires the call's
        // `done`.
        void finish();
        // For operations that read results on the host: waits for what was queued so far.
        void wait();

    private:
        Operands& operands_;
        bool finished_ = false;
    };

    cl::Queue queue() const noexcept { return queue_in_use_; }
    const Device& device() const noexcept { return device_; }

    // Input `index` of the call; queues its transfer unless it is already on the device.
    DeviceImage input(std::uint32_t index);
    // Output `index`; finish copies it back where needed. Write every pixel.
    DeviceImage output(std::uint32_t index);
    // Only the first rows of output `index` are results: the others are left as they are.
    void keep_rows(std::uint32_t index, std::uint32_t rows);

    // Input `index` as a copy in `memory`, wherever it lies.
    DeviceImage copied_input(std::uint32_t index, Buffer<std::byte>& memory);
    // Queues the copy of input 0 to output 0 of the same format and size.
    void copy_input_to_output();

private:
    struct Download {
        DeviceImage from;
        const vdt_image* to;
        std::uint32_t rows;          // to be copied
        std::size_t staged[3] = {};  // where each plane lies in staging_, when its rows go upwards in memory
    };

    DeviceImage as_it_is(const vdt_image& image) const;
    DeviceImage in_host_memory(const vdt_image& image, bool is_output);
    void upload(const vdt_image& image, const DeviceImage& to);
    void download(Download& download);
    void write_staged() noexcept;
    std::byte* staging(std::size_t bytes, std::size_t& place);
    void wait_for_event(vdt_event* ready);
    void wait_for_last();

    const Device& device_;
    const Queue queue_;
    cl::Queue queue_in_use_ = nullptr;
    std::vector<Buffer<std::byte>> inputs_;
    std::vector<Buffer<std::byte>> outputs_;
    std::vector<Download> downloads_;
    // The caller's host memory that this call, or the one that was only queued, works in.
    struct Shared {
        Memory memory;
        std::size_t bytes;
        bool is_output;
    };
    std::vector<Shared> shared_;
    // Images whose rows go upwards in memory, which OpenCL cannot copy as they are. In use until the device is done.
    std::vector<std::vector<std::byte>> staging_;
    std::size_t used_staging_ = 0;
    const vdt_call* call_ = nullptr;
    Event last_;  // of a call that was only queued: its memory is in use until then
};

}  // namespace vedette::opencl
