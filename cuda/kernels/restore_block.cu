// Restoration of squares that fit one block.
#include "kernels/restore_loop.cuh"

namespace vedette::cuda {

namespace {

using Line32 = FftLine<32, 8>;
using Line64 = FftLine<64, 8>;
using Line128 = FftLine<128, 16>;

// Estimates: registers of 8 values an array are few enough that two images of 64 x 64 share a multiprocessor. A block
// of 128 x 128 has 128 registers a thread.
constexpr RestoreRoom small_room{6, 0, 2};
constexpr RestoreRoom small_room_blind{6, 0, 1};
constexpr RestoreRoom room_128{1, 2, 1};
constexpr RestoreRoom room_128_blind{0, 2, 1};

}  // namespace

RestoreForm restore_block_form(std::uint32_t side, RestoreMethod method) {
    switch (side) {
        case 32:
            return restore_form_of<Line32, BlockTeam<Line32, 2>, small_room, small_room_blind>(method, "block");
        case 64:
            return restore_form_of<Line64, BlockTeam<Line64, 2>, small_room, small_room_blind>(method, "block");
        case 128:
            return restore_form_of<Line128, BlockTeam<Line128, 1>, room_128, room_128_blind>(method, "block");
        default:
            return {};
    }
}

}  // namespace vedette::cuda
