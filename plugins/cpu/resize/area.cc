#include <algorithm>

#include "kernels/per_isa.h"
#include "parallel.h"
#include "resize/row_reader.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(ResizeKernels, resize_kernels)

namespace {

// Pieces of about this many input pixels.
constexpr std::uint32_t piece_pixels = 1u << 16;

// More taps of an element than this are summed one after the other as fast as they are gathered.
constexpr std::uint32_t most_taps = 8;

// At most so many taps of every element in groups where all sums fit into 31 bits; 0: they do not, or are too many.
std::uint32_t grouped_taps(const RowReader& reader, const ResizeJob& job) {
    const std::uint64_t largest = std::uint64_t{255} * job.in_width * job.in_height;
    if (reader.layout().depth != Depth::bits8 || largest >= std::uint64_t{1} << 31) return 0;
    // One more than a whole number of pixels reaches at most as many and one at each end.
    const std::uint32_t taps = (job.in_width - 1) / job.area.width + 2;
    return taps <= most_taps ? taps : 0;
}

// Of one worker, all multiples of eight bytes: sums down the columns, sums across, a row as it is read.
struct WorkerBytes {
    std::uint64_t columns, across, row;
    std::uint64_t all() const { return columns + across + row; }
};

WorkerBytes worker_bytes(const RowReader& reader, const ResizeJob& job) {
    const std::uint32_t channels = reader.layout().channels;
    const std::uint64_t of_sum = reader.layout().depth == Depth::real32 ? sizeof(double) : sizeof(std::uint32_t);
    const auto eights = [](std::uint64_t bytes) { return (bytes + 7) / 8 * 8; };
    // Groups of taps read on behind the last column, and write whole groups.
    return {eights(of_sum * (job.in_width + grouped_taps(reader, job)) * channels),
            sizeof(double) * (eights(std::uint64_t{job.area.width} * channels)),
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
          scratch_(std::make_unique<std::byte[]>(bytes_.all() * device.workers)) {
        if (grouped_taps(reader_, job) != 0)
            for (const AreaTap& tap : across_) taps_ = std::max(taps_, tap.last - tap.first + 1);
        const std::uint64_t count = taps_ == 0 ? 0 : (std::uint64_t{job.area.width} * channels_ + 7) / 8 * 8;
        first_.resize(count);
        weight_.resize(count * taps_);
        if (taps_ == 0) return;
        for (std::uint64_t i = 0; i < std::uint64_t{job.area.width} * channels_; ++i) {
            const AreaTap& tap = across_[i / channels_];
            first_[i] = static_cast<std::uint32_t>(tap.first * channels_ + i % channels_);
            for (std::uint32_t k = 0; k <= tap.last - tap.first; ++k)
                weight_[(i / 8 * taps_ + k) * 8 + i % 8] =
                    k == 0 ? tap.first_weight : (tap.first + k == tap.last ? tap.last_weight : job.area.width);
        }
    }

    void run(const vdt_image& in, const vdt_image& out, vdt_token* token) override {
        parallel_for(device_, token, 0, job_.area.height, area_grain(job_),
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
        else if (taps_ != 0)
            kernels_.area_groups(
                reinterpret_cast<const std::uint32_t*>(columns),
                {first_.data(), weight_.data(), static_cast<std::uint32_t>(first_.size() / 8), taps_, channels_}, sums);
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
    std::uint32_t taps_ = 0;  // of each element of a group; 0: without groups
    std::vector<std::uint32_t> first_, weight_;
};

}  // namespace

std::unique_ptr<Resampler> make_area(const Device& device, const ResizeJob& job) {
    if (is_halving(device, job)) return make_halving(device, job);
    return std::make_unique<Area>(device, job);
}

std::uint64_t area_scratch_bytes(const Device& device, const ResizeJob& job) {
    if (is_halving(device, job)) return 0;
    const RowReader reader(device, job.in_format, job.out_format);
    const std::uint64_t elements = (std::uint64_t{job.area.width} * reader.layout().channels + 7) / 8 * 8;
    const std::uint64_t taps = grouped_taps(reader, job);
    return worker_bytes(reader, job).all() * device.workers +
           (taps == 0 ? 0 : elements * (1 + taps) * sizeof(std::uint32_t)) +
           sizeof(AreaTap) * (std::uint64_t{job.area.width} + job.area.height);
}

std::uint32_t area_grain(const ResizeJob& job) {
    const std::uint64_t pixels = std::uint64_t{job.in_width} * job.in_height / job.area.height;  // of an output row
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, piece_pixels / std::max<std::uint64_t>(pixels, 1)));
}

}  // namespace vedette::cpu
