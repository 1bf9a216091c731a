// Which backend, device and variant is taken by prediction.
#define BOOST_TEST_MODULE choice
#include "boost_test.h"
#include "choice_fixture.h"

#include <limits>

using namespace vedette::host;
using namespace vedette::test;

BOOST_AUTO_TEST_SUITE(choice)

BOOST_AUTO_TEST_CASE(the_fastest_is_taken) {
    Machines machines;
    machines.first.cost = takes(20);
    machines.second.cost = takes(3);
    machines.third.cost = takes(11);
    Context& context = machines.start(at_once);
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(contains(find.report.choice, "second is predicted fastest: 3."));
    BOOST_TEST(contains(find.report.choice, "; third 11."));
    BOOST_TEST(contains(find.report.choice, "; first 20."));
    BOOST_TEST(find.report.predicted_ms == 3.0, boost::test_tools::tolerance(0.02));
    BOOST_TEST(machines.first.runs + machines.third.runs == 0);
}

BOOST_AUTO_TEST_CASE(the_fastest_variant_and_device_are_taken) {
    Machines machines;
    machines.first.variants = {"slow", "fast", "slowest"};
    machines.first.cost = [](const vdt_query& query, vdt_cost& cost, vdt_error* error) {
        const double times[] = {8, 2, 30};
        vdt_query plain = query;
        plain.variant = 0;
        return takes(times[query.variant])(plain, cost, error);
    };
    Context& context = machines.start(at_once);
    Find find;
    BOOST_TEST(find.run(context, "first") == VDT_OK);
    BOOST_TEST(find.report.variant == "fast");
    BOOST_TEST(find.report.choice == "first was asked for by the call");
    BOOST_TEST(find.report.predicted_ms == 2.0, boost::test_tools::tolerance(0.02));
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.variant == "fast");
}

BOOST_AUTO_TEST_CASE(the_policy_comes_first) {
    Machines machines;
    machines.first.cost = takes(20);
    machines.second.cost = takes(3);
    machines.third.cost = takes(1);
    Context& context = machines.start(
        R"(, "model": {"opening": "at_once"}, "policy": {"default": {"mode": "forbid", "backends": ["third"]}})");
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(machines.third.creates == 0);
    BOOST_TEST(find.run(context, "first") == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    context.set_preferable_backend("first");
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    BOOST_TEST(find.report.choice == "first is preferred by the application");
    // What is preferred and fails gives way to the fastest of the others.
    machines.first.run = [](const vdt_call&, vdt_error* error) { return fail(error, VDT_E_BUSY, "Later."); };
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    context.set_preferable_backend("auto");
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
}

BOOST_AUTO_TEST_CASE(what_has_no_costs_comes_last) {
    Machines machines;
    machines.second.cost = takes(1000);
    machines.third.cost = [](const vdt_query&, vdt_cost& cost, vdt_error*) -> vdt_code {
        cost.stage_count = 1;
        cost.stages[0].work = std::numeric_limits<double>::quiet_NaN();
        return VDT_OK;
    };
    Context& context = machines.start(at_once);
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(find.report.choice == "second is next in the configured order");
    machines.second.run = [](const vdt_call&, vdt_error* error) { return fail(error, VDT_E_BUSY, "Later."); };
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    BOOST_TEST(find.report.predicted_ms == -1);
}

BOOST_AUTO_TEST_CASE(where_the_image_lies_counts) {
    // A megapixel of gray costs 1 MB at 6 GB/s = 0.17 ms and a latency; resident it costs nothing.
    Machines machines;
    machines.first.own_memory = false;
    machines.first.cost = takes(0);
    machines.first.cost = [](const vdt_query&, vdt_cost& cost, vdt_error*) -> vdt_code {
        cost.flags = VDT_COST_EXACT;
        cost.stage_count = 1;
        cost.stages[0] = {};
        cost.stages[0].divergence = 1;
        cost.stages[0].global_bytes = 5e5;
        return VDT_OK;
    };
    machines.second.cost = takes(0.001);
    machines.second.keeps_images = true;
    Context& context = machines.start(at_once);
    Find find;
    SharedImage screen(Image(VDT_FORMAT_GRAY8, 1000, 1000));
    find.operation.inputs[0] = OperationImage::of(screen);
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    BOOST_TEST(find.run(context, "second") == VDT_OK);  // now it is there
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(find.report.predicted_ms < 0.02);
}

BOOST_AUTO_TEST_CASE(a_busy_device_gives_way) {
    Machines machines;
    machines.first.cost = takes(10);
    machines.second.cost = takes(12);
    Context& context = machines.start(at_once);
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    const std::shared_ptr<Device> device = context.registry().devices("first")[0];
    ++device->running();
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(contains(find.report.choice, "second is taken: 12.0 ms; first 10.0 ms"));
    --device->running();
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
}

BOOST_AUTO_TEST_SUITE_END()
