// Kernels of the restoration loop (restore_loop.cuh) for a kind of team each.
#pragma once

#include "kernels/restore_loop.cuh"

namespace vedette::cuda {

// A block is Team::threads threads of a team of Team::blocks; teams work on images one each (restore_loop.cuh).
template <class Line, class Team, RestoreMethod method, class Room>
__global__ void __launch_bounds__(Team::threads, Room::blocks_at_once) restore_kernel(RestoreJob job) {
    RestoreLoop<Line, Team, method, Room>(job, dynamic_shared<Number>()).run();
}

template <class Line, class Team, RestoreMethod method, class Room>
RestoreForm make_restore_form(const char* name) {
    using Loop = RestoreLoop<Line, Team, method, Room>;
    constexpr std::size_t array_bytes = sizeof(Number) * std::size_t{Line::values} * Team::threads * Team::blocks;
    RestoreForm form;
    form.kernel = restore_kernel<Line, Team, method, Room>;
    form.name = name;
    form.blocks = Team::blocks;
    form.cooperative = Team::cooperative;
    form.cluster = Team::cooperative ? 1 : Team::blocks;
    form.threads = Team::threads;
    form.shared_bytes = Loop::shared_bytes;
    form.state_bytes = 2 * array_bytes;
    form.kept_bytes = Loop::global_arrays * array_bytes;
    form.exchange_bytes = sizeof(Number) * std::size_t{Team::exchange_numbers};
    form.most_images = 0x7fffffffu / Team::blocks;
    return form;
}

// `RoomBlind` for the blind method, which keeps twice as much.
template <class Line, class Team, class Room, class RoomBlind>
RestoreForm restore_form_of(RestoreMethod method, const char* name) {
    switch (method) {
        case RestoreMethod::mia_blind:
            return make_restore_form<Line, Team, RestoreMethod::mia_blind, RoomBlind>(name);
        case RestoreMethod::mia_known:
            return make_restore_form<Line, Team, RestoreMethod::mia_known, Room>(name);
        case RestoreMethod::richardson_lucy:
            break;
    }
    return make_restore_form<Line, Team, RestoreMethod::richardson_lucy, Room>(name);
}

// The forms of each kind of team; without a kernel where there is none for the side.
RestoreForm restore_block_form(std::uint32_t side, RestoreMethod method);
RestoreForm restore_cluster_form(std::uint32_t side, unsigned blocks, RestoreMethod method);
RestoreForm restore_grid_form(std::uint32_t side, bool lean, RestoreMethod method);

}  // namespace vedette::cuda
