#include "kernels/fft2_squares.cuh"

namespace vedette::cuda {

namespace {

using Line32 = FftLine<32, 4>;
using Line64 = FftLine<64, 8>;
using Line128 = FftLine<128, 16>;
using Line256 = FftLine<256, 16>;

}  // namespace

Fft2Form fft2_block_form(std::uint32_t side, Fft2Kind kind) {
    switch (side) {
        case 32:
            return fft2_block_form_of<Line32>(kind);
        case 64:
            return fft2_block_form_of<Line64>(kind);
        case 128:
            return fft2_block_form_of<Line128>(kind);
        default:
            return {};
    }
}

Fft2Form fft2_cluster_form(std::uint32_t side, Fft2Kind kind) {
    if (side != 256) return {};
    return fft2_real_form<Line256, ClusterTeam<Line256, 8>>(kind, "cluster of 8");
}

}  // namespace vedette::cuda
