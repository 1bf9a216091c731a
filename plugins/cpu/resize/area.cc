#include <algorithm>

#include "kernels/per_isa.h"
#include "parallel.h"
#include "resize/row_reader.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(ResizeKernels, resize_kernels)

namespace {

// Pieces of about this many input pixels.
constexpr std::uint32_t piece_pixels = 1u << 16;

// Of one worker, all multiples of eight bytes: sums down the columns, sums across, a row as it is read.
struct WorkerBytes {
    std::uint64_t columns, across, row;
    std::uint64_t all() const { return columns + across + row; }
};

WorkerBytes worker_bytes(const RowReader& reader, const ResizeJob& job) {
    const std::uint32_t channels = reader.layout().channels;
    const std::uint64_t of_sum = reader.layout().depth == Depth::real32 ? sizeof(double) : sizeof(std::uint32_t);
    const auto eights = [](std::uint64_t bytes) { return (bytes + 7) / 8 * 8; };
    return {eights(of_sum * job.in_width * channels), sizeof(double) * job.area.width * channels,
            eights(reader.scratch_bytes(job.in_width))};
}

class Area final : public Resampler {
public:
    Area(const Device& device, const ResizeJob& job)
        : device_(device),
          kernels_(select_resize_kernels(device.isa)),
          reader_(device, job.in_format, job.out_format),
          to_(pixels_of(job.out_format)),
          job_(job),
          channels_(reader_.layout().channels),
          across_(area_taps(job.in_width, job.area.width)),
          down_(area_taps(job.in_height, job.area.height)),
          bytes_(worker_bytes(reader_, job)),
          scratch_(std::make_unique<std::byte[]>(bytes_.all() * device.workers)) {}

    void run(const vdt_image& in, const vdt_image& out, vdt_token* token) override {
        const std::uint64_t pixels = std::uint64_t{in.width} * in.height / job_.area.height;  // of an output row
        const auto grain = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, piece_pixels / pixels));
        parallel_for(device_, token, 0, job_.area.height, grain,
                     [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
                         for (std::uint32_t y = begin; y < end; ++y) run_row(in, out, y, worker);
                     });
    }

private:
    void run_row(const vdt_image& in, const vdt_image& out, std::uint32_t y, std::uint32_t worker) {
        std::byte* const columns = scratch_.get() + worker * bytes_.all();
        auto* const sums = reinterpret_cast<double*>(columns + bytes_.columns);
        std::byte* const scratch = columns + bytes_.columns + bytes_.across;
        std::fill(columns, columns + bytes_.columns, std::byte{0});
        const AreaTap& tap = down_[y];
        const std::uint32_t count = job_.in_width * channels_;
        for (std::uint32_t row = tap.first; row <= tap.last; ++row) {
            const std::uint32_t weight =
                row == tap.first ? tap.first_weight : (row == tap.last ? tap.last_weight : job_.area.height);
            const void* const pixels = reader_.row(in, row, scratch);
            switch (reader_.layout().depth) {
                case Depth::bits8:
                    kernels_.cover8(static_cast<const std::uint8_t*>(pixels), weight, count,
                                    reinterpret_cast<std::uint32_t*>(columns));
                    break;
                case Depth::bits16:
                    kernels_.cover16(static_cast<const std::uint16_t*>(pixels), weight, count,
                                     reinterpret_cast<std::uint32_t*>(columns));
                    break;
                case Depth::real32:
                    kernels_.cover_f32(static_cast<const float*>(pixels), weight, count,
                                       reinterpret_cast<double*>(columns));
                    break;
            }
        }
        if (reader_.layout().depth == Depth::real32)
            kernels_.area_f64(reinterpret_cast<const double*>(columns), across_.data(), job_.area.width, channels_,
                              job_.area.width, sums);
        else
            kernels_.area_u32(reinterpret_cast<const std::uint32_t*>(columns), across_.data(), job_.area.width,
                              channels_, job_.area.width, sums);
        write(sums, out, job_.area.top + y);
    }

    void write(const double* sums, const vdt_image& out, std::uint32_t row) const {
        // Each row and column of an output pixel weighs a whole side of the input.
        const double total = static_cast<double>(job_.in_width) * job_.in_height;
        if (to_.planar) {
            for (std::uint32_t c = 0; c < to_.channels; ++c)
                kernels_.mean_f32(sums + c, total, job_.scale, job_.offset, job_.area.width, channels_,
                                  row_of<float>(out, reader_.plane_of(c), row) + job_.area.left);
            return;
        }
        const std::uint64_t begin = std::uint64_t{job_.area.left} * channels_;
        const std::uint32_t count = job_.area.width * channels_;
        switch (to_.depth) {
            case Depth::bits8:
                return kernels_.mean8(sums, total, count, row_of<std::uint8_t>(out, 0, row) + begin);
            case Depth::bits16:
                return kernels_.mean16(sums, total, count, row_of<std::uint16_t>(out, 0, row) + begin);
            case Depth::real32:
                return kernels_.mean_f32(sums, total, job_.scale, job_.offset, count, 1,
                                         row_of<float>(out, 0, row) + begin);
        }
    }

    const Device& device_;
    const ResizeKernels& kernels_;
    RowReader reader_;
    PixelLayout to_;
    ResizeJob job_;
    std::uint32_t channels_;
    std::vector<AreaTap> across_, down_;
    WorkerBytes bytes_;
    std::unique_ptr<std::byte[]> scratch_;
};

}  // namespace

std::unique_ptr<Resampler> make_area(const Device& device, const ResizeJob& job) {
    if (is_halving(device, job)) return make_halving(device, job);
    return std::make_unique<Area>(device, job);
}

std::uint64_t area_scratch_bytes(const Device& device, const ResizeJob& job) {
    if (is_halving(device, job)) return 0;
    const RowReader reader(device, job.in_format, job.out_format);
    return worker_bytes(reader, job).all() * device.workers +
           sizeof(AreaTap) * (std::uint64_t{job.area.width} + job.area.height);
}

}  // namespace vedette::cpu
