#define BOOST_TEST_MODULE cli_listing
#include "command.h"

#include <set>

using namespace cli_test;

namespace {

std::set<std::string> keys(const json& object) {
    std::set<std::string> result;
    for (const auto& [key, value] : object.items()) {
        result.insert(key);
    }
    return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(version_and_help) {
    const Ran version = command({"--version"});
    BOOST_CHECK_EQUAL(version.status, 0);
    BOOST_CHECK_EQUAL(version.out, std::string("vedette ") + VEDETTE_VERSION + "\n");
    const Ran help = command({"--help"});
    BOOST_CHECK_EQUAL(help.status, 0);
    for (const char* word : {"find", "resize", "backends", "bench"}) {
        BOOST_CHECK(has(help.out, word));
    }
    const Ran find = command({"find", "--help"});
    BOOST_CHECK_EQUAL(find.status, 0);
    for (const char* option :
         {"SCREEN",     "PATTERN",       "--threshold",  "--all",     "--max",    "--region",    "--exclude",
          "--scales",   "--no-fallback", "--color",      "--backend", "--strict", "--no-verify", "--json",
          "--annotate", "--config",      "--time-limit", "--verbose", "--floor",  "Exit status", "Examples"}) {
        BOOST_CHECK_MESSAGE(has(find.out, option), option);
    }
    for (const char* option : {"--op", "--backend", "--quick", "--json", "--screen"}) {
        BOOST_CHECK_MESSAGE(has(command({"bench", "--help"}).out, option), option);
    }
    BOOST_CHECK(has(command({"backends", "--help"}).out, "--json"));
    for (const char* option : {"IN", "OUT.png", "--size", "--method", "--letterbox", "--fill", "--backend", "--json"}) {
        BOOST_CHECK_MESSAGE(has(command({"resize", "--help"}).out, option), option);
    }
}

BOOST_AUTO_TEST_CASE(backends) {
    const Ran ran = command({"backends", "--json"});
    BOOST_CHECK_EQUAL(ran.status, 0);
    const json object = ran.object();
    BOOST_REQUIRE(object["backends"].is_array() && object["skipped"].is_array());
    BOOST_REQUIRE(!object["backends"].empty());
    const std::string text = command({"backends"}).out;
    bool cpu = false;
    for (const json& backend : object["backends"]) {
        cpu = cpu || backend["backend"] == "cpu";
        BOOST_CHECK(fs::path(backend["library"].get<std::string>()).is_absolute());
        BOOST_CHECK(fs::exists(backend["library"].get<std::string>()));
        BOOST_CHECK(!backend["operations"].empty());
        BOOST_CHECK_MESSAGE(
            has(text, backend["backend"].get<std::string>()) && has(text, backend["device"].get<std::string>()), text);
        for (const json& operation : backend["operations"]) {
            BOOST_CHECK_MESSAGE(has(text, operation.get<std::string>()), operation);
        }
    }
    BOOST_CHECK(cpu);
}

BOOST_AUTO_TEST_CASE(a_plugin_that_is_no_library_is_listed_as_skipped) {
    const Folder folder;
    fs::permissions(folder.path(), fs::perms::owner_all);
    folder.write("fake.json", R"({"id": "fake", "library": "vedette-fake.so", "abi": {"major": 1, "minor": [0, 0]}})");
    folder.write("vedette-fake.so", "this is no library");
    const std::string config = folder.write("config.json", "{\"plugin_directories\": [\"" + folder.path() + "\"]}");
    const Ran ran = command({"backends", "--json", "--config", config});
    BOOST_CHECK_EQUAL(ran.status, 0);
    const json object = ran.object();
    BOOST_REQUIRE_MESSAGE(!object["skipped"].empty(), ran.out);
    const json& skipped = object["skipped"][0];
    BOOST_CHECK(!skipped["reason"].get<std::string>().empty());
    BOOST_CHECK(skipped["code"].get<int>() < 0);
    const std::string text = command({"backends", "--config", config}).out;
    BOOST_CHECK_MESSAGE(has(text, "SKIPPED") && has(text, skipped["reason"].get<std::string>()), text);
}

BOOST_AUTO_TEST_CASE(bench_prints_a_line_for_each_measurement) {
    const Ran ran = command({"bench", "--op", "convert", "--quick", "--json"});
    BOOST_CHECK_EQUAL(ran.status, 0);
    const std::set<std::string> expected{"op",        "case",  "backend",  "device",      "variant",
                                         "residency", "ms",    "ms_min",   "ms_max",      "peer",
                                         "peer_ms",   "ratio", "floor_ms", "predicted_ms"};
    std::set<std::string> cases;
    std::set<std::string> backends;
    for (const std::string& line : ran.lines()) {
        const json row = json::parse(line);
        BOOST_CHECK(keys(row) == expected);
        BOOST_CHECK_EQUAL(row["op"], "convert");
        cases.insert(row["case"]);
        backends.insert(row["backend"]);
        BOOST_CHECK_GT(row["ms_min"].get<double>(), 0);
        BOOST_CHECK_LE(row["ms_min"].get<double>(), row["ms"].get<double>());
        BOOST_CHECK_LE(row["ms"].get<double>(), row["ms_max"].get<double>());
        BOOST_CHECK_GT(row["floor_ms"].get<double>(), 0);
        // On devices with memory of their own the images also lie there, where a queue has its own measurement.
        const std::string residency = row["residency"];
        BOOST_CHECK_MESSAGE(residency == "host" || residency == "device" || residency == "queued", line);
        if (row["backend"] == "cpu") {
            BOOST_CHECK_EQUAL(residency, "host");
        }
        BOOST_CHECK_EQUAL(row["peer"].is_null(), row["peer_ms"].is_null());
        if (!row["peer_ms"].is_null()) {
            BOOST_CHECK_CLOSE(row["ratio"].get<double>(), row["peer_ms"].get<double>() / row["ms"].get<double>(), 1e-6);
        }
    }
    BOOST_CHECK_EQUAL(cases.size(), 8u);  // two conversions on four screens
    BOOST_CHECK(backends.count("cpu") == 1);
}

BOOST_AUTO_TEST_CASE(bench_of_one_size_alone) {
    const Ran ran = command({"bench", "--op", "convert", "--backend", "cpu", "--quick", "--json", "--size", "300x200"});
    BOOST_CHECK_EQUAL(ran.status, 0);
    BOOST_CHECK_EQUAL(ran.lines().size(), 2u);
    for (const std::string& line : ran.lines()) {
        BOOST_CHECK_MESSAGE(has(json::parse(line)["case"].get<std::string>(), "300x200 "), line);
    }
    BOOST_CHECK_EQUAL(command({"bench", "--size", "301x200"}).status, 2);
    const Ran missing = command({"bench", "--op", "cascade_detect", "--cascade", "missing.xml"});
    BOOST_CHECK_EQUAL(missing.status, 2);
    BOOST_CHECK_MESSAGE(has(missing.err, "missing.xml"), missing.err);
}

BOOST_AUTO_TEST_CASE(bench_for_people_and_on_a_screen_of_ones_own) {
    const Folder folder;
    const std::string screen = folder.write("mine.png", tiles(400, 300, 9));
    const Ran ran = command({"bench", "--op", "integral", "--backend", "cpu", "--quick", "--screen", screen});
    BOOST_CHECK_EQUAL(ran.status, 0);
    for (const char* word : {"GB/s", "OPERATION", "RATIO", "integral", "1920x1080", "mine.png 400x300", "cpu:0"}) {
        BOOST_CHECK_MESSAGE(has(ran.out, word), word << " not in " << ran.out);
    }
    BOOST_CHECK(!has(ran.out, "opencv:0"));
    const Ran small =
        command({"bench", "--op", "integral", "--quick", "--screen", folder.write("small.png", tiles(50, 50, 9))});
    BOOST_CHECK_EQUAL(small.status, 2);
}
