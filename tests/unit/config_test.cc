#define BOOST_TEST_MODULE config
#include "core/config.h"
#include "boost_test.h"
#include "core/json_input.h"
#include "failure_of.h"
#include "temporary_directory.h"

#include <filesystem>

using namespace vedette::host;
using vedette::test::contains;
using vedette::test::failure_of;
using vedette::test::TemporaryDirectory;

namespace {

Config parse(const std::string& text) {
    return parse_config(text, "test.json");
}

Failure refused(const std::string& text) {
    return failure_of([&] { parse(text); });
}

// Refused as a configuration error that names the file, and says `part`.
void check_refused(const std::string& text, const std::string& part) {
    BOOST_TEST_CONTEXT(text.substr(0, 100)) {
        const Failure failure = refused(text);
        BOOST_TEST(failure.code() == VDT_E_CONFIG);
        BOOST_TEST(failure.text().starts_with("test.json"));
        BOOST_TEST(contains(failure.text(), part), failure.text() << " does not say: " << part);
        BOOST_TEST(failure.text().size() < 400u);
    }
}

std::string repeated(const std::string& part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(config)

BOOST_AUTO_TEST_CASE(everything_that_can_be_said) {
    const Config config = parse(R"({
        "schema": 1, "threads": 3, "plugin_directories": ["/opt/a", "/opt/b"], "allow_environment_plugins": false,
        "trial_seconds": 2.5, "order": ["opencv", "cpu"],
        "backends": {"cpu": {"enabled": false, "options": {"isa": "avx2", "tiles": 4, "share": 0.5, "fast": true,
                                                            "huge": 18446744073709551615}},
                     "opencv": {}},
        "policy": {"default": {"mode": "prefer", "backend": "cuda", "device": 1},
                   "operations": {"integral": {"mode": "auto"}, "resize": {"mode": "force", "backend": "opencv"},
                                  "template_find": {"mode": "forbid", "backends": ["opencl", "cuda"]}}}})");
    BOOST_TEST(config.threads == 3u);
    BOOST_TEST(config.plugin_directories.size() == 2u);
    BOOST_TEST(config.plugin_directories[1].string() == "/opt/b");
    BOOST_TEST(!config.allow_environment_plugins);
    BOOST_TEST(config.trial_seconds == 2.5);
    BOOST_TEST(config.order == (std::vector<std::string>{"opencv", "cpu"}), boost::test_tools::per_element());
    BOOST_TEST(config.source == "test.json");
    const BackendSettings& cpu = config.backends.at("cpu");
    BOOST_TEST(!cpu.enabled);
    BOOST_TEST(config.backends.at("opencv").enabled);
    BOOST_REQUIRE(cpu.options.size() == 5u);  // by name
    BOOST_TEST(cpu.options[0].key == "fast");
    BOOST_TEST(cpu.options[0].kind == VDT_OPTION_INTEGER);
    BOOST_TEST(cpu.options[0].integer == 1);
    BOOST_TEST(cpu.options[1].kind == VDT_OPTION_REAL);  // no signed 64-bit number holds it
    BOOST_TEST(cpu.options[2].kind == VDT_OPTION_TEXT);
    BOOST_TEST(cpu.options[2].text == "avx2");
    BOOST_TEST(cpu.options[3].real == 0.5);
    BOOST_TEST(cpu.options[4].integer == 4);
    BOOST_TEST((config.policy.general.mode == Mode::Prefer));
    BOOST_TEST(config.policy.general.backend == "cuda");
    BOOST_TEST(config.policy.general.device == 1);
    BOOST_TEST((config.policy.operations.at(VDT_OP_INTEGRAL).mode == Mode::Auto));
    BOOST_TEST((config.policy.operations.at(VDT_OP_RESIZE).mode == Mode::Force));
    BOOST_TEST(config.policy.operations.at(VDT_OP_TEMPLATE_FIND).forbidden.contains("opencl"));
}

BOOST_AUTO_TEST_CASE(what_is_left_out_has_its_default) {
    const Config config = parse("{}");
    const Config built_in;
    BOOST_TEST(config.threads == built_in.threads);
    BOOST_TEST(config.order == built_in.order, boost::test_tools::per_element());
    BOOST_TEST(config.trial_seconds == built_in.trial_seconds);
    BOOST_TEST(config.allow_environment_plugins == built_in.allow_environment_plugins);
    BOOST_TEST(parse(R"({"threads": 4.0})").threads == 4u);  // as in JSON Schema
}

BOOST_AUTO_TEST_CASE(the_installed_file_holds_the_defaults) {
    const Config file = read_config(VEDETTE_CONFIG_DIRECTORY "/vedette.json");
    const Config built_in;
    BOOST_TEST(file.threads == built_in.threads);
    BOOST_TEST(file.plugin_directories.empty());
    BOOST_TEST(file.allow_environment_plugins == built_in.allow_environment_plugins);
    BOOST_TEST(file.trial_seconds == built_in.trial_seconds);
    BOOST_TEST(file.order == built_in.order, boost::test_tools::per_element());
    BOOST_TEST(file.backends.empty());
    BOOST_TEST(file.policy.operations.empty());
    BOOST_TEST(file.policy.general.forbidden.empty());
    BOOST_TEST(file.model.correction == built_in.model.correction);
    BOOST_TEST(file.model.profiles == built_in.model.profiles);
    BOOST_TEST(file.model.profile_directory == built_in.model.profile_directory);
    BOOST_TEST((file.model.opening == built_in.model.opening));
}

BOOST_AUTO_TEST_CASE(the_cost_model) {
    const ModelSettings model = parse(R"({"model": {"correction": false, "profiles": false, "opening": "at_once",
                                          "profile_directory": "/var/lib/profiles"}})")
                                    .model;
    BOOST_TEST(!model.correction);
    BOOST_TEST(!model.profiles);
    BOOST_TEST((model.opening == Opening::AtOnce));
    BOOST_TEST(model.profile_directory.string() == "/var/lib/profiles");
    check_refused(R"({"model": {"opening": "never"}})", "/model/opening must be");
    check_refused(R"({"model": {"profile_directory": "here"}})", "/model/profile_directory must be an absolute path");
    check_refused(R"({"model": {"threshold": 100}})", "/model/threshold is no known key");
}

BOOST_AUTO_TEST_CASE(unknown_keys_are_named) {
    check_refused(R"({"thread": 1})", "/thread is no known key");
    check_refused(R"({"backends": {"cpu": {"enable": true}}})", "/backends/cpu/enable is no known key");
    check_refused(R"({"policy": {"defaults": {}}})", "/policy/defaults is no known key");
    check_refused(R"({"policy": {"operations": {"find": {"mode": "auto"}}}})",
                  "/policy/operations/find is no operation");
    check_refused(R"({"policy": {"default": {"mode": "auto", "backend": "cpu"}}})",
                  "/policy/default/backend is no known");
    check_refused(R"({"a/b~c": 1})", "/a~1b~0c");
    check_refused("{\"" + std::string(5000, 'k') + "\": 1}", "kkk...");
    check_refused("{\"line\\nend\": 1}", "/line end");
}

BOOST_AUTO_TEST_CASE(wrong_types_and_values_are_named) {
    check_refused("[]", "the document must be an object");
    check_refused("null", "the document must be an object");
    check_refused(R"({"schema": 2})", "/schema must be");
    for (const char* value : {"\"4\"", "-1", "1025", "1.5", "true", "null", "[1]", "1e30", "-0.5"})
        check_refused(std::string(R"({"threads": )") + value + "}", "/threads must be a whole number from 0 to 1024");
    for (const char* value :
         {"\"/opt\"", "{}", "[1]", "[\"relative\"]", "[\"\"]", "[\"/a\", \"/a\"]", "[\"/a\\u0000b\"]"})
        check_refused(std::string(R"({"plugin_directories": )") + value + "}", "/plugin_directories");
    for (const char* value : {"1", "\"yes\"", "null"})
        check_refused(std::string(R"({"allow_environment_plugins": )") + value + "}", "must be true or false");
    for (const char* value : {"-1", "601", "\"1\"", "null"})
        check_refused(std::string(R"({"trial_seconds": )") + value + "}",
                      "/trial_seconds must be a number from 0 to 600");
    for (const char* value : {"\"cpu\"", "[\"CPU\"]", "[\"auto\"]", "[\"cpu\", \"cpu\"]", "[5]"})
        check_refused(std::string(R"({"order": )") + value + "}", "/order");
    check_refused(R"({"backends": {"Cpu": {}}})", "/backends/Cpu must be the name of a backend");
    check_refused(R"({"backends": {"cpu": true}})", "/backends/cpu must be an object");
    check_refused(R"({"backends": {"cpu": {"options": {"a": [1]}}}})", "/backends/cpu/options/a must be");
    check_refused(R"({"backends": {"cpu": {"options": {"a": null}}}})", "/backends/cpu/options/a must be");
    check_refused(R"({"backends": {"cpu": {"options": {"": 1}}}})", "/backends/cpu/options");
    check_refused(R"({"policy": {"default": {}}})", "/policy/default/mode is missing");
    check_refused(R"({"policy": {"default": {"mode": "best"}}})", "/policy/default/mode must be");
    check_refused(R"({"policy": {"default": {"mode": "force"}}})", "/policy/default/backend is missing");
    check_refused(R"({"policy": {"default": {"mode": "force", "backend": "auto"}}})",
                  "/policy/default/backend must be");
    check_refused(R"({"policy": {"default": {"mode": "force", "backend": "cpu", "device": -1}}})",
                  "/policy/default/device");
    check_refused(R"({"policy": {"default": {"mode": "forbid", "backends": []}}})", "/policy/default/backends");
    check_refused(R"({"policy": {"default": {"mode": "forbid", "backend": "cpu"}}})",
                  "/policy/default/backends is missing");
}

BOOST_AUTO_TEST_CASE(what_is_no_json_is_placed) {
    check_refused("", "line 1, column 1");
    check_refused("{\n  \"threads\": 1,\n  oops\n}", "line 3, column 3");
    check_refused("{\"threads\": 1", "line 1, column 1");
    check_refused("{} {}", "line 1, column 4");
    check_refused("{\"threads\": 1,}", "line 1");
    check_refused("{'threads': 1}", "line 1, column 2");
    check_refused("// comment\n{}", "line 1");
    check_refused("{\"threads\": NaN}", "line 1");
    check_refused("{\"threads\": 1e999}", "line 1");
    check_refused("{\"order\": [\"\xff\xfe\"]}", "line 1, column 13");
    check_refused("{\"order\": [\"\xc0\xaf\"]}", "UTF-8");
    check_refused("{\"order\": [\"\\ud800\"]}", "line 1");
    check_refused(std::string("{\"threads\": 1}\0", 15), "line 1");
}

BOOST_AUTO_TEST_CASE(hostile_documents) {
    check_refused(R"({"threads": 1, "threads": 2})", "\"threads\" appears twice");
    check_refused(R"({"backends": {"cpu": {"options": {"a": 1, "a": 1}}}})", "\"a\" appears twice");
    check_refused(repeated("[", 17), "nested deeper than 16 levels");
    check_refused(repeated("[", 500000), "nested deeper than 16 levels");
    check_refused(repeated("{\"a\":", 100000), "nested deeper than 16 levels");
    check_refused("{\"x\": \"" + std::string(std::size_t{2} << 20, 'x') + "\"}", "larger than 1 MiB");
    check_refused("{\"threads\": " + std::string(100000, '9') + "}", "line 1");
    check_refused("{\"order\": [" + repeated("\"cpu\",", 65) + "\"cpu\"]}", "at most 64");
    check_refused(R"({"backends": {"cpu": {"options": {"a": ")" + std::string(5000, 'x') + "\"}}}}", "4096 characters");
}

BOOST_AUTO_TEST_CASE(files) {
    const TemporaryDirectory directory;
    const std::string file = directory.write("good.json", R"({"threads": 7})");
    BOOST_TEST(read_config(file).threads == 7u);
    BOOST_TEST(read_config(file).source == file);
    const auto code = [](const std::string& path) { return failure_of([&] { read_config(path); }); };
    BOOST_TEST(code(directory.path() / "none.json").code() == VDT_E_FILE);
    BOOST_TEST(contains(code(directory.path() / "none.json").text(), "none.json"));
    BOOST_TEST(code(directory.path()).code() == VDT_E_FILE);
    BOOST_TEST(code("/dev/zero").code() == VDT_E_FILE);  // endless
    BOOST_TEST(code(directory.write("big.json", std::string(largest_json_file + 1, ' '))).code() == VDT_E_CONFIG);
    BOOST_TEST(contains(code(directory.write("bad.json", "{\"threads\": -1}")).text(), "bad.json: /threads"));
    BOOST_TEST(read_config(directory.write("mark.json", "\xef\xbb\xbf{\"threads\": 7}")).threads ==
               7u);  // byte order mark
}

BOOST_AUTO_TEST_CASE(good_manifest) {
    const Manifest manifest = parse_manifest(R"({"schema": 1, "id": "cuda", "library": "vedette-cuda.so",
        "abi": {"major": 1, "minor_min": 0, "minor_max": 3}, "needs": ["libcuda.so.1"],
        "options": {"streams": 2}, "description": "NVIDIA\nGPUs"})",
                                             "cuda.json");
    BOOST_TEST(manifest.id == "cuda");
    BOOST_TEST(manifest.library == "vedette-cuda.so");
    BOOST_TEST(manifest.abi_major == 1u);
    BOOST_TEST(manifest.abi_minor_max == 3u);
    BOOST_TEST(manifest.needs.size() == 1u);
    BOOST_TEST(manifest.options.size() == 1u);
    BOOST_TEST(manifest.description == "NVIDIA GPUs");
}

BOOST_AUTO_TEST_CASE(bad_manifests) {
    const auto with = [](const std::string& changed) {
        return failure_of([&] {
            nlohmann::json manifest = nlohmann::json::parse(
                R"({"schema": 1, "id": "a", "library": "a.so", "abi": {"major": 1, "minor_min": 0, "minor_max": 0}})");
            manifest.merge_patch(nlohmann::json::parse(changed));
            parse_manifest(manifest.dump(), "a.json");
        });
    };
    BOOST_TEST(with("{}").code() == VDT_OK);
    for (const char* changed : {R"({"schema": null})",
                                R"({"schema": 2})",
                                R"({"id": null})",
                                R"({"id": "A"})",
                                R"({"id": "force"})",
                                R"({"id": "../a"})",
                                R"({"library": null})",
                                R"({"library": ""})",
                                R"({"library": "../a.so"})",
                                R"({"library": "/usr/lib/a.so"})",
                                R"({"library": ".."})",
                                R"({"library": "a\u0000.so"})",
                                R"({"abi": null})",
                                R"({"abi": {"major": 0}})",
                                R"({"abi": {"minor_min": 2}})",
                                R"({"abi": {"patch": 1}})",
                                R"({"needs": "libc.so.6"})",
                                R"({"needs": ["/lib/libc.so.6"]})",
                                R"({"needs": ["a", "a"]})",
                                R"({"options": {"a": {}}})",
                                R"({"description": 5})",
                                R"({"file": "a.so"})"}) {
        BOOST_TEST_CONTEXT(changed) {
            BOOST_TEST(with(changed).code() == VDT_E_CONFIG);
            BOOST_TEST(with(changed).text().starts_with("a.json: /"));
        }
    }
    BOOST_TEST(failure_of([] { parse_manifest("[", "a.json"); }).code() == VDT_E_CONFIG);
}

BOOST_AUTO_TEST_SUITE_END()
