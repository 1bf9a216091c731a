// A block's part of the search: one tile of windows of one scaled image, through all stages.
//
// Compacted: windows are queued by bank. The table's pitch is odd, so window (x, y) begins in bank x + pitch * y modulo
// 32 (with step 2 columns are sorted so that this holds, too), and only the lane of that number ever takes it. All
// lanes of a warp read a feature's corners at the same distance, so they hit 32 different banks, whatever windows are
// left. Two sets of 32 queues in shared memory, one atomic a survivor. A lane takes four windows at a time, which share
// what is read of each tree; where the queues are too short to occupy all warps that way, several warps take the same
// windows and a part of the trees each, and the sums are put together: two barriers a stage instead of one. When few
// windows are left in the tile, a warp takes one of them through the rest of the stages, its lanes the trees.
//
// Straight: thread t takes windows t, t + 512, ... each through all stages. Simple, and most lanes wait for the one
// whose window lives longest.
#pragma once

#include "kernels/cascade_classify.cuh"
#include "kernels/cascade_tile.cuh"

namespace vedette::cuda {

// With so many windows or fewer left in a tile they are taken by a warp each. A 4K screen, faces from 24 pixels, on an
// H200: 2.59 ms with 8, 2.47 with 32, 2.55 with 96.
inline constexpr unsigned cascade_few = 32;

// Windows that a lane of a queue takes at once.
inline constexpr unsigned cascade_together = 4;

// What a block works with; pointers into shared memory.
struct CascadeTileState {
    const CascadeBatch* batch;
    const CascadeLayout* layout;
    const CascadeProgram* program;
    unsigned* table;
    float* norm;
    std::uint16_t* lists;  // two sets; number n of queue q at 32 n + q
    unsigned* bitmap;
    const CascadeStump* stumps;        // of the program's first stages
    unsigned (*counts)[32];            // of the three sets of queues in turn
    std::uint32_t level, column, row;  // of the tile's first window
};

// What a warp's lanes did, by stage; all lanes call with the same numbers. Costs nothing unless `counting`.
template <bool counting>
struct CascadeTally {
    CascadeCounts* counts;

    __device__ __forceinline__ void add(unsigned stage, unsigned places, unsigned windows, unsigned trees) const {
        if constexpr (counting) {
            if (lane_index() != 0) return;
            atomicAdd(&counts[stage].issued, static_cast<unsigned long long>(places) * trees);
            atomicAdd(&counts[stage].needed, static_cast<unsigned long long>(windows) * trees);
        }
    }
};

__device__ __forceinline__ int window_place(const CascadeLayout& layout, unsigned window) {
    const int column = static_cast<int>(window) % layout.columns;
    const int row = static_cast<int>(window) / layout.columns;
    return row * layout.step * layout.pitch + column;  // with step 2 even columns lie together
}

__device__ __forceinline__ void append_found(const CascadeTileState& s, unsigned window, double score) {
    const unsigned place = atomicAdd(s.batch->found, 1u);
    if (place >= s.batch->capacity) return;
    const auto columns = static_cast<unsigned>(s.layout->columns);
    s.batch->windows[place] = CascadeWindow{score, s.level, s.column + window % columns, s.row + window / columns, 0};
}

// Norms of the tile's windows, and the bit map of those that the first stage has not rejected: here the flat ones and
// those past the image's edge. `list`: takes the others. Ends with a barrier.
template <bool haar, class List>
__device__ __forceinline__ void begin_windows(const CascadeTileState& s, unsigned columns, unsigned rows,
                                              const List& list) {
    const CascadeLayout& layout = *s.layout;
    const auto windows = static_cast<unsigned>(layout.columns * layout.rows);
    for (unsigned base = 0; base < windows; base += cascade_threads) {
        const unsigned window = base + threadIdx.x;
        const bool inside = window < windows && window % static_cast<unsigned>(layout.columns) < columns &&
                            window / static_cast<unsigned>(layout.columns) < rows;
        bool textured = inside;
        if (haar && inside) {
            const unsigned* const at = s.table + window_place(layout, window);
            const int sum = static_cast<int>(at[layout.norm_place[0]] - at[layout.norm_place[1]] -
                                             at[layout.norm_place[2]] + at[layout.norm_place[3]]);
            const auto squares = static_cast<double>(__float_as_uint(s.norm[window]));
            const double square = s.batch->norm_area * squares - static_cast<double>(sum) * static_cast<double>(sum);
            float norm = 0;
            textured = false;
            if (square >= 1) {
                norm = norm_of(square);
                textured = norm < s.batch->norm_limit;
            }
            s.norm[window] = norm;
        }
        const unsigned others = ~__ballot_sync(all_lanes, textured);
        if (window < windows && lane_index() == 0) s.bitmap[window / 32] = others;
        if (textured) list(window);
    }
    __syncthreads();
}

template <CascadeKind kind>
__device__ __forceinline__ const CascadeStump* stumps_for(const CascadeTileState& s, const CascadeStage& stage) {
    if constexpr (kind == CascadeKind::stumps)
        return stage.first_tree + stage.trees <= s.program->cached_stumps ? s.stumps : s.program->stumps;
    else
        return nullptr;
}

// The queues that a stage's windows come from, or that a stage's survivors go to.
__device__ __forceinline__ std::uint16_t* queues_of(const CascadeTileState& s, unsigned stage_number) {
    return s.lists + stage_number % 2 * 32 * static_cast<unsigned>(s.layout->bank_windows);
}

// What follows from a window's sum: survivors go to the next set of queues, or are found.
template <CascadeKind kind>
__device__ __forceinline__ void decide(const CascadeTileState& s, unsigned stage_number, const CascadeStage& stage,
                                       unsigned window, const unsigned* at, float norm, int sum) {
    if (!passes<kind>(*s.program, stage, sum, at, norm)) return;
    const unsigned lane = lane_index();
    if (stage_number == 0) atomicOr(s.bitmap + window / 32, 1u << window % 32);
    if (stage_number + 1 == s.program->stage_count) {
        append_found(s, window, exact_sum<kind>(*s.program, stage, at, norm));
    } else {
        const unsigned number = atomicAdd(&s.counts[(stage_number + 1) % 3][lane], 1u);
        queues_of(s, stage_number + 1)[32 * number + lane] = static_cast<std::uint16_t>(window);
    }
}

// Windows of a lane's queue from number `first` on.
template <CascadeKind kind>
struct QueuedWindows {
    unsigned window[cascade_together];
    const unsigned* at[cascade_together];
    float norm[cascade_together];
    unsigned used = 0;

    __device__ __forceinline__ QueuedWindows(const CascadeTileState& s, unsigned stage_number, unsigned queued,
                                             unsigned first) {
        const unsigned lane = lane_index();
        const std::uint16_t* const list = queues_of(s, stage_number) + lane;
#pragma unroll
        for (unsigned k = 0; k < cascade_together; ++k) {
            const bool here = first + k < queued;
            used += here ? 1 : 0;
            // A lane without a window reads its own bank all the same.
            window[k] = here ? list[32 * (first + k)] : 0;
            at[k] = s.table + (here ? window_place(*s.layout, window[k]) : static_cast<int>(lane));
            norm[k] = kind != CascadeKind::lbp && here ? s.norm[window[k]] : 0.0f;
        }
    }
};

// One stage for a lane's windows from number `first` on.
template <CascadeKind kind, bool counting>
__device__ __forceinline__ void run_queues(const CascadeTileState& s, unsigned stage_number, unsigned queued,
                                           unsigned first, const CascadeTally<counting>& tally) {
    const CascadeStage stage = s.program->stages[stage_number];
    const QueuedWindows<kind> windows(s, stage_number, queued, first);
    if constexpr (counting) tally.add(stage_number, 32 * cascade_together, warp_sum(windows.used), stage.trees);
    int sum[cascade_together];
    add_stage<kind>(*s.program, stumps_for<kind>(s, stage), stage, windows.at, windows.norm, sum);
#pragma unroll
    for (unsigned k = 0; k < cascade_together; ++k)
        if (first + k < queued)
            decide<kind>(s, stage_number, stage, windows.window[k], windows.at[k], windows.norm[k], sum[k]);
}

// One stage for the lanes' last windows, `groups` of cascade_together from number `first` on, with the trees in `parts`
// (groups * parts warps work). Sums lie behind the queues, where there is room. All threads of the block.
template <CascadeKind kind, bool counting>
__device__ __forceinline__ void run_parts(const CascadeTileState& s, unsigned stage_number, unsigned queued,
                                          unsigned first, unsigned groups, unsigned parts,
                                          const CascadeTally<counting>& tally) {
    const CascadeStage stage = s.program->stages[stage_number];
    const unsigned lane = lane_index();
    const unsigned warp = threadIdx.x / 32;
    const unsigned numbers = groups * cascade_together;
    int* const sums = reinterpret_cast<int*>(queues_of(s, stage_number) + 32 * (first + numbers));
    if (warp < groups * parts) {
        const unsigned group = warp % groups, part = warp / groups;
        CascadeStage piece = stage;
        piece.first_tree = stage.first_tree + stage.trees * part / parts;
        piece.trees = stage.trees * (part + 1) / parts - stage.trees * part / parts;
        piece.start = part == 0 ? stage.start : 0;
        const QueuedWindows<kind> windows(s, stage_number, queued, first + group * cascade_together);
        if constexpr (counting) tally.add(stage_number, 32 * cascade_together, warp_sum(windows.used), piece.trees);
        int sum[cascade_together];
        add_stage<kind>(*s.program, stumps_for<kind>(s, piece), piece, windows.at, windows.norm, sum);
#pragma unroll
        for (unsigned k = 0; k < cascade_together; ++k)
            sums[32 * (part * numbers + group * cascade_together + k) + lane] = sum[k];
    }
    __syncthreads();
    for (unsigned number = warp; number < numbers && first + number < queued; number += cascade_warps) {
        int sum = 0;
        for (unsigned part = 0; part < parts; ++part) sum += sums[32 * (part * numbers + number) + lane];
        const unsigned window = queues_of(s, stage_number)[32 * (first + number) + lane];
        decide<kind>(s, stage_number, stage, window, s.table + window_place(*s.layout, window),
                     kind == CascadeKind::lbp ? 0.0f : s.norm[window], sum);
    }
}

// What is left of the queues from stage `first` on, a warp a window. `queued`: of this lane's queue.
template <CascadeKind kind, bool counting>
__device__ __forceinline__ void run_few(const CascadeTileState& s, unsigned first, unsigned queued, unsigned total,
                                        const CascadeTally<counting>& tally) {
    const CascadeLayout& layout = *s.layout;
    const CascadeProgram& program = *s.program;
    const unsigned lane = lane_index();
    const unsigned before = warp_scan(queued) - queued;
    for (unsigned number = threadIdx.x / 32; number < total; number += cascade_warps) {
        const bool mine = number >= before && number - before < queued;
        const int owner = __ffs(static_cast<int>(__ballot_sync(all_lanes, mine))) - 1;
        unsigned window = 0;
        if (mine) window = queues_of(s, first)[32 * (number - before) + lane];
        window = __shfl_sync(all_lanes, window, owner);
        const unsigned* const at = s.table + window_place(layout, window);
        const float norm = kind == CascadeKind::lbp ? 0.0f : s.norm[window];
        bool alive = true;
        for (unsigned number_of_stage = first; alive && number_of_stage < program.stage_count; ++number_of_stage) {
            const CascadeStage stage = program.stages[number_of_stage];
            int sum = 0;
            for (unsigned tree = lane; tree < stage.trees; tree += 32)
                sum += tree_value<kind>(program, stage.first_tree + tree, at, norm);
            if constexpr (counting) tally.add(number_of_stage, (stage.trees + 31) / 32 * 32, stage.trees, 1);
            sum = warp_sum(sum) + stage.start;
            alive = passes<kind>(program, stage, sum, at, norm);
            if (alive && number_of_stage == 0 && lane == 0) atomicOr(s.bitmap + window / 32, 1u << window % 32);
            if (alive && number_of_stage + 1 == program.stage_count && lane == 0)
                append_found(s, window, exact_sum<kind>(program, stage, at, norm));
        }
    }
}

template <CascadeKind kind, bool counting>
__device__ __forceinline__ void search_compacted(const CascadeTileState& s, unsigned columns, unsigned rows) {
    const CascadeLayout& layout = *s.layout;
    const unsigned lane = lane_index();
    const unsigned warp = threadIdx.x / 32;
    const CascadeTally<counting> tally{s.batch->counts};
    begin_windows<kind != CascadeKind::lbp>(s, columns, rows, [&](unsigned window) {
        const unsigned bank = static_cast<unsigned>(window_place(layout, window)) % 32;
        const unsigned number = atomicAdd(&s.counts[0][bank], 1u);
        s.lists[32 * number + bank] = static_cast<std::uint16_t>(window);
    });
    for (unsigned stage = 0; stage < s.program->stage_count; ++stage) {
        const unsigned queued = s.counts[stage % 3][lane];
        const unsigned total = warp_sum(queued);
        if (total == 0) break;
        if (total <= cascade_few) {
            run_few<kind>(s, stage, queued, total, tally);
            break;
        }
        if (warp == 0) s.counts[(stage + 2) % 3][lane] = 0;
        const unsigned longest = warp_max(queued);
        constexpr unsigned round = cascade_warps * cascade_together;
        unsigned first = 0;
        for (; first + round <= longest; first += round)
            run_queues<kind>(s, stage, queued, first + warp * cascade_together, tally);
        const unsigned groups = (longest - first + cascade_together - 1) / cascade_together;
        if (groups != 0) {
            // An int takes the place of two windows.
            const int behind = layout.bank_windows - static_cast<int>(first + groups * cascade_together);
            const unsigned room = static_cast<unsigned>(max(0, behind)) / (2 * cascade_together * groups);
            const unsigned parts = min(min(cascade_warps / groups, room), s.program->stages[stage].trees);
            if (parts > 1)
                run_parts<kind>(s, stage, queued, first, groups, parts, tally);
            else if (warp < groups)
                run_queues<kind>(s, stage, queued, first + warp * cascade_together, tally);
        }
        __syncthreads();
    }
}

template <CascadeKind kind, bool counting>
__device__ __forceinline__ void search_straight(const CascadeTileState& s, unsigned columns, unsigned rows) {
    const CascadeLayout& layout = *s.layout;
    const CascadeProgram& program = *s.program;
    const CascadeTally<counting> tally{s.batch->counts};
    begin_windows<kind != CascadeKind::lbp>(s, columns, rows, [](unsigned) {});
    const auto windows = static_cast<unsigned>(layout.columns * layout.rows);
    for (unsigned base = threadIdx.x / 32 * 32; base < windows; base += cascade_threads) {
        const unsigned window = base + lane_index();
        // Bits are set in this loop for the warp's own windows only.
        bool alive = window < windows && (s.bitmap[base / 32] >> lane_index() & 1) == 0;
        const unsigned* const at[1] = {s.table + (alive ? window_place(layout, window) : 0)};
        const float norm[1] = {alive && kind != CascadeKind::lbp ? s.norm[window] : 0.0f};
        unsigned rejected = 0;
        for (unsigned number = 0; number < program.stage_count; ++number) {
            const unsigned left = __ballot_sync(all_lanes, alive);
            if (left == 0) break;
            const CascadeStage stage = program.stages[number];
            if constexpr (counting) tally.add(number, 32, static_cast<unsigned>(__popc(left)), stage.trees);
            if (alive) {
                int sum[1];
                add_stage<kind, 1>(program, stumps_for<kind>(s, stage), stage, at, norm, sum);
                alive = passes<kind>(program, stage, sum[0], at[0], norm[0]);
            }
            if (number == 0) rejected = left & ~__ballot_sync(all_lanes, alive);
        }
        if (alive)
            append_found(s, window, exact_sum<kind>(program, program.stages[program.stage_count - 1], at[0], norm[0]));
        if (lane_index() == 0) s.bitmap[base / 32] = ~rejected;
    }
}

}  // namespace vedette::cuda
