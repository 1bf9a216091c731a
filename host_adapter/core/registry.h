// The backends of a context: found when the context is made, each loaded when it is first needed.
#pragma once

#include "device.h"
#include "manifest.h"
#include "trial.h"

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vedette::host {

// Why a backend is not there.
struct Refusal {
    std::string backend;
    std::string library;  // path, "" when there was none
    std::string stage;    // "manifest", "file", "needs", "load", "negotiate", "create", "devices", "open"
    vdt_code code = VDT_OK;
    std::string reason;  // one sentence
};

// A plugin that is part of the process: tests, and programs that link a backend.
struct BuiltInPlugin {
    std::string id;
    vdt_plugin_entry_fn entry = nullptr;
    std::vector<OptionValue> options;
};

struct RegistryOptions {
    std::vector<std::filesystem::path> directories;  // absolute, in the order of rank
    std::filesystem::path own_directory;             // the installation's plugins, whose well-known ids need no trial
    std::filesystem::path trial_program;
    double trial_seconds = 10;  // 0 = no trials
    std::vector<std::string> order;
    std::map<std::string, BackendSettings> settings;
    std::vector<BuiltInPlugin> built_in;
};

// Thread rule: any.
class Registry {
public:
    Registry(RegistryOptions options, std::shared_ptr<ThreadPool> pool, std::shared_ptr<Log> log);
    ~Registry();

    // Names of the enabled backends whose manifests were found, in the configured order (those it does not name follow
    // by name).
    const std::vector<std::string>& names() const noexcept { return names_; }
    // The devices of a backend; loads it when that was not done yet. Empty: `refusal` (may be NULL) says why.
    std::vector<std::shared_ptr<Device>> devices(const std::string& backend, Refusal* refusal = nullptr);
    // The same, but nothing is loaded and nobody waited for: empty for a backend that is not loaded yet, or is just
    // being.
    std::vector<std::shared_ptr<Device>> loaded_devices(const std::string& backend);
    // False when the backend has devices and none of them gives costs. Of one that is not loaded yet and whose devices
    // are better listed apart (Manifest::list_apart) a process of its own is asked, once; true where nobody knows.
    bool gives_costs(const std::string& backend);
    // True when it was tried and is not there.
    bool missing(const std::string& backend);
    // Adds a refusal of stage "open"; each device is listed once.
    void note_open_failure(Device& device, vdt_code code, const std::string& reason);

    // For listings: loads every backend and opens every device.
    void load_all();
    // Devices that could be opened, in order; complete and fixed after load_all. The reference lives with this object.
    std::size_t device_count() const;
    std::shared_ptr<Device> device_at(std::size_t index) const;
    // Refusals so far; they are never removed, so indices and references stay.
    std::size_t refusal_count() const;
    const Refusal& refusal_at(std::size_t index) const;

private:
    struct Backend;
    void refuse(Refusal refusal);
    void find_plugins(const std::filesystem::path& directory);
    void load(Backend& backend);
    std::vector<OptionValue> options_of(const Backend& backend) const;
    TrialVerdict try_apart(const Backend& backend, const std::filesystem::path& file) const;
    // One GPU seen by two backends, or twice by one, is said in the log; nothing is hidden.
    void note_shared_devices(const std::vector<std::shared_ptr<Device>>& devices);

    const RegistryOptions options_;
    std::shared_ptr<ThreadPool> pool_;
    std::shared_ptr<Log> log_;
    std::vector<std::string> names_;
    std::map<std::string, std::unique_ptr<Backend>> backends_;
    std::mutex listing_mutex_;  // held while everything is loaded
    bool all_loaded_ = false;
    mutable std::mutex mutex_;  // guards what follows
    std::deque<Refusal> refusals_;
    std::vector<std::shared_ptr<Device>> listed_;
};

}  // namespace vedette::host
