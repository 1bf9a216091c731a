#include "context.h"

#include "failure.h"
#include "handles.h"
#include "library_place.h"
#include "processors.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace vedette::host {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t most_threads = 1024;

// Empty counts as not set. A set-uid program does not listen to its caller's environment.
std::optional<std::string> environment(const char* name) {
    const char* const value = ::secure_getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
}

fs::path library_directory(const ContextOptions& options) {
    if (options.library_directory.empty()) return own_directory();
    std::error_code error;
    fs::path directory = fs::canonical(options.library_directory, error);
    if (error) throw Failure(VDT_E_FILE, options.library_directory.string() + ": " + error.message() + ".");
    return directory;
}

Config load_config(const ContextOptions& options, const fs::path& library) {
    if (options.config_text) return parse_config(*options.config_text, "the configuration text");
    if (options.config_file) return read_config(*options.config_file);
    if (const auto file = environment("VEDETTE_CONFIG")) return read_config(*file);
    const fs::path installed = library / "vedette" / "vedette.json";
    std::error_code error;
    return fs::exists(installed, error) ? read_config(installed) : Config();
}

std::uint32_t thread_count(const ContextOptions& options, const Config& config) {
    if (options.threads > most_threads)
        throw Failure(VDT_E_ARGUMENT, "`threads` is " + std::to_string(options.threads) + "; at most " +
                                          std::to_string(most_threads) + " are possible.");
    if (options.threads != 0) return options.threads;
    if (config.threads != 0) return config.threads;
    return std::clamp(usable_processors(), 1u, most_threads);
}

// The directory that the caller named must be there; those of the configuration may be missing.
void check_plugin_directory(const fs::path& directory) {
    if (directory.empty()) return;
    if (!directory.is_absolute())
        throw Failure(VDT_E_ARGUMENT, "The plugin directory \"" + directory.string() + "\" must be an absolute path.");
    std::error_code error;
    if (!fs::is_directory(directory, error))
        throw Failure(VDT_E_FILE, "The plugin directory " + directory.string() + " is no directory.");
}

RegistryOptions registry_options(const ContextOptions& options, const Config& config, const fs::path& library) {
    RegistryOptions registry;
    check_plugin_directory(options.plugin_directory);
    if (!options.plugin_directory.empty()) registry.directories.push_back(options.plugin_directory);
    registry.own_directory = library / "vedette" / "plugins";
    registry.directories.push_back(registry.own_directory);
    registry.directories.insert(registry.directories.end(), config.plugin_directories.begin(),
                                config.plugin_directories.end());
    if (config.allow_environment_plugins) {
        if (const auto path = environment("VEDETTE_PLUGIN_PATH")) {
            const std::vector<fs::path> added = parse_plugin_path_variable(*path);
            registry.directories.insert(registry.directories.end(), added.begin(), added.end());
        }
    }
    registry.trial_program = library / "vedette" / "vedette-probe-plugin";
    registry.trial_seconds = config.trial_seconds;
    registry.order = config.order;
    registry.settings = config.backends;
    registry.built_in = options.built_in;
    return registry;
}

ModelOptions model_options(const ContextOptions& options, const Config& config, const fs::path& library,
                           std::uint32_t threads) {
    ModelOptions model;
    model.correct = config.model.correction;
    model.threads = threads;
    model.recorded = library / "vedette" / "devices";
    if (options.profile_directory)
        model.directory = *options.profile_directory;
    else if (config.model.profiles)
        model.directory = config.model.profile_directory.empty() ? vedette::model::user_cache_directory()
                                                                 : config.model.profile_directory;
    return model;
}

}  // namespace

Context::Context(const ContextOptions& options) : Context(options, library_directory(options)) {}

Context::Context(const ContextOptions& options, const fs::path& library)
    : log_(std::make_shared<Log>(options.log, options.log_user, options.log_level)),
      log_end_{log_},
      config_(load_config(options, library)),
      pool_(std::make_shared<ThreadPool>(thread_count(options, config_))),
      registry_(registry_options(options, config_, library), pool_, log_),
      models_(model_options(options, config_, library, thread_count(options, config_)), log_),
      chooser_(*this, config_.model.opening) {
    if (const auto value = environment("VEDETTE_BACKEND")) environment_policy_ = parse_backend_variable(*value);
}

void Context::check_process() const {
    if (!process_.same())
        throw Failure(VDT_E_FORKED, "This context was made before the process forked: create a new one in the child.");
}

PolicyLayers Context::policy() const {
    Policy preference;
    {
        const std::lock_guard lock(mutex_);
        preference.general = preference_;
    }
    return {{"VEDETTE_BACKEND", environment_policy_},
            {"the application", preference},
            {"the configuration", config_.policy}};
}

void Context::set_preferable_backend(const std::string& backend) {
    Rule rule;
    if (backend != "auto") {
        rule.mode = Mode::Prefer;
        const BackendName name = parse_backend_name(backend, "The backend");
        if (name.device >= 0)
            throw Failure(VDT_E_ARGUMENT, "\"" + backend + "\" names a device; set that with the preferable target.");
        Refusal refusal;
        if (registry_.devices(name.backend, &refusal).empty())
            throw Failure(VDT_E_ARGUMENT, "The backend " + name.backend + " is not there: " + refusal.reason);
        rule.backend = name.backend;
    }
    const std::lock_guard lock(mutex_);
    preference_ = rule;
    chooser_.forget();
}

void Context::set_preferable_target(std::int32_t device) {
    const std::lock_guard lock(mutex_);
    if (device < -1) throw Failure(VDT_E_ARGUMENT, "A device is 0 or above, or -1 for any.");
    if (device >= 0) {
        if (preference_.mode != Mode::Prefer)
            throw Failure(VDT_E_ARGUMENT, "A device belongs to a backend: set the preferable backend first.");
        const std::size_t count = registry_.devices(preference_.backend).size();
        if (static_cast<std::size_t>(device) >= count)
            throw Failure(VDT_E_ARGUMENT, preference_.backend + " has " + std::to_string(count) +
                                              " devices, counted from 0; " + std::to_string(device) +
                                              " is none of them.");
    }
    preference_.device = device;
    chooser_.forget();
}

const char* Context::keep(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return kept_.insert(text).first->c_str();
}

}  // namespace vedette::host
