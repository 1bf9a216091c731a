#include "kernels/integral.h"

#include "kernels/integral_tiles.cuh"

namespace vedette::cuda {

namespace {

bool has_upright(const IntegralShape& shape) {
    return shape.sum != SumType::none || shape.squares != SumType::none;
}

std::size_t rounded(std::size_t bytes) {
    return (bytes + 127) / 128 * 128;
}

// Bytes of the words of a tile.
struct WordBytes {
    std::size_t columns, rows, corners;
};

WordBytes word_bytes(const IntegralShape& shape) {
    const bool squares = shape.squares != SumType::none;
    if (shape.bytes) {
        // Sums and squares share a word; the squares' kernel keeps the sums along with it.
        const std::size_t word = squares ? sizeof(unsigned long long) : sizeof(unsigned);
        return {word * tile_columns, word * byte_tile_rows,
                sizeof(unsigned long long) * (squares ? 2 : 1) * (byte_tile_rows / 32)};
    }
    const std::size_t words = sizeof(RealWord) * ((shape.sum != SumType::none ? 1 : 0) + (squares ? 1 : 0));
    return {words * tile_columns, words * float_tile_rows, words * (float_tile_rows / 32)};
}

constexpr std::size_t ticket_bytes = 128;

// The words in `scratch`; `bytes` receives how many they take.
TileWords lay_out(const IntegralShape& shape, std::byte* scratch, std::size_t& bytes) {
    const IntegralTiles tiles = integral_tiles(shape);
    const WordBytes words = word_bytes(shape);
    const std::size_t count = static_cast<std::size_t>(tiles.across) * static_cast<std::size_t>(tiles.down);
    const std::size_t rows = ticket_bytes + rounded(count * words.columns);
    const std::size_t corners = rows + rounded(count * words.rows);
    bytes = corners + rounded(count * words.corners);
    return {reinterpret_cast<unsigned long long*>(scratch),
            scratch + ticket_bytes,
            scratch + rows,
            scratch + corners,
            tiles.across,
            tiles.down};
}

}  // namespace

IntegralTiles integral_tiles(const IntegralShape& shape) {
    const int rows = shape.bytes ? byte_tile_rows : float_tile_rows;
    return {tile_columns, rows, (shape.width + tile_columns) / tile_columns, (shape.height + rows) / rows};
}

IntegralScratch integral_scratch(const IntegralShape& shape) {
    IntegralScratch scratch;
    if (has_upright(shape)) (void)lay_out(shape, nullptr, scratch.cleared_bytes);
    scratch.bytes = scratch.cleared_bytes;
    if (shape.tilted != SumType::none) scratch.bytes += detail::tilted_scratch_bytes(shape);
    return scratch;
}

void integrate(const IntegralShape& shape, const IntegralImages& images, std::byte* scratch, cudaStream_t stream) {
    std::size_t upright_bytes = 0;
    if (has_upright(shape)) {
        const TileWords words = lay_out(shape, scratch, upright_bytes);
        if (shape.bytes)
            detail::integrate_bytes(shape, images, words, stream);
        else
            detail::integrate_floats(shape, images, words, stream);
    }
    if (shape.tilted != SumType::none) detail::integrate_tilted(shape, images, scratch + upright_bytes, stream);
}

}  // namespace vedette::cuda
