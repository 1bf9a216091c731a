// What choosing makes of devices that fail.
#include "boost_test.h"
#include "choice_fixture.h"

#include <chrono>
#include <thread>

using namespace vedette::host;
using namespace vedette::test;

BOOST_AUTO_TEST_SUITE(choice)

BOOST_AUTO_TEST_CASE(failure_is_charged) {
    Machines machines;
    machines.first.cost = takes(0.001);
    machines.second.cost = takes(0.002);
    bool broken = true;
    machines.first.run = [&](const vdt_call&, vdt_error* error) -> vdt_code {
        if (!broken) return VDT_OK;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return fail(error, VDT_E_OUT_OF_MEMORY, "");
    };
    // Without learning, which would find out that fakes are much faster than they say.
    Context& context = machines.start(R"(, "model": {"opening": "at_once", "correction": false})");
    Find find;
    for (int i = 0; i < 40; ++i) {
        BOOST_TEST(find.run(context) == VDT_OK);
        BOOST_TEST(find.report.backend == "second");
        if (i == 0) BOOST_TEST(contains(find.report.choice, "first failed (out of memory); second is taken"));
    }
    // Tried now and then, ever more rarely.
    BOOST_TEST(machines.first.runs >= 1);
    BOOST_TEST(machines.first.runs <= 3);
    broken = false;
    int calls = 0;
    while (find.report.backend != "first" && ++calls < 1000) find.run(context);
    BOOST_TEST(calls < 1000);
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
}

BOOST_AUTO_TEST_CASE(a_lost_device_is_chosen_no_more) {
    Machines machines;
    machines.first.cost = takes(1);
    machines.second.cost = takes(2);
    machines.first.run = [](const vdt_call&, vdt_error* error) { return fail(error, VDT_E_DEVICE_LOST, "Gone."); };
    Context& context = machines.start(at_once);
    Find find;
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(find.run(context) == VDT_OK);
        BOOST_TEST(find.report.backend == "second");
    }
    BOOST_TEST(machines.first.runs == 1);
}

BOOST_AUTO_TEST_SUITE_END()
