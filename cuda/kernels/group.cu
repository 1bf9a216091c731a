// From components to groups: means, those that join enough, and those that no stronger one covers; in the order of
// their first rectangles.
//
// Covering: each group that may cover others is entered in the cells that its rectangle, widened by eps, touches in the
// grid of its size (a power of two above its longer side, so at most four). Whoever lies inside it has its left top
// corner in one of them.
#include "kernels/group.h"

#include "device/look_back.cuh"
#include "device/warp.cuh"
#include "kernels/group_state.cuh"
#include "runtime/launch.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vedette::cuda {

namespace {

constexpr int threads = 1024;
constexpr int fewest_of_coverer = 3;  // who covers a group of three or more joins more than this
using CountWord = PackedWord<unsigned long long, 32>;

// Numbers those who take part in the order of blocks and threads.
struct Numbering {
    unsigned warps[threads / 32];
    unsigned block;
    unsigned before;
};

// This block's number.
__device__ __forceinline__ unsigned take_block(Numbering& shared, unsigned* ticket) {
    if (threadIdx.x == 0) shared.block = atomicAdd(ticket, 1u);
    __syncthreads();
    return shared.block;
}

// How many with `take` come before this thread. Thread 31 also gets the `total` up to and with this block.
__device__ __forceinline__ unsigned take_number(Numbering& shared, unsigned long long* words, unsigned call, bool take,
                                                unsigned& total) {
    const unsigned takers = __ballot_sync(all_lanes, take);
    const unsigned warp = threadIdx.x / 32;
    if (lane_index() == 0) shared.warps[warp] = static_cast<unsigned>(__popc(takers));
    __syncthreads();
    if (warp == 0) {
        const unsigned own = shared.warps[lane_index()];
        const unsigned scan = warp_scan(own);
        shared.warps[lane_index()] = scan - own;
        if (lane_index() == 31) {
            unsigned long long* const word = words + shared.block;
            CountWord::publish(word, scan, shared.block == 0, call);
            const auto before =
                static_cast<unsigned>(CountWord::look_back(word, 1, static_cast<int>(shared.block), call));
            if (shared.block != 0) CountWord::publish(word, before + scan, true, call);
            shared.before = before;
            total = before + scan;
        }
    }
    __syncthreads();
    return shared.before + shared.warps[warp] + static_cast<unsigned>(__popc(takers & ((1u << lane_index()) - 1)));
}

// As OpenCV takes it: the reciprocal and the product in single precision, rounded half to even.
__device__ __forceinline__ int mean(unsigned long long sum, int joined) {
    return __float2int_rn(static_cast<float>(static_cast<long long>(sum)) * (1.0f / static_cast<float>(joined)));
}

// OpenCV's saturate_cast<int>(side * eps): rounded half to even.
__device__ __forceinline__ int margin_of(int side, double eps) {
    return __double2int_rn(fmin(static_cast<double>(beyond_all), side * eps));
}

struct Widened {
    int left, top, right, bottom;
};

__device__ __forceinline__ Widened widened(const StrongGroup& group, double eps) {
    const int dx = margin_of(group.w, eps);
    const int dy = margin_of(group.h, eps);
    return {group.x - dx, group.y - dy, group.x + group.w + dx, group.y + group.h + dy};
}

__device__ __forceinline__ void enter_covers(const GroupState& s, const StrongGroup& group, unsigned number) {
    const Widened wide = widened(group, s.eps);
    // Only corners of groups are looked up: what lies beyond them needs no cells.
    const int x0 = max(wide.left, -furthest_coordinate) + furthest_coordinate;
    const int y0 = max(wide.top, -furthest_coordinate) + furthest_coordinate;
    const int x1 = min(wide.right, furthest_coordinate) + furthest_coordinate;
    const int y1 = min(wide.bottom, furthest_coordinate) + furthest_coordinate;
    const int level = 32 - __clz(max(x1 - x0, y1 - y0));
    if ((load_relaxed(&s.counters->cover_levels) >> level & 1) == 0) atomicOr(&s.counters->cover_levels, 1u << level);
    unsigned entry = 4 * number;
    for (int row = y0 >> level; row <= y1 >> level; ++row)
        for (int column = x0 >> level; column <= x1 >> level; ++column, ++entry)
            s.cover_next[entry] = atomicExch(s.covers + cell_hash(level, row, column, s.table), entry);
}

// A thread: one rectangle, in order; those that are the first of a group of enough number the groups.
__global__ __launch_bounds__(threads) void number_groups(GroupState s) {
    __shared__ Numbering shared;
    const unsigned block = take_block(shared, &s.counters->tickets[0]);
    const unsigned index = block * threads + threadIdx.x;
    int joined = 0;
    if (index < s.count && s.parent[index] == index) joined = static_cast<int>(s.joined[index]);
    const bool strong = joined > s.threshold;
    unsigned total = 0;
    const unsigned number = take_number(shared, s.words[0], s.call, strong, total);
    if (threadIdx.x == 31 && block == gridDim.x - 1) s.counters->strong = total;
    if (!strong) return;
    StrongGroup group;
    const auto sum = [&](int k) { return s.sums[k * std::size_t{s.count} + index]; };
    group.x = mean(sum(0), joined);
    group.y = mean(sum(1), joined);
    group.w = mean(sum(2), joined);
    group.h = mean(sum(3), joined);
    group.joined = joined;
    group.first = index;
    s.strong[number] = group;
    // Who joins no more than three covers only groups of less than three, and these are strong below a threshold of 2.
    if (joined > fewest_of_coverer || s.threshold < fewest_of_coverer - 1) enter_covers(s, group, number);
}

__device__ bool is_covered(const GroupState& s, const StrongGroup& group, unsigned number) {
    const int right = group.x + group.w;
    const int bottom = group.y + group.h;
    const bool weak = group.joined < fewest_of_coverer;
    const int most = max(fewest_of_coverer, group.joined);
    for (unsigned levels = s.counters->cover_levels; levels != 0; levels &= levels - 1) {
        const int level = __ffs(static_cast<int>(levels)) - 1;
        const unsigned cell = cell_hash(level, (group.y + furthest_coordinate) >> level,
                                        (group.x + furthest_coordinate) >> level, s.table);
        for (unsigned entry = s.covers[cell]; entry != no_index; entry = s.cover_next[entry]) {
            if (entry / 4 == number) continue;
            const StrongGroup other = s.strong[entry / 4];
            if (!weak && other.joined <= most) continue;
            const Widened wide = widened(other, s.eps);
            if (group.x >= wide.left && group.y >= wide.top && right <= wide.right && bottom <= wide.bottom)
                return true;
        }
    }
    return false;
}

// A thread: one group.
__global__ __launch_bounds__(threads) void drop_covered(GroupState s, RectangleGroups result) {
    __shared__ Numbering shared;
    const unsigned block = take_block(shared, &s.counters->tickets[1]);
    const unsigned count = s.counters->strong;
    if (block * threads >= count && block != 0) return;
    const unsigned number = block * threads + threadIdx.x;
    StrongGroup group{};
    bool stays = false;
    if (number < count) {
        group = s.strong[number];
        stays = !is_covered(s, group, number);
    }
    unsigned total = 0;
    const unsigned place = take_number(shared, s.words[1], s.call, stays, total);
    if (threadIdx.x == 31 && count <= (block + 1) * threads) *result.count = total;
    if (!stays) return;
    const unsigned long long best = s.best[group.first];
    // The first score stays when it is no number: nothing compares as better.
    const double first = s.scores[group.first];
    const unsigned long long bits = (best >> 63) != 0 ? best & ~(1ull << 63) : ~best;
    const double score = first != first ? first : __longlong_as_double(static_cast<long long>(bits));
    result.groups[place] = RectangleGroup{score, group.x, group.y, group.w, group.h, group.joined, group.first};
}

GroupLevels levels_of(double eps) {
    GroupLevels levels;
    for (int index = 0; index < group_levels; ++index) {
        const double size = std::ldexp(1.0, index);
        GroupLevel& l = levels.level[index];
        // A hair less or more than the bounds, so that the rounding of either side does not matter.
        l.knot_side = static_cast<std::int32_t>(size * (eps / (2 * (1 + eps))) * (1 - 1e-9)) + 1;
        l.reach = static_cast<std::int32_t>(std::min<double>(beyond_all, eps * size * (1 + 1e-9)));
        l.cell_side = (l.reach / l.knot_side + 1) * l.knot_side;
    }
    return levels;
}

// Hands out parts of a block, or counts their bytes when there is none.
class Layout {
public:
    explicit Layout(std::byte* scratch) : scratch_(scratch) {}

    template <class T>
    T* take(std::size_t count) {
        T* const part = scratch_ == nullptr ? nullptr : reinterpret_cast<T*>(scratch_ + bytes_);
        bytes_ += (count * sizeof(T) + 127) / 128 * 128;
        return part;
    }
    std::size_t bytes() const { return bytes_; }

private:
    std::byte* scratch_;
    std::size_t bytes_ = 0;
};

std::size_t table_size(std::size_t count) {
    return std::bit_ceil(2 * count);
}

GroupScratch lay_out(std::byte* scratch, std::size_t capacity, GroupState& s) {
    Layout layout(scratch);
    // First what is cleared once.
    for (unsigned long long*& words : s.words) words = layout.take<unsigned long long>(capacity / threads + 1);
    const std::size_t cleared = layout.bytes();
    const std::size_t table = table_size(capacity);
    s.counters = layout.take<GroupCounters>(1);
    s.parent = layout.take<unsigned>(capacity);
    s.knot_of = layout.take<unsigned>(capacity);
    s.rank = layout.take<unsigned>(capacity);
    s.placed = layout.take<GroupRectangle>(capacity);
    s.index = layout.take<unsigned>(capacity);
    s.occupant = layout.take<unsigned>(table);
    s.members = layout.take<unsigned>(table);
    s.least = layout.take<unsigned>(table);
    s.start = layout.take<unsigned>(table);
    s.knots = layout.take<GroupKnot>(table);
    s.cells = layout.take<unsigned>(table);
    s.sums = layout.take<unsigned long long>(4 * capacity);
    s.best = layout.take<unsigned long long>(capacity);
    s.joined = layout.take<unsigned>(capacity);
    s.strong = layout.take<StrongGroup>(capacity / 2 + 1);
    s.covers = layout.take<unsigned>(table);
    s.cover_next = layout.take<unsigned>(4 * (capacity / 2 + 1));
    return {cleared, layout.bytes()};
}

}  // namespace

GroupScratch group_scratch(std::size_t count) {
    GroupState state{};
    return lay_out(nullptr, count, state);
}

void group(const GroupRectangle* rectangles, const double* scores, std::uint32_t count, std::int32_t threshold,
           double eps, std::byte* scratch, std::size_t capacity, std::uint32_t call, const RectangleGroups& result,
           cudaStream_t stream) {
    GroupState state{};
    lay_out(scratch, capacity, state);
    state.rectangles = rectangles;
    state.scores = scores;
    state.count = count;
    state.table = static_cast<std::uint32_t>(table_size(count));
    state.threshold = threshold;
    state.eps = eps;
    state.call = call;
    detail::join_rectangles(state, levels_of(eps), stream);
    LaunchShape shape;
    shape.block = dim3(threads);
    shape.grid = dim3(blocks_for(count, threads));
    launch(number_groups, shape, stream, state);
    shape.grid = dim3(blocks_for(count / 2 + 1, threads));
    launch(drop_covered, shape, stream, state, result);
}

}  // namespace vedette::cuda
