// The heart of libvedette: configuration, backends, thread pool and plans behind a vdt_context.
#pragma once

#include "chooser.h"
#include "config.h"
#include "device.h"
#include "device_model.h"
#include "explainer.h"
#include "log.h"
#include "plan_cache.h"
#include "policy.h"
#include "process.h"
#include "registry.h"
#include "thread_pool.h"

#include <vedette/vedette.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vedette::host {

struct ContextOptions {
    std::uint32_t threads = 0;  // 0 = as the configuration says, else one per core
    std::optional<std::string> config_file;
    std::optional<std::string> config_text;
    std::filesystem::path plugin_directory;  // empty = none
    vdt_log_fn log = nullptr;
    void* log_user = nullptr;
    std::uint32_t log_level = VDT_LOG_WARNING;
    // Where libvedette lies; empty = found by itself. A test program holds the code itself and says where the library
    // is.
    std::filesystem::path library_directory;
    // Where device profiles lie; not given: as the configuration says, else the user's cache directory.
    std::optional<std::filesystem::path> profile_directory;
    // Plugins inside this process, beside those on disk.
    std::vector<BuiltInPlugin> built_in;
};

// Thread rule: everything from any thread, at the same time.
class Context {
public:
    // Reads configuration and environment and finds the plugins; each is loaded when it is first needed. Failure
    // VDT_E_CONFIG, VDT_E_FILE, VDT_E_ARGUMENT.
    explicit Context(const ContextOptions& options);
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    // Failure VDT_E_FORKED in a process that forked off the one that made this context.
    void check_process() const;

    const Config& config() const noexcept { return config_; }
    ThreadPool& pool() noexcept { return *pool_; }
    Log& log() noexcept { return *log_; }
    Registry& registry() noexcept { return registry_; }
    PlanCache& plans() noexcept { return plans_; }
    DeviceModels& models() noexcept { return models_; }
    Chooser& chooser() noexcept { return chooser_; }
    Explainer& explainer() noexcept { return explainer_; }

    // The rules in force now: environment, preference of the application, configuration.
    PolicyLayers policy() const;
    // As vdt_set_preferable_backend and _target.
    void set_preferable_backend(const std::string& backend);
    void set_preferable_target(std::int32_t device);

    // Strings that live as long as the context, each kept once.
    const char* keep(const std::string& text);

private:
    Context(const ContextOptions& options, const std::filesystem::path& library);

    // Destroyed after the backends, which may log until they are gone.
    struct LogEnd {
        std::shared_ptr<Log> log;
        ~LogEnd() { log->close(); }
    };

    ProcessMark process_;
    std::shared_ptr<Log> log_;
    LogEnd log_end_;
    Config config_;
    Policy environment_policy_;
    std::shared_ptr<ThreadPool> pool_;
    Registry registry_;
    PlanCache plans_;
    DeviceModels models_;
    Chooser chooser_;
    Explainer explainer_{*this};
    mutable std::mutex mutex_;
    Rule preference_;
    std::set<std::string> kept_;
};

// The context behind a handle of the C API. Failure VDT_E_ARGUMENT for NULL or no living context, VDT_E_FORKED in a
// forked child. Call it first in every function of the C API that gets a context.
Context& context_of(const vdt_context* context);

}  // namespace vedette::host
