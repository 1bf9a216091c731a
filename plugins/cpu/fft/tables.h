// What the transforms' kernels need beside the pixels: memory that is aligned for them, and roots of unity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "fft/radices.h"

namespace vedette::cpu {

// Floats aligned to 64 bytes, zero at first.
class AlignedFloats {
public:
    AlignedFloats() = default;
    explicit AlignedFloats(std::size_t count) : floats_(new (std::align_val_t{alignment}) float[count]()) {}
    float* data() const noexcept { return floats_.get(); }

private:
    static constexpr std::size_t alignment = 64;
    struct Delete {
        void operator()(float* floats) const noexcept { operator delete[](floats, std::align_val_t{alignment}); }
    };
    std::unique_ptr<float[], Delete> floats_;
};

// 0 .. fft_side_count - 1 for a side that the kernels know, fft_side_count for any other.
std::uint32_t fft_side_index(std::uint32_t side) noexcept;

// For `side`, one that the kernels know: as fft/radices.h says, computed in double and rounded.
AlignedFloats make_fft_roots(std::uint32_t side);

// Elementary operations of one transform of `side` numbers, a multiplication or an addition each counted as one.
double fft_operations(std::uint32_t side) noexcept;

}  // namespace vedette::cpu
