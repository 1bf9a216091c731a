// Loops of known length whose times give the parameters of a processor. Their results are of no use, but are returned,
// so that no compiler leaves the loops out.
#pragma once

#include <cstdint>

namespace vedette::cpu {

struct ProbeKernels {
    std::uint32_t lanes;  // floats of a vector

    // Rounds of `chain_length` integer additions, each of which needs the one before: one a clock.
    std::uint64_t (*integer_chain)(std::uint64_t rounds);
    // The same with additions of floats.
    float (*float_chain)(std::uint64_t rounds);
    // Rounds of `independent_additions` additions of vectors, none of which waits for another of the same round.
    float (*additions)(std::uint64_t rounds);
    // Reads `floats` floats, `passes` times. `floats`: a multiple of `block_floats`; `from` aligned to a vector.
    float (*read)(const float* from, std::uint64_t floats, std::uint64_t passes);
    // Copies them, past the caches where the instruction set can.
    void (*copy)(float* to, const float* from, std::uint64_t floats);
    // Copies them by way of the caches, `passes` times.
    void (*copy_cached)(float* to, const float* from, std::uint64_t floats, std::uint64_t passes);

    static constexpr std::uint64_t chain_length = 32;
    static constexpr std::uint64_t independent_additions = 12;  // latency x units of all processors, in 16 registers
    static constexpr std::uint64_t block_floats = 128;          // eight of the longest vectors
};

}  // namespace vedette::cpu
