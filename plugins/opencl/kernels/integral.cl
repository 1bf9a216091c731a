// Integral images in passes that need no group to wait for another.
//
// PIXEL: uchar or float; REAL: 1 for float. SUM: what sums are made in: uint (modulo 2^32) or ulong for bytes, double
// or, where the device has none, a ulong that holds one, for floats. OUT_BITS: 32, or 64 for outputs of 64 bits;
// OUT_DOUBLE: 1 when they are doubles. SQUARES: 1 for sums of squares. TILE_WIDTH, TILE_HEIGHT: of a tile, pixels; a
// group has TILE_WIDTH work-items, at least TILE_HEIGHT.
#include "image.cl"
#include "soft_double.cl"

#if REAL && !defined(VDT_DOUBLES)
#define SUM_OF(value) soft_double(value)
#define ADD(a, b) soft_add(a, b)
#define SUBTRACT(a, b) soft_add(a, (b) ^ SOFT_SIGN)
#define MULTIPLY(a, b) soft_multiply(a, b)
#else
#define SUM_OF(value) ((SUM)(value))
#define ADD(a, b) ((a) + (b))
#define SUBTRACT(a, b) ((a) - (b))
#define MULTIPLY(a, b) ((a) * (b))
#endif

#if OUT_BITS == 64
#define OUT ulong
#else
#define OUT uint
#endif

inline SUM term_of(PIXEL value) {
#if SQUARES
    return MULTIPLY(SUM_OF(value), SUM_OF(value));
#else
    return SUM_OF(value);
#endif
}

inline OUT word_of(SUM sum) {
#if REAL
    return as_ulong(sum);
#elif OUT_DOUBLE
    // Sums of bytes stay below 2^53: each is a double exactly, put together here so that no double precision is needed.
    if (sum == 0) return 0;
    const ulong exponent = 63 - clz(sum);
    return ((1023 + exponent) << 52) | ((sum << (52 - exponent)) & 0xFFFFFFFFFFFFFul);
#else
    return sum;
#endif
}

// Pass 1, a group a tile: the sums of its columns into columns[band][x] and of its rows into rows[tile across][y]. The
// second reading of the pixels comes from a cache.
__kernel void tile_sums(IMAGE_IN(in), const uint width, const uint height, __global SUM *restrict columns,
                        __global SUM *restrict rows) {
    const uint lane = (uint)get_local_id(0);
    const uint left = (uint)get_group_id(0) * TILE_WIDTH, top = (uint)get_group_id(1) * TILE_HEIGHT;
    const uint right = min(left + TILE_WIDTH, width), bottom = min(top + TILE_HEIGHT, height);
    const uint x = left + lane, y = top + lane;
    if (x < right) {
        SUM sum = 0;
        for (uint row = top; row < bottom; ++row) sum = ADD(sum, term_of(ROW_IN(PIXEL, in, row)[x]));
        columns[(size_t)get_group_id(1) * width + x] = sum;
    }
    if (y < bottom && lane < TILE_HEIGHT) {
        __global const PIXEL *row = ROW_IN(PIXEL, in, y);
        SUM sum = 0;
        for (uint column = left; column < right; ++column) sum = ADD(sum, term_of(row[column]));
        rows[(size_t)get_group_id(0) * height + y] = sum;
    }
}

// Pass 2, a work-item a column and then a row: each sum becomes that of what lies above its band, left of its tile.
__kernel void carry(const uint width, const uint height, const uint bands, const uint tiles,
                    __global SUM *restrict columns, __global SUM *restrict rows) {
    const uint item = (uint)get_global_id(0);
    if (item >= width + height) return;
    const bool is_column = item < width;
    __global SUM *place = is_column ? columns + item : rows + (item - width);
    const uint steps = is_column ? bands : tiles;
    const size_t stride = is_column ? width : height;
    SUM sum = 0;
    for (uint step = 0; step < steps; ++step, place += stride) {
        const SUM own = *place;
        *place = sum;
        sum = ADD(sum, own);
    }
}

// Adds to each work-item's sum those of the work-items before it; `shared` holds one for each.
inline SUM sums_before(SUM own, __local SUM *shared) {
    const uint lane = (uint)get_local_id(0), lanes = (uint)get_local_size(0);
    SUM sum = own;
    for (uint distance = 1; distance < lanes; distance *= 2) {
        shared[lane] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane >= distance) sum = ADD(sum, shared[lane - distance]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    shared[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    const SUM before = lane > 0 ? shared[lane - 1] : (SUM)0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return before;
}

// Pass 3, a group a band: columns[band][x] becomes the sum of all that lies above the band in columns 0 .. x.
__kernel void scan_bands(const uint width, __global SUM *restrict columns, __local SUM *shared) {
    __global SUM *row = columns + (size_t)get_group_id(0) * width;
    const uint lane = (uint)get_local_id(0), lanes = (uint)get_local_size(0);
    const uint part = (width + lanes - 1) / lanes;
    const uint begin = min(lane * part, width), end = min(begin + part, width);
    SUM own = 0;
    for (uint x = begin; x < end; ++x) own = ADD(own, row[x]);
    SUM sum = sums_before(own, shared);
    for (uint x = begin; x < end; ++x) {
        sum = ADD(sum, row[x]);
        row[x] = sum;
    }
}

// Pass 4, a group a tile: along its rows, then down its columns.
__kernel void tiles(IMAGE_IN(in), IMAGE_OUT(out), const uint width, const uint height,
                    __global const SUM *restrict columns, __global const SUM *restrict rows) {
    __local SUM tile[TILE_HEIGHT * (TILE_WIDTH + 1)];
    const uint lane = (uint)get_local_id(0);
    const uint left = (uint)get_group_id(0) * TILE_WIDTH, top = (uint)get_group_id(1) * TILE_HEIGHT;
    const uint right = min(left + TILE_WIDTH, width), bottom = min(top + TILE_HEIGHT, height);
    const uint x = left + lane, y = top + lane;
    if (y < bottom && lane < TILE_HEIGHT) {
        __global const PIXEL *row = ROW_IN(PIXEL, in, y) + left;
        __local SUM *sums = tile + lane * (TILE_WIDTH + 1);
        SUM sum = rows[(size_t)get_group_id(0) * height + y];
        for (uint column = 0; column < right - left; ++column) {
            sum = ADD(sum, term_of(row[column]));
            sums[column] = sum;
        }
        if (left == 0) ROW_OUT(OUT, out, y + 1)[0] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < right) {
        SUM sum = columns[(size_t)get_group_id(1) * width + x];
        for (uint row = top; row < bottom; ++row) {
            sum = ADD(sum, tile[(row - top) * (TILE_WIDTH + 1) + lane]);
            ROW_OUT(OUT, out, row + 1)[x + 1] = word_of(sum);
        }
        if (top == 0) {
            ROW_OUT(OUT, out, 0)[x + 1] = 0;
            if (x == 0) ROW_OUT(OUT, out, 0)[0] = 0;
        }
    }
}
