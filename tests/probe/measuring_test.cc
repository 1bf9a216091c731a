// The help for plugins that measure, and the process in which they do.
#define BOOST_TEST_MODULE probe_measuring
#include "boost_test.h"

#include <core/child.h>

#include <vedette/plugin/cpp/probe.hpp>

#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using vedette::host::ChildEnd;
using vedette::host::ChildResult;
using vedette::host::run_child;
using vedette::plugin::Failure;
using vedette::plugin::Measurement;
using vedette::plugin::Probe;

// A question about three parameters, one of them asked twice, in entries larger than this version's.
struct Question {
    struct Entry {
        vdt_param param;
        std::uint64_t later_fields;
    };
    std::vector<Entry> entries = {{{VDT_PARAM_CLOCK, 9, 9, 9, 9, 0}, 7},
                                  {{VDT_PARAM_LANES, 9, 9, 9, 9, 0}, 7},
                                  {{VDT_PARAM_CLOCK, 9, 9, 9, 9, 0}, 7}};
    vdt_probe probe{};

    explicit Question(double budget) {
        probe.struct_size = sizeof probe;
        probe.param_count = static_cast<std::uint32_t>(entries.size());
        probe.param_size = sizeof entries[0];
        probe.budget_seconds = budget;
        probe.params = &entries[0].param;
    }
};

double seconds_of(const auto& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

ChildResult shell(const std::string& script, double silence, std::vector<std::string>& lines) {
    return run_child({"/bin/sh", "-c", script}, {silence, true}, [&](const std::string& line) {
        lines.push_back(line);
        return true;
    });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_median_with_its_spread) {
    const Measurement odd = vedette::plugin::median_of({5, 1, 3, 2, 4});
    BOOST_TEST(odd.value == 3);
    BOOST_TEST(odd.spread == 2.0 / 3);  // from 2 to 4
    BOOST_TEST(odd.samples == 5u);
    BOOST_TEST(vedette::plugin::median_of({1, 2}).value == 1.5);
    // What failed is left out.
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    BOOST_TEST(vedette::plugin::median_of({nothing, 7, -1, 0}).value == 7);
    BOOST_TEST(vedette::plugin::median_of({nothing, -1}).samples == 0u);
    BOOST_TEST(vedette::plugin::median_of({}).samples == 0u);
}

BOOST_AUTO_TEST_CASE(answers_go_to_every_entry_that_asks) {
    Question question(1);
    Probe probe(&question.probe);
    BOOST_TEST(probe.may_measure());
    BOOST_TEST(probe.asks(VDT_PARAM_LANES));
    BOOST_TEST(!probe.asks(VDT_PARAM_BUNDLE));
    probe.answer(VDT_PARAM_CLOCK, {3e9, 0.1, 5});
    probe.know(VDT_PARAM_BUNDLE, 32);
    for (const std::size_t index : {0u, 2u}) {
        const vdt_param& param = question.entries[index].param;
        BOOST_TEST(param.id == unsigned{VDT_PARAM_CLOCK});
        BOOST_TEST(param.source == unsigned{VDT_SOURCE_MEASURED});
        BOOST_TEST(param.value == 3e9);
        BOOST_TEST(param.spread == 0.1);
        BOOST_TEST(param.samples == 5u);
    }
    // What is not known has no source, whatever the caller left there.
    BOOST_TEST(question.entries[1].param.id == unsigned{VDT_PARAM_LANES});
    BOOST_TEST(question.entries[1].param.source == unsigned{VDT_SOURCE_DEFAULT});
    probe.answer(VDT_PARAM_LANES, {});
    probe.know(VDT_PARAM_LANES, 0);
    probe.know(VDT_PARAM_LANES, std::numeric_limits<double>::infinity());
    BOOST_TEST(question.entries[1].param.source == unsigned{VDT_SOURCE_DEFAULT});
    for (const Question::Entry& entry : question.entries) BOOST_TEST(entry.later_fields == 7u);
}

BOOST_AUTO_TEST_CASE(questions_that_cannot_be) {
    BOOST_CHECK_THROW(Probe(nullptr), Failure);
    const auto refused = [](auto change) {
        Question question(1);
        change(question.probe);
        BOOST_CHECK_THROW(Probe{&question.probe}, Failure);
    };
    refused([](vdt_probe& probe) { probe.struct_size = 8; });
    refused([](vdt_probe& probe) { probe.params = nullptr; });
    refused([](vdt_probe& probe) { probe.param_size = sizeof(vdt_param) - 8; });
    refused([](vdt_probe& probe) { probe.param_size = sizeof(vdt_param) + 4; });
    refused([](vdt_probe& probe) { probe.budget_seconds = -1; });
    refused([](vdt_probe& probe) { probe.budget_seconds = std::numeric_limits<double>::quiet_NaN(); });
    Question none(0);
    none.probe.param_count = 0;
    none.probe.params = nullptr;
    BOOST_TEST(!Probe(&none.probe).may_measure());
}

BOOST_AUTO_TEST_CASE(repetitions_keep_the_budget) {
    using namespace std::chrono_literals;
    Question question(0.2);
    Probe probe(&question.probe);
    int calls = 0;
    const auto measure = [&] {
        ++calls;
        std::this_thread::sleep_for(10ms);
        return 1.0 * calls;
    };
    // A share of it; then no more than there is left.
    BOOST_TEST(seconds_of([&] { probe.repeat(1000, 0.25, measure); }) < 0.1);
    BOOST_TEST(calls > 1);
    BOOST_TEST(seconds_of([&] { probe.repeat(1000, 1, measure); }) < 0.19);
    BOOST_TEST(probe.seconds_left() > -0.02);
    std::this_thread::sleep_for(200ms);
    calls = 0;
    BOOST_TEST(probe.repeat(5, 1, measure).samples == 0u);
    BOOST_TEST(calls == 0);
}

BOOST_AUTO_TEST_CASE(the_first_repetition_warms_up) {
    Question question(10);
    const Probe probe(&question.probe);
    double next = 0;
    const Measurement five = probe.repeat(5, 1, [&] { return ++next; });
    BOOST_TEST(five.samples == 5u);
    BOOST_TEST(five.value == 4);  // of 2 to 6
}

BOOST_AUTO_TEST_CASE(a_child_says_lines_and_ends) {
    std::vector<std::string> lines;
    const ChildResult good = shell("echo one; echo; printf 'three'; echo ' words'; echo hidden >&2", 5, lines);
    BOOST_TEST((good.end == ChildEnd::Exited));
    BOOST_TEST(good.reason == "");
    BOOST_TEST((lines == std::vector<std::string>{"one", "", "three words"}));
    lines.clear();
    const ChildResult bad = shell("echo before; exit 3", 5, lines);
    BOOST_TEST((bad.end == ChildEnd::Exited));
    BOOST_TEST(bad.value == 3);
    BOOST_TEST(bad.reason == "It ended with exit status 3.");
    BOOST_TEST(lines.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_child_that_crashes) {
    std::vector<std::string> lines;
    const ChildResult result = shell("echo before; kill -SEGV $$", 5, lines);
    BOOST_TEST((result.end == ChildEnd::Crashed));
    BOOST_TEST(result.reason.find("signal 11") != std::string::npos, result.reason);
    BOOST_TEST(lines.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_child_that_hangs_is_ended_with_what_it_started) {
    std::vector<std::string> lines;
    ChildResult result;
    const double took = seconds_of([&] { result = shell("sleep 100 & echo $!; wait", 0.3, lines); });
    BOOST_TEST((result.end == ChildEnd::TimedOut));
    BOOST_TEST(result.reason == "It did not go on for 0.3 s and was ended.");
    BOOST_TEST(took > 0.25);
    BOOST_TEST(took < 5);
    BOOST_REQUIRE(lines.size() == 1u);
    // Whoever takes over orphans may need a moment.
    const std::string state = "/proc/" + lines[0] + "/stat";
    bool alive = true;
    for (int round = 0; round < 200 && alive; ++round) {
        std::FILE* const file = std::fopen(state.c_str(), "r");
        char letter = 'Z';
        if (file != nullptr) {
            if (std::fscanf(file, "%*d %*s %c", &letter) != 1) letter = 'Z';
            std::fclose(file);
        }
        alive = letter != 'Z' && letter != 'X';
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    BOOST_TEST(!alive);
}

BOOST_AUTO_TEST_CASE(a_child_that_goes_on_may_take_long) {
    std::vector<std::string> lines;
    const ChildResult result = shell("for i in 1 2 3 4; do sleep 0.2; echo $i; done", 0.6, lines);
    BOOST_TEST((result.end == ChildEnd::Exited));
    BOOST_TEST(lines.size() == 4u);
}

BOOST_AUTO_TEST_CASE(a_limit_for_the_whole_and_a_last_line) {
    int lines = 0;
    const auto count = [&](const std::string&) { return ++lines < 2; };
    const ChildResult slow = run_child({"/bin/sh", "-c", "echo 1; sleep 0.3; echo 2; sleep 100"}, {0.6, false}, count);
    BOOST_TEST((slow.end == ChildEnd::TimedOut));
    BOOST_TEST(lines == 2);
    lines = 0;
    // What a grandchild holds open does not matter after the last line.
    const ChildResult done = run_child({"/bin/sh", "-c", "echo 1; echo 2; sleep 100 & exit 3"}, {20, false}, count);
    BOOST_TEST((done.end == ChildEnd::Exited));
    BOOST_TEST(done.value == 3);
}

BOOST_AUTO_TEST_CASE(a_child_that_is_not_there_or_not_wanted) {
    const ChildResult missing = run_child({"/nonexistent/program"}, {1, true}, [](const std::string&) { return true; });
    // The system tells when it starts it, or the child's end does.
    BOOST_TEST((missing.end == ChildEnd::NotStarted || missing.value == 127));
    BOOST_TEST(missing.reason != "");
    const double took = seconds_of([] {
        BOOST_CHECK_THROW(run_child({"/bin/sh", "-c", "echo a; sleep 100"}, {50, true},
                                    [](const std::string&) -> bool { throw std::runtime_error("enough"); }),
                          std::runtime_error);
    });
    BOOST_TEST(took < 5);
}
