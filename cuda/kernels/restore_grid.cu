// Restoration of squares by blocks that exchange through global memory.
#include "kernels/restore_loop.cuh"

namespace vedette::cuda {

namespace {

using Line128 = FftLine<128, 16>;
using Line256 = FftLine<256, 16>;
using Line512 = FftLine<512, 32>;

// Two arrays fit the 64 KB that compute capability 7.5 has.
constexpr RestoreRoom room{0, 2, 1};

}  // namespace

RestoreForm restore_grid_form(std::uint32_t side, RestoreMethod method) {
    switch (side) {
        case 128:
            return restore_form_of<Line128, GridTeam<Line128, 128>, room, room>(method, "grid");
        case 256:
            return restore_form_of<Line256, GridTeam<Line256, 128>, room, room>(method, "grid");
        case 512:
            return restore_form_of<Line512, GridTeam<Line512, 64>, room, room>(method, "grid");
        default:
            return {};
    }
}

}  // namespace vedette::cuda
