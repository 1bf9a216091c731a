// `vedette probe`: what it measures and keeps, and that a faulty backend costs its own process only.
#define BOOST_TEST_MODULE probe_command
#include "cli/command.h"

#include <core/child.h>
#include <model/profile.h>

#include <chrono>

using namespace cli_test;

namespace {

// Profiles of its own, and a configuration with the given backends.
struct Place : Folder {
    std::string configuration(const std::string& order, const std::string& plugins = "") const {
        const json config = {
            {"schema", 1},
            {"threads", 2},
            {"trial_seconds", 0},
            {"order", json::parse(order)},
            {"plugin_directories", plugins.empty() ? json::array() : json::array({plugins})},
            {"backends",
             {{"opencv", {{"enabled", false}}}, {"opencl", {{"enabled", false}}}, {"cuda", {{"enabled", false}}}}},
            {"model", {{"profile_directory", *this / "profiles"}}}};
        return write("config.json", config.dump());
    }
    // Those kept for the devices of one backend: this machine may have devices of others, too.
    std::vector<std::string> profiles(const std::string& backend) const {
        std::vector<std::string> files;
        std::error_code error;
        for (fs::directory_iterator entry(*this / "profiles", error), end; !error && entry != end;
             entry.increment(error))
            if (entry->path().extension() == ".json" && entry->path().filename().string().starts_with(backend + "-"))
                files.push_back(entry->path());
        return files;
    }
};

const json& device_of(const json& object, const std::string& backend) {
    for (const json& one : object.at("devices"))
        if (one.at("backend") == backend) return one;
    throw std::runtime_error("no device of " + backend);
}

bool measured(const json& profile, const std::string& parameter) {
    const json& all = profile.at("parameters");
    return all.contains(parameter) && all.at(parameter).at("source") == "measured" &&
           all.at(parameter).at("value").get<double>() > 0;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_cpu_is_measured_and_its_profile_used, Place) {
    const std::string config = configuration(R"(["cpu"])");
    // Memory is measured on an area beyond the last cache, which takes its time to be touched where that is large.
    const int budget = ::sysconf(_SC_LEVEL3_CACHE_SIZE) > 64 << 20 ? 12 : 5;
    const auto start = std::chrono::steady_clock::now();
    const Ran ran =
        command({"probe", "--backend", "cpu", "--budget", std::to_string(budget), "--json", "--config", config});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    BOOST_REQUIRE_EQUAL(ran.status, 0);
    // The budget, starting, and one run that was begun before its end; with room for machines that are busy with other
    // things.
    BOOST_CHECK_MESSAGE(took.count() < budget + 20, took.count());
    BOOST_CHECK_MESSAGE(has(ran.err, "vedette probe: cpu: measuring parameters\n"), ran.err);
    const json object = ran.object();
    BOOST_CHECK_EQUAL(object.at("directory"), *this / "profiles");
    const json& profile = device_of(object, "cpu").at("profile");
    // Not meetings of all threads, which on a machine that is busy with other things may not come about.
    for (const char* const parameter :
         {"clock", "lanes", "operation_time", "launch_time", "next_launch_time", "shared_bandwidth", "cache2_bandwidth",
          "global_bandwidth", "global_latency", "refs_in_flight", "open_time"})
        BOOST_CHECK_MESSAGE(measured(profile, parameter), parameter << " in " << profile);
    BOOST_REQUIRE_EQUAL(profiles("cpu").size(), 1u);
    const vedette::model::Profile kept = vedette::model::read_profile(contents(profiles("cpu")[0]), "the profile");
    BOOST_CHECK_EQUAL(kept.key.plugin, "cpu");
    BOOST_CHECK_EQUAL(kept.parameters.source(), unsigned{VDT_SOURCE_MEASURED});
    BOOST_CHECK(!kept.recorded.empty());
    // Physical bounds that hold for every machine of these years.
    const auto value = [&](std::uint32_t id) { return kept.parameters.get(id, 0); };
    BOOST_CHECK(value(VDT_PARAM_CLOCK) > 0.2e9 && value(VDT_PARAM_CLOCK) < 10e9);
    BOOST_CHECK(value(VDT_PARAM_LANES) >= 0.5 && value(VDT_PARAM_LANES) < 256);
    BOOST_CHECK(value(VDT_PARAM_SHARED_BANDWIDTH) > value(VDT_PARAM_GLOBAL_BANDWIDTH));
    BOOST_CHECK(value(VDT_PARAM_GLOBAL_LATENCY) > 5e-9 && value(VDT_PARAM_GLOBAL_LATENCY) < 5e-6);
    // On a machine that is busy with other things a few operations may get no factor.
    BOOST_CHECK(kept.efficiencies.size() >= 4);
    for (const auto& [op, variants] : kept.efficiencies)
        for (const auto& [variant, efficiency] : variants)
            BOOST_CHECK_MESSAGE(efficiency.value > 0 && efficiency.samples > 0, op << " " << variant);

    const std::string screen = write("screen.png", tiles(640, 400, 1));
    const Ran explained =
        command({"explain", "--json", "resize", screen, *this / "out.png", "--size", "200x100", "--config", config});
    BOOST_REQUIRE_MESSAGE(explained.status == 0, explained.err);
    const json candidate = explained.object().at("calls").at(0).at("candidates").at(0);
    BOOST_CHECK_MESSAGE(candidate.at("parameters").get<std::string>().starts_with("measured 20"), candidate);
}

BOOST_FIXTURE_TEST_CASE(two_probes_at_once_take_turns, Place) {
    const std::string config = configuration(R"(["cpu"])");
    const auto probing = [&](const std::string& name) {
        return std::string("'") + VEDETTE_COMMAND + "' probe --backend cpu --budget 0.5 --json --config '" + config +
               "' > '" + *this / (name + ".out") + "' 2> '" + *this / (name + ".err") + "'";
    };
    std::vector<std::string> lines;
    vedette::host::run_child(
        {"/bin/sh", "-c",
         probing("first") + " & first=$!; " + probing("second") + "; second=$?; wait $first; echo $? $second"},
        {60, true}, [&](const std::string& line) {
            lines.push_back(line);
            return true;
        });
    const std::string told = contents(*this / "first.err") + contents(*this / "second.err");
    BOOST_REQUIRE_EQUAL(lines.size(), 1u);
    BOOST_CHECK_MESSAGE(lines[0] == "0 0", lines[0] << ": " << told);
    BOOST_CHECK_MESSAGE(has(told, "waiting for another probe to end"), told);
    for (const char* const name : {"first.out", "second.out"})
        BOOST_CHECK_MESSAGE(has(contents(*this / name), "\"profile\""), name);
    BOOST_REQUIRE_EQUAL(profiles("cpu").size(), 1u);
    BOOST_CHECK_NO_THROW(vedette::model::read_profile(contents(profiles("cpu")[0]), "the profile"));
}

BOOST_FIXTURE_TEST_CASE(a_backend_that_hangs_costs_its_process_only, Place) {
    const std::string config = configuration(R"(["fault", "cpu"])", std::string(VEDETTE_FAULTS) + "/hang_in_run");
    const auto start = std::chrono::steady_clock::now();
    const Ran ran = command({"probe", "--budget", "0.5", "--patience", "2", "--json", "--config", config});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    BOOST_CHECK_EQUAL(ran.status, 1);
    BOOST_CHECK_MESSAGE(took.count() < 30, took.count());
    const json object = ran.object();
    const json& fault = device_of(object, "fault");
    BOOST_CHECK_MESSAGE(has(fault.at("failure").get<std::string>(), "did not go on for 2.5 s"), fault);
    BOOST_CHECK_EQUAL(fault.at("device"), "fault device 0");
    BOOST_CHECK(device_of(object, "cpu").contains("profile"));
    BOOST_CHECK_EQUAL(profiles("cpu").size(), 1u);
    BOOST_CHECK(profiles("fault").empty());
}

BOOST_FIXTURE_TEST_CASE(a_backend_that_crashes_costs_its_process_only, Place) {
    for (const char* const how : {"crash_in_run", "crash_in_create"}) {
        const std::string config = configuration(R"(["fault", "cpu"])", std::string(VEDETTE_FAULTS) + "/" + how);
        const Ran ran = command({"probe", "--backend", "fault", "--budget", "0.5", "--json", "--config", config});
        BOOST_CHECK_EQUAL(ran.status, 1);
        const json object = ran.object();
        const json& fault = device_of(object, "fault");
        BOOST_CHECK_MESSAGE(has(fault.at("failure").get<std::string>(), "crashed with signal 11"), fault);
        BOOST_CHECK(profiles("fault").empty());
    }
}

// A backend without `probe` is calibrated all the same.
BOOST_FIXTURE_TEST_CASE(a_backend_that_measures_nothing, Place) {
    const std::string config = configuration(R"(["fault"])", std::string(VEDETTE_FAULTS) + "/none");
    const Ran ran = command({"probe", "--backend", "fault", "--budget", "0.5", "--json", "--config", config});
    BOOST_CHECK_MESSAGE(ran.status == 0, ran.err << ran.out);
    const json object = ran.object();
    BOOST_CHECK(measured(device_of(object, "fault").at("profile"), "open_time"));
}

BOOST_FIXTURE_TEST_CASE(arguments_that_cannot_be, Place) {
    const std::string config = configuration(R"(["cpu"])");
    check_error({"probe", "--budget", "0", "--config", config}, {"--budget"}, "VDT_E_ARGUMENT");
    check_error({"probe", "--patience", "-1", "--config", config}, {"--patience"}, "VDT_E_ARGUMENT");
    check_error({"probe", "--backend", "nobody", "--config", config}, {"nobody"}, "VDT_E_UNAVAILABLE");
    write("profiles", std::string("a file where the directory should be"));
    check_error({"probe", "--config", config}, {"profiles"}, "VDT_E_FILE");
}
