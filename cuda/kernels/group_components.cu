// Which rectangles belong together: connected components of the relation "similar".
//
// With s = w + h, two similar rectangles differ in each edge by at most delta <= eps * s / 2 (s of either), and in s by
// at most 2 eps s. So rectangles are kept by level (floor of the binary logarithm of s) in a grid of their left top
// corners with cells larger than the largest delta of the level: whoever is similar lies in the same or a neighbouring
// cell of the same level, or of one of the few levels below.
//
// Inside a cell rectangles form knots: their four edges lie in one cube of a finer lattice, of side c with
// c - 1 <= eps 2^level / (2 (1 + eps)). There (s_a + s_b) / 2 >= 2^level, and min(w) + min(h) is at least that less
// 2 (c - 1), so delta >= c - 1: all of a knot are similar and joined without looking. A rectangle looks only at knots
// that are not joined to its own yet, so that heaps of near copies, which detectors make, cost no pairs.
//
// Knots and cells are found by hashing, so nothing is sorted: whatever order threads come in, the components are the
// same, and a component is named by its lowest index.
#include "kernels/group_state.cuh"

#include "device/warp.cuh"
#include "runtime/launch.h"

namespace vedette::cuda::detail {

namespace {

constexpr int threads = 256;

// The cube of the lattice that a rectangle's edges lie in.
struct Cube {
    int level, left, top, right, bottom;

    __device__ bool operator==(const Cube& other) const {
        return level == other.level && left == other.left && top == other.top && right == other.right &&
               bottom == other.bottom;
    }
};

__device__ __forceinline__ Cube cube_of(const GroupRectangle& r, const GroupLevels& levels) {
    Cube cube;
    cube.level = level_of(r);
    const int side = levels.level[cube.level].knot_side;
    // From the corner of all coordinates, so that quotients are rounded down.
    cube.left = (r.x + furthest_coordinate) / side;
    cube.top = (r.y + furthest_coordinate) / side;
    cube.right = (r.x + r.w + furthest_coordinate) / side;
    cube.bottom = (r.y + r.h + furthest_coordinate) / side;
    return cube;
}

// A thread: entries of the tables and rectangles. About 70 bytes a rectangle.
__global__ void clear(GroupState s) {
    const unsigned index = blockIdx.x * threads + threadIdx.x;
    if (index == 0) *s.counters = GroupCounters{};
    if (index < s.table) {
        s.occupant[index] = no_index;
        s.members[index] = 0;
        s.least[index] = no_index;
        s.cells[index] = no_index;
        s.covers[index] = no_index;
    }
    if (index < s.count) {
        for (int k = 0; k < 4; ++k) s.sums[k * std::size_t{s.count} + index] = 0;
        s.best[index] = 0;
        s.joined[index] = 0;
    }
}

// A thread: one rectangle, which finds its knot or begins it.
__global__ void enter_knots(GroupState s, GroupLevels levels) {
    const unsigned index = blockIdx.x * threads + threadIdx.x;
    if (index >= s.count) return;
    const GroupRectangle r = s.rectangles[index];
    const Cube cube = cube_of(r, levels);
    const unsigned bit = 1u << cube.level;
    if ((load_relaxed(&s.counters->levels) & bit) == 0) atomicOr(&s.counters->levels, bit);
    unsigned knot = cell_hash(cube.level, cube.left, cube.top, s.table) +
                    cell_hash(cube.level, cube.right, cube.bottom, s.table) * 3;
    for (;; ++knot) {
        knot &= s.table - 1;
        unsigned occupant = load_relaxed(s.occupant + knot);
        if (occupant == no_index) occupant = atomicCAS(s.occupant + knot, no_index, index);
        if (occupant == no_index || cube_of(s.rectangles[occupant], levels) == cube) break;
    }
    s.knot_of[index] = knot;
    s.rank[index] = atomicAdd(s.members + knot, 1u);
    atomicMin(s.least + knot, index);
}

// A thread: one entry of the table. Knots get places for their rectangles and enter their cells.
__global__ void enter_cells(GroupState s, GroupLevels levels) {
    const unsigned knot = blockIdx.x * threads + threadIdx.x;
    const unsigned occupant = knot < s.table ? s.occupant[knot] : no_index;
    const unsigned members = occupant != no_index ? s.members[knot] : 0;
    const unsigned scan = warp_scan(members);
    unsigned first = 0;
    if (lane_index() == 31 && scan != 0) first = atomicAdd(&s.counters->placed, scan);
    first = __shfl_sync(all_lanes, first, 31);
    if (occupant == no_index) return;
    const GroupRectangle r = s.rectangles[occupant];
    const Cube cube = cube_of(r, levels);
    const int side = levels.level[cube.level].cell_side;
    const unsigned cell =
        cell_hash(cube.level, (r.y + furthest_coordinate) / side, (r.x + furthest_coordinate) / side, s.table);
    const int knot_side = levels.level[cube.level].knot_side;
    const auto least = [knot_side](int number) { return number * knot_side - furthest_coordinate; };
    const unsigned start = first + scan - members;
    s.start[knot] = start;
    s.knots[knot] = GroupKnot{least(cube.left), least(cube.top), least(cube.right), least(cube.bottom),
                              cube.level,       start,           start + members,   atomicExch(s.cells + cell, knot)};
}

// A thread: one rectangle.
__global__ void place(GroupState s) {
    const unsigned index = blockIdx.x * threads + threadIdx.x;
    if (index >= s.count) return;
    const unsigned knot = s.knot_of[index];
    const unsigned at = s.start[knot] + s.rank[index];
    s.placed[at] = s.rectangles[index];
    s.index[at] = index;
    s.parent[index] = s.least[knot];
}

// Joins rectangle `index` with what is similar in the knots of one cell, and of others that share its hash. `root`: one
// that the rectangle's component had.
__device__ void join_cell(const GroupState& s, const GroupLevels& levels, const GroupRectangle& r, unsigned index,
                          unsigned own, int own_level, unsigned cell, unsigned& root) {
    // A hair more than the largest delta.
    const double half = s.eps * 0.5 * (1 + 1e-9);
    GroupKnot knot;
    for (unsigned number = s.cells[cell]; number != no_index; number = knot.next) {
        knot = s.knots[number];
        // Of two knots of one level the one of the higher number looks at the other.
        if (knot.level > own_level || (knot.level == own_level && number >= own)) continue;
        const int room = levels.level[knot.level].knot_side - 1;
        const auto gap = [room](int edge, int least) { return max(least - edge, edge - (least + room)); };
        const int widest = max(max(gap(r.x, knot.left), gap(r.y, knot.top)),
                               max(gap(r.x + r.w, knot.right), gap(r.y + r.h, knot.bottom)));
        if (widest > half * (min(r.w, knot.right - knot.left + room) + min(r.h, knot.bottom - knot.top + room)))
            continue;
        // Equal roots were equal whenever they were read; different ones say nothing yet.
        const unsigned other = root_of(s.parent, s.index[knot.start]);
        if (root == other) continue;
        root = root_of(s.parent, index);
        if (root == other) continue;
        for (unsigned at = knot.start; at < knot.end; ++at)
            if (are_similar(r, s.placed[at], s.eps)) {
                unite(s.parent, index, s.index[at]);
                break;
            }
    }
}

// A thread: one rectangle, those of a knot side by side, so that a warp looks at the same cells. The work is the knots
// in nine cells a level, mostly a comparison of roots each; what is compared rectangle by rectangle depends on the
// input.
__global__ void join(GroupState s, GroupLevels levels) {
    const unsigned at = blockIdx.x * threads + threadIdx.x;
    if (at >= s.count) return;
    const GroupRectangle r = s.placed[at];
    const unsigned index = s.index[at];
    const unsigned own = s.knot_of[index];
    const int own_level = level_of(r);
    unsigned root = no_index;
    for (int level = own_level; level >= 0; --level) {
        // Similar rectangles differ in size by a factor of at most 1 + 2 eps.
        if (level != own_level &&
            (1 + 2 * s.eps) * static_cast<double>(2u << level) * (1 + 1e-9) < static_cast<double>(1u << own_level))
            break;
        if ((s.counters->levels >> level & 1) == 0) continue;
        const GroupLevel& l = levels.level[level];
        const auto cell_of = [&](int edge) { return max(0, edge + furthest_coordinate) / l.cell_side; };
        const int top = cell_of(r.y - l.reach);
        const int bottom = cell_of(min(r.y + l.reach, furthest_coordinate));
        const int left = cell_of(r.x - l.reach);
        const int right = cell_of(min(r.x + l.reach, furthest_coordinate));
        for (int row = top; row <= bottom; ++row)
            for (int column = left; column <= right; ++column)
                join_cell(s, levels, r, index, own, own_level, cell_hash(level, row, column, s.table), root);
    }
}

// Doubles as integers of the same order; 0 is below all of them and stands for no number.
__device__ __forceinline__ unsigned long long ordered(double score) {
    if (score != score) return 0;
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(score));
    return (bits >> 63) != 0 ? ~bits : bits | 1ull << 63;
}

// A thread: one rectangle, added to its group. Where a warp has one group, as most have, one lane adds for all.
__global__ void add_up(GroupState s) {
    const unsigned at = blockIdx.x * threads + threadIdx.x;
    const bool here = at < s.count;
    unsigned root = no_index;
    GroupRectangle r{0, 0, 0, 0};
    unsigned long long score = 0;
    if (here) {
        const unsigned index = s.index[at];
        root = root_of(s.parent, index);
        store_relaxed(s.parent + index, root);
        r = s.placed[at];
        score = ordered(s.scores[index]);
    }
    const unsigned first_root = __shfl_sync(all_lanes, root, 0);
    const bool alike = __all_sync(all_lanes, !here || root == first_root) != 0;
    long long sum[4] = {r.x, r.y, r.w, r.h};
    unsigned joined = here ? 1 : 0;
    if (alike) {
#pragma unroll
        for (int k = 0; k < 4; ++k) sum[k] = warp_sum(sum[k]);
        joined = warp_sum(joined);
        score = warp_max(score);
        root = first_root;
    }
    if (alike ? lane_index() != 0 || joined == 0 : !here) return;
#pragma unroll
    for (int k = 0; k < 4; ++k)
        atomicAdd(s.sums + k * std::size_t{s.count} + root, static_cast<unsigned long long>(sum[k]));
    atomicAdd(s.joined + root, joined);
    if (score != 0) atomicMax(s.best + root, score);
}

}  // namespace

void join_rectangles(const GroupState& state, const GroupLevels& levels, cudaStream_t stream) {
    const auto shape_of = [](std::size_t items) {
        LaunchShape shape;
        shape.block = dim3(threads);
        shape.grid = dim3(blocks_for(items, threads));
        return shape;
    };
    launch(clear, shape_of(state.table), stream, state);
    launch(enter_knots, shape_of(state.count), stream, state, levels);
    launch(enter_cells, shape_of(state.table), stream, state, levels);
    launch(place, shape_of(state.count), stream, state);
    // Without reach only equal rectangles are similar, and they share a knot.
    if (state.eps > 0) launch(join, shape_of(state.count), stream, state, levels);
    launch(add_up, shape_of(state.count), stream, state);
}

}  // namespace vedette::cuda::detail
