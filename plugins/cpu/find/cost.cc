#include "cost.h"

#include <vedette/plugin/cpp/expectation.hpp>
#include <vedette/plugin/cpp/template_checks.hpp>
#include <vedette/plugin/cpp/template_scales.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "../stages.h"
#include "cut.h"
#include "finder.h"
#include "look.h"
#include "planner.h"

namespace vedette::cpu::find {
namespace {

// What is expected of screens where the pixels cannot be looked at: windows that survive the bound. Median over real
// desktops at a threshold of 0.9 [pruned search, section 3].
constexpr double usual_survivors = 0.01;
// The prices by which the finder plans are nanoseconds of a core (2-core Zen 3 VM, AVX2): about so many operations.
constexpr double operations_of_nanosecond = 25;
// Operations a position: window sums (two scans, differences) and rows made ready for the products; and a score in
// double. From their times beside those of the products, 16 x 16 and 64 x 64 pixels (two cores of a Xeon with VNNI).
constexpr double operations_of_sums = 30;
constexpr double operations_of_score = 20;

Pattern shape_of(const vdt_image& image, const vdt_image& mask) {
    Pattern pattern;
    pattern.w = static_cast<int>(image.width);
    pattern.h = static_cast<int>(image.height);
    pattern.channels = image.format == VDT_FORMAT_BGR8 ? 3 : 1;
    pattern.masked = mask.format != VDT_FORMAT_NONE;
    return pattern;
}

// Products that a 32-bit lane adds up in one operation: two 16-bit ones, or four 8-bit ones [vpmaddwd, vpdpbusd].
double products_together(Isa isa) {
    return isa == Isa::avx512 ? 4 : isa == Isa::avx2 ? 2 : 1;
}

// Every score of columns x rows positions; `bytes` beyond the last cache. `searches` go on together.
void add_exhaustive(const Device& device, const Pattern& pattern, int columns, int rows, double bytes,
                    std::size_t searches, vdt_cost& cost) {
    const double positions = static_cast<double>(columns) * rows;
    const double area = static_cast<double>(pattern.w) * pattern.h * pattern.channels;
    const Exhaustive way = choose_exhaustive(pattern, columns, rows, device.isa);
    if (way.transform == 0) {
        // With a mask its sums and squares are correlations of their own.
        const int levels = pattern.masked ? 0 : dense_levels(pattern.h, device.isa == Isa::avx512 ? 4 : 2);
        const double products =
            positions * area * (pattern.masked ? 3 : std::pow(0.75, levels)) / products_together(device.isa);
        // A vector of pixels serves four rows of positions, a coefficient two vectors of them (dense_kernels.h).
        constexpr double loads_of_product = 1.0 / 4 + 1.0 / 16;
        const double rest = positions * (operations_of_sums * pattern.channels + operations_of_score);
        const Cut cut = cut_positions(pattern, columns, rows, way.beside_bound() / positions, searches, device.workers);
        add_pieces(device, cost, products + rest, 2 * area, cut.pieces(), bytes, products * loads_of_product);
        return;
    }
    // By its price (fft.cc): what a value and doubling take depends on the caches that hold a tile.
    const double side = way.transform;
    const FftBlock block = fft_block(pattern, way.transform);
    const double blocks =
        std::ceil(static_cast<double>(columns) / block.columns) * std::ceil(static_cast<double>(rows) / block.rows);
    const double transforms = blocks * (pattern.masked ? 2.0 * pattern.channels + 3 : pattern.channels + 1);
    const double doublings = 2 * std::log2(side);
    add_pieces(device, cost, way.cost * operations_of_nanosecond, 5 * doublings, blocks, bytes,
               transforms * side * side * doublings);
    cost.scratch_bytes += static_cast<std::uint64_t>(device.workers * 4 * side * side * sizeof(double));
}

// What the finder's prices (planner.cc, masked.cc) make of a search by a bound: nanoseconds of a core (2-core Zen 3 VM,
// AVX2).
struct Prices {
    double sums;      // a position whose window is summed up
    double test;      // a position that is tested
    double survivor;  // a window that survives
    double blocks;    // of the bound
};

Prices prices_of_masked(const Pattern& pattern) {
    const double channels = pattern.channels, pixels = static_cast<double>(pattern.w) * pattern.h * channels;
    // Pairs of blocks that lie in usual masks; a survivor's product, sum and square.
    constexpr double pairs = 8;
    return {2.2, channels * (1 + 0.12 * pairs), 25 + pixels * 0.06, 2 * pairs};
}

// A look at windows mostly ends with blocks of 16 x 16 pixels, but some of them (real desktops, 16 to 256 pixels a
// side).
double blocks_after_look(const Pattern& pattern) {
    return std::max(8.0, static_cast<double>(pattern.w) * pattern.h / 256);
}

Prices prices_of(const Pattern& pattern, const BlockGrid& grid) {
    return {sums_cost(pattern, grid), test_cost(pattern, grid), survivor_cost(pattern, grid),
            static_cast<double>(grid.blocks())};
}

// Of a search that tries the bound first.
struct Pruned {
    bool taken = false;      // the bound is tried
    double nanoseconds = 0;  // of a core, all positions together
    double first = 0;        // the first windows of rows that a worker takes of another one's piece
    double blocks = 0;
    double pieces = 0;  // patterns that share a grid share theirs
};

// A little more than seen, as the finder expects it: nothing in a sample does not mean nothing.
double survivors_of(const Look& look) {
    if (look.count == 0) return usual_survivors;
    constexpr double unseen = 0.3;
    double found = 0;
    for (std::size_t i = 0; i < look.count; ++i) found += look.windows[i].found ? 1 : 0;
    return std::min((found + unseen) / static_cast<double>(look.count), 1.0);
}

// The share of windows that survive in parts of the scene which threads take one after the other: the search gives the
// bound up where it does not pay, so that a picture on a desktop costs as much as it would alone.
class Survivors {
public:
    static constexpr std::size_t most_across = 16, most_down = 4;

    Survivors(const Look& look, double mean, const Cut& cut, int columns, int rows)
        : across_(std::min(static_cast<std::size_t>(cut.strips), most_across)),
          down_(std::min(static_cast<std::size_t>(cut.bands), most_down)),
          mean_(mean) {
        for (std::size_t i = 0; i < look.count; ++i) {
            const search::SampledWindow& window = look.windows[i];
            const std::size_t at =
                std::min<std::size_t>(window.y * down_ / static_cast<std::size_t>(rows), down_ - 1) * across_ +
                std::min<std::size_t>(window.x * across_ / static_cast<std::size_t>(columns), across_ - 1);
            ++looked_[at];
            found_[at] += window.found ? 1 : 0;
        }
    }

    std::size_t parts() const { return across_ * down_; }
    double of_part(std::size_t part) const { return plugin::rate_of(found_[part], looked_[part], mean_); }

private:
    std::size_t across_, down_;
    std::array<double, most_across * most_down> looked_{}, found_{};
    double mean_;
};

// Grids that patterns of one size are searched with: those that have the same share its sums and its pieces. Looks take
// about so many (64 of 32 x 32 on real desktops: 6 or 7).
double grids_of(const Pattern& pattern, std::size_t together) {
    constexpr double usual_grids = 6;
    return pattern.masked ? 1 : std::min(usual_grids, static_cast<double>(together));
}

// `together`: patterns of this size, this one included; `searches`: what all patterns of the call have pieces for.
Pruned pruned_search(const Device& device, const Pattern& pattern, double threshold, const Look& look, int columns,
                     int rows, std::size_t together, std::size_t searches) {
    Pruned search;
    const double positions = static_cast<double>(columns) * rows;
    const double exhaustive = choose_exhaustive(pattern, columns, rows, device.isa).beside_bound() / positions;
    if (!worth_a_bound(pattern, threshold, exhaustive)) return search;
    GridRoom room;
    const std::span<const BlockGrid> grids = candidate_grids(pattern, room);
    if (grids.empty()) return search;
    const bool planned = pattern.masked || samples_worth(pattern, grids, std::int64_t{columns} * rows, exhaustive) > 0;
    Prices prices =
        pattern.masked
            ? prices_of_masked(pattern)
            : prices_of(pattern, grid_near(pattern, grids, planned ? blocks_after_look(pattern) : usual_blocks));
    const double usual = survivors_of(look);
    const double price = prices.sums + prices.test + usual * prices.survivor;
    // Without a look the bound is taken in any case.
    if (planned && price >= exhaustive) return search;
    const double of_grid = pattern.masked ? 1 : static_cast<double>(together) / grids_of(pattern, together);
    const Cut cut = cut_positions(pattern, columns, rows, price * of_grid, searches, device.workers);
    search.first = prices.sums * pattern.h * columns / cut.strips;
    prices.sums /= of_grid;
    const Survivors survivors(look, usual, cut, columns, rows);
    // The first window of every piece costs a pattern's rows more.
    const double swept = columns * (rows + static_cast<double>(cut.bands) * pattern.h);
    const double bound = swept * prices.sums + positions * prices.test;
    for (std::size_t part = 0; part < survivors.parts(); ++part) {
        const double checks = survivors.of_part(part) * prices.survivor;
        // Given up after some rows [checks_pay of search.cc].
        constexpr double too_much = 1.2, rows_until = 16;
        const bool given_up = checks > too_much * exhaustive;
        const double tried = given_up ? std::min(rows_until * cut.bands / rows, 1.0) : 1;
        search.nanoseconds += (tried * (bound + positions * checks) + (1 - tried) * positions * exhaustive) /
                              static_cast<double>(survivors.parts());
    }
    search.taken = true;
    search.blocks = prices.blocks;
    search.pieces = cut.pieces() / of_grid;
    return search;
}

// Colours are taken apart into planes before the search, unless they are kept so.
void add_split(const Device& device, const vdt_image& scene, double pixels, vdt_cost& cost) {
    if (scene.format != VDT_FORMAT_BGR8 || scene.resident != nullptr) return;
    add_pieces(device, cost, pixels * 3, 1, 4 * static_cast<double>(device.workers), pixels * 6, 0);
}

}  // namespace

void cost_of_map(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& scene = *query.inputs[0];
    const Pattern pattern = shape_of(*query.inputs[1], *query.inputs[2]);
    const int columns = static_cast<int>(scene.width) - pattern.w + 1;
    const int rows = static_cast<int>(scene.height) - pattern.h + 1;
    const double bytes =
        static_cast<double>(scene.width) * scene.height * pattern.channels + 4.0 * columns * static_cast<double>(rows);
    cost.flags = VDT_COST_EXACT;
    add_split(device, scene, static_cast<double>(scene.width) * scene.height, cost);
    add_exhaustive(device, pattern, columns, rows, bytes, 1, cost);
}

namespace {

// Of many patterns the first few are looked at, and stand for the rest.
class Looks {
public:
    explicit Looks(const vdt_query& query) {
        const auto& params = *static_cast<const vdt_template_find_params*>(query.params);
        const vdt_rect region = plugin::region_of(*query.inputs[0], params);
        count_ = std::min<std::size_t>(params.pattern_count, most_sampled);
        for (std::size_t p = 0; p < count_; ++p) looks_[p] = &look_at(query, region, p);
    }
    const Look& of(std::size_t pattern) const { return *looks_[pattern % count_]; }

private:
    static constexpr std::size_t most_sampled = 4;
    static_assert(most_sampled <= kept_looks);
    std::array<const Look*, most_sampled> looks_{};
    std::size_t count_ = 0;
};

// The patterns at one factor.
class Patterns {
public:
    Patterns(const vdt_query& query, double factor)
        : query_(query), params_(*static_cast<const vdt_template_find_params*>(query.params)), factor_(factor) {
        region_ = plugin::region_of(*query.inputs[0], params_);
        region_.w = static_cast<std::int32_t>(plugin::scene_side(static_cast<std::uint32_t>(region_.w), factor));
        region_.h = static_cast<std::int32_t>(plugin::scene_side(static_cast<std::uint32_t>(region_.h), factor));
        double all = 0;
        for (std::size_t p = 0; p < count(); ++p) {
            const std::size_t together = of_size(p);
            all += grids_of(of(p), together) / static_cast<double>(together);
        }
        searches_ = static_cast<std::size_t>(std::ceil(all));
    }
    std::size_t count() const { return params_.pattern_count; }
    // What there are pieces of: grids that patterns share, and patterns by themselves.
    std::size_t searches() const { return searches_; }
    Pattern of(std::size_t p) const {
        Pattern pattern = shape_of(*query_.inputs[1 + 2 * p], *query_.inputs[2 + 2 * p]);
        pattern.w = static_cast<int>(plugin::pattern_side(static_cast<std::uint32_t>(pattern.w), factor_));
        pattern.h = static_cast<int>(plugin::pattern_side(static_cast<std::uint32_t>(pattern.h), factor_));
        return pattern;
    }
    int columns(const Pattern& pattern) const { return region_.w - pattern.w + 1; }
    int rows(const Pattern& pattern) const { return region_.h - pattern.h + 1; }
    bool fits(const Pattern& pattern) const { return columns(pattern) > 0 && rows(pattern) > 0; }
    double pixels() const { return static_cast<double>(region_.w) * region_.h; }
    Pruned pruned(const Device& device, const Pattern& pattern, std::size_t p, const Looks& looks) {
        return pruned_search(device, pattern, params_.threshold, looks.of(p), columns(pattern), rows(pattern),
                             of_size(p), searches_);
    }

private:
    // How many patterns without masks have the size of this one. Mostly the one before it had it too.
    std::size_t of_size(std::size_t p) {
        const vdt_image& own = *query_.inputs[1 + 2 * p];
        if (counted_ == nullptr || counted_->width != own.width || counted_->height != own.height) {
            count_of_size_ = 0;
            for (std::size_t other = 0; other < count(); ++other) {
                const vdt_image &image = *query_.inputs[1 + 2 * other], &mask = *query_.inputs[2 + 2 * other];
                if (image.width == own.width && image.height == own.height && mask.format == VDT_FORMAT_NONE)
                    ++count_of_size_;
            }
            counted_ = &own;
        }
        return std::max<std::size_t>(count_of_size_, 1);
    }

    const vdt_query& query_;
    const vdt_template_find_params& params_;
    double factor_;
    vdt_rect region_{};
    const vdt_image* counted_ = nullptr;
    std::size_t count_of_size_ = 0, searches_ = 1;
};

// What searches by the bound take together: threads go on with pieces of all of them.
struct PrunedWork {
    double nanoseconds = 0, shareable = 0, first = 0, blocks = 0, pieces = 0, bytes = 0, references = 0;

    void add(const Pattern& pattern, const Pruned& search, double positions, double scene_bytes) {
        nanoseconds += search.nanoseconds;
        if (!pattern.masked) shareable += search.nanoseconds;
        first = std::max(first, search.first);
        blocks = std::max(blocks, search.blocks);
        pieces += search.pieces;
        bytes += scene_bytes;
        references += positions * search.blocks * pattern.channels;
    }

    void add_to(const Device& device, vdt_cost& cost) const {
        if (!(pieces > 0)) return;
        const double workers = device.workers;
        double together = std::max(1.0, std::round(pieces)), uneven = 1;
        // Workers that have nothing else to do take rows of a piece as long as half of what is left of it is worth
        // their first windows; then all that differs are parts of that size.
        const double left = first + least_unit;
        if (shares_rows(static_cast<std::size_t>(together), shareable, device.workers) &&
            nanoseconds / together > 2 * left) {
            together = std::ceil(together / workers) * workers;
            uneven += left * workers / nanoseconds;
        }
        add_pieces(device, cost, nanoseconds * operations_of_nanosecond, blocks, together, bytes, references, uneven);
    }
};

// A search of all patterns at one factor.
void add_search(const Device& device, const vdt_query& query, const Looks& looks, double factor, vdt_cost& cost) {
    Patterns patterns(query, factor);
    add_split(device, *query.inputs[0], patterns.pixels(), cost);
    const std::uint32_t before = cost.launches;
    PrunedWork by_bound;
    for (std::size_t p = 0; p < patterns.count(); ++p) {
        const Pattern pattern = patterns.of(p);
        if (!patterns.fits(pattern)) continue;
        const int columns = patterns.columns(pattern), rows = patterns.rows(pattern);
        const double bytes = patterns.pixels() * pattern.channels;
        const Pruned pruned = patterns.pruned(device, pattern, p, looks);
        if (!pruned.taken) {
            add_exhaustive(device, pattern, columns, rows, bytes, patterns.searches(), cost);
            continue;
        }
        by_bound.add(pattern, pruned, static_cast<double>(columns) * rows, bytes);
        cost.scratch_bytes +=
            static_cast<std::uint64_t>(device.workers) * static_cast<std::uint64_t>(pattern.h + 16) * 640 * 8;
    }
    by_bound.add_to(device, cost);
    // One fork-join serves all patterns of a scene.
    cost.launches = std::min(cost.launches, before + 1);
}

}  // namespace

void cost_of_find(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const auto& params = *static_cast<const vdt_template_find_params*>(query.params);
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    const Looks looks(query);
    if (params.scale_count == 0) add_search(device, query, looks, 1, cost);
    for (std::uint32_t i = 0; i < params.scale_count; ++i) add_search(device, query, looks, params.scales[i], cost);
}

const char* way_of_map(const Device& device, const vdt_query& query) {
    const Pattern pattern = shape_of(*query.inputs[1], *query.inputs[2]);
    const int columns = static_cast<int>(query.inputs[0]->width) - pattern.w + 1;
    const int rows = static_cast<int>(query.inputs[0]->height) - pattern.h + 1;
    if (choose_exhaustive(pattern, columns, rows, device.isa).transform != 0) return "by transforms";
    return pattern.masked ? "every product, masked" : "every product";
}

const char* way_of_find(const Device& device, const vdt_query& query) {
    Patterns patterns(query, 1);
    const Looks looks(query);
    // Of several patterns the first one that fits.
    for (std::size_t p = 0; p < patterns.count(); ++p) {
        const Pattern pattern = patterns.of(p);
        if (!patterns.fits(pattern)) continue;
        // With a mask or without: their prices are of one kind, and few cases of a probe have one.
        if (patterns.pruned(device, pattern, p, looks).taken) return "by a bound";
        const Exhaustive way =
            choose_exhaustive(pattern, patterns.columns(pattern), patterns.rows(pattern), device.isa);
        if (way.transform != 0) return "by transforms";
        break;
    }
    return "every product";
}

}  // namespace vedette::cpu::find
