// When devices are opened for the sake of a choice, and which never are.
#include "boost_test.h"
#include "choice_fixture.h"
#include "temporary_directory.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <thread>

using namespace vedette::host;
using namespace vedette::test;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(choice)

BOOST_AUTO_TEST_CASE(devices_are_opened_when_it_pays) {
    TemporaryDirectory profiles;
    Machines machines;
    machines.profiles = profiles.path();
    machines.first.cost = takes(100);
    machines.second.cost = takes(1);
    // Opening the second is known to take 30 ms.
    vedette::model::ProfileStore store(profiles.path(), std::make_shared<Log>(nullptr, nullptr, 0));
    vedette::model::Profile profile;
    profile.key = {"second", "1.2.3", "fake:0, second device 0", ""};
    profile.kind = VDT_DEVICE_GPU;
    profile.parameters.set(VDT_PARAM_OPEN_TIME, 0.03);
    BOOST_REQUIRE(store.save(profile));
    machines.first.run = [](const vdt_call&, vdt_error*) -> vdt_code {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return VDT_OK;
    };
    Context& context = machines.start();
    Find find;
    int calls = 0;
    while (machines.second.opens == 0 && calls < 100) {
        BOOST_TEST(find.run(context) == VDT_OK);
        ++calls;
    }
    BOOST_TEST(calls >= 3);  // three calls take 30 ms; the next one opens it
    BOOST_TEST(machines.second.opens == 1);
    while (find.report.backend == "first" && calls < 100) {
        BOOST_TEST(find.run(context) == VDT_OK);
        ++calls;
    }
    BOOST_TEST(calls < 20);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(machines.third.opens == 0);
    // Those for whose sake it is tried and that cannot be had are not asked for again and again.
    machines.context.reset();
    Machines without;
    without.profiles = profiles.path();
    without.first.run = machines.first.run;
    without.second.device_open = [](std::uint32_t, vdt_error* error) { return fail(error, VDT_E_BUSY, "Not now."); };
    Context& alone = without.start();
    for (int i = 0; i < 12; ++i) BOOST_TEST(find.run(alone) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    alone.registry().load_all();
    BOOST_TEST(alone.registry().refusal_count() == 1u);
}

BOOST_AUTO_TEST_CASE(devices_without_costs_are_not_opened_to_weigh_them) {
    Machines machines;
    machines.first.cost = takes(1);  // would be the fastest
    machines.first.no_costs = true;
    machines.second.cost = takes(20);
    Context& context = machines.start();
    Find find;
    // The first call opens one that can be weighed, although another stands before it in the order.
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(machines.first.opens == 0);
    BOOST_TEST(machines.first.costs_asked == 0);
    // Nor do calls that take long: what they wait for is another one, of which nobody knows yet.
    BOOST_TEST(context.chooser().rank(find.operation, "", false)->unopened.backend == "third");
    context.explainer().start(false);
    BOOST_TEST(find.run(context) == VDT_OK);
    const json told = json::parse(context.explainer().stop());
    const json& excluded = told.at("calls")[0].at("excluded");
    BOOST_TEST(excluded.size() == 2u);
    BOOST_TEST(excluded[0].at("device") == "first");
    BOOST_TEST(excluded[0].at("reason") == "it gives no costs");
    BOOST_TEST(machines.first.opens == 0);
    // Where nothing else can, or somebody asks for it, it serves.
    machines.second.run =
        machines.third.run = [](const vdt_call&, vdt_error* error) { return fail(error, VDT_E_BUSY, "Later."); };
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    BOOST_TEST(machines.first.opens == 1);
    BOOST_TEST(find.run(context, "first") == VDT_OK);
    BOOST_TEST(find.report.predicted_ms == -1);
    BOOST_TEST(machines.first.costs_asked == 0);
}

BOOST_AUTO_TEST_CASE(what_stands_behind_a_device_without_costs_is_opened_in_its_turn) {
    TemporaryDirectory profiles;
    Machines machines;
    machines.profiles = profiles.path();
    machines.first.cost = takes(100);
    machines.second.cost = takes(1);
    machines.second.no_costs = true;
    machines.third.cost = takes(1);
    vedette::model::ProfileStore store(profiles.path(), std::make_shared<Log>(nullptr, nullptr, 0));
    for (const char* id : {"second", "third"}) {
        vedette::model::Profile profile;
        profile.key = {id, "1.2.3", "fake:0, " + std::string(id) + " device 0", ""};
        profile.kind = VDT_DEVICE_GPU;
        profile.parameters.set(VDT_PARAM_OPEN_TIME, 0.02);
        BOOST_REQUIRE(store.save(profile));
    }
    machines.first.run = [](const vdt_call&, vdt_error*) -> vdt_code {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return VDT_OK;
    };
    Context& context = machines.start();
    Find find;
    for (int calls = 0; machines.third.opens == 0 && calls < 50; ++calls) BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(machines.third.opens == 1);
    BOOST_TEST(machines.second.opens == 0);
}

BOOST_AUTO_TEST_SUITE_END()
