#include <algorithm>

#include "kernels/per_isa.h"
#include "parallel.h"
#include "resize/row_reader.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(ResizeKernels, resize_kernels)

namespace {

// Pieces of about this many output pixels.
constexpr std::uint32_t piece_pixels = 1u << 14;

class Halving final : public Resampler {
public:
    Halving(const Device& device, const ResizeJob& job)
        : device_(device),
          kernels_(select_resize_kernels(device.isa)),
          area_(job.area),
          channels_(pixels_of(job.out_format).channels) {}

    void run(const vdt_image& in, const vdt_image& out, vdt_token* token) override {
        const std::uint32_t grain = std::max(1u, piece_pixels / area_.width);
        parallel_for(device_, token, 0, area_.height, grain,
                     [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                         for (std::uint32_t y = begin; y < end; ++y)
                             kernels_.halve8(
                                 row_of<const std::uint8_t>(in, 0, 2 * y), row_of<const std::uint8_t>(in, 0, 2 * y + 1),
                                 area_.width, channels_,
                                 row_of<std::uint8_t>(out, 0, area_.top + y) + std::uint64_t{area_.left} * channels_);
                     });
    }

private:
    const Device& device_;
    const ResizeKernels& kernels_;
    OutputArea area_;
    std::uint32_t channels_;
};

}  // namespace

bool is_halving(const Device& device, const ResizeJob& job) {
    const PixelLayout to = pixels_of(job.out_format);
    return job.in_width == std::uint64_t{2} * job.area.width && job.in_height == std::uint64_t{2} * job.area.height &&
           to.depth == Depth::bits8 && !to.planar && RowReader(device, job.in_format, job.out_format).in_place();
}

std::unique_ptr<Resampler> make_halving(const Device& device, const ResizeJob& job) {
    return std::make_unique<Halving>(device, job);
}

}  // namespace vedette::cpu
