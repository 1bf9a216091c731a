#include "prepared.h"

#include "scene.h"

namespace vedette::cpu::find {
namespace {

constexpr std::uint64_t prepared_key = 0x66696E6400000002u;  // "find", kind 2

// The same pixels and mask as then, seen without a copy of them.
bool same(const Pattern& last, const vdt_image& image, const vdt_image* mask) {
    const int channels = image.format == VDT_FORMAT_BGR8 ? 3 : 1;
    if (last.w != static_cast<int>(image.width) || last.h != static_cast<int>(image.height) ||
        last.channels != channels)
        return false;
    for (int y = 0; y < last.h; ++y) {
        const std::uint8_t* row = row_start(image, static_cast<std::uint32_t>(y));
        const std::uint8_t* taken = mask == nullptr ? nullptr : row_start(*mask, static_cast<std::uint32_t>(y));
        for (int x = 0; x < last.w; ++x) {
            if ((taken == nullptr || taken[x] != 0) != last.taken(x, y)) return false;
            for (int c = 0; c < channels; ++c)
                if (row[x * channels + c] != last.pixel(c, x, y)) return false;
        }
    }
    return true;
}

}  // namespace

Prepared::Prepared(Pattern pattern) : pattern_(std::move(pattern)) {
    if (pattern_.small()) dense_ = dense_coefficients(pattern_);
}

const std::vector<BlockGrid>& Prepared::grids() const {
    const std::lock_guard lock(mutex_);
    if (!grids_) {
        GridRoom room;
        const std::span<BlockGrid> grids = candidate_grids(pattern_, room);
        lay_over_contrast(pattern_, grids);
        grids_.emplace(grids.begin(), grids.end());
    }
    return *grids_;
}

const Bound& Prepared::bound(const BlockGrid& grid) const {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const Bound>& slot = bounds_[grid];
    if (!slot) slot = std::make_unique<const Bound>(make_bound(pattern_, grid));
    return *slot;
}

const MaskedBound& Prepared::masked_bound(BlockShape shape) const {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const MaskedBound>& slot = masked_bounds_[{shape.w, shape.h}];
    if (!slot) slot = std::make_unique<const MaskedBound>(make_masked_bound(pattern_, shape));
    return *slot;
}

const PatternSpectrum& Prepared::spectrum(const Kernels& kernels, int n) const {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const PatternSpectrum>& slot = spectra_[n];
    if (!slot) slot = std::make_unique<const PatternSpectrum>(kernels, pattern_, n);
    return *slot;
}

std::shared_ptr<const Prepared> prepare(const vdt_image& image, const vdt_image* mask,
                                        const std::shared_ptr<const Prepared>& last) {
    const bool masked = mask != nullptr && mask->format != VDT_FORMAT_NONE;
    if (Resident* resident = resident_of(image); resident != nullptr && !masked)
        return resident->get<Prepared>(prepared_key,
                                       [&] { return std::make_shared<const Prepared>(read_pattern(image, nullptr)); });
    if (last && same(last->pattern(), image, masked ? mask : nullptr)) return last;
    return std::make_shared<const Prepared>(read_pattern(image, mask));
}

}  // namespace vedette::cpu::find
