#include <algorithm>

#include "kernels/per_isa.h"
#include "parallel.h"
#include "resize/row_reader.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(ResizeKernels, resize_kernels)

namespace {

// Pieces of about this many output pixels: far above the cost of handing out a piece.
constexpr std::uint32_t piece_pixels = 1u << 14;
constexpr std::uint64_t line = 64;  // bytes of a cache line

std::uint64_t whole_lines(std::uint64_t bytes) {
    return (bytes + line - 1) / line * line;
}

std::uint32_t channels_of(const RowReader& reader, const PixelLayout& to) {
    return std::min<std::uint32_t>(reader.layout().channels, to.channels);
}

// Floats of one channel's row; a whole number of lines, so that all rows begin at one.
std::uint64_t pitch_of(std::uint32_t width) {
    return whole_lines(std::uint64_t{width} * sizeof(float)) / sizeof(float);
}

// Of one worker: a row as it is read, and two sampled rows.
std::uint64_t worker_bytes(const RowReader& reader, const ResizeJob& job) {
    const std::uint64_t sampled = pitch_of(job.area.width) * channels_of(reader, pixels_of(job.out_format));
    return whole_lines(reader.scratch_bytes(job.in_width)) + 2 * sampled * sizeof(float);
}

// Taps of all elements of a row in groups, for rows whose channels are all wanted; none where four neighbours lie too
// far apart.
std::vector<AcrossGroup> groups_of(const std::vector<std::uint32_t>& left, const std::vector<float>& fraction,
                                   std::uint32_t channels, std::uint64_t row_elements) {
    constexpr std::uint32_t reach = 16;
    std::vector<AcrossGroup> groups;
    if (row_elements < reach) return groups;
    const std::uint64_t count = std::uint64_t{left.size()} * channels;
    groups.resize((count + 7) / 8);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t x = i / channels;
        const std::uint64_t at = left[x] + i % channels;
        AcrossGroup& group = groups[i / 8];
        std::uint32_t& base = group.base[i % 8 / 4];
        // The four begin with any channel of their pixel, and an earlier one may follow where a row is enlarged.
        if (i % 4 == 0) base = static_cast<std::uint32_t>(std::min<std::uint64_t>(left[x], row_elements - reach));
        if (at + channels - base >= reach) return {};
        group.offset[i % 8] = static_cast<std::uint8_t>(at - base);
        group.fraction[i % 8] = fraction[x];
    }
    return groups;
}

class Bilinear final : public Resampler {
public:
    Bilinear(const Device& device, const ResizeJob& job, Sampling sampling)
        : device_(device),
          kernels_(select_resize_kernels(device.isa)),
          reader_(device, job.in_format, job.out_format),
          to_(pixels_of(job.out_format)),
          job_(job),
          channels_(channels_of(reader_, to_)),
          pitch_(static_cast<std::uint32_t>(pitch_of(job.area.width))),
          down_(pair_taps(sampling, job.in_height, job.area.height)),
          worker_bytes_(worker_bytes(reader_, job)),
          scratch_(std::make_unique<std::byte[]>(worker_bytes_ * device.workers + line)) {
        const std::uint32_t elements = reader_.layout().channels;
        paired_ = job.in_width > 1 && reader_.layout().depth != Depth::real32;
        for (PairTap tap : pair_taps(sampling, job.in_width, job.area.width)) {
            // a + (b - a) * 1 is b exactly where a and b are whole numbers.
            if (paired_ && tap.left == tap.right) {
                tap.fraction = tap.left == 0 ? 0 : 1;
                tap.left -= tap.left == 0 ? 0 : 1;
                tap.right = tap.left + 1;
            }
            left_.push_back(tap.left * elements);
            right_.push_back(tap.right * elements);
            fraction_.push_back(tap.fraction);
        }
        constexpr std::uint32_t wide_elements = 8;
        const std::uint64_t row_elements = std::uint64_t{job.in_width} * elements;
        while (wide_ < left_.size() && left_[wide_] + wide_elements <= row_elements) ++wide_;
        if (paired_ && reader_.layout().depth == Depth::bits8 && !to_.planar)
            groups_ = groups_of(left_, fraction_, elements, row_elements);
    }

    void run(const vdt_image& in, const vdt_image& out, vdt_token* token) override {
        parallel_for(device_, token, 0, job_.area.height, bilinear_grain(job_),
                     [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
                         run_piece(in, out, begin, end, worker);
                     });
    }

private:
    static constexpr std::uint32_t none = 0xffffffffu;
    // Sampled rows of a worker.
    struct Rows {
        void* scratch;
        float* sampled[2];
        std::uint32_t number[2];  // of the input row
    };

    void run_piece(const vdt_image& in, const vdt_image& out, std::uint32_t begin, std::uint32_t end,
                   std::uint32_t worker) {
        auto at = reinterpret_cast<std::uintptr_t>(scratch_.get());
        at = (at + line - 1) / line * line + worker * worker_bytes_;
        auto* const sampled = reinterpret_cast<float*>(at + whole_lines(reader_.scratch_bytes(job_.in_width)));
        Rows rows{reinterpret_cast<void*>(at), {sampled, sampled + std::uint64_t{pitch_} * channels_}, {none, none}};
        for (std::uint32_t y = begin; y < end; ++y) {
            const PairTap& tap = down_[y];
            const PairTap& next = down_[std::min(y + 1, job_.area.height - 1)];
            const std::uint32_t above = sample(in, rows, tap.left, tap.right, next.left);
            const std::uint32_t below = sample(in, rows, tap.right, tap.left, next.right);
            write(rows.sampled[above], rows.sampled[below], tap.fraction, out, y);
        }
    }

    // The slot that holds row `number`, sampled now if it is not there yet; `other` keeps its slot. Row `next` will be
    // read soon.
    std::uint32_t sample(const vdt_image& in, Rows& rows, std::uint32_t number, std::uint32_t other,
                         std::uint32_t next) const {
        for (std::uint32_t slot = 0; slot < 2; ++slot)
            if (rows.number[slot] == number) return slot;
        const std::uint32_t slot = rows.number[0] == other ? 1 : 0;
        AcrossTaps taps{};
        taps.left = left_.data();
        taps.right = right_.data();
        taps.fraction = fraction_.data();
        taps.width = job_.area.width;
        taps.pixel_elements = reader_.layout().channels;
        taps.paired = paired_;
        taps.channels = channels_;
        taps.wide = wide_;
        taps.ahead = reader_.in_place() && next < in.height ? row_of<const void>(in, 0, next) : nullptr;
        taps.pitch = to_.planar ? pitch_ : 0;
        const void* const row = reader_.row(in, number, rows.scratch);
        switch (reader_.layout().depth) {
            case Depth::bits8:
                if (!groups_.empty())
                    kernels_.across_groups8(static_cast<const std::uint8_t*>(row), groups_.data(),
                                            static_cast<std::uint32_t>(groups_.size()), channels_, rows.sampled[slot]);
                else
                    kernels_.across8(static_cast<const std::uint8_t*>(row), taps, rows.sampled[slot]);
                break;
            case Depth::bits16:
                kernels_.across16(static_cast<const std::uint16_t*>(row), taps, rows.sampled[slot]);
                break;
            case Depth::real32:
                kernels_.across_f32(static_cast<const float*>(row), taps, rows.sampled[slot]);
                break;
        }
        rows.number[slot] = number;
        return slot;
    }

    void write(const float* above, const float* below, float fraction, const vdt_image& out, std::uint32_t y) const {
        const std::uint32_t row = job_.area.top + y;
        const auto scale = static_cast<float>(job_.scale), offset = static_cast<float>(job_.offset);
        if (to_.planar) {
            for (std::uint32_t c = 0; c < channels_; ++c) {
                const std::uint64_t begin = std::uint64_t{c} * pitch_;
                kernels_.down_f32(above + begin, below + begin, fraction, job_.area.width, scale, offset,
                                  row_of<float>(out, reader_.plane_of(c), row) + job_.area.left);
            }
            return;
        }
        const std::uint64_t begin = std::uint64_t{job_.area.left} * channels_;
        const std::uint32_t count = job_.area.width * channels_;
        switch (to_.depth) {
            case Depth::bits8:
                return kernels_.down8(above, below, fraction, count, row_of<std::uint8_t>(out, 0, row) + begin);
            case Depth::bits16:
                return kernels_.down16(above, below, fraction, count, row_of<std::uint16_t>(out, 0, row) + begin);
            case Depth::real32:
                return kernels_.down_f32(above, below, fraction, count, scale, offset,
                                         row_of<float>(out, 0, row) + begin);
        }
    }

    const Device& device_;
    const ResizeKernels& kernels_;
    RowReader reader_;
    PixelLayout to_;
    ResizeJob job_;
    std::uint32_t channels_;
    std::uint32_t pitch_;
    std::vector<PairTap> down_;
    std::vector<std::uint32_t> left_, right_;  // elements
    std::vector<float> fraction_;
    std::vector<AcrossGroup> groups_;  // if any, used instead of the taps above
    bool paired_ = false;
    std::uint32_t wide_ = 0;  // outputs from whose left pixel on eight elements can be read
    std::uint64_t worker_bytes_;
    std::unique_ptr<std::byte[]> scratch_;
};

}  // namespace

std::unique_ptr<Resampler> make_bilinear(const Device& device, const ResizeJob& job, Sampling sampling) {
    // Halfway between four whole numbers single precision is exact.
    if (sampling == Sampling::half_pixel && is_halving(device, job)) return make_halving(device, job);
    return std::make_unique<Bilinear>(device, job, sampling);
}

std::uint64_t bilinear_scratch_bytes(const Device& device, const ResizeJob& job) {
    const RowReader reader(device, job.in_format, job.out_format);
    const std::uint64_t groups = std::uint64_t{job.area.width} * reader.layout().channels / 8 + 1;
    return worker_bytes(reader, job) * device.workers + std::uint64_t{job.area.width} * 12 +
           groups * sizeof(AcrossGroup) + std::uint64_t{job.area.height} * sizeof(PairTap);
}

std::uint32_t bilinear_grain(const ResizeJob& job) {
    return std::max(1u, piece_pixels / job.area.width);
}

}  // namespace vedette::cpu
