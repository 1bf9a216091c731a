// cascade_detect: all scaled images side by side in one picture, then passes over its windows.
//
// The first stage takes all windows, one a work-item; those that pass are gathered in a list, which the next pass
// takes, and so on, so that neighbours have work for equally long. The last pass has few windows left that may go
// through many trees: a work-group takes one of them, its work-items the trees.
//
// A list may be too short for all: its counter goes on counting, and the host makes it longer and begins again.
#include "cascade_classify.cl"

// A scaled image.
typedef struct {
    uint width, height;  // pixels
    uint left, top;      // in the picture
    uint source;         // 1: the image itself, not scaled
    uint first_column;   // of the tables of axes
    uint first_row;
    uint first_four;     // of groups of four pixels, among those of the batch
    uint columns;        // of windows
    uint step;           // between windows, across and down
    uint first_window;   // among those of the batch
    uint padding;
} Level;

// A window that is still in.
typedef struct {
    uint place;   // in the tables
    uint level;   // among those of the batch
    uint number;  // row by row, among those of the level
    float norm;
} Window;

// A window that has passed all stages.
typedef struct {
    uint level;   // among all
    uint number;
    ulong score;  // bits of a double: what the last stage sums up to
} Found;

// Levels that are searched together, and the tables of their picture.
typedef struct {
    ulong area, least_square;  // bits of doubles
    uint levels, first_level;
    uint fours, windows;
    uint pitch;     // of the tables, numbers
    uint stages;
    uint capacity;  // of each list
    uint found_capacity;
    int norm_place[4];  // inner corners of a window
} Batch;

// The level that has number `at` of the windows, or of the fours, which are numbered level by level.
#define DEFINE_LEVEL_WITH(name, first)                                     \
    inline uint name(__global const Level *levels, uint count, uint at) { \
        uint low = 0;                                                     \
        for (uint high = count; high - low > 1;) {                        \
            const uint middle = (low + high) / 2;                         \
            if (levels[middle].first <= at)                               \
                low = middle;                                             \
            else                                                          \
                high = middle;                                            \
        }                                                                 \
        return low;                                                       \
    }
DEFINE_LEVEL_WITH(level_with_four, first_four)
DEFINE_LEVEL_WITH(level_with_window, first_window)

// A work-item: four pixels of a scaled image, exactly as cv::resize with INTER_LINEAR_EXACT.
__kernel void scale_levels(const Batch b, __global const Level *restrict levels, IMAGE_IN(in),
                           __global const int *restrict axis_place, __global const ushort *restrict axis_weight,
                           IMAGE_OUT(picture)) {
    const uint number = (uint)get_global_id(0);
    if (number >= b.fours) return;
    const Level level = levels[level_with_four(levels, b.levels, number)];
    const uint across = (level.width + 3) / 4;
    const uint four = number - level.first_four;
    const uint x = four % across * 4, y = four / across;
    __global uint *out = ROW_OUT(uint, picture, level.top + y) + (level.left + x) / 4;
    if (level.source != 0) {
        *out = ROW_IN(uint, in, y)[x / 4];
        return;
    }
    const uint down = axis_weight[level.first_row + y];
    const int row = axis_place[level.first_row + y];
    __global const uchar *above = ROW_IN(uchar, in, row);
    __global const uchar *below = ROW_IN(uchar, in, row + 1);
    uint pixels = 0;
    for (uint k = 0; k < 4; ++k) {
        const uint column = level.first_column + min(x + k, level.width - 1);
        const int at = axis_place[column];
        const uint weight = axis_weight[column];
        const uint left = above[at] * (256 - down) + below[at] * down;
        const uint right = above[at + 1] * (256 - down) + below[at + 1] * down;
        pixels |= (left * (256 - weight) + right * weight + 32768) >> 16 << 8 * k;
    }
    *out = pixels;
}

// Appends the windows of a group's work-items that are `in` to `list`. All work-items of a group come here together.
inline void append(bool in, Window window, __global uint *count, __global Window *list, uint capacity,
                   __local uint *shared) {
    if (get_local_id(0) == 0) shared[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint place = 0;
    if (in) place = atomic_inc(shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) shared[1] = shared[0] == 0 ? 0 : atomic_add(count, shared[0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    place += shared[1];
    if (in && place < capacity) list[place] = window;
}

inline void append_found(Batch b, CLASSIFIER_PARAMETERS, Window window, __global const uint *at,
                         __global uint *found_count, __global Found *found) {
    const uint place = atomic_inc(found_count);
    if (place >= b.found_capacity) return;
    Found made;
    made.level = b.first_level + window.level;
    made.number = window.number;
    made.score = REAL_BITS(exact_sum(CLASSIFIER, stages[b.stages - 1], at, window.norm));
    found[place] = made;
}

// The sum of a window's inner part.
#define INNER(table) \
    (table[b.norm_place[0]] - table[b.norm_place[1]] - table[b.norm_place[2]] + table[b.norm_place[3]])

// A work-item: one window, through the first stage. `passed`: a byte for each window, 0 for those that it rejects;
// flat ones are not looked at.
__kernel void first_stage(const Batch b, __global const Level *restrict levels, __global const uint *restrict sums,
                          __global const uint *restrict squares, CLASSIFIER_PARAMETERS, __global uchar *restrict passed,
                          __global Window *restrict next, __global uint *counters, const uint counter) {
    __local uint shared[2];
    const uint number = (uint)get_global_id(0);
    Window window = {0, 0, 0, 0};
    bool alive = false;
    if (number < b.windows) {
        window.level = level_with_window(levels, b.levels, number);
        __global const Level *level = levels + window.level;
        window.number = number - level->first_window;
        const uint row = window.number / level->columns, column = window.number % level->columns;
        window.place = (level->top + row * level->step) * b.pitch + level->left + column * level->step;
        __global const uint *at = sums + window.place;
        bool flat = false;
#if KIND != 2
        __global const uint *square = squares + window.place;
        window.norm = norm_of(INNER(at), INNER(square), b.area, b.least_square);
        flat = window.norm == 0;
#endif
        if (!flat) alive = passes_stages(CLASSIFIER, 0, 1, at, window.norm);
        passed[number] = flat || alive ? 1 : 0;
    }
    append(alive, window, counters + counter, next, b.capacity, shared);
}

// OpenCV skips the window that follows one which the first stage rejects, and a skipped one rejects nothing: so of a
// run of windows that it would reject every second one is visited, from the first on, and the window after the run is
// visited if the run is of even length.
inline bool is_visited(__global const Level *level, __global const uchar *passed, uint number) {
    bool even = true;
    __global const uchar *row = passed + level->first_window + number - number % level->columns;
    for (uint column = number % level->columns; column > 0 && row[column - 1] == 0; --column) even = !even;
    return even;
}

// A work-item: one window of the list, through stages `first` to `last` - 1. unvisited: 1 when windows that OpenCV does
// not visit are among them. There are work-items for a full list; no loop and no condition is round the barriers, which
// compilers for processors (PoCL 3.1) have not always got right.
__kernel void next_stages(const Batch b, __global const Level *restrict levels, __global const uint *restrict sums,
                          CLASSIFIER_PARAMETERS, __global const uchar *restrict passed, const uint unvisited,
                          const uint first, const uint last, __global const Window *restrict list,
                          __global Window *restrict next, __global Found *restrict found, __global uint *counters,
                          const uint counter) {
    __local uint shared[2];
    const uint index = (uint)get_global_id(0);
    Window window = {0, 0, 0, 0};
    bool alive = false;
    if (index < min(counters[counter], b.capacity)) {
        window = list[index];
        __global const uint *at = sums + window.place;
        alive = (unvisited == 0 || is_visited(levels + window.level, passed, window.number)) &&
                passes_stages(CLASSIFIER, first, last, at, window.norm);
        if (alive && last == b.stages) append_found(b, CLASSIFIER, window, at, counters, found);
    }
    append(alive && last < b.stages, window, counters + counter + 1, next, b.capacity, shared);
}

// A work-group: one window of the list at a time, through the stages from `first` on.
__kernel void last_stages(const Batch b, __global const uint *restrict sums, CLASSIFIER_PARAMETERS, const uint first,
                          __global const Window *restrict list, __global Found *restrict found,
                          __global uint *counters, const uint counter) {
    __local int sum;
    __local int alive;
    const uint count = min(counters[counter], b.capacity);
    const uint lane = (uint)get_local_id(0), lanes = (uint)get_local_size(0);
    for (uint index = (uint)get_group_id(0); index < count; index += (uint)get_num_groups(0)) {
        const Window window = list[index];
        __global const uint *at = sums + window.place;
        bool in = true;
        for (uint number = first; in && number < b.stages; ++number) {
            const Stage stage = stages[number];
            if (lane == 0) sum = stage.start;
            barrier(CLK_LOCAL_MEM_FENCE);
            int own = 0;
            for (uint tree = lane; tree < stage.trees; tree += lanes)
                own += tree_value(CLASSIFIER, stage.first_tree + tree, at, window.norm);
            atomic_add(&sum, own);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane == 0) alive = passes(CLASSIFIER, stage, sum, at, window.norm) ? 1 : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            in = alive != 0;
        }
        if (in && lane == 0) append_found(b, CLASSIFIER, window, at, counters, found);
    }
}
