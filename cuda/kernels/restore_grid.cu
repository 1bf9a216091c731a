// Restoration of squares by blocks that exchange through global memory.
#include "kernels/restore_forms.cuh"

namespace vedette::cuda {

namespace {

using Line128 = FftLine<128, 8>;
using Line256 = FftLine<256, 16>;
using Line512 = FftLine<512, 16, true>;

// Everything a thread keeps lies in global memory, its own corner of it. Lean: registers are bounded, which costs
// spills, so that the 64 blocks for a square of 512 are at once on 13 multiprocessors.
using Room = RestoreRoom<0, 0, 2>;
using LeanRoom = RestoreRoom<0, 0, 5>;

}  // namespace

RestoreForm restore_grid_form(std::uint32_t side, bool lean, RestoreMethod method) {
    if (lean) {
        if (side != 512) return {};
        return restore_form_of<Line512, GridTeam<Line512, 128>, LeanRoom, LeanRoom>(method, "lean grid");
    }
    switch (side) {
        case 128:
            return restore_form_of<Line128, GridTeam<Line128, 128>, Room, Room>(method, "grid");
        case 256:
            return restore_form_of<Line256, GridTeam<Line256, 128>, Room, Room>(method, "grid");
        case 512:
            return restore_form_of<Line512, GridTeam<Line512, 128>, Room, Room>(method, "grid");
        default:
            return {};
    }
}

}  // namespace vedette::cuda
