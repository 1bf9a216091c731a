// pyramid: levels of half the size. Formulas: pyramid in vedette/plugin/ops.h.
//
// TYPE: uchar, ushort or float; REAL: 1 for float. ELEMENTS: of a pixel in a plane. ROWS: output rows of a group.
//
// Every level is read once by the next: the floor is bytes over bandwidth.
#include "image.cl"

#if REAL
#define TOTAL float
#define MEAN(total, bits) ((total) * (1.0f / (1 << (bits))))
#else
#define TOTAL uint
#define MEAN(total, bits) ((TYPE)(((total) + (1u << ((bits) - 1))) >> (bits)))  // rounded half up
#endif

// A work-item an output value.
__kernel void area2(IMAGE_IN(in), IMAGE_OUT(out), const uint in_width, const uint in_height, const uint out_width,
                    const uint out_height) {
    const uint element = (uint)get_global_id(0), y = (uint)get_global_id(1);
    if (element >= out_width * ELEMENTS || y >= out_height) return;
    const uint x = element / ELEMENTS, c = element % ELEMENTS;
    const uint left = 2 * x * ELEMENTS + c, right = 2 * x + 1 < in_width ? left + ELEMENTS : left;
    __global const TYPE *restrict above = ROW_IN(TYPE, in, 2 * y);
    __global const TYPE *restrict below = ROW_IN(TYPE, in, min(2 * y + 1, in_height - 1));
    const TOTAL a = (TOTAL)above[left] + (TOTAL)below[left], b = (TOTAL)above[right] + (TOTAL)below[right];
    ROW_OUT(TYPE, out, y)[element] = MEAN(a + b, 2);
}

// Outer, inner, middle: the order matters for floats.
inline TOTAL five(TOTAL a, TOTAL b, TOTAL c, TOTAL d, TOTAL e) {
    return (a + e) + (TOTAL)4 * (b + d) + (TOTAL)6 * c;
}

// Position that stands for x: reflected without repeating the edge.
inline int reflected(int x, int size) {
    if (size == 1) return 0;
    while (x < 0 || x >= size) x = x < 0 ? -x : 2 * (size - 1) - x;
    return x;
}

// A group makes `tile` pixels of ROWS rows. Each work-item has a column of the level before: it reads 2 ROWS + 3 values
// once and keeps ROWS sums down the column in local memory; across, a work-item sums five of those. `sums`: ROWS for
// each work-item.
__kernel void gauss5(IMAGE_IN(in), IMAGE_OUT(out), const int in_width, const int in_height, const int out_width,
                     const int out_height, const int tile, __local TOTAL *restrict sums) {
    const int item = (int)get_local_id(0), items = (int)get_local_size(0);
    const int left = (int)get_group_id(0) * tile, top = (int)get_group_id(1) * ROWS;
    const int pixel = 2 * left - 2 + item / ELEMENTS;
    if (item < (2 * tile + 3) * ELEMENTS && pixel < in_width + 2) {
        const int element = reflected(pixel, in_width) * ELEMENTS + item % ELEMENTS;
        TOTAL value[2 * ROWS + 3];
        for (int row = 0; row < 2 * ROWS + 3; ++row)
            value[row] = (TOTAL)ROW_IN(TYPE, in, reflected(2 * top - 2 + row, in_height))[element];
        for (int row = 0; row < ROWS; ++row)
            sums[row * items + item] = five(value[2 * row], value[2 * row + 1], value[2 * row + 2], value[2 * row + 3],
                                            value[2 * row + 4]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < ROWS * tile * ELEMENTS; i += items) {
        const int row = i / (tile * ELEMENTS), place = i % (tile * ELEMENTS);
        const int x = left + place / ELEMENTS, y = top + row;
        if (x >= out_width || y >= out_height) continue;
        __local const TOTAL *restrict at = sums + row * items + 2 * (place / ELEMENTS) * ELEMENTS + place % ELEMENTS;
        ROW_OUT(TYPE, out, y)[left * ELEMENTS + place] =
            MEAN(five(at[0], at[ELEMENTS], at[2 * ELEMENTS], at[3 * ELEMENTS], at[4 * ELEMENTS]), 8);
    }
}
