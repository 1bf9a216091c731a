// Every way of searching against brute force in 64-bit integers: the sets and every bit of the scores must agree.
// VEDETTE_SEARCH_CASES sets the number of random cases (default 30), VEDETTE_SEARCH_SEED their seed.
#define BOOST_TEST_MODULE cpu_find
#include "boost_test.h"

#include <cstdio>
#include <iterator>
#include <thread>

#include "cases.h"
#include "find/large.h"
#include "find/prepared.h"
#include "find/pruned.h"
#include "find/search.h"

using namespace vedette::cpu;
using namespace vedette::cpu::test;

namespace {

std::int64_t setting(const char* name, std::int64_t otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::atoll(value) : otherwise;
}

struct Case {
    std::string what;
    Picture scene, pattern, mask;
    bool masked = false;
    Scores scores;
    const Picture* mask_or_null() const { return masked ? &mask : nullptr; }
};

// Sizes up to 256 with a share of odd ones; the scene leaves so many positions that brute force takes milliseconds.
Case make_case(Random& random, std::uint64_t number) {
    constexpr int sides[] = {1,  2,  3,  5,  7,  8,  9,  12, 15, 16,  17,  20,  24, 31,
                             32, 33, 40, 47, 48, 63, 64, 65, 96, 128, 131, 200, 256};
    for (;;) {
        Case c;
        const int kind = pick(random, 0, scene_kind_count - 1), channels = random() % 4 == 0 ? 3 : 1;
        const int largest = random() % 8 == 0 ? 26 : 21;
        int w = sides[pick(random, 0, largest)], h = sides[pick(random, 0, largest)];
        if (random() % 2 == 0) h = w;
        const std::int64_t cost = std::int64_t{w} * h * channels;
        const int positions = static_cast<int>(std::clamp<std::int64_t>(6000000 / cost, 12, 4000));
        const int columns = pick(random, 1, std::min(positions, 170)), rows = std::max(1, positions / columns);
        c.scene = make_scene(random, kind, w + columns - 1, h + std::min(rows, 90) - 1, channels);
        std::string how;
        c.pattern = make_pattern(random, c.scene, w, h, how);
        if (random() % 5 == 0) {
            c.masked = true;
            c.mask = Picture(w, h, 1);
            const int shape = pick(random, 0, 3);
            for (int y = 0; y < h; ++y)
                for (int x = 0; x < w; ++x) {
                    const double dx = (x + 0.5) / w - 0.5, dy = (y + 0.5) / h - 0.5;
                    const bool in = shape == 0   ? dx * dx + dy * dy < 0.25
                                    : shape == 1 ? random() % 3 != 0
                                    : shape == 2 ? x > w / 3
                                                 : true;
                    c.mask.at(x, y) = in ? static_cast<std::uint8_t>(pick(random, 1, 255)) : 0;
                }
        }
        if (!has_variance(c.pattern, c.mask_or_null())) continue;
        c.what = "case " + std::to_string(number) + " (" + scene_kinds[kind] + ", " + how + ", " + std::to_string(w) +
                 " x " + std::to_string(h) + " in " + std::to_string(c.scene.width) + " x " +
                 std::to_string(c.scene.height) + ", " + std::to_string(channels) + " channels" +
                 (c.masked ? ", masked)" : ")");
        c.scores = brute_scores(c.scene, c.pattern, c.mask_or_null());
        return c;
    }
}

double highest(const Scores& scores) {
    return *std::max_element(scores.value.begin(), scores.value.end());
}

std::vector<Isa> isas_here() {
    std::vector<Isa> isas;
    for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
        if (runs_here(isa))
            isas.push_back(isa);
        else
            std::printf("SKIPPED: %s kernels, this machine does not run them\n", name_of(isa));
    }
    return isas;
}

struct Counts {
    std::uint64_t comparisons = 0, hits = 0, wrong = 0;
};

void compare(Counts& counts, const std::string& what, const std::vector<vdt_item>& got,
             const std::vector<vdt_item>& want) {
    ++counts.comparisons;
    counts.hits += want.size();
    const std::string text = difference(got, want);
    if (text.empty()) return;
    ++counts.wrong;
    if (counts.wrong <= 20) BOOST_ERROR(what + ": " + text);
}

// The engine below the operation: one way, cut into units at random.
std::vector<vdt_item> search_with(const Device& device, const Case& c, const find::Prepared& prepared,
                                  const find::Scene& scene, const find::Bound* bound,
                                  const find::PatternSpectrum* spectrum, const vdt_template_find_params& params,
                                  Random& random, const find::MaskedBound* masked = nullptr) {
    const find::Excluded none;
    find::Goal goal;
    goal.threshold = params.threshold;
    goal.best_only = (params.flags & VDT_FIND_BEST_ONLY) != 0;
    goal.local_maxima = (params.flags & VDT_FIND_LOCAL_MAXIMA) != 0;
    goal.max_results = 1u << 20;
    goal.begin();
    find::Task task;
    task.kernels = &find::kernels_for(device.isa);
    task.scene = &scene;
    task.pattern = &prepared.pattern();
    task.excluded = &none;
    task.dense = &prepared.dense();
    task.bound = bound;
    task.spectrum = spectrum;
    task.masked = masked;
    task.prepared = &prepared;
    task.isa = device.isa;
    task.goal = &goal;
    find::Worker worker, other;
    find::HitList lists[2];
    find::HitList &hits = lists[0], &taken = lists[1];
    const int columns = c.scores.w, rows = c.scores.h;
    std::vector<find::Unit> units;
    if (spectrum != nullptr) {
        const find::FftBlock block = find::fft_block(prepared.pattern(), spectrum->n());
        for (int y = 0; y < rows; y += block.rows)
            for (int x = 0; x < columns; x += block.columns)
                units.push_back({x, y, std::min(block.columns, columns - x), std::min(block.rows, rows - y)});
    } else {
        const int cut_x = pick(random, 0, columns), cut_y = pick(random, 0, rows);
        units = {{0, 0, cut_x, cut_y},
                 {cut_x, 0, columns - cut_x, cut_y},
                 {0, cut_y, cut_x, rows - cut_y},
                 {cut_x, cut_y, columns - cut_x, rows - cut_y}};
    }
    for (const find::Unit& unit : units) {
        if (unit.columns == 0 || unit.rows == 0) continue;
        if (!prepared.pattern().small() && bound == nullptr)
            find::search_large(task, unit, worker, hits);
        else if (masked != nullptr)
            find::search_masked(task, unit, worker, hits);
        else if (bound != nullptr) {
            // All the while another thread takes rows.
            find::RowShare share;
            share.reset(unit.rows);
            std::thread helper([&] {
                for (int first = 0, last = 0; share.take_half(first, last);) {
                    find::PrunedSearch part{task, &taken};
                    find::search_pruned({&part, 1}, {unit.x, unit.y + first, unit.columns, last - first}, other);
                }
            });
            find::PrunedSearch search{task, &hits};
            find::search_pruned({&search, 1}, unit, worker, &share);
            helper.join();
        } else
            find::search_dense(task, unit, worker, hits);
    }
    std::vector<find::Hit> joined;
    find::join_hits(goal, lists, std::size(lists), joined);
    std::vector<vdt_item> items;
    for (const find::Hit& hit : joined)
        items.push_back({static_cast<float>(hit.x), static_cast<float>(hit.y), static_cast<float>(c.pattern.width),
                         static_cast<float>(c.pattern.height), hit.score, 0, 0, 0, 0});
    return items;
}

// Fewer blocks, anywhere among those of the grid or a few pixels off.
find::BlockGrid part_of(const find::BlockGrid& grid, Random& random) {
    find::BlockGrid part = grid;
    part.columns = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(grid.columns));
    part.pair_rows = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(grid.pair_rows));
    part.left += static_cast<int>(random() % static_cast<std::uint64_t>(grid.covered_w() - part.covered_w() + 1));
    part.top += static_cast<int>(random() % static_cast<std::uint64_t>(grid.covered_h() - part.covered_h() + 1));
    return part;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_way_of_searching_equals_brute_force) {
    Host host(1);
    const std::vector<Isa> isas = isas_here();
    Counts counts;
    std::uint64_t masked_comparisons = 0;
    const std::int64_t cases = setting("VEDETTE_SEARCH_CASES", 30), seed = setting("VEDETTE_SEARCH_SEED", 1);
    for (std::int64_t number = 0; number < cases; ++number) {
        Random random(static_cast<std::uint64_t>(seed * 1000003 + number));
        const Case c = make_case(random, static_cast<std::uint64_t>(number));
        const vdt_image view = c.scene.view(), pattern_view = c.pattern.view();
        const vdt_image mask_view = c.masked ? c.mask.view() : no_image();
        const find::Prepared prepared(find::read_pattern(pattern_view, &mask_view));
        const double most = highest(c.scores);
        for (const Isa isa : isas) {
            const Device device{&host.table, isa, 1};
            find::Scene scene;
            scene.set(device, nullptr, view, {0, 0, c.scene.width, c.scene.height});
            for (const double threshold : {most, 0.95, 0.8, 0.5}) {
                vdt_template_find_params params{};
                params.threshold = threshold;
                const std::vector<vdt_item> want = expected_items(c.scores, c.pattern, 0, params);
                const std::string what = c.what + ", " + name_of(isa) + ", threshold " + std::to_string(threshold);
                compare(counts, what + ", dense",
                        search_with(device, c, prepared, scene, nullptr, nullptr, params, random), want);
                int n = 8;
                while (n < std::max(c.pattern.width, c.pattern.height)) n *= 2;
                if (random() % 2 == 0) n *= 2;
                compare(counts, what + ", transforms of " + std::to_string(n),
                        search_with(device, c, prepared, scene, nullptr, &prepared.spectrum(find::kernels_for(isa), n),
                                    params, random),
                        want);
                if (prepared.pattern().masked) {
                    for (const find::BlockShape shape :
                         {find::BlockShape{1, 1}, {2, 2}, {4, 2}, {3, 5}, {4, 4}, {8, 4}, {8, 8}}) {
                        if (!find::shape_fits(prepared.pattern(), shape)) continue;
                        const find::MaskedBound& masked = prepared.masked_bound(shape);
                        if (masked.pairs.empty() ||
                            find::masked_limit(prepared.pattern(), masked, threshold) < 1.001 * masked.residual)
                            continue;
                        ++masked_comparisons;
                        compare(counts,
                                what + ", masked blocks " + std::to_string(shape.w) + " x " + std::to_string(shape.h),
                                search_with(device, c, prepared, scene, nullptr, nullptr, params, random, &masked),
                                want);
                    }
                }
                if (prepared.pattern().masked || threshold <= 0.05) continue;
                for (const find::BlockShape shape : {find::BlockShape{1, 1},
                                                     {2, 2},
                                                     {4, 2},
                                                     {2, 4},
                                                     {4, 4},
                                                     {3, 5},
                                                     {7, 3},
                                                     {8, 4},
                                                     {8, 8},
                                                     {16, 4},
                                                     {16, 8},
                                                     {16, 16}}) {
                    if (!find::shape_fits(prepared.pattern(), shape)) continue;
                    if (isa == Isa::portable && random() % 3 != 0) continue;  // slow
                    find::BlockGrid grid = find::whole_grid(prepared.pattern(), shape);
                    if (random() % 3 == 0) grid = part_of(grid, random);
                    const std::string name = what + ", blocks " + std::to_string(shape.w) + " x " +
                                             std::to_string(shape.h) + ", " + std::to_string(grid.columns) + " x " +
                                             std::to_string(grid.pair_rows) + " pairs at " + std::to_string(grid.left) +
                                             ", " + std::to_string(grid.top);
                    compare(counts, name,
                            search_with(device, c, prepared, scene, &prepared.bound(grid), nullptr, params, random),
                            want);
                }
            }
        }
    }
    std::printf("ways of searching: %lld cases, %llu comparisons, %llu hits, %llu wrong\n",
                static_cast<long long>(cases), static_cast<unsigned long long>(counts.comparisons),
                static_cast<unsigned long long>(counts.hits), static_cast<unsigned long long>(counts.wrong));
    BOOST_TEST(counts.wrong == 0u);
    BOOST_TEST(counts.comparisons > 0u);
    BOOST_TEST(masked_comparisons > 0u);
}

BOOST_AUTO_TEST_CASE(patterns_of_one_size_searched_together_equal_brute_force) {
    const std::vector<Isa> isas = isas_here();
    Counts counts;
    std::uint64_t shared = 0;
    for (int number = 0; number < 12; ++number) {
        Random random(static_cast<std::uint64_t>(900 + number));
        const int w = pick(random, 8, 40), h = pick(random, 8, 40), channels = number % 3 == 0 ? 3 : 1;
        const Picture scene = make_scene(random, number % scene_kind_count, w + 150, h + 70, channels);
        std::vector<Picture> patterns;
        std::string how;
        while (patterns.size() < 5) {
            Picture pattern = make_pattern(random, scene, w, h, how);
            if (has_variance(pattern, nullptr)) patterns.push_back(std::move(pattern));
        }
        std::vector<Scores> scores;
        for (const Picture& pattern : patterns) scores.push_back(brute_scores(scene, pattern, nullptr));
        for (const Isa isa : isas)
            for (const std::uint32_t workers : {1u, 3u}) {
                Host host(workers);
                const Device device{&host.table, isa, workers};
                FindCall call;
                call.scene = &scene;
                for (const Picture& pattern : patterns) call.patterns.push_back(&pattern);
                // Low thresholds leave so many windows that some patterns are given up and others are not.
                for (const double threshold : {0.35, 0.7, 0.95}) {
                    call.params = {};
                    call.params.threshold = threshold;
                    call.params.max_results = 1u << 20;
                    std::vector<vdt_item> items, want;
                    BOOST_TEST(call.run(device, items) == VDT_OK);
                    for (std::size_t p = 0; p < patterns.size(); ++p) {
                        const std::vector<vdt_item> some =
                            expected_items(scores[p], patterns[p], static_cast<std::uint32_t>(p), call.params);
                        want.insert(want.end(), some.begin(), some.end());
                    }
                    compare(counts,
                            "together " + std::to_string(number) + ", " + name_of(isa) + ", threshold " +
                                std::to_string(threshold),
                            items, want);
                }
                // The engine below: one grid for all, the whole scene as one unit.
                find::Scene read;
                read.set(device, nullptr, scene.view(), {0, 0, scene.width, scene.height});
                const find::Excluded none;
                std::vector<std::unique_ptr<find::Prepared>> prepared;
                for (const Picture& pattern : patterns)
                    prepared.push_back(std::make_unique<find::Prepared>(find::read_pattern(pattern.view(), nullptr)));
                std::vector<find::Goal> goals(patterns.size());
                std::vector<find::HitList> hits(patterns.size());
                std::vector<find::PrunedSearch> searches;
                const find::BlockGrid grid = prepared[0]->grids().front();
                vdt_template_find_params params{};
                params.threshold = 0.6;
                for (std::size_t p = 0; p < patterns.size(); ++p) {
                    goals[p].threshold = params.threshold;
                    goals[p].max_results = 1u << 20;
                    goals[p].begin();
                    find::Task task;
                    task.kernels = &find::kernels_for(isa);
                    task.scene = &read;
                    task.pattern = &prepared[p]->pattern();
                    task.excluded = &none;
                    task.dense = &prepared[p]->dense();
                    task.bound = &prepared[p]->bound(grid);
                    task.goal = &goals[p];
                    task.prepared = prepared[p].get();
                    task.isa = isa;
                    searches.push_back({task, &hits[p]});
                    BOOST_TEST(find::share_sweep(searches[0].task, task));
                }
                find::Worker worker;
                find::search_pruned(searches, {0, 0, scores[0].w, scores[0].h}, worker);
                for (std::size_t p = 0; p < patterns.size(); ++p, ++shared) {
                    std::vector<find::Hit> joined;
                    find::join_hits(goals[p], &hits[p], 1, joined);
                    std::vector<vdt_item> items;
                    for (const find::Hit& hit : joined)
                        items.push_back({static_cast<float>(hit.x), static_cast<float>(hit.y), static_cast<float>(w),
                                         static_cast<float>(h), hit.score, 0, 0, 0, 0});
                    compare(counts, "one sweep " + std::to_string(number) + ", " + name_of(isa), items,
                            expected_items(scores[p], patterns[p], 0, params));
                }
            }
    }
    std::printf("searched together: %llu comparisons, %llu hits, %llu wrong\n",
                static_cast<unsigned long long>(counts.comparisons), static_cast<unsigned long long>(counts.hits),
                static_cast<unsigned long long>(counts.wrong));
    BOOST_TEST(counts.wrong == 0u);
    BOOST_TEST(shared > 0u);
}

BOOST_AUTO_TEST_CASE(patterns_beyond_32_bit_sums_equal_brute_force) {
    Host host(2);
    Counts counts;
    const std::vector<Isa> isas = isas_here();
    std::uint64_t pruned = 0;
    for (int number = 0; number < 7; ++number) {
        Random random(static_cast<std::uint64_t>(number));
        Case c;
        // Its sums of squares exceed 32 bits several times: for the bound alone.
        const bool largest = number == 6;
        const int channels = number % 2 == 0 && !largest ? 1 : 3;
        int w = channels == 1 ? 401 : 250, h = channels == 1 ? 330 : 180;
        if (largest) {
            w *= 2;
            h *= 2;
        }
        c.scene = make_scene(random, number == 0 ? 9 : pick(random, 0, scene_kind_count - 1), w + 9, h + 4, channels);
        if (largest)
            for (std::uint8_t& value : c.scene.bytes) value = value < 100 ? 0 : 255;
        std::string how;
        c.pattern = make_pattern(random, c.scene, w, h, how);
        c.masked = number == 4 || number == 5;
        if (c.masked) {
            c.mask = Picture(w, h, 1);
            for (std::uint8_t& m : c.mask.bytes) m = random() % 4 != 0 ? 255 : 0;
        }
        if (!has_variance(c.pattern, c.mask_or_null())) continue;
        c.scores = brute_scores(c.scene, c.pattern, c.mask_or_null());
        const vdt_image view = c.scene.view(), pattern_view = c.pattern.view(),
                        mask_view = c.masked ? c.mask.view() : no_image();
        const find::Prepared prepared(find::read_pattern(pattern_view, &mask_view));
        BOOST_TEST(!prepared.pattern().small());
        for (const Isa isa : isas) {
            const Device device{&host.table, isa, host.threads};
            find::Scene scene;
            scene.set(device, nullptr, view, {0, 0, c.scene.width, c.scene.height});
            vdt_template_find_params params{};
            params.threshold = number % 3 == 0 ? -1 : highest(c.scores);
            const std::vector<vdt_item> want = expected_items(c.scores, c.pattern, 0, params);
            const std::string what = "large pattern " + std::to_string(number) + ", " + name_of(isa);
            if (!largest) {
                compare(counts, what + ", direct",
                        search_with(device, c, prepared, scene, nullptr, nullptr, params, random), want);
                compare(counts, what + ", transforms",
                        search_with(device, c, prepared, scene, nullptr,
                                    &prepared.spectrum(find::kernels_for(isa), 512), params, random),
                        want);
            }
            for (const double threshold : {0.7, highest(c.scores)}) {
                if (c.masked || threshold <= 0.05) continue;
                params.threshold = threshold;
                const std::vector<vdt_item> reached = expected_items(c.scores, c.pattern, 0, params);
                std::vector<find::BlockGrid> grids = prepared.grids();
                while (grids.size() > 1)
                    grids.erase(grids.begin() + static_cast<std::ptrdiff_t>(random() % grids.size()));
                grids.push_back(part_of(find::whole_grid(prepared.pattern(), {16, 16}), random));
                for (const find::BlockGrid& grid : grids) {
                    if (grid.blocks() > 480) continue;
                    ++pruned;
                    compare(counts, what + ", bound of " + std::to_string(grid.blocks()) + " blocks",
                            search_with(device, c, prepared, scene, &prepared.bound(grid), nullptr, params, random),
                            reached);
                }
            }
            if (largest) continue;
            FindCall call;
            call.scene = &c.scene;
            call.patterns = {&c.pattern};
            call.masks = {c.mask_or_null()};
            call.params.threshold = number % 3 == 0 ? -1 : highest(c.scores);
            call.params.max_results = 1000;
            std::vector<vdt_item> items;
            BOOST_TEST(call.run(device, items) == VDT_OK);
            compare(counts, what + ", operation", items, want);
        }
    }
    BOOST_TEST(counts.wrong == 0u);
    BOOST_TEST(pruned > 0u);
}

BOOST_AUTO_TEST_CASE(the_operation_equals_brute_force) {
    Host host(3);
    const std::vector<Isa> isas = isas_here();
    Counts counts;
    const std::int64_t cases = setting("VEDETTE_SEARCH_CASES", 30), seed = setting("VEDETTE_SEARCH_SEED", 1) + 7777;
    for (std::int64_t number = 0; number < cases; ++number) {
        Random random(static_cast<std::uint64_t>(seed * 1000003 + number));
        const Case c = make_case(random, static_cast<std::uint64_t>(number));
        const double most = highest(c.scores);
        for (const Isa isa : isas) {
            const Device device{&host.table, isa, host.threads};
            const auto plan = template_find_operation.plan(device, vdt_query{});
            for (const std::uint32_t flags :
                 {0u, std::uint32_t{VDT_FIND_LOCAL_MAXIMA}, std::uint32_t{VDT_FIND_BEST_ONLY},
                  std::uint32_t{VDT_FIND_LOCAL_MAXIMA | VDT_FIND_BEST_ONLY}})
                for (const double threshold : {most, 1.0, 0.9, 0.6, 0.0, -1.0}) {
                    if (threshold <= 0 && random() % 3 != 0) continue;
                    FindCall call;
                    call.scene = &c.scene;
                    call.patterns = {&c.pattern};
                    call.masks = {c.mask_or_null()};
                    call.params.threshold = threshold;
                    call.params.flags = flags;
                    call.params.max_results = 1u << 20;
                    call.capacity = 1u << 16;
                    std::vector<vdt_rect> exclude;
                    if (random() % 2 == 0) {
                        const int w = pick(random, 1, c.scene.width), h = pick(random, 1, c.scene.height);
                        call.params.region = {pick(random, 0, c.scene.width - w), pick(random, 0, c.scene.height - h),
                                              w, h};
                        for (int e = pick(random, 0, 3); e > 0; --e)
                            exclude.push_back({pick(random, -20, c.scene.width), pick(random, -20, c.scene.height),
                                               pick(random, -1, 30), pick(random, -1, 30)});
                        call.params.exclude = exclude.data();
                        call.params.exclude_count = static_cast<std::uint32_t>(exclude.size());
                    }
                    std::vector<vdt_item> items;
                    std::uint64_t needed = 0;
                    const vdt_code code = call.run(device, items, &needed, plan.get());
                    const std::vector<vdt_item> want = expected_items(c.scores, c.pattern, 0, call.params);
                    const std::string what = c.what + ", " + name_of(isa) + ", threshold " + std::to_string(threshold) +
                                             ", flags " + std::to_string(flags);
                    BOOST_TEST(code == VDT_OK, what);
                    BOOST_TEST(needed == want.size(), what);
                    compare(counts, what, items, want);
                }
        }
    }
    std::printf("the operation: %lld cases, %llu comparisons, %llu hits, %llu wrong\n", static_cast<long long>(cases),
                static_cast<unsigned long long>(counts.comparisons), static_cast<unsigned long long>(counts.hits),
                static_cast<unsigned long long>(counts.wrong));
    BOOST_TEST(counts.wrong == 0u);
}

BOOST_AUTO_TEST_CASE(maps_equal_brute_force) {
    Host host(2);
    const std::int64_t cases = setting("VEDETTE_SEARCH_CASES", 30) / 2,
                       seed = setting("VEDETTE_SEARCH_SEED", 1) + 55555;
    const std::vector<Isa> isas = isas_here();
    std::uint64_t values = 0, wrong = 0;
    for (std::int64_t number = 0; number < cases; ++number) {
        Random random(static_cast<std::uint64_t>(seed * 1000003 + number));
        const Case c = make_case(random, static_cast<std::uint64_t>(number));
        for (const Isa isa : isas)
            for (std::uint32_t method = 0; method < 6; ++method) {
                const Device device{&host.table, isa, host.threads};
                std::vector<float> map;
                BOOST_TEST(run_map(device, c.scene, c.pattern, c.mask_or_null(), method, map) == VDT_OK);
                for (int y = 0; y < c.scores.h; ++y)
                    for (int x = 0; x < c.scores.w; ++x) {
                        const Sums s = sums_at(c.scene, c.pattern, c.mask_or_null(), x, y);
                        std::int64_t num = s.n * s.it;
                        for (int k = 0; k < c.scene.channels; ++k) num -= s.i[k] * s.t[k];
                        const double norm = std::sqrt(static_cast<double>(s.ii) * static_cast<double>(s.tt));
                        const std::int64_t diff = s.ii + s.tt - 2 * s.it;
                        const double normed = norm == 0 ? (diff == 0 ? 0 : 1) : static_cast<double>(diff) / norm;
                        const double want =
                            method == VDT_MATCH_SQDIFF          ? static_cast<double>(diff)
                            : method == VDT_MATCH_SQDIFF_NORMED ? (c.masked ? normed : std::min(1.0, normed))
                            : method == VDT_MATCH_CCORR         ? static_cast<double>(s.it)
                            : method == VDT_MATCH_CCORR_NORMED
                                ? (norm == 0 ? 0 : std::min(1.0, static_cast<double>(s.it) / norm))
                            : method == VDT_MATCH_CCOEFF ? static_cast<double>(num) / static_cast<double>(s.n)
                                                         : c.scores.at(x, y);
                        ++values;
                        if (map[static_cast<std::size_t>(y) * static_cast<std::size_t>(c.scores.w) +
                                static_cast<std::size_t>(x)] == static_cast<float>(want))
                            continue;
                        if (++wrong <= 20)
                            BOOST_ERROR(c.what + ", " + name_of(isa) + ", method " + std::to_string(method));
                    }
            }
    }
    std::printf("maps: %lld cases, %llu values, %llu wrong\n", static_cast<long long>(cases),
                static_cast<unsigned long long>(values), static_cast<unsigned long long>(wrong));
    BOOST_TEST(wrong == 0u);
}
