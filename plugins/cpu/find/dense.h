// Direct correlation of every position, a few rows at a time.
//
// Image rows are packed: the dword of row r and column x holds the pixels of rows r, r + 1 (as 16 bits) or r to r + 3
// (as bytes), so that one instruction adds two or four products for each position. A packed row serves several rows of
// positions, each with its own group of the pattern's rows.
#pragma once

#include <cstdint>
#include <vector>

#include "pattern.h"
#include "scene.h"
#include "sweep.h"

namespace vedette::cpu::find {

// T - 128 in groups of as many rows as a dword takes: [channel][group][column]; 0 below the pattern.
struct PackedCoefficients {
    int rows = 0;  // in a dword
    int groups = 0;
    std::vector<std::int32_t> values;
};
// `rows`: Kernels::packed_rows. For patterns without mask.
PackedCoefficients pack_coefficients(const Pattern& pattern, int rows);

// One worker's pass over a unit; scratch is reused from call to call.
class DenseCorrelator {
public:
    // What is given outlives the pass.
    void begin(const Kernels& kernels, const Scene& scene, const Pattern& pattern,
               const PackedCoefficients& coefficients, const Unit& unit);
    // sum I' T' at the positions of row `y` of the unit, by column. To be asked for row after row, from 0 on.
    const std::int32_t* row(int y);

private:
    void compute(int y);

    const Kernels* kernels_ = nullptr;
    const Scene* scene_ = nullptr;
    const Pattern* pattern_ = nullptr;
    const PackedCoefficients* coefficients_ = nullptr;
    Unit unit_;
    int block_ = 0;      // rows of positions computed together
    int until_ = 0;      // packed rows below this are in the ring
    int ring_rows_ = 0;  // rows of the ring, for one channel
    std::size_t width_ = 0, stride_ = 0;
    std::vector<std::int32_t> ring_, out_;
    std::vector<const std::int32_t*> packed_;
};

}  // namespace vedette::cpu::find
