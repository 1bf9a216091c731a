// The figures of `vedette bench --choice`, and the crossovers of `vedette explain --plot`, by hand.
#define BOOST_TEST_MODULE choice_score
#include "boost_test.h"

#include <choice_score.h>
#include <crossover.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace vedette::cli;

struct Candidate {
    std::string backend;
    double predicted, measured;
};

Json document(const std::string& op, const std::vector<Candidate>& candidates, bool depends_on_data = false) {
    Json all = Json::array();
    for (const Candidate& one : candidates)
        all.push_back({{"backend", one.backend},
                       {"device_index", 0},
                       {"variant", "only"},
                       {"efficiency", 0.5},
                       {"counts", depends_on_data ? Json{"estimate", "data-dependent"} : Json{"exact"}},
                       {"terms_ms", {{"total", one.predicted}}},
                       {"predicted_ms", one.predicted},
                       {"measured_ms", one.measured > 0 ? Json(one.measured * 1.5) : Json(nullptr)},
                       {"least_ms", one.measured > 0 ? Json(one.measured) : Json(nullptr)}});
    return {{"calls", Json::array({{{"operation", op}, {"candidates", all}}})}};
}

const Json& error_of(const Json& score, const std::string& op, const std::string& backend) {
    for (const Json& one : score.at("errors"))
        if (one.at("operation") == op && one.at("backend") == backend) return one;
    throw std::runtime_error("no errors of " + op + " on " + backend);
}

constexpr double tiny = 1e-9;

}  // namespace

BOOST_AUTO_TEST_CASE(errors_choices_and_regret) {
    ChoiceScore score;
    // Right, and 20 % and 50 % off; wrong by a little; wrong by a factor of two; right where nothing is clear.
    score.add("a", "host", document("convert", {{"cpu", 1.2, 1}, {"gpu", 6, 4}}));
    score.add("b", "host", document("convert", {{"cpu", 2, 2.06}, {"gpu", 2.1, 2}}));
    score.add("c", "host", document("resize", {{"cpu", 3, 4}, {"gpu", 5, 2}}));
    score.add("d", "host", document("template_find", {{"cpu", 1, 1}, {"gpu", 1.01, 1.02}}, true));
    const Json json = score.json();
    BOOST_TEST(error_of(json, "convert", "gpu").at("median").get<double>() == (0.5 + 0.05) / 2,
               boost::test_tools::tolerance(tiny));
    BOOST_TEST(error_of(json, "all regular", "gpu").at("calls") == 3);
    // 50 %, 5 % and 150 %.
    BOOST_TEST(error_of(json, "all regular", "gpu").at("median").get<double>() == 0.5,
               boost::test_tools::tolerance(tiny));
    BOOST_TEST(error_of(json, "all data-dependent", "cpu").at("median").get<double>() == 0);
    const Json& choice = json.at("choice");
    BOOST_TEST(choice.at("rows") == 4);
    // Taken: 1 + 2.06 + 4 + 1; best: 1 + 2 + 2 + 1.
    BOOST_TEST(choice.at("milliseconds").get<double>() == 8.06, boost::test_tools::tolerance(tiny));
    BOOST_TEST(choice.at("best_milliseconds").get<double>() == 6.0, boost::test_tools::tolerance(tiny));
    BOOST_TEST(choice.at("regret").get<double>() == 8.06 / 6 - 1, boost::test_tools::tolerance(tiny));
    BOOST_TEST(choice.at("worst_regret").get<double>() == 1.0, boost::test_tools::tolerance(tiny));
    BOOST_TEST(choice.at("worst_case") == "resize c");
    BOOST_TEST(choice.at("clear") == 2);  // a and c
    BOOST_TEST(choice.at("right") == 1);
    // Always the GPU: the choice took 4 where it takes 2, and more than 5 % longer nowhere else.
    const Json& gpu = json.at("always").at("gpu");
    BOOST_TEST(gpu.at("milliseconds").get<double>() == 4 + 2 + 2 + 1.02, boost::test_tools::tolerance(tiny));
    BOOST_TEST(gpu.at("rows_that_beat_the_choice") == 1);
    BOOST_TEST(gpu.at("most_that_the_choice_was_beaten").get<double>() == 1.0, boost::test_tools::tolerance(tiny));
    BOOST_TEST(json.at("always").at("cpu").at("rows_that_beat_the_choice") == 0);
    BOOST_TEST(json.at("rows").at(3).at("data_dependent") == true);
    BOOST_TEST(json.at("rows").at(0).at("candidates").at(0).at("efficiency") == 0.5);
    const std::string text = score.text();
    for (const char* const word : {"as predicted", "always cpu", "always gpu", "34.3 %", "1 of 2", "resize c"})
        BOOST_TEST(text.find(word) != std::string::npos, word);
}

BOOST_AUTO_TEST_CASE(candidates_that_were_not_measured_count_for_nothing) {
    ChoiceScore score;
    score.add("a", "host", document("convert", {{"cpu", 1, 0}}));
    score.add("b", "host", document("convert", {{"cpu", 1, 0}, {"gpu", 2, 2}}));
    const Json json = score.json();
    BOOST_TEST(json.at("rows").size() == 1u);
    BOOST_TEST(json.at("choice").at("rows") == 1);
    BOOST_TEST(json.at("choice").at("clear") == 0);
    BOOST_TEST(json.at("choice").at("regret").get<double>() == 0);
}

BOOST_AUTO_TEST_CASE(where_lines_cross) {
    // cpu: 1 and 16 ms; gpu: 4 and 4: equal at 4 ms, half way in logarithms, which is 1000 pixels of 100 to 10000.
    const std::vector<PlotSize> sizes = {{"small", 100, {{"cpu", 1, 1.5}, {"gpu", 4, 1}}},
                                         {"large", 1e4, {{"cpu", 16, 16}, {"gpu", 4, 4}}}};
    const std::vector<Crossover> found = crossovers(sizes, false);
    BOOST_REQUIRE_EQUAL(found.size(), 1u);
    BOOST_TEST(found[0].pixels == 1000, boost::test_tools::tolerance(tiny));
    BOOST_TEST(found[0].from == "cpu");
    BOOST_TEST(found[0].to == "gpu");
    BOOST_TEST(crossovers(sizes, true).empty());  // the GPU was the faster one all along
    BOOST_TEST(crossovers({}, false).empty());
    // A device that cannot do the small size takes over half way.
    const std::vector<Crossover> late =
        crossovers({{"small", 100, {{"cpu", 1, 0}}}, {"large", 1e4, {{"cpu", 16, 0}, {"gpu", 4, 0}}}}, false);
    BOOST_REQUIRE_EQUAL(late.size(), 1u);
    BOOST_TEST(late[0].pixels == 1000, boost::test_tools::tolerance(tiny));
}

BOOST_AUTO_TEST_CASE(the_best_candidate_of_each_device) {
    const std::vector<PlotSize::Device> devices =
        devices_of(document("convert", {{"cpu", 3, 3}, {"gpu", 2, 2.5}, {"cpu", 1, 0}}));
    BOOST_REQUIRE_EQUAL(devices.size(), 2u);
    BOOST_TEST(devices[0].name == "cpu");
    BOOST_TEST(devices[0].predicted_ms == 1);
    BOOST_TEST(devices[0].measured_ms == 0);
    BOOST_TEST(devices[1].measured_ms == 3.75);  // the median
    BOOST_TEST(devices_of({{"calls", Json::array()}}).empty());
}
