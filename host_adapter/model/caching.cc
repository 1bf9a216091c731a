#include "caching.h"

#include <algorithm>
#include <limits>

namespace vedette::model {
namespace {

bool one_dimensional(const std::vector<CachedInput>& inputs) {
    return std::all_of(inputs.begin(), inputs.end(), [](const CachedInput& input) { return input.height == 1; });
}

double bytes_of(const std::vector<CachedInput>& inputs, const std::vector<bool>& cached, Tile tile) {
    double bytes = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (cached[i]) bytes += tile_bytes(inputs[i], tile);
    return bytes;
}

double references_of(const std::vector<CachedInput>& inputs, const std::vector<bool>& cached, Tile tile) {
    double references = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (cached[i]) references += cached_references(inputs[i], tile, 1);
    return references;
}

// The largest tile for the cached inputs, 0 x 0 when none fits.
Tile largest_tile(const std::vector<CachedInput>& inputs, const std::vector<bool>& cached, std::uint32_t bundle,
                  double shared_bytes) {
    const bool flat = one_dimensional(inputs);
    Tile best;
    double best_outputs = 0, best_references = std::numeric_limits<double>::infinity();
    for (Tile tile{bundle, flat ? 1 : bundle}; bytes_of(inputs, cached, tile) <= shared_bytes;
         tile = {tile.across + bundle, flat ? 1 : bundle}) {
        // The highest tile of this width.
        while (!flat && bytes_of(inputs, cached, {tile.across, tile.down + bundle}) <= shared_bytes)
            tile.down += bundle;
        const double outputs = static_cast<double>(tile.across) * tile.down;
        const double references = references_of(inputs, cached, tile);
        if (outputs < best_outputs || (outputs == best_outputs && references >= best_references)) continue;
        best = tile;
        best_outputs = outputs;
        best_references = references;
    }
    return best;
}

// References an output saves by caching `input`.
double saving(const CachedInput& input, Tile tile) {
    return uncached_references(input, 1) - cached_references(input, tile, 1);
}

}  // namespace

double uncached_references(const CachedInput& input, double outputs) noexcept {
    return input.references * outputs;
}

double cached_references(const CachedInput& input, Tile tile, double outputs) noexcept {
    const double blocks = outputs / (static_cast<double>(tile.across) * tile.down);
    return blocks * (input.width + tile.across - 1.0) * (input.height + tile.down - 1.0);
}

double tile_bytes(const CachedInput& input, Tile tile) noexcept {
    return (input.width + tile.across - 1.0) * (input.height + tile.down - 1.0) * input.element_bytes;
}

Caching choose_caching(const std::vector<CachedInput>& inputs, std::uint32_t bundle, double shared_bytes) {
    Caching result;
    result.cached.assign(inputs.size(), true);
    std::size_t left = inputs.size();
    while (left != 0) {
        result.tile = largest_tile(inputs, result.cached, bundle, shared_bytes);
        const bool fits = result.tile.across != 0;
        const Tile tile = fits ? result.tile : Tile{bundle, one_dimensional(inputs) ? 1 : bundle};
        // One input at a time: without it the tile of the others grows, and with that what they save.
        std::size_t worst = inputs.size();
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!result.cached[i] || (fits && saving(inputs[i], tile) > 0)) continue;
            const auto worth = [&](std::size_t at) { return saving(inputs[at], tile) / tile_bytes(inputs[at], tile); };
            if (worst == inputs.size() || worth(i) < worth(worst)) worst = i;
        }
        if (worst == inputs.size()) break;
        result.cached[worst] = false;
        --left;
    }
    if (left == 0) result.tile = {};
    result.bytes = left == 0 ? 0 : bytes_of(inputs, result.cached, result.tile);
    return result;
}

}  // namespace vedette::model
