// The two nearest train descriptors of every query descriptor, exactly, by L2.
//
// Integers 0 .. 255, as SIFT's, are compared by |a - b|^2 = |a|^2 + |b|^2 - 2 a b: in descriptors of at most 258 of
// them every sum stays below 2^24, so that floats, which every device multiplies and adds fastest, are exact.
//
// VECTOR: train descriptors that a work-item compares at once. LANES: work-items that share a query block's train
// descriptors. QUERIES: queries of a block.
#include "vector.cl"

// Further than any pair of descriptors can be.
#define NEVER 1e9f

typedef struct {
    float first, second;  // squared distances
    uint index;           // of the nearest; the lowest among equals
    uint unused;
} Nearest;

// Rows become blocks of `side` rows, in each the rows' first values, then their second ones, and so on up to `padded`
// values, zeros behind the last. Rows from `count` on, up to `rounded`, are further than any. flags[0]: a value is no
// integer of 0 .. 255; flags[bad]: the first row with a value that is not finite.
__kernel void prepare(IMAGE_IN(in), const uint length, const uint padded, const uint count, const uint rounded,
                      const uint side, __global float *restrict out, __global float *restrict norms,
                      __global uint *flags, const uint bad) {
    const uint row = (uint)get_global_id(0);
    if (row >= rounded) return;
    __global const float *values = ROW_IN(float, in, row < count ? row : 0);
    __global float *to = out + (size_t)(row / side) * padded * side + row % side;
    float norm = 0;
    bool whole = true, finite = true;
    for (uint k = 0; k < padded; ++k) {
        const float value = k < length && row < count ? values[k] : 0.0f;
        whole = whole && value >= 0 && value <= 255 && rint(value) == value;
        finite = finite && fabs(value) <= FLT_MAX;
        to[(size_t)k * side] = value;
        norm += value * value;
    }
    norms[row] = row < count ? norm : NEVER;
    if (!whole) atomic_or(flags, 1u);
    if (!finite) atomic_min(flags + bad, row);
}

// Work-item (lane, query block, part) goes through its part's train descriptors, VECTOR of every block of
// LANES * VECTOR, `blocks` blocks a part. The distances are without the query's norm.
__kernel void nearest(__global const float *restrict queries, const uint query_blocks,
                      __global const float *restrict train, __global const float *restrict norms,
                      const uint train_blocks, const uint padded, const uint blocks,
                      __global Nearest *restrict partials) {
    const uint lane = (uint)get_global_id(0), query_block = (uint)get_global_id(1), part = (uint)get_global_id(2);
    if (query_block >= query_blocks) return;
    __global const float *query = queries + (size_t)query_block * padded * QUERIES;
    FLOATV first[QUERIES], second[QUERIES];
    INTV index[QUERIES];
    for (int q = 0; q < QUERIES; ++q) {
        first[q] = second[q] = (FLOATV)(2 * NEVER);
        index[q] = (INTV)(0);
    }
    const uint end = min((part + 1) * blocks, train_blocks);
    for (uint block = part * blocks; block < end; ++block) {
        const uint place = block * (LANES * VECTOR) + lane * VECTOR;
        __global const float *other = train + (size_t)block * padded * (LANES * VECTOR) + lane * VECTOR;
        FLOATV sum[QUERIES];
        for (int q = 0; q < QUERIES; ++q) sum[q] = (FLOATV)(0.0f);
        for (uint k = 0; k < padded; ++k) {
            const FLOATV values = LOADV(other + k * (LANES * VECTOR));
#pragma unroll
            for (int q = 0; q < QUERIES; ++q) 
                sum[q] = MULTIPLY_ADD((FLOATV)(query[k * QUERIES + q]), values, sum[q]);
        }
        const FLOATV norm = LOADV(norms + place);
        for (int q = 0; q < QUERIES; ++q) {
            const FLOATV distance = norm - 2.0f * sum[q];
            const INTV nearer = distance < first[q];
            second[q] = select(min(second[q], distance), first[q], nearer);
            first[q] = select(first[q], distance, nearer);
            index[q] = select(index[q], (INTV)((int)place), nearer);
        }
    }
    for (int q = 0; q < QUERIES; ++q) {
        float firsts[VECTOR], seconds[VECTOR];
        int places[VECTOR];
        STOREV(first[q], firsts);
        STOREV(second[q], seconds);
        STOREV(index[q], places);
        Nearest best = {firsts[0], seconds[0], (uint)places[0], 0};
        for (int v = 1; v < VECTOR; ++v) {
            const uint at = (uint)(places[v] + v);
            if (firsts[v] < best.first || (firsts[v] == best.first && at < best.index)) {
                best.second = min(best.first, seconds[v]);
                best.first = firsts[v];
                best.index = at;
            } else {
                best.second = min(best.second, firsts[v]);
            }
        }
        partials[((size_t)part * LANES + lane) * query_blocks * QUERIES + query_block * QUERIES + q] = best;
    }
}

// A work-item merges the parts of a query, and adds its norm.
__kernel void merge(__global const Nearest *restrict partials, const uint parts, const uint stride, const uint count,
                    __global const float *restrict query_norms, __global Nearest *restrict found) {
    const uint query = (uint)get_global_id(0);
    if (query >= count) return;
    Nearest best = partials[query];
    for (uint part = 1; part < parts; ++part) {
        const Nearest other = partials[(size_t)part * stride + query];
        if (other.first < best.first || (other.first == best.first && other.index < best.index)) {
            best.second = min(best.first, other.second);
            best.first = other.first;
            best.index = other.index;
        } else {
            best.second = min(best.second, other.first);
        }
    }
    best.first += query_norms[query];
    best.second += query_norms[query];
    found[query] = best;
}

#ifdef VDT_DOUBLES
typedef struct {
    double first, second;
    uint index;
    uint unused;
} NearestReal;

// The same for any floats: in double, a work-item a query and part of `rows` train descriptors, read as they are.
__kernel void nearest_reals(IMAGE_IN(queries), IMAGE_IN(train), const uint length, const uint query_count,
                            const uint train_count, const uint rows, __global NearestReal *restrict partials) {
    const uint query = (uint)get_global_id(0), part = (uint)get_global_id(1);
    if (query >= query_count) return;
    __global const float *a = ROW_IN(float, queries, query);
    NearestReal best = {INFINITY, INFINITY, part * rows, 0};
    const uint end = min((part + 1) * rows, train_count);
    for (uint row = part * rows; row < end; ++row) {
        __global const float *b = ROW_IN(float, train, row);
        double sum = 0;
        // Sums only grow: what is behind the second nearest already cannot come before it.
        for (uint begin = 0; begin < length && sum < best.second; begin += 16)
            for (uint k = begin; k < min(begin + 16, length); ++k) {
                const double difference = (double)a[k] - (double)b[k];
                sum += difference * difference;
            }
        if (sum < best.first) {
            best.second = best.first;
            best.first = sum;
            best.index = row;
        } else if (sum < best.second) {
            best.second = sum;
        }
    }
    partials[(size_t)part * query_count + query] = best;
}
#endif
