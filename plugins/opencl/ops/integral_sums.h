// One table of sums of an image on the device, upright or tilted, for integral and for detectors. How:
// kernels/integral.cl, integral_tilted.cl.
#pragma once

#include "backend.h"

#include <string>

namespace vedette::opencl {

inline constexpr std::uint32_t integral_tile_width = 64;
inline constexpr std::uint32_t integral_band = 32;  // rows, of tilted sums
inline constexpr std::size_t integral_scan_group = 256;

inline std::uint32_t integral_parts(std::uint32_t size, std::uint32_t part) noexcept {
    return (size + part - 1) / part;
}

// What is summed up, and in what.
struct IntegralForm {
    bool bytes;  // of GRAY8, otherwise floats
    bool squares;
    bool tilted;       // not with `squares`
    bool real_output;  // doubles, otherwise whole numbers
    bool wide;         // 64 bits, otherwise modulo 2^32; always with floats and doubles

    // Sums of bytes stay below 2^53 and become doubles at the end. Without `doubles` a ulong holds one.
    const char* sum(bool doubles) const { return !bytes && doubles ? "double" : wide ? "ulong" : "uint"; }
    std::uint32_t sum_bytes() const { return wide ? 8 : 4; }
    std::uint32_t prefix_bytes() const { return bytes ? 4 : 8; }
    // So that a tile takes 16 KiB and a bit.
    std::uint32_t tile_height() const { return sum_bytes() == 4 ? 64 : 32; }
};

class IntegralSums {
public:
    // For images of up to this size.
    IntegralSums(const Device& device, const IntegralForm& form, std::uint32_t width, std::uint32_t height);

    // Queues the table, of width + 1 numbers and height + 1 rows, of the first `height` rows of `in`.
    void run(cl::Queue queue, const Plane& in, const Plane& out, std::uint32_t height) const;

    static std::uint64_t scratch_bytes(const IntegralForm& form, std::uint32_t width, std::uint32_t height) noexcept;

private:
    void measure_groups(const Device& device, std::uint32_t height, const std::string& what);
    void upright(cl::Queue queue, const Plane& in, const Plane& out, std::uint32_t height) const;
    void tilted(cl::Queue queue, const Plane& in, const Plane& out, std::uint32_t height) const;

    IntegralForm form_;
    std::uint32_t width_;
    std::uint32_t lanes_ = integral_scan_group;  // of a group that scans a row
    Kernel tile_sums_, carry_, scan_bands_, tiles_;
    Kernel prefix_rows_, band_sums_, band_carry_, fall_, rise_;
    Buffer<std::byte> columns_, rows_, prefix_, falling_, rising_, falling_above_, rising_above_;
};

}  // namespace vedette::opencl
