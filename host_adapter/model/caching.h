// When a tile of the input is worth keeping in shared memory, and which [A].
#pragma once

#include <cstdint>
#include <vector>

namespace vedette::model {

// An input of which one output element reads a region of width x height, in `references` references (K; at most width x
// height where each element is read once, more where elements are read again). 1-D: height 1. 3-D: elements that are
// arrays.
struct CachedInput {
    std::uint32_t width = 1;   // a
    std::uint32_t height = 1;  // b
    double references = 1;     // K
    std::uint32_t element_bytes = 1;
};

// Outputs that one block computes: n_x across, n_y down. n_x is a multiple of the bundle width; n_y is one too, or 1
// where all inputs are 1-D. 0 x 0: no tile.
struct Tile {
    std::uint32_t across = 0;
    std::uint32_t down = 0;
};

// Global references for `outputs` elements without a cache: K N.
double uncached_references(const CachedInput& input, double outputs) noexcept;
// With one: every block loads its tile once, N / (n_x n_y) (a + n_x - 1) (b + n_y - 1).
double cached_references(const CachedInput& input, Tile tile, double outputs) noexcept;
// Bytes of shared memory that the tile of `input` takes.
double tile_bytes(const CachedInput& input, Tile tile) noexcept;

struct Caching {
    Tile tile;                 // for the inputs that are cached; 0 x 0 when none is
    std::vector<bool> cached;  // one for each input
    double bytes = 0;          // of shared memory, all cached inputs together
};

// The tile with the most outputs whose inputs fit `shared_bytes` together (of equal ones the one with the fewest
// references), and which inputs are cached: those that then need fewer global references than without. An input that
// fails the test loses its cache and leaves its bytes to the others; when not even the smallest tile fits, the input
// that saves the fewest references for its bytes goes first. `bundle` is at least 1.
Caching choose_caching(const std::vector<CachedInput>& inputs, std::uint32_t bundle, double shared_bytes);

}  // namespace vedette::model
