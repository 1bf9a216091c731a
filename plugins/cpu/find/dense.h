// Direct correlation of every position, a few rows at a time.
//
// Image rows are packed: the dword of row r and column x holds the pixels of rows r, r + 1 (as 16 bits) or r to r + 3
// (as bytes), so that one instruction adds two or four products for each position. A packed row serves several rows of
// positions, each with its own group of the pattern's rows.
//
// Where values of 16 bits are taken, three correlations with half the groups do the work of four [Winograd, Arithmetic
// Complexity of Computations, 1980; Mou and Duhamel, Short-length FIR filters, 1991: two outputs at once, transposed].
// With P_j the packed rows of one phase, E_g = C_2g and O_g = C_2g+1 the groups:
//     S(m)     = sum_g (E_g + O_g) P_2(m+g)+1
//     out_2m   = S(m) + sum_g E_g (P_2(m+g)   - P_2(m+g)+1)
//     out_2m+1 = S(m) - sum_g O_g (P_2(m+g)+1 - P_2(m+g)+2)
// and each of the three may be divided so again. All in integers modulo 2^32, so nothing is lost.
#pragma once

#include <cstdint>
#include <vector>

#include "pattern.h"
#include "scene.h"
#include "sweep.h"

namespace vedette::cpu::find {

// T - 128 in groups of as many rows as a dword takes, 0 below the pattern; of each of the 3^levels correlations in turn
// (sums of groups, even groups, odd ones negated; those of a division within a division one after another):
// [correlation][channel][group][column].
struct PackedCoefficients {
    int rows = 0;    // in a dword
    int levels = 0;  // divisions
    int groups = 0;  // of each correlation
    std::vector<std::int32_t> values;
};
// How often the correlation with a pattern of so many rows is divided.
int dense_levels(int pattern_rows, int rows);
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
    // Rows that a correlation takes: packed ones, or differences of them.
    struct Sequence {
        int plane;  // bit l: less the row that lies `rows << l` below
        int first, step;
    };
    // What is written: the correlation less `offset` plus what is added.
    struct Outputs {
        int count;
        std::int32_t offset;
        std::int32_t* const* out;
        const std::int32_t* const* add[2];  // rows, or NULL; of what is divided only the first
    };

    void compute(int y);
    void pack(int row);
    void correlate(int level, int correlation, const Sequence& rows, const Outputs& outputs);
    void divide(int level, int correlation, const Sequence& rows, const Outputs& outputs);
    std::int32_t* ring_row(int plane, int channel, int row);

    const Kernels* kernels_ = nullptr;
    const Scene* scene_ = nullptr;
    const Pattern* pattern_ = nullptr;
    const PackedCoefficients* coefficients_ = nullptr;
    Unit unit_;
    int block_ = 0;      // rows of positions computed together
    int until_ = 0;      // packed rows below this are in the ring
    int ring_rows_ = 0;  // rows of the ring, for one channel
    std::size_t width_ = 0, stride_ = 0;
    std::int32_t offset_ = 0;
    std::vector<std::int32_t> ring_, out_, shared_;
    std::vector<const std::int32_t*> packed_;
};

}  // namespace vedette::cpu::find
