#define BOOST_TEST_MODULE execution
#include "boost_test.h"
#include "find_fixture.h"

#include <limits>
#include <stdexcept>
#include <tuple>

using namespace vedette::host;
using namespace vedette::test;

BOOST_AUTO_TEST_SUITE(execution)

BOOST_AUTO_TEST_CASE(auto_takes_the_first_in_the_order) {
    Backends backends;
    backends.first.run = answer({item(0.9), item(0.6)});
    Context& context = backends.start();
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.list.count == 2u);
    BOOST_TEST(find.report.backend == "first");
    BOOST_TEST(find.report.device == "first device 0");
    BOOST_TEST(find.report.variant == "plain");
    BOOST_TEST(find.report.choice == "first is first in the configured order");
    BOOST_TEST(find.report.measured_ms >= 0);
    BOOST_TEST(find.report.predicted_ms == -1);
    // The others were asked whether they give costs, which would put them before it, and for nothing else.
    BOOST_TEST(backends.second.plans_made == 0);
    BOOST_TEST(backends.third.plans_made == 0);
}

BOOST_AUTO_TEST_CASE(unsupported_goes_to_the_next) {
    Backends backends;
    backends.first.support = [](const vdt_query&, vdt_op_support& support, vdt_error* error) {
        support = {};
        return fail(error, VDT_OK, "It finds nothing smaller than a house.");
    };
    backends.second.plan_create = [](const vdt_query&, vdt_error* error) {
        return fail(error, VDT_E_UNSUPPORTED_FORMAT, "No gray today.");
    };
    Context& context = backends.start();
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "third");
    BOOST_TEST(find.report.choice ==
               "first cannot do it (It finds nothing smaller than a house); second cannot do it (No gray today); "
               "third is next in the configured order");
    BOOST_TEST(backends.first.plans_made == 0);
}

BOOST_AUTO_TEST_CASE(a_fault_of_the_caller_is_reported_at_once) {
    Backends backends;
    backends.first.run = [](const vdt_call&, vdt_error* error) {
        return fail(error, VDT_E_ARGUMENT, "The pattern is flat.");
    };
    Context& context = backends.start();
    Find find;
    const Failure failure = find.failure(context);
    BOOST_TEST(failure.code() == VDT_E_ARGUMENT);
    BOOST_TEST(failure.text() == "The pattern is flat.");
    BOOST_TEST(backends.second.plans_made == 0);
    // The plan is as good as before.
    backends.first.run = nullptr;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(backends.first.plans_made == 1);
}

BOOST_AUTO_TEST_CASE(pressure_goes_to_the_next_and_drops_idle_plans) {
    Backends backends;
    int failures = 1;
    backends.first.plan_create = [&](const vdt_query& query, vdt_error* error) -> vdt_code {
        if (query.inputs[0]->width == 32 && failures-- > 0) return fail(error, VDT_E_OUT_OF_MEMORY, "");
        return VDT_OK;
    };
    Context& context = backends.start();
    Find other;
    SharedImage small(Image(VDT_FORMAT_GRAY8, 16, 16));
    other.operation.inputs[0] = OperationImage::of(small);
    BOOST_TEST(other.run(context) == VDT_OK);
    BOOST_TEST(context.plans().size() == 1u);
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.choice == "first failed (out of memory); second is next in the configured order");
    BOOST_TEST(backends.first.plans_destroyed == 1);
    // Pressure passes: the device is still in use.
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
}

BOOST_AUTO_TEST_CASE(a_lost_device_is_taken_out) {
    Backends backends;
    backends.first.run = [](const vdt_call& call, vdt_error* error) {
        call.lists_out[0]->count = 5;  // rubbish that nobody must see
        return fail(error, VDT_E_DEVICE_LOST, "It fell off the bus.");
    };
    Context& context = backends.start();
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(find.list.count == 0u);
    BOOST_TEST(contains(find.report.choice, "first failed (It fell off the bus)"));
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(backends.first.runs == 1);
    BOOST_TEST(contains(find.report.choice, "first is out of use (template_find: It fell off the bus)"));
    const Failure forced = find.failure(context, "first");
    BOOST_TEST(forced.code() == VDT_E_UNAVAILABLE);
    BOOST_TEST(contains(forced.text(), "It fell off the bus"));
    BOOST_TEST(context.registry().devices("first")[0]->quarantined());
}

BOOST_AUTO_TEST_CASE(the_third_bug_takes_a_device_out) {
    Backends backends;
    backends.first.run = [](const vdt_call&, vdt_error* error) { return fail(error, VDT_E_INTERNAL, "Oh dear."); };
    Context& context = backends.start();
    Find find;
    for (int i = 0; i < 5; ++i) {
        BOOST_TEST(find.run(context) == VDT_OK);
        BOOST_TEST(find.report.backend == "second");
    }
    BOOST_TEST(backends.first.runs == 3);
    BOOST_TEST(contains(find.report.choice, "it failed three times"));
    BOOST_TEST(backends.first.plans_destroyed == backends.first.plans_made);
}

BOOST_AUTO_TEST_CASE(exceptions_and_unknown_codes_are_bugs) {
    Backends backends;
    backends.first.run = [](const vdt_call&, vdt_error*) -> vdt_code { throw std::runtime_error("boom"); };
    backends.second.run = [](const vdt_call&, vdt_error*) -> vdt_code { return 77; };
    backends.third.run = [](const vdt_call&, vdt_error*) -> vdt_code { throw 5; };
    Context& context = backends.start();
    Find find;
    const Failure failure = find.failure(context);
    BOOST_TEST(VDT_IS_PLUGIN_BUG(failure.code()));
    BOOST_TEST(contains(failure.text(), "it threw: boom"));
    BOOST_TEST(contains(failure.text(), "unknown code 77"));
    BOOST_TEST(contains(failure.text(), "unknown exception"));
}

BOOST_AUTO_TEST_CASE(impossible_results_are_bugs) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::vector<vdt_item>> impossible = {{item(nan)},
                                                           {item(1.5)},
                                                           {item(0.25)} /* below the threshold */,
                                                           {item(0.9, 1)} /* no such pattern */,
                                                           {item(0.6), item(0.9)} /* out of order */};
    for (const auto& items : impossible) {
        Backends backends;
        backends.first.run = answer(items);
        backends.second.run = answer({item(0.75)});
        Context& context = backends.start();
        Find find;
        BOOST_TEST(find.run(context) == VDT_OK);
        BOOST_TEST(find.report.backend == "second");
        BOOST_TEST(find.list.count == 1u);
        BOOST_TEST(contains(find.report.choice, "Its result cannot be"));
    }
    for (const auto& [count, needed, code] :
         {std::tuple{9u, 9u, VDT_OK}, {3u, 2u, VDT_OK}, {0u, 0u, VDT_NOT_READY}, {2u, 2u, VDT_INCOMPLETE}}) {
        Backends backends;
        backends.first.run = [count = count, needed = needed, code = code](const vdt_call& call, vdt_error*) {
            call.lists_out[0]->count = count;
            call.lists_out[0]->needed = needed;
            return vdt_code{code};
        };
        Context& context = backends.start();
        Find find;
        find.params.threshold = -1;
        BOOST_TEST(find.run(context) == VDT_OK);
        BOOST_TEST(find.report.backend == "second");
    }
}

BOOST_AUTO_TEST_CASE(incomplete_is_success) {
    Backends backends;
    backends.first.run = [](const vdt_call& call, vdt_error*) -> vdt_code {
        call.lists_out[0]->count = 0;
        call.lists_out[0]->needed = 9;
        return VDT_INCOMPLETE;
    };
    Context& context = backends.start();
    Find find;
    BOOST_TEST(find.run(context) == VDT_INCOMPLETE);
    BOOST_TEST(find.list.needed == 9u);
}

BOOST_AUTO_TEST_CASE(forcing_preferring_and_forbidding) {
    Backends backends;
    backends.second.device_count = 2;
    Context& context = backends.start(R"(, "policy": {"default": {"mode": "forbid", "backends": ["third"]}})");
    Find find;
    BOOST_TEST(find.run(context, "second:1") == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(find.report.device_index == 1u);
    BOOST_TEST(find.report.choice == "second:1 was asked for by the call");
    BOOST_TEST(find.failure(context, "second:2").code() == VDT_E_NO_DEVICE);
    BOOST_TEST(find.failure(context, "third").code() == VDT_E_UNAVAILABLE);
    BOOST_TEST(contains(find.failure(context, "third").text(), "forbidden by the configuration"));
    BOOST_TEST(contains(find.failure(context, "fourth").text(), "No plugin of that name is installed"));
    BOOST_TEST(find.failure(context, "no such name").code() == VDT_E_ARGUMENT);

    context.set_preferable_backend("second");
    context.set_preferable_target(1);
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.device_index == 1u);
    BOOST_TEST(find.report.choice == "second:1 is preferred by the application");
    backends.second.run = [](const vdt_call&, vdt_error* error) { return fail(error, VDT_E_BUSY, "Later."); };
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.choice ==
               "second:1 failed (Later); second failed (Later); first is first in the configured order");
    BOOST_TEST(failure_of([&] { context.set_preferable_backend("nobody"); }).code() == VDT_E_ARGUMENT);
    BOOST_TEST(failure_of([&] { context.set_preferable_target(2); }).code() == VDT_E_ARGUMENT);
    context.set_preferable_backend("auto");
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    BOOST_TEST(failure_of([&] { context.set_preferable_target(0); }).code() == VDT_E_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(every_backend_that_failed_is_named) {
    Backends backends;
    backends.first.create = [](vdt_error* error) { return fail(error, VDT_E_OPTION, "Unknown option `speed`."); };
    backends.second.device_count = 0;
    backends.third.device_open = [](std::uint32_t, vdt_error* error) {
        return fail(error, VDT_E_UNAVAILABLE, "It is asleep.");
    };
    Context& context = backends.start();
    Find find;
    const Failure failure = find.failure(context);
    BOOST_TEST(failure.code() == VDT_E_UNAVAILABLE);
    BOOST_TEST(failure.text() ==
               "No backend can do template_find: first is not there (Unknown option `speed`); second is not there "
               "(There is nothing here); third cannot be opened (It is asleep).");
    context.registry().load_all();
    BOOST_TEST(context.registry().device_count() == 1u);  // out of use, but there
    BOOST_TEST(context.registry().refusal_count() == 3u);
    BOOST_TEST(context.registry().refusal_at(0).stage == "create");
    BOOST_TEST(context.registry().refusal_at(1).stage == "devices");
    BOOST_TEST(context.registry().refusal_at(2).stage == "open");
}

BOOST_AUTO_TEST_CASE(what_the_caller_gives_is_checked_first) {
    Backends backends;
    Context& context = backends.start();
    const auto code_of = [&](auto&& change) {
        Find find;
        change(find);
        return find.failure(context).code();
    };
    BOOST_TEST(code_of([](Find& find) { find.operation.op = 99; }) == VDT_E_ARGUMENT);
    BOOST_TEST(code_of([](Find& find) { find.operation.op = 0; }) == VDT_E_ARGUMENT);
    BOOST_TEST(code_of([](Find& find) { find.operation.params = nullptr; }) == VDT_E_ARGUMENT);
    BOOST_TEST(code_of([](Find& find) { find.params.struct_size = 8; }) == VDT_E_ARGUMENT);
    BOOST_TEST(code_of([](Find& find) { find.params.struct_size = 1u << 30; }) == VDT_E_ARGUMENT);
    BOOST_TEST(code_of([](Find& find) { find.params.pattern_count = 0; }) == VDT_E_ARGUMENT);
    BOOST_TEST(code_of([](Find& find) { find.params.pattern_count = 2; }) == VDT_E_ARGUMENT);
    BOOST_TEST(code_of([](Find& find) { find.params.exclude_count = 3; }) == VDT_E_ARGUMENT);
    BOOST_TEST(code_of([](Find& find) { find.params.exclude_count = UINT32_MAX; }) == VDT_E_SIZE);
    BOOST_TEST(code_of([](Find& find) { find.params.scale_count = 3; }) == VDT_E_ARGUMENT);
    BOOST_TEST(code_of([](Find& find) { find.operation.lists_out.clear(); }) == VDT_E_ARGUMENT);
    BOOST_TEST(code_of([](Find& find) { find.operation.lists_out[0] = nullptr; }) == VDT_E_ARGUMENT);
    BOOST_TEST(code_of([](Find& find) { find.list.items = nullptr; }) == VDT_E_ARGUMENT);
    BOOST_TEST(code_of([](Find& find) { find.list.item_size = 8; }) == VDT_E_SIZE);
    BOOST_TEST(code_of([](Find& find) { find.list.capacity = UINT64_MAX; }) == VDT_E_SIZE);
    BOOST_TEST(code_of([](Find& find) { find.operation.inputs[0] = OperationImage::none(); }) == VDT_E_ARGUMENT);
    BOOST_TEST(backends.first.creates == 0);
}

BOOST_AUTO_TEST_SUITE_END()
