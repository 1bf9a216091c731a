// The first stages for processors, whose vectors hold eight windows: neighbours of a row read the same places of the
// tables, one after the other, so that a feature of all eight takes as many instructions as that of one. Stages behind
// the first are tried on windows that OpenCV skips, too, which changes nothing: next_stages leaves those out.
#include "cascade.cl"

#if KIND == 0

typedef struct __attribute__((packed)) {
    uint8 value;
} Eight;

// Numbers of a table at `at`, at + step ... step: 1 or 2.
ALWAYS_INLINE uint8 eight_at(__global const uint *at, uint step) {
    const uint8 near = ((__global const Eight *)at)->value;
    if (step == 1) return near;
    const uint8 far = ((__global const Eight *)(at + 7))->value;
    return (uint8)(near.even, far.odd);
}

// feature_of for eight windows.
#define AT_EIGHT(i) eight_at(window + node->place[i], step)
#define RECTANGLE_EIGHT(i) \
    convert_float8(as_int8(AT_EIGHT(i) - AT_EIGHT((i) + 1) - AT_EIGHT((i) + 2) + AT_EIGHT((i) + 3)))
ALWAYS_INLINE float8 features_of(__global const Node *node, __global const uint *window, uint step) {
    switch (node->form) {
        case 0:
            return convert_float8(
                as_int8(AT_EIGHT(0) - AT_EIGHT(1) + AT_EIGHT(2) - AT_EIGHT(3) + 2 * (AT_EIGHT(4) - AT_EIGHT(5))));
        case 1:
            return node->weight[1] * RECTANGLE_EIGHT(4) - RECTANGLE_EIGHT(0);
        case 2:
        case 3: {
            const uint8 sum = AT_EIGHT(0) + AT_EIGHT(1) + AT_EIGHT(2) + AT_EIGHT(3) -
                              2 * (AT_EIGHT(4) + AT_EIGHT(5) + AT_EIGHT(6) + AT_EIGHT(7)) + 4 * AT_EIGHT(8);
            return convert_float8(as_int8(node->form == 2 ? sum : 0u - sum));
        }
        default: {
            float8 sum = node->weight[0] * RECTANGLE_EIGHT(0) + node->weight[1] * RECTANGLE_EIGHT(4);
            if (node->form == 5) sum += node->weight[2] * RECTANGLE_EIGHT(8);
            return sum;
        }
    }
}

// Those of `alive` that pass the stage, a bit each.
ALWAYS_INLINE uint eight_pass(CLASSIFIER_PARAMETERS, Stage stage, __global const uint *at, uint step,
                              const float *norms, uint alive) {
    const float8 norm = vload8(0, norms);
    int8 sum = (int8)(stage.start);
    for (uint tree = stage.first_tree; tree < stage.first_tree + stage.trees; ++tree) {
        __global const Node *node = nodes + tree;
        sum += (features_of(node, at, step) * norm < node->threshold) & node->gain;
    }
    int sums[8];
    vstore8(sum, 0, sums);
    uint in = 0;
    for (uint i = 0; i < 8; ++i)
        if ((alive >> i & 1) != 0 && passes(CLASSIFIER, stage, sums[i], at + i * step, norms[i])) in |= 1u << i;
    return in;
}

// A work-item: eight windows with numbers side by side, through the first `last` stages. Where a row of windows ends
// among them, each alone.
__kernel void first_stages_of_eight(const Batch b, __global const Level *restrict levels,
                                    __global const uint *restrict sums, __global const uint *restrict squares,
                                    CLASSIFIER_PARAMETERS, const uint last, __global uchar *restrict passed,
                                    __global Window *restrict next, __global uint *counters, const uint counter) {
    __local uint shared[2];
    const uint begin = 8 * (uint)get_global_id(0);
    Window windows[8];
    uint alive = 0;
    if (begin < b.windows) {
        const uint count = min(8u, b.windows - begin);
        float norms[8];
        uint here = level_with_window(levels, b.levels, begin);
        __global const Level *level = levels + here;
        const uint number = begin - level->first_window, column = number % level->columns;
        const bool together = column + 8 <= level->columns && level->step <= 2;
        for (uint i = 0; i < count; ++i) {
            if (!together) {
                here = level_with_window(levels, b.levels, begin + i);
                level = levels + here;
            }
            const uint own = begin + i - level->first_window;
            Window window;
            window.level = here;
            window.number = own;
            window.place = (level->top + own / level->columns * level->step) * b.pitch + level->left +
                           own % level->columns * level->step;
            __global const uint *at = sums + window.place, *square = squares + window.place;
            window.norm = norms[i] = norm_of(INNER(at), INNER(square), b.area, b.least_square);
            windows[i] = window;
            if (window.norm != 0) alive |= 1u << i;
        }
        const uint flat = ~alive;
        for (uint number_of_stage = 0; number_of_stage < last && alive != 0; ++number_of_stage) {
            if (together) {
                alive = eight_pass(CLASSIFIER, stages[number_of_stage], sums + windows[0].place, level->step, norms,
                                   alive);
            } else {
                for (uint i = 0; i < count; ++i)
                    if ((alive >> i & 1) != 0 && !passes_stages(CLASSIFIER, number_of_stage, number_of_stage + 1,
                                                                sums + windows[i].place, windows[i].norm))
                        alive &= ~(1u << i);
            }
            if (number_of_stage == 0)
                for (uint i = 0; i < count; ++i) passed[begin + i] = (uchar)((flat | alive) >> i & 1);
        }
        if (flat == ~0u)
            for (uint i = 0; i < count; ++i) passed[begin + i] = 1;
    }
    // As `append`.
    if (get_local_id(0) == 0) shared[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint place = 0;
    if (alive != 0) place = atomic_add(shared, popcount(alive));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) shared[1] = shared[0] == 0 ? 0 : atomic_add(counters + counter, shared[0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    place += shared[1];
    for (uint i = 0; i < 8; ++i)
        if ((alive >> i & 1) != 0) {
            if (place < b.capacity) next[place] = windows[i];
            ++place;
        }
}

#endif
