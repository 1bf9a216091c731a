// Restoration of squares across the blocks of a cluster.
#include "kernels/restore_forms.cuh"

namespace vedette::cuda {

namespace {

using Line128 = FftLine<128, 8>;
using Line256 = FftLine<256, 16>;

// Estimates: few threads a block, so that each can have 255 registers.
using Room128 = RestoreRoom<6, 0, 1>;
using Room256 = RestoreRoom<3, 3, 1>;

}  // namespace

RestoreForm restore_cluster_form(std::uint32_t side, unsigned blocks, RestoreMethod method) {
    if (side == 128 && blocks == 8)
        return restore_form_of<Line128, ClusterTeam<Line128, 8>, Room128, Room128>(method, "cluster of 8");
    if (side == 256 && blocks == 8)
        return restore_form_of<Line256, ClusterTeam<Line256, 8>, Room256, Room256>(method, "cluster of 8");
    if (side == 256 && blocks == 16)
        return restore_form_of<Line256, ClusterTeam<Line256, 16>, Room256, Room256>(method, "cluster of 16");
    return {};
}

}  // namespace vedette::cuda
