// With P_j(k) = sum of I(i, j) over i < k, P_j(k) = 0 for k < 0 and = P_j(w) for k > w:
//   T(x, y) = sum over j < y of P_j(x + (y - 1 - j)) - P_j(x - 1 - (y - 1 - j)).
// The first terms lie on lines x + y = const, the second on lines x - y = const; one sum for each line grows with the
// rows: F[x + y] += P_(y-1)(x), R[x - y] += P_(y-1)(x - 1), T(x, y) = F[x + y] - R[x - y]. A line x + y = const enters
// at the right edge with the whole rows' sums that lie before; a line x - y = const enters at the left edge with 0. The
// rows follow each other, so this runs on one worker.
#include <algorithm>

#include "ops/integral_sums.h"
#include "parallel.h"

namespace vedette::cpu {

namespace {

constexpr std::uint32_t rows_between_checks = 128;

// P(k) for k = 0 .. w goes to prefix[0 .. w]; prefix[0] is 0 already.
void sum_row(const IntegralKernels& kernels, const vdt_image& in, std::uint32_t y, const std::uint32_t* zeros,
             std::uint32_t* prefix) {
    kernels.sum_i32(row_of<const std::uint8_t>(in, 0, y), in.width, zeros, prefix + 1);
}

void sum_row(const IntegralKernels& kernels, const vdt_image& in, std::uint32_t y, const double* zeros,
             double* prefix) {
    if (in.format == VDT_FORMAT_GRAYF32)
        kernels.prefix_f32(row_of<const float>(in, 0, y), in.width, false, prefix + 1);
    else
        kernels.sum_f64(row_of<const std::uint8_t>(in, 0, y), in.width, zeros, prefix + 1);
}

auto tilted_kernel(const IntegralKernels& kernels, const std::uint32_t*) {
    return kernels.tilted_i32;
}
auto tilted_kernel(const IntegralKernels& kernels, const double*) {
    return kernels.tilted_f64;
}

// Sums of two kinds of lines, and two rows.
std::uint64_t scratch_elements(std::uint32_t width, std::uint32_t height) {
    return 2 * (std::uint64_t{width} + height + 1) + 2 * (std::uint64_t{width} + 2);
}

}  // namespace

TiltedSums::TiltedSums(const Device& device, std::uint32_t width, std::uint32_t height)
    : device_(device),
      kernels_(integral_kernels_of(device.isa)),
      scratch_(std::make_unique<std::byte[]>(scratch_bytes(width, height))) {}

std::uint64_t TiltedSums::scratch_bytes(std::uint32_t width, std::uint32_t height) {
    return sizeof(double) * scratch_elements(width, height);
}

void TiltedSums::run(const vdt_image& in, const IntegralTarget& target, vdt_token* token) {
    if (target.is_real())
        run_as<double>(in, target, token);
    else
        run_as<std::uint32_t>(in, target, token);
}

template <class Sum>
void TiltedSums::run_as(const vdt_image& in, const IntegralTarget& target, vdt_token* token) {
    static_assert(sizeof(Sum) <= sizeof(double));
    const std::uint64_t lines = std::uint64_t{in.width} + in.height + 1;
    Sum* const falling = static_cast<Sum*>(static_cast<void*>(scratch_.get()));
    Sum* const rising = falling + lines;
    Sum* const zeros = rising + lines;
    Sum* const prefix = zeros + in.width + 3;  // with P(-1) = 0 before it
    std::fill(falling, falling + scratch_elements(in.width, in.height), Sum{0});
    const auto tilted = tilted_kernel(kernels_, falling);
    target.clear_first_row();
    Sum whole_rows = 0;
    for (std::uint32_t y = 1; y <= in.height; ++y) {
        if (y % rows_between_checks == 0) throw_if_cancelled(device_, token);
        sum_row(kernels_, in, y - 1, zeros, prefix);
        falling[std::uint64_t{in.width} + y] = whole_rows;
        whole_rows += prefix[in.width];
        tilted(prefix, falling + y, rising + (in.height - y), target.row<Sum>(y), in.width + 1);
    }
}

}  // namespace vedette::cpu
