// The source's own formulas, each against figures worked out by hand.
#define BOOST_TEST_MODULE formulas
#include <vedette/plugin/cpp/expectation.hpp>
#include "boost_test.h"
#include "model/caching.h"
#include "model/cascade_counts.h"
#include "model/estimate.h"

#include <cmath>

using namespace vedette::model;
using namespace vedette::plugin;

namespace {

constexpr double tiny = 1e-9;  // relative: rounding only

// 10 multiprocessors of 8 processors, 1 ns an operation, 20 ns a global and 2 ns a near reference, 10 us a start.
SourceMachine machine() {
    SourceMachine made;
    made.cpu_rate = 2e9;
    made.multiprocessors = 10;
    made.processors = 8;
    made.operation_time = 1e-9;
    made.global_time = 20e-9;
    made.near_time = 2e-9;
    made.start_time = 10e-6;
    made.to_device_rate = 4e9;
    made.to_host_rate = 2e9;
    return made;
}

bool equal(Tile tile, std::uint32_t across, std::uint32_t down) {
    return tile.across == across && tile.down == down;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(estimate)

BOOST_AUTO_TEST_CASE(time_on_the_cpu) {
    BOOST_TEST(cpu_seconds(machine(), 1e6) == 0.5e-3, boost::test_tools::tolerance(tiny));
    BOOST_TEST(cpu_seconds(machine(), 0) == 0.0);
}

BOOST_AUTO_TEST_CASE(time_on_the_gpu) {
    // A stage of 8e6 operations, 4e5 global and 1e6 near references: (8 ms + 8 ms + 2 ms) / 80 = 225 us, and 10 us.
    const StageCounts stage{8e6, 4e5, 1e6};
    BOOST_TEST(stage_seconds(machine(), stage) == 235e-6, boost::test_tools::tolerance(tiny));
    // Two of them; 4 MB up at 4 GB/s = 1 ms, 1 MB down at 2 GB/s = 0.5 ms.
    const AlgorithmCounts counts{4e6, 1e6, {stage, stage}};
    BOOST_TEST(gpu_seconds(machine(), counts) == 1.97e-3, boost::test_tools::tolerance(tiny));
    // An empty algorithm of three stages still starts three kernels.
    BOOST_TEST(gpu_seconds(machine(), {0, 0, {{}, {}, {}}}) == 30e-6, boost::test_tools::tolerance(tiny));
}

BOOST_AUTO_TEST_CASE(three_way_decision) {
    BOOST_TEST((decide(1, 2, 3) == Place::Cpu));
    BOOST_TEST((decide(2, 1, 3) == Place::Gpu));
    BOOST_TEST((decide(3, 2, 1) == Place::GpuCached));
    BOOST_TEST((decide(1, 1, 1) == Place::Cpu));
    BOOST_TEST((decide(2, 1, 1) == Place::Gpu));
}

BOOST_AUTO_TEST_CASE(bank_conflicts) {
    BOOST_TEST(bank_serialisation(0, 32) == 1.0);
    BOOST_TEST(bank_serialisation(1, 32) == 1.0);
    BOOST_TEST(bank_serialisation(33, 32) == 1.0);
    BOOST_TEST(bank_serialisation(2, 32) == 2.0);
    BOOST_TEST(bank_serialisation(12, 16) == 4.0);
    BOOST_TEST(bank_serialisation(32, 32) == 32.0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(caching)

BOOST_AUTO_TEST_CASE(references) {
    // 5 x 5 filter, 25 references each, a million outputs; tile of 32 x 32: 36 x 36 = 1296 loads for 1024 outputs.
    const CachedInput filter{5, 5, 25, 4};
    BOOST_TEST(uncached_references(filter, 1e6) == 25e6);
    BOOST_TEST(cached_references(filter, {32, 32}, 1e6) == 1e6 / 1024 * 1296, boost::test_tools::tolerance(tiny));
    BOOST_TEST(tile_bytes(filter, {32, 32}) == 5184.0);
}

BOOST_AUTO_TEST_CASE(two_dimensions) {
    // 16 KiB hold 4096 words: bundles of 16 give 48 x 64 (52 x 68 = 3536 words, 3072 outputs); 64 x 64 takes 4624.
    // 32 x 96 (36 x 100 = 3600) and 16 x 192 have as many outputs but more references.
    const Caching found = choose_caching({{5, 5, 25, 4}}, 16, 16384);
    BOOST_TEST(found.cached[0]);
    BOOST_TEST((equal(found.tile, 48, 64) || equal(found.tile, 64, 48)));
    BOOST_TEST(found.bytes == 3536.0 * 4);
    // Bundles of 32: 32 x 96 fits (3600), 64 x 64 does not.
    const Caching wide = choose_caching({{5, 5, 25, 4}}, 32, 16384);
    BOOST_TEST((equal(wide.tile, 32, 96) || equal(wide.tile, 96, 32)));
    // Not even 32 x 32 (36 x 36 words) fits.
    const Caching none = choose_caching({{5, 5, 25, 4}}, 32, 5183);
    BOOST_TEST(!none.cached[0]);
    BOOST_TEST(equal(none.tile, 0, 0));
    BOOST_TEST(none.bytes == 0.0);
    BOOST_TEST(choose_caching({{5, 5, 25, 4}}, 32, 5184).cached[0]);
}

BOOST_AUTO_TEST_CASE(one_dimension) {
    // 1024 words, 9 taps: n_x + 8 <= 1024, so 31 bundles of 32 = 992.
    const Caching found = choose_caching({{9, 1, 9, 4}}, 32, 4096);
    BOOST_TEST(equal(found.tile, 992, 1));
    BOOST_TEST(found.bytes == 4000.0);
}

BOOST_AUTO_TEST_CASE(three_dimensions_are_two_with_long_elements) {
    // Elements of 16 words, region 3 x 3: 32 x 32 outputs need 34 x 34 x 64 = 73,984 bytes.
    BOOST_TEST(!choose_caching({{3, 3, 9, 64}}, 32, 49152).cached[0]);
    const Caching found = choose_caching({{3, 3, 9, 64}}, 32, 73984);
    BOOST_TEST(found.cached[0]);
    BOOST_TEST(equal(found.tile, 32, 32));
}

BOOST_AUTO_TEST_CASE(reads_that_do_not_repeat_are_not_cached) {
    // One reference a output: a cached tile loads just as many, so nothing is gained.
    BOOST_TEST(!choose_caching({{1, 1, 1, 4}}, 32, 49152).cached[0]);
    // Two references a region of 9 x 9 need more loads with a cache of one bundle (40 x 40 / 1024 = 1.56 < 2: fewer).
    BOOST_TEST(choose_caching({{9, 9, 2, 4}}, 32, 6400).cached[0]);
    BOOST_TEST(!choose_caching({{9, 9, 1.5, 4}}, 32, 6400).cached[0]);
}

BOOST_AUTO_TEST_CASE(several_inputs_share_the_budget) {
    // Each alone takes 36 x 36 x 4 = 5184 bytes with one bundle each way: both fit 10,368.
    const CachedInput dense{5, 5, 25, 4}, sparse{5, 5, 4, 4};
    const Caching both = choose_caching({dense, sparse}, 32, 10368);
    BOOST_TEST(both.cached[0]);
    BOOST_TEST(both.cached[1]);
    BOOST_TEST(equal(both.tile, 32, 32));
    BOOST_TEST(both.bytes == 10368.0);
    // One byte less: the one that saves less goes, and the other gets all of it.
    const Caching one = choose_caching({sparse, dense}, 32, 10367);
    BOOST_TEST(!one.cached[0]);
    BOOST_TEST(one.cached[1]);
    BOOST_TEST((equal(one.tile, 32, 64) || equal(one.tile, 64, 32)));
    BOOST_TEST(one.bytes == 36.0 * 68 * 4);
    // What has nothing to gain leaves its bytes to the other, whatever fits.
    const Caching gained = choose_caching({{1, 1, 1, 4}, dense}, 32, 20000);
    BOOST_TEST(!gained.cached[0]);
    BOOST_TEST(gained.bytes == 68.0 * 68 * 4);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cascade)

BOOST_AUTO_TEST_CASE(counts_of_a_weak_classifier) {
    BOOST_TEST(classifier_operations().additions == 12.0);
    BOOST_TEST(classifier_operations().multiplications == 4.0);
    BOOST_TEST(classifier_operations().comparisons == 1.0);
    BOOST_TEST(classifier_operations_on_cpu() == 21.0);
    BOOST_TEST(classifier_operations_on_gpu() == 17.0);
    BOOST_TEST(classifier_global_refs(false) == 30.0);
    BOOST_TEST(classifier_global_refs(true) == 12.0);
}

BOOST_AUTO_TEST_CASE(classifiers_in_constant_memory) {
    BOOST_TEST(classifier_bytes() == 72u);
    BOOST_TEST(classifiers_that_fit(65536) == 910u);
    BOOST_TEST(parts_of(910, 65536) == 1u);
    BOOST_TEST(parts_of(911, 65536) == 2u);
    BOOST_TEST(parts_of(2913, 65536) == 4u);
    BOOST_TEST(parts_of(2913, 71) == 0u);
}

BOOST_AUTO_TEST_CASE(windows_of_each_scale) {
    // 30 x 28, window 24, step 1.2: scale 1: 7 x 5 = 35. Scale 1.2: side 28; (30 - 28) / 1.2 = 1.67: 2 columns, 1 row.
    // Scale 1.44: side 34 is too large.
    const std::vector<double> windows = windows_by_scale({30, 28, 24, 1.2, 100});
    BOOST_REQUIRE(windows.size() == 2u);
    BOOST_TEST(windows[0] == 35.0);
    BOOST_TEST(windows[1] == 2.0);
    BOOST_TEST(windows_by_scale({23, 100}).empty());
    BOOST_TEST(windows_by_scale({100, 100, 24, 1.0, 1}).empty());
}

BOOST_AUTO_TEST_CASE(whole_searches) {
    const CascadeSearch search{30, 28, 24, 1.2, 1820};
    BOOST_TEST(cascade_operations_on_cpu(search) == 37.0 * 1820 * 21);
    const AlgorithmCounts global = cascade_counts_on_gpu(search, false, 65536);
    BOOST_REQUIRE(global.stages.size() == 2u);  // one a scale
    BOOST_TEST(global.bytes_to_device == 31.0 * 29 * 4);
    BOOST_TEST(global.bytes_to_host == 37.0);  // a flag a window
    BOOST_TEST(global.stages[0].operations == 35.0 * 1820 * 17);
    BOOST_TEST(global.stages[1].global_refs == 2.0 * 1820 * 30);
    BOOST_TEST(global.stages[0].near_refs == 0.0);
    // Two parts of 910 classifiers: each scale is two starts.
    const AlgorithmCounts constant = cascade_counts_on_gpu(search, true, 65536);
    BOOST_REQUIRE(constant.stages.size() == 4u);
    BOOST_TEST(constant.stages[0].global_refs == 35.0 * 910 * 12);
    BOOST_TEST(constant.stages[0].near_refs == 35.0 * 910 * 18);
    BOOST_TEST(constant.stages[3].operations == 2.0 * 910 * 17);
    BOOST_TEST(cascade_counts_on_gpu(search, true, 64).stages.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(expectation)

BOOST_AUTO_TEST_CASE(rates_from_samples) {
    BOOST_TEST(rate_of(0, 0) == 0.5);
    BOOST_TEST(rate_of(0, 99) == 0.005);
    BOOST_TEST(rate_of(99, 99) == 0.995);
    BOOST_TEST(rate_of(200, 99) == 0.995);
    BOOST_TEST(rate_of(1, 3, 0.2) == 0.3);
    BOOST_TEST(rate_of(0, 0, 0.2) == 0.2);
}

BOOST_AUTO_TEST_CASE(cascades) {
    // Stages of 3, 15 and 20 classifiers; half of the windows pass the first, a tenth of those the second:
    // 3 + 15 / 2 + 20 / 20 = 11.5 instead of 38.
    const double work[] = {3, 15, 20}, passes[] = {0.5, 0.1, 0.9};
    const CascadeSample sample{work, passes};
    BOOST_TEST(expected_work(sample) == 11.5, boost::test_tools::tolerance(tiny));
    const double all[] = {1, 1, 1};
    BOOST_TEST(expected_work({work, all}) == 38.0, boost::test_tools::tolerance(tiny));
    // Two lanes: stage 2 is issued with 1 - 1/4, stage 3 with 1 - 0.95^2 = 0.0975: 3 + 11.25 + 1.95 = 16.2.
    BOOST_TEST(expected_divergence(sample, 2) == 16.2 / 11.5, boost::test_tools::tolerance(tiny));
    BOOST_TEST(expected_divergence(sample, 1) == 1.0, boost::test_tools::tolerance(tiny));
    BOOST_TEST(expected_divergence({work, all}, 32) == 1.0, boost::test_tools::tolerance(tiny));
    // Never above all stages for all lanes; grows with the bundle.
    BOOST_TEST(expected_divergence(sample, 32) > expected_divergence(sample, 8));
    BOOST_TEST(expected_divergence(sample, 1e6) <= 38 / 11.5 + 1e-12);
    BOOST_TEST(expected_divergence({}, 32) == 1.0);
}

BOOST_AUTO_TEST_CASE(pruned_searches) {
    // A million positions, 20 operations each, 1000 more for one in a hundred: 30 million.
    BOOST_TEST(expected_pruned_work(1e6, 20, 1000, 0.01) == 30e6, boost::test_tools::tolerance(tiny));
    // Bundles of two: 1 - 0.99^2 = 0.0199 confirm: (20 + 19.9) / 30.
    BOOST_TEST(expected_pruned_divergence(20, 1000, 0.01, 2) == 39.9 / 30, boost::test_tools::tolerance(tiny));
    BOOST_TEST(expected_pruned_divergence(20, 1000, 1, 32) == 1.0, boost::test_tools::tolerance(tiny));
}

BOOST_AUTO_TEST_SUITE_END()
