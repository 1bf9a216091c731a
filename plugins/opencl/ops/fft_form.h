// What fft2 and restore share: how a group transforms lines (kernels/fft_line.cl), and roots of unity on the device.
#pragma once

#include "backend.h"

#include <array>
#include <string>

namespace vedette::opencl {

// A group of items() x lanes() work-items transforms `lines` neighbouring lines of `side` complex numbers, `vector` of
// them in each work-item.
struct FftForm {
    std::uint32_t side = 0;
    std::uint32_t lines = 0;   // a power of two, at most side / 2
    std::uint32_t vector = 1;  // 1, 4 or 8
    std::uint32_t parts = 1;   // of local memory, PARTS of the kernels

    std::uint32_t items() const noexcept { return lines / vector; }
    std::uint32_t lanes() const noexcept { return side / 8; }
    std::uint32_t group() const noexcept { return items() * lanes(); }
    // Local memory of a group, at most: with room for a spectrum's ends.
    std::size_t local_bytes() const noexcept;
    // What the kernels read as SIDE, LINES and VECTOR.
    std::string defines() const;
    // Groups for `count` lines of each of `images` images.
    Range range(std::uint32_t count, std::uint32_t images) const;
};

// The forms that can run here by the device's limits, that for its class of devices first. At least one: devices that
// hold less are not used (runtime/device.cc).
class FftForms {
public:
    FftForms(const DeviceLimits& limits, std::uint32_t side) noexcept;
    const FftForm* begin() const noexcept { return forms_.data(); }
    const FftForm* end() const noexcept { return forms_.data() + count_; }
    const FftForm& front() const noexcept { return forms_[0]; }
    const FftForm& operator[](std::size_t index) const noexcept { return forms_[index]; }
    std::size_t size() const noexcept { return count_; }

private:
    static constexpr std::size_t most = 5;
    std::array<FftForm, most> forms_{};
    std::size_t count_ = 0;
};

// The form for jobs of about `images` images: where Tuning measures, that in which kernels/fft_trial.cl is the fastest,
// one small kernel in place of all that use it (drivers compile those for seconds); otherwise the first of FftForms.
// Directions and methods share the answer.
FftForm choose_fft_form(const Device& device, std::uint32_t side, std::uint32_t images, const Buffer<float>& roots);

// Whether compilers take longer for several programs than for all kernels of a size in one, of which those that are
// used are compiled to the end: for processors (PoCL 3.1: 0.4 s a program, 0.1 s a kernel that is not used).
inline bool one_program_for_all(const DeviceLimits& limits) {
    return limits.kind == Kind::cpu;
}

// Elementary operations on each number of a line of `side` complex numbers that is transformed: six for each of the
// log2(side) / 2 butterflies it meets.
double fft_operations_of_number(std::uint32_t side) noexcept;

// exp(-2 pi i k / side) for k = 0 ... side - 1, real and imaginary parts in turn, each rounded once.
Buffer<float> fft_roots(const Device& device, std::uint32_t side);

}  // namespace vedette::opencl
