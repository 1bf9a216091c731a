// The benchmark's measurements with images on a device, on the emulated CUDA backend: what it measures is right, and it
// notices what is not done.
#define BOOST_TEST_MODULE vedette_bench_device
#include "bench_device.h"
#include "boost_test.h"

#include <cstring>

namespace vedette::cli {

namespace {

std::string plugin() {
    const auto& suite = boost::unit_test::framework::master_test_suite();
    BOOST_REQUIRE_EQUAL(suite.argc, 2);
    return suite.argv[1];
}

Picture irregular(std::uint32_t width, std::uint32_t height) {
    Picture picture(VDT_FORMAT_GRAY8, width, height);
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            *picture.at(x, y) = static_cast<std::uint8_t>(x * 31 + y * y * 17 + x * y);
        }
    }
    return picture;
}

std::shared_ptr<Work> integral_work() {
    const auto work =
        std::make_shared<Work>(VDT_OP_INTEGRAL, vdt_integral_params{sizeof(vdt_integral_params), VDT_INTEGRAL_SUM});
    work->inputs.push_back(irregular(37, 21));
    work->outputs.emplace_back(VDT_FORMAT_I32, 38, 22);
    work->finish();
    return work;
}

std::vector<std::int32_t> sums_of(const Picture& in) {
    const std::uint32_t width = in.width() + 1;
    std::vector<std::int32_t> sums(std::size_t{width} * (in.height() + 1));
    for (std::uint32_t y = 0; y < in.height(); ++y) {
        std::int32_t row = 0;
        for (std::uint32_t x = 0; x < in.width(); ++x) {
            row += *in.at(x, y);
            sums[(y + 1) * width + x + 1] = sums[y * width + x + 1] + row;
        }
    }
    return sums;
}

void check_sums(const DeviceWork& on_device, const Picture& in) {
    const auto results = on_device.results();
    const std::vector<std::int32_t> expected = sums_of(in);
    BOOST_REQUIRE_EQUAL(results.size(), 1u);
    BOOST_REQUIRE_EQUAL(results[0].size(), expected.size() * sizeof(std::int32_t));
    BOOST_CHECK(std::memcmp(results[0].data(), expected.data(), results[0].size()) == 0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_device_is_opened_and_measured) {
    const BenchDevice device("cuda", plugin(), 0);
    BOOST_CHECK(device.holds_images());
    BOOST_CHECK_GT(device.measure_bandwidth(), 0);
    BOOST_CHECK_THROW(BenchDevice("cuda", plugin(), 1000), Problem);
    BOOST_CHECK_THROW(BenchDevice("cuda", plugin() + ".missing", 0), Problem);
}

BOOST_AUTO_TEST_CASE(results_are_those_of_the_operation) {
    const BenchDevice device("cuda", plugin(), 0);
    const auto work = integral_work();
    DeviceWork on_device(device, work);
    BOOST_CHECK(!on_device.variant().empty());
    BOOST_CHECK(on_device.can_queue());
    BOOST_CHECK(std::memcmp(on_device.results()[0].data(), sums_of(work->inputs[0]).data(), 100) != 0);  // not yet run
    on_device.run();
    check_sums(on_device, work->inputs[0]);
}

BOOST_AUTO_TEST_CASE(queued_runs_finish) {
    const BenchDevice device("cuda", plugin(), 0);
    const auto work = integral_work();
    DeviceWork on_device(device, work);
    on_device.run_queued(9);  // more than there are plans
    check_sums(on_device, work->inputs[0]);
}

BOOST_AUTO_TEST_CASE(a_find_on_residents_fills_its_list) {
    const BenchDevice device("cuda", plugin(), 0);
    vdt_template_find_params params{};
    params.struct_size = sizeof params;
    params.threshold = 0.99;
    params.pattern_count = 1;
    params.max_results = 10;
    const auto work = std::make_shared<Work>(VDT_OP_TEMPLATE_FIND, params);
    work->inputs.push_back(irregular(60, 40));
    work->inputs.push_back(crop(work->inputs[0], 21, 13, 12, 9));
    work->inputs.emplace_back();  // no mask
    work->lists_out.emplace_back(sizeof(vdt_item), 10);
    work->finish();
    DeviceWork on_device(device, work);
    BOOST_CHECK(!on_device.can_queue());
    on_device.run();
    const vdt_list& found = on_device.list(0);
    BOOST_REQUIRE_GE(found.count, 1u);
    const auto& best = *static_cast<const vdt_item*>(found.items);
    BOOST_CHECK_EQUAL(best.x, 21);
    BOOST_CHECK_EQUAL(best.y, 13);
}

BOOST_AUTO_TEST_CASE(what_the_backend_does_not_do_is_refused) {
    const BenchDevice device("cuda", plugin(), 0);
    const auto work =
        std::make_shared<Work>(VDT_OP_INTEGRAL, vdt_integral_params{sizeof(vdt_integral_params), VDT_INTEGRAL_SUM});
    work->inputs.push_back(irregular(37, 21));
    work->outputs.emplace_back(VDT_FORMAT_GRAY8, 38, 22);
    work->finish();
    BOOST_CHECK_THROW(DeviceWork(device, work), Problem);
}

}  // namespace vedette::cli
