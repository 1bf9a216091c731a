// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/probe.h"

#include "kernels/vector.h"

namespace vedette::cpu::VEDETTE_ISA {

extern const ProbeKernels probe_kernels;

namespace {

float sum_of_lanes(Vector vector) {
    float sum = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) sum += vector[lane];
    return sum;
}

std::uint64_t integer_chain(std::uint64_t rounds) {
    // Registers on both sides: additions of constants are done by some processors while they rename registers.
    std::uint64_t sum = 1, step = 3;
    __asm__ volatile("" : "+r"(step));
    for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 32
        for (std::uint64_t link = 0; link < ProbeKernels::chain_length; ++link) {
            sum += step;
            __asm__ volatile("" : "+r"(sum));  // keeps the additions from being drawn together
        }
    }
    return sum;
}

float float_chain(std::uint64_t rounds) {
    // Additions of floats are not drawn together: each of them rounds.
    float sum = 1;
    for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 32
        for (std::uint64_t link = 0; link < ProbeKernels::chain_length; ++link) sum += 1.5F;
    }
    return sum;
}

float additions(std::uint64_t rounds) {
    constexpr int many = static_cast<int>(ProbeKernels::independent_additions);
    Vector sums[many];
    const Vector step = all_lanes(1.5F);
    for (int i = 0; i < many; ++i) sums[i] = all_lanes(static_cast<float>(i));
    for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
        for (int i = 0; i < many; ++i) sums[i] += step;
    }
    Vector total = sums[0];
    for (int i = 1; i < many; ++i) total += sums[i];
    return sum_of_lanes(total);
}

float read(const float* from, std::uint64_t floats, std::uint64_t passes) {
    constexpr int many = 8;
    Vector sums[many] = {};
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
        for (std::uint64_t at = 0; at < floats; at += many * lanes) {
#pragma GCC unroll 8
            for (int i = 0; i < many; ++i) sums[i] += load_vector(from + at + static_cast<std::uint64_t>(i) * lanes);
        }
    }
    Vector total = sums[0];
    for (int i = 1; i < many; ++i) total += sums[i];
    return sum_of_lanes(total);
}

void copy(float* to, const float* from, std::uint64_t floats) {
    for (std::uint64_t at = 0; at < floats; at += 4 * lanes) {
#pragma GCC unroll 4
        for (std::uint64_t i = 0; i < 4; ++i) stream_vector(to + at + i * lanes, load_vector(from + at + i * lanes));
    }
    finish_streams();
}

void copy_cached(float* to, const float* from, std::uint64_t floats, std::uint64_t passes) {
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
        for (std::uint64_t at = 0; at < floats; at += 4 * lanes) {
#pragma GCC unroll 4
            for (std::uint64_t i = 0; i < 4; ++i) store_vector(to + at + i * lanes, load_vector(from + at + i * lanes));
        }
    }
}

}  // namespace

const ProbeKernels probe_kernels = {lanes, integer_chain, float_chain, additions, read, copy, copy_cached};

}  // namespace vedette::cpu::VEDETTE_ISA
