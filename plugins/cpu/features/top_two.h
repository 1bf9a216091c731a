// The two nearest train descriptors of every query descriptor, exactly, by L2.
#pragma once

#include "kernels/match.h"
#include "op.h"

#include <cstdint>
#include <vector>

namespace vedette::cpu::features {

struct Neighbors {
    double first, second;  // squared distances
    std::uint32_t index;   // of the nearest; the lowest among equals
};

// Integers 0..255, as SIFT's, are compared in integer arithmetic: |a - b|^2 = |a|^2 + |b|^2 - 2 a b with exact products
// of bytes. Other values in double, of the train descriptors that a float distance does not rule out.
class TopTwo {
public:
    TopTwo(const Device& device, const MatchKernels& kernels, std::uint32_t length, std::uint32_t most_queries,
           std::uint32_t most_train);

    // `queries`, `train`: GRAYF32, `length` wide, of which the first rows count. At least two train rows. The result
    // has an entry for each query and is valid until the next run.
    // Throws Failure VDT_E_ARGUMENT when a value is not finite.
    const std::vector<Neighbors>& run(const vdt_image& queries, std::uint32_t query_count, const vdt_image& train,
                                      std::uint32_t train_count, vdt_token* token);

    // Memory that one for these sizes keeps.
    static std::uint64_t bytes(std::uint32_t length, std::uint32_t most_queries, std::uint32_t most_train);

private:
    void run_bytes(std::uint32_t query_count, std::uint32_t train_count, vdt_token* token);
    void run_floats(const vdt_image& queries, std::uint32_t query_count, const vdt_image& train,
                    std::uint32_t train_count, vdt_token* token);

    const Device& device_;
    const MatchKernels& kernels_;
    std::uint32_t length_, padded_;  // values of a descriptor; made a multiple of four
    std::vector<std::uint8_t> query_bytes_, train_bytes_, packed_;
    std::vector<std::int32_t> norms_;
    std::vector<NearestTwo> best_;
    std::vector<Neighbors> neighbors_;
};

}  // namespace vedette::cpu::features
