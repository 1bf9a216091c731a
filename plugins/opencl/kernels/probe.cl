// Kernels of known length whose times give the parameters of a device. What they compute is of no use; it goes to
// `sink`, so that no compiler leaves it out.
//
// FLOATS: float, or on processors the vectors that kernels compute with there. GROUP: work-items of a group where local
// memory is read. CHAIN: entries of a small chain.
#include "image.cl"

#define CHAIN_LENGTH 32
#define LOCAL_READS 8

// The comparison is never true, which no compiler knows. The number is a float, too.
#define KEEP(value, sink) \
    if ((value) == 0x7fffff80) *(sink) = (value)

__kernel void nothing(__global uint *sink) {
    if (get_global_id(0) == 0x7fffff80) *sink = 0;
}

// One work-item: additions each of which needs the one before.
__kernel void operation_chain(const uint rounds, const float step, __global float *sink) {
    float sum = 1;
    for (uint round = 0; round < rounds; ++round) {
#pragma unroll
        for (uint link = 0; link < CHAIN_LENGTH; ++link) sum += step;
    }
    KEEP(sum, sink);
}

// All lanes: as many additions, four of them independent.
__kernel void operations(const uint rounds, const float step, __global float *sink) {
    FLOATS a = (FLOATS)((float)get_local_id(0)), b = a + 1, c = a + 2, d = a + 3;
    for (uint round = 0; round < rounds; ++round) {
#pragma unroll
        for (uint link = 0; link < CHAIN_LENGTH / 4; ++link) {
            a += step;
            b += step;
            c += step;
            d += step;
        }
    }
    const FLOATS sum = a + b + c + d;
    KEEP(((const float *)&sum)[0], sink);
}

// One work-item follows places, each of which names the next.
__kernel void global_chain(__global const volatile uint *places, const uint steps, __global uint *sink) {
    uint place = 0;
    for (uint step = 0; step < steps; ++step) place = places[place];
    KEEP(place, sink);
}
__kernel void local_chain(__global const uint *places, const uint steps, __global uint *sink) {
    __local volatile uint chain[CHAIN];
    for (uint i = (uint)get_local_id(0); i < CHAIN; i += (uint)get_local_size(0)) chain[i] = places[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        uint place = 0;
        for (uint step = 0; step < steps; ++step) place = chain[place];
        KEEP(place, sink);
    }
}
__kernel void constant_chain(__constant uint *places, const uint steps, __global uint *sink) {
    uint place = 0;
    for (uint step = 0; step < steps; ++step) place = places[place];
    KEEP(place, sink);
}

// Words side by side, so that no two lanes want the same bank.
__kernel void local_reads(const uint rounds, __global float *sink) {
    __local volatile float words[GROUP];
    const uint lane = (uint)get_local_id(0);
    words[lane] = (float)lane;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (uint round = 0; round < rounds; ++round) {
#pragma unroll
        for (uint i = 0; i < LOCAL_READS; ++i) sum += words[(lane + i * 32) % GROUP];
    }
    KEEP(sum, sink);
}

// An area that is read again and again: from the nearest cache that holds it.
__kernel void area_reads(__global const uint4 *area, const uint count, const uint rounds, __global uint *sink) {
    uint4 sum = 0;
    for (uint round = 0; round < rounds; ++round)
        for (uint at = (uint)get_global_id(0); at < count; at += (uint)get_global_size(0)) sum += area[at] ^ round;
    KEEP(sum.x ^ sum.y ^ sum.z ^ sum.w, sink);
}

__kernel void copy(__global uint4 *restrict to, __global const uint4 *restrict from, const uint count) {
    for (uint at = (uint)get_global_id(0); at < count; at += (uint)get_global_size(0)) to[at] = from[at];
}

// One lane of each bundle adds to one word.
__kernel void atomics(const uint rounds, const uint bundle, __global uint *counter) {
    if (get_local_id(0) % bundle == 0)
        for (uint round = 0; round < rounds; ++round) atomic_inc(counter);
}
