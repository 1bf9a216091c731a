// Transforms of squares in double precision, for the reference's own files.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace vedette::reference {

using Complex = std::complex<double>;

// side x side numbers, row by row; the side is a power of two.
struct Square {
    std::uint32_t side = 0;
    std::vector<Complex> value;
};

// With the factor 1 / side^2 when `inverse`.
Square transform(const Square& in, bool inverse);

}  // namespace vedette::reference
