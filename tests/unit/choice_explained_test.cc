// What an explanation says of a choice.
#include "boost_test.h"
#include "choice_fixture.h"

#include <nlohmann/json.hpp>

using namespace vedette::host;
using namespace vedette::test;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(choice)

BOOST_AUTO_TEST_CASE(choices_can_be_explained) {
    Machines machines;
    machines.first.cost = takes(20);
    machines.second.cost = takes(3);
    machines.second.variants = {"quick", "slow"};
    machines.second.plan_create = [](const vdt_query& query, vdt_error* error) {
        return query.variant == 1 ? fail(error, VDT_E_OUT_OF_MEMORY, "Too large.") : vdt_code{VDT_OK};
    };
    Context& context = machines.start();
    Find find;
    BOOST_TEST(failure_of([&] { context.explainer().stop(); }).code() == VDT_E_STATE);
    context.explainer().start(false);
    BOOST_TEST(failure_of([&] { context.explainer().start(false); }).code() == VDT_E_STATE);
    BOOST_TEST(find.run(context) == VDT_OK);
    const json told = json::parse(context.explainer().stop());
    BOOST_TEST(find.report.backend == "second");  // opened for the explanation
    BOOST_REQUIRE(told.at("calls").size() == 1u);
    const json& call = told.at("calls")[0];
    BOOST_TEST(call.at("operation") == "template_find");
    BOOST_TEST(call.at("candidates").size() == 3u);
    BOOST_TEST(call.at("chosen").at("variant") == "quick");
    BOOST_TEST(call.at("decision_us").get<double>() > 0);
    BOOST_TEST(call.at("excluded").at(0).at("device") == "third");
    BOOST_TEST(call.at("excluded").at(0).at("reason") == "it gives no costs");
    const json& terms = call.at("candidates")[0].at("terms_ms");
    BOOST_TEST(terms.at("compute").get<double>() == 20, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(terms.at("to_device").get<double>() > 0);
    BOOST_TEST(!call.at("candidates")[0].contains("measured_ms"));

    const int runs = machines.first.runs;
    context.explainer().start(true);
    BOOST_TEST(find.run(context) == VDT_OK);
    const json measured = json::parse(context.explainer().stop());
    BOOST_TEST(machines.first.runs == runs + 6);  // once to prepare, five times to measure
    for (const json& one : measured.at("calls")[0].at("candidates")) {
        const bool fails = one.at("variant") == "slow";
        BOOST_TEST(one.at("measured_ms").is_null() == fails);
        BOOST_TEST(one.at("error").is_null() == fails);
        BOOST_TEST(one.contains("failure") == fails);
    }
    // Afterwards nothing is written down.
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(failure_of([&] { context.explainer().stop(); }).code() == VDT_E_STATE);
}

BOOST_AUTO_TEST_SUITE_END()
