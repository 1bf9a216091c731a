// Restoration of squares that fit one block.
#include "kernels/fft_square_64.cuh"
#include "kernels/restore_forms.cuh"

namespace vedette::cuda {

namespace {

using Line32 = FftLine<32, 4>;
using Line64 = FftLine<64, 8>;
using Line64Of4Lanes = FftLine<64, 16>;
using Line128 = FftLine<128, 8>;

// Estimates: registers of 4 or 8 values an array, or of 16 in half as many threads, are few enough that two images of
// 64 x 64 share a multiprocessor, and twice as many arrays for one. A block of 128 x 128 has 64 registers a thread.
using SmallRoom = RestoreRoom<6, 0, 2>;
using SmallRoomBlind = RestoreRoom<6, 0, 1>;
using Room128 = RestoreRoom<0, 2, 1>;

}  // namespace

RestoreForm restore_block_form(std::uint32_t side, RestoreMethod method) {
    switch (side) {
        case 32:
            return restore_form_of<Line32, BlockTeam<Line32, 2>, SmallRoom, SmallRoomBlind>(method, "block");
        case 64:
            // What the blind method keeps leaves no registers for 16 numbers at once.
            if (method == RestoreMethod::mia_blind)
                return make_restore_form<Line64, BlockTeam<Line64, 2>, RestoreMethod::mia_blind, SmallRoomBlind>(
                    "block");
            if (method == RestoreMethod::mia_known)
                return make_restore_form<Line64Of4Lanes, Block64Team, RestoreMethod::mia_known, SmallRoom>("block");
            return make_restore_form<Line64Of4Lanes, Block64Team, RestoreMethod::richardson_lucy, SmallRoom>("block");
        case 128:
            return restore_form_of<Line128, BlockTeam<Line128, 1>, Room128, Room128>(method, "block");
        default:
            return {};
    }
}

}  // namespace vedette::cuda
