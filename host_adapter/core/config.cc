#include "config.h"

#include "failure.h"
#include "json_input.h"
#include "operations.h"
#include "text.h"

#include <algorithm>

namespace vedette::host {
namespace {

constexpr std::uint64_t most_threads = 1024;
constexpr std::uint64_t most_devices = 64;
constexpr std::size_t most_entries = 64;
constexpr std::size_t longest_path = 4096;
constexpr double longest_trial = 600;

constexpr const char* name_rule =
    "must be the name of a backend: lower-case letters, digits, '-' and '_', a letter first, 32 at most";

std::vector<std::string> backend_names(JsonObject& object, const char* key) {
    std::vector<std::string> names = object.texts(key, 32, most_entries);
    for (const std::string& name : names)
        if (!valid_backend_name(name)) object.fail(key, name_rule);
    return names;
}

Rule read_rule(JsonObject object) {
    object.require("mode");
    const std::string mode = object.text("mode", 16, "");
    Rule rule;
    if (mode == "auto") {
        rule.mode = Mode::Auto;
    } else if (mode == "prefer" || mode == "force") {
        rule.mode = mode == "prefer" ? Mode::Prefer : Mode::Force;
        object.require("backend");
        rule.backend = object.text("backend", 32, "");
        if (!valid_backend_name(rule.backend)) object.fail("backend", name_rule);
        if (object.has("device"))
            rule.device = static_cast<std::int32_t>(object.whole("device", 0, most_devices - 1, 0));
    } else if (mode == "forbid") {
        object.require("backends");
        const std::vector<std::string> names = backend_names(object, "backends");
        if (names.empty()) object.fail("backends", "must name at least one backend");
        rule.forbidden.insert(names.begin(), names.end());
    } else {
        object.fail("mode", "must be \"auto\", \"prefer\", \"force\" or \"forbid\"");
    }
    object.finish();
    return rule;
}

Policy read_policy(JsonObject object) {
    Policy policy;
    if (auto general = object.object("default")) policy.general = read_rule(*general);
    if (auto operations = object.object("operations")) {
        for (auto& [name, rule] : operations->members()) {
            const std::optional<vdt_op> op = operation_of_name(name);
            if (!op) operations->fail(name, "is no operation");
            policy.operations[*op] = read_rule(rule);
        }
    }
    object.finish();
    return policy;
}

BackendSettings read_settings(JsonObject object) {
    BackendSettings settings;
    settings.enabled = object.boolean("enabled", true);
    settings.options = object.options("options");
    object.finish();
    return settings;
}

ModelSettings read_model(JsonObject object) {
    ModelSettings settings;
    settings.correction = object.boolean("correction", settings.correction);
    settings.profiles = object.boolean("profiles", settings.profiles);
    const std::string directory = object.text("profile_directory", longest_path, "");
    if (!directory.empty() && directory.front() != '/') object.fail("profile_directory", "must be an absolute path");
    settings.profile_directory = directory;
    const std::string opening = object.text("opening", 16, "when_it_pays");
    if (opening == "at_once")
        settings.opening = Opening::AtOnce;
    else if (opening != "when_it_pays")
        object.fail("opening", "must be \"when_it_pays\" or \"at_once\"");
    object.finish();
    return settings;
}

}  // namespace

Config parse_config(const std::string& text, const std::string& name) {
    const nlohmann::json document = parse_json(text, name);
    JsonObject object(document, name, "");
    Config config;
    config.source = name;
    object.whole("schema", 1, 1, 1);
    config.threads = static_cast<std::uint32_t>(object.whole("threads", 0, most_threads, config.threads));
    for (const std::string& directory : object.texts("plugin_directories", longest_path, most_entries)) {
        if (!directory.starts_with('/')) object.fail("plugin_directories", "must hold absolute paths only");
        config.plugin_directories.emplace_back(directory);
    }
    config.allow_environment_plugins = object.boolean("allow_environment_plugins", config.allow_environment_plugins);
    config.trial_seconds = object.real("trial_seconds", 0, longest_trial, config.trial_seconds);
    if (object.has("order")) config.order = backend_names(object, "order");
    if (auto backends = object.object("backends")) {
        for (auto& [id, settings] : backends->members()) {
            if (!valid_backend_name(id)) backends->fail(id, name_rule);
            config.backends[id] = read_settings(settings);
        }
    }
    if (auto policy = object.object("policy")) config.policy = read_policy(*policy);
    if (auto model = object.object("model")) config.model = read_model(*model);
    object.finish();
    return config;
}

Config read_config(const std::filesystem::path& file) {
    return parse_config(read_json_file(file), file.string());
}

}  // namespace vedette::host
