#define BOOST_TEST_MODULE schema
#include "boost_test.h"
#include "core/config.h"
#include "failure_of.h"
#include "json_schema.h"
#include "model/profile.h"

#include <filesystem>
#include <fstream>
#include <functional>

using namespace vedette::host;
using nlohmann::json;
using vedette::test::failure_of;
using vedette::test::JsonSchema;

namespace {

json read(const std::string& name) {
    return json::parse(std::ifstream(VEDETTE_CONFIG_DIRECTORY "/" + name));
}

// Values of every type, inside and outside of every bound in the schemas, to be put in every place of a document.
const std::vector<json>& values() {
    static const std::vector<json> all = {nullptr,
                                          true,
                                          false,
                                          0,
                                          1,
                                          2,
                                          -1,
                                          63,
                                          64,
                                          600,
                                          601,
                                          1000,
                                          1001,
                                          1024,
                                          1025,
                                          0.5,
                                          1.0,
                                          1e30,
                                          -0.5,
                                          "",
                                          "a",
                                          "cpu",
                                          "auto",
                                          "CPU",
                                          "prefer",
                                          "force",
                                          "forbid",
                                          "/",
                                          "/opt/plugins",
                                          "opt",
                                          "a.so",
                                          "../a.so",
                                          "..",
                                          std::string("a\0b", 3),
                                          std::string(32, 'x'),
                                          std::string(33, 'x'),
                                          std::string(255, 'x'),
                                          std::string(256, 'x'),
                                          std::string(201, 'x'),
                                          std::string(4097, 'x'),
                                          std::string("\xc3\xa4"),
                                          json::array(),
                                          json::object(),
                                          json::array({"cpu"}),
                                          json::array({"cpu", "cpu"}),
                                          json::array({"cpu", "opencv"}),
                                          json::array({"/a", "/b"}),
                                          json::array({"a"}),
                                          json::array({1}),
                                          json::array({json::array()}),
                                          json{{"mode", "auto"}},
                                          json{{"mode", "prefer"}, {"backend", "cpu"}},
                                          json{{"a", 1}},
                                          json{{"cpu", json::object()}},
                                          json{{"enabled", true}},
                                          json{{"", 1}},
                                          json{{std::string(65, 'k'), 1}},
                                          json{{"integral", {{"mode", "auto"}}}},
                                          json{{"find", {{"mode", "auto"}}}}};
    return all;
}

// Calls `visit` with `document` changed in one place: each value replaced by each of values() and removed, and to each
// object a key added.
void vary(const json& document, const std::function<void(const json&)>& visit) {
    visit(document);
    const json flat = document.flatten();
    std::vector<json::json_pointer> places = {json::json_pointer()};
    for (const auto& [pointer, value] : flat.items())
        for (json::json_pointer place(pointer); !place.empty(); place.pop_back()) places.push_back(place);
    for (const json::json_pointer& place : places) {
        for (const json& value : values()) {
            json changed = document;
            changed[place] = value;
            visit(changed);
        }
        if (!place.empty() && document.at(place.parent_pointer()).is_object()) {
            json changed = document;
            changed[place.parent_pointer()].erase(place.back());
            visit(changed);
        }
        if (!document.at(place).is_object()) continue;
        for (const char* key : {"unknown", "a", "cpu", "CPU", "resize", "mode", "device", "backends"}) {
            for (const json& value : values()) {
                json changed = document;
                changed[place][key] = value;
                visit(changed);
            }
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(schema)

BOOST_AUTO_TEST_CASE(schema_and_reader_of_the_configuration_agree) {
    const JsonSchema schema(read("schema/vedette.schema.json"));
    const json all = json::parse(R"({
        "schema": 1, "threads": 3, "plugin_directories": ["/opt/a"], "allow_environment_plugins": false,
        "trial_seconds": 2.5, "order": ["opencv", "cpu"],
        "model": {"correction": false, "profiles": true, "profile_directory": "/var/p", "opening": "at_once"},
        "backends": {"cpu": {"enabled": false, "options": {"isa": "avx2", "tiles": 4}}},
        "policy": {"default": {"mode": "prefer", "backend": "cuda", "device": 1},
                   "operations": {"integral": {"mode": "auto"}, "template_find": {"mode": "forbid", "backends": ["cuda"]}}}})");
    int accepted = 0, refused = 0;
    vary(all, [&](const json& document) {
        const bool by_schema = schema.accepts(document);
        const vedette::host::Failure failure = failure_of([&] { parse_config(document.dump(), "it"); });
        const bool by_reader = failure.code() == VDT_OK;
        if (by_schema != by_reader)
            BOOST_TEST(by_schema == by_reader, "the schema says " << by_schema << ", the reader: " << failure.text()
                                                                  << "\n"
                                                                  << document.dump());
        ++(by_reader ? accepted : refused);
    });
    BOOST_TEST(accepted > 100);
    BOOST_TEST(refused > 1000);
    BOOST_TEST_MESSAGE(accepted << " accepted, " << refused << " refused");
}

BOOST_AUTO_TEST_CASE(schema_and_reader_of_manifests_agree) {
    const JsonSchema schema(read("schema/plugin.schema.json"));
    const json all = json::parse(R"({
        "schema": 1, "id": "cuda", "library": "vedette-cuda.so", "abi": {"major": 1, "minor_min": 0, "minor_max": 1000},
        "needs": ["libcuda.so.1"], "options": {"streams": 2}, "description": "GPUs"})");
    int accepted = 0, refused = 0;
    vary(all, [&](const json& document) {
        const bool by_schema = schema.accepts(document);
        const vedette::host::Failure failure = failure_of([&] { parse_manifest(document.dump(), "it"); });
        const bool by_reader = failure.code() == VDT_OK;
        // The one rule that the schema cannot state.
        const bool reversed = by_schema && document["abi"]["minor_min"] > document["abi"]["minor_max"];
        if ((by_schema && !reversed) != by_reader)
            BOOST_TEST(by_schema == by_reader, "the schema says " << by_schema << ", the reader: " << failure.text()
                                                                  << "\n"
                                                                  << document.dump());
        ++(by_reader ? accepted : refused);
    });
    BOOST_TEST(accepted > 50);
    BOOST_TEST(refused > 300);
}

BOOST_AUTO_TEST_CASE(device_profiles) {
    const JsonSchema schema(read("schema/device.schema.json"));
    for (const auto& file : std::filesystem::directory_iterator(VEDETTE_CONFIG_DIRECTORY "/devices")) {
        const json document = read("devices/" + file.path().filename().string());
        BOOST_TEST(schema.accepts(document), file.path().string());
        // As the writer writes it.
        const auto profile = vedette::model::read_profile(document.dump(), file.path().string());
        BOOST_TEST(schema.accepts(json::parse(vedette::model::write_profile(profile))));
        for (const char* key : {"schema", "plugin", "version", "device", "driver", "parameters"}) {
            json lacking = document;
            lacking.erase(key);
            BOOST_TEST(!schema.accepts(lacking));
            BOOST_TEST(failure_of([&] { vedette::model::read_profile(lacking.dump(), "it"); }).code() == VDT_E_CONFIG);
        }
    }
}

BOOST_AUTO_TEST_CASE(the_default_file_is_valid) {
    BOOST_TEST(JsonSchema(read("schema/vedette.schema.json")).accepts(read("vedette.json")));
}

BOOST_AUTO_TEST_SUITE_END()
