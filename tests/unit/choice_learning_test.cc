// What measured calls teach the choice, and where that is kept.
#include "boost_test.h"
#include "choice_fixture.h"
#include "temporary_directory.h"

#include <chrono>
#include <filesystem>
#include <thread>

using namespace vedette::host;
using namespace vedette::test;

BOOST_AUTO_TEST_SUITE(choice)

BOOST_AUTO_TEST_CASE(calls_teach) {
    Machines machines;
    // Long beside the milliseconds by which a busy machine is late.
    machines.first.cost = takes(15);
    machines.second.cost = takes(30);
    machines.first.run = [](const vdt_call&, vdt_error*) -> vdt_code {
        std::this_thread::sleep_for(std::chrono::milliseconds(90));
        return VDT_OK;
    };
    machines.second.run = [](const vdt_call&, vdt_error*) -> vdt_code {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        return VDT_OK;
    };
    Context& context = machines.start(at_once);
    Find find;
    std::vector<std::string> taken;
    for (int i = 0; i < 12; ++i) {
        BOOST_TEST(find.run(context) == VDT_OK);
        taken.push_back(find.report.backend);
    }
    BOOST_TEST(taken.front() == "first");
    BOOST_TEST(taken.back() == "second");
    BOOST_TEST(find.report.predicted_ms >= 28);

    Machines fixed;
    fixed.first.cost = machines.first.cost;
    fixed.second.cost = machines.second.cost;
    fixed.first.run = machines.first.run;
    Context& deaf = fixed.start(R"(, "model": {"opening": "at_once", "correction": false})");
    for (int i = 0; i < 4; ++i) {
        BOOST_TEST(find.run(deaf) == VDT_OK);
        BOOST_TEST(find.report.backend == "first");
        BOOST_TEST(find.report.predicted_ms == 15.0, boost::test_tools::tolerance(0.05));
    }
}

BOOST_AUTO_TEST_CASE(what_was_learnt_is_kept_with_the_profile) {
    TemporaryDirectory profiles;
    vedette::model::ProfileStore store(profiles.path(), std::make_shared<Log>(nullptr, nullptr, 0));
    vedette::model::Profile profile;
    profile.key = {"first", "1.2.3", "fake:0, first device 0", ""};
    profile.kind = VDT_DEVICE_GPU;
    vdt_param clock{};
    clock.id = VDT_PARAM_CLOCK;
    clock.source = VDT_SOURCE_MEASURED;
    clock.value = 1.6e9;
    profile.parameters.set(clock);
    BOOST_REQUIRE(store.save(profile));
    double predicted = 0;
    for (int round = 0; round < 2; ++round) {
        Machines machines;
        machines.profiles = profiles.path();
        machines.first.cost = takes(1);
        machines.second.cost = takes(50);
        machines.first.run = [](const vdt_call&, vdt_error*) -> vdt_code {
            std::this_thread::sleep_for(std::chrono::milliseconds(3));
            return VDT_OK;
        };
        Context& context = machines.start();
        Find find;
        BOOST_TEST(find.run(context) == VDT_OK);
        if (round == 0) BOOST_TEST(find.report.predicted_ms == 1.0, boost::test_tools::tolerance(0.05));
        if (round == 1) BOOST_TEST(find.report.predicted_ms > 2);
        for (int i = 0; i < 20; ++i) find.run(context);
        predicted = find.report.predicted_ms;
    }
    BOOST_TEST(predicted > 2);
    // A device without a stored profile gets none.
    BOOST_TEST(!std::filesystem::exists(store.file_of({"second", "1.2.3", "fake:0, second device 0", ""})));
}

BOOST_AUTO_TEST_SUITE_END()
