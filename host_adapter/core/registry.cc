#include "registry.h"

#include "failure.h"
#include "library_place.h"
#include "plugin_library.h"
#include "text.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <system_error>

namespace vedette::host {

namespace fs = std::filesystem;

struct Registry::Backend {
    std::string id;
    Manifest manifest;
    fs::path directory;                   // canonical; empty for a built-in plugin
    vdt_plugin_entry_fn entry = nullptr;  // of a built-in plugin
    std::mutex mutex;                     // guards what follows
    bool loaded = false;
    std::vector<std::shared_ptr<Device>> devices;
    Refusal refusal;  // when there are none
};

namespace {

constexpr std::size_t most_manifests = 256;

// The backends of this project: loaded without a trial when they lie in the installation itself.
constexpr std::array<std::string_view, 4> own_backends = {"cpu", "cuda", "opencl", "opencv"};

// A refusal on its way to whoever lists it.
struct Refused {
    std::string stage;
    vdt_code code;
    std::string reason;
};

std::string sentence(std::string text) {
    if (!text.empty() && !text.ends_with('.')) text += '.';
    return text;
}

// The regular file `name` of `directory`, its links followed, which must not lead out of the directory.
fs::path resolve(const fs::path& directory, const std::string& name) {
    std::error_code error;
    fs::path file = fs::canonical(directory / name, error);
    if (error)
        throw Refused{"file", VDT_E_FILE, (directory / name).string() + " cannot be opened: " + error.message() + "."};
    if (file.parent_path() != directory)
        throw Refused{"file", VDT_E_REFUSED,
                      (directory / name).string() + " leads out of its directory, to " + file.string() + "."};
    if (!fs::is_regular_file(file, error)) throw Refused{"file", VDT_E_REFUSED, file.string() + " is no regular file."};
    if (const auto reason = distrust(file)) throw Refused{"file", VDT_E_REFUSED, "It is refused: " + *reason + "."};
    return file;
}

void check_abi(const Manifest& manifest) {
    const bool common = manifest.abi_major == VDT_ABI_MAJOR && manifest.abi_minor_min <= VDT_ABI_MINOR;
    if (common) return;
    const std::string major = std::to_string(manifest.abi_major) + ".";
    throw Refused{"negotiate", VDT_E_ABI,
                  "It speaks ABI " + major + std::to_string(manifest.abi_minor_min) + " to " + major +
                      std::to_string(manifest.abi_minor_max) + ", this host speaks " + std::to_string(VDT_ABI_MAJOR) +
                      ".0 to " + std::to_string(VDT_ABI_MAJOR) + "." + std::to_string(VDT_ABI_MINOR) + "."};
}

// The manifest's defaults under the configuration's values.
std::vector<OptionValue> merged(std::vector<OptionValue> options, const std::vector<OptionValue>& configured) {
    for (const OptionValue& option : configured) {
        const auto same = [&](const OptionValue& other) { return other.key == option.key; };
        const auto place = std::find_if(options.begin(), options.end(), same);
        if (place == options.end())
            options.push_back(option);
        else
            *place = option;
    }
    return options;
}

}  // namespace

Registry::Registry(RegistryOptions options, std::shared_ptr<ThreadPool> pool, std::shared_ptr<Log> log)
    : options_(std::move(options)), pool_(std::move(pool)), log_(std::move(log)) {
    for (const BuiltInPlugin& plugin : options_.built_in) {
        auto backend = std::make_unique<Backend>();
        backend->id = plugin.id;
        backend->entry = plugin.entry;
        backend->manifest.options = plugin.options;
        backends_.emplace(plugin.id, std::move(backend));
    }
    for (const fs::path& directory : options_.directories) find_plugins(directory);
    for (const auto& [id, settings] : options_.settings) {
        if (settings.enabled || backends_.erase(id) == 0) continue;
        refuse({id, "", "manifest", VDT_E_UNAVAILABLE, "It is disabled by the configuration."});
    }
    for (const std::string& id : options_.order)
        if (backends_.contains(id)) names_.push_back(id);
    for (const auto& [id, backend] : backends_)
        if (std::find(names_.begin(), names_.end(), id) == names_.end()) names_.push_back(id);
}

Registry::~Registry() = default;

void Registry::refuse(Refusal refusal) {
    const bool expected =
        refusal.code == VDT_E_NO_DRIVER || refusal.code == VDT_E_NO_DEVICE || refusal.code == VDT_E_UNAVAILABLE;
    log_->write(expected ? VDT_LOG_INFO : VDT_LOG_WARNING,
                refusal.backend + " is not loaded (" + refusal.stage + "): " + refusal.reason);
    const std::lock_guard lock(mutex_);
    refusals_.push_back(std::move(refusal));
}

void Registry::find_plugins(const fs::path& directory) {
    std::error_code error;
    const fs::path place = fs::canonical(directory, error);
    if (error) {
        log_->write(VDT_LOG_DEBUG, "There is no plugin directory " + directory.string() + ".");
        return;
    }
    std::set<std::string> files;  // by name, so that the order does not depend on the file system
    for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error))
        if (entry->path().extension() == ".json" && files.size() < most_manifests)
            files.insert(entry->path().filename().string());
    if (error)
        log_->write(VDT_LOG_WARNING,
                    "The plugin directory " + place.string() + " cannot be read: " + error.message() + ".");
    for (const std::string& name : files) {
        Refusal refusal;
        refusal.backend = one_line(fs::path(name).stem().c_str(), 64);
        try {
            const fs::path file = resolve(place, name);
            auto backend = std::make_unique<Backend>();
            backend->manifest = read_manifest(file);
            backend->directory = place;
            backend->id = refusal.backend = backend->manifest.id;
            refusal.library = (place / backend->manifest.library).string();
            check_abi(backend->manifest);
            const auto first = backends_.find(backend->id);
            if (first == backends_.end()) {
                backends_.emplace(backend->id, std::move(backend));
                continue;
            }
            // Searching a directory twice finds the same plugins, which is nothing to tell.
            if (first->second->directory == place && first->second->manifest.library == backend->manifest.library)
                continue;
            throw Refused{"manifest", VDT_E_REFUSED,
                          "Another plugin of that name was found first, in " + first->second->directory.string() + "."};
        } catch (const Refused& refused) {
            refusal.stage = refused.stage;
            refusal.code = refused.code;
            refusal.reason = refused.reason;
        } catch (const Failure& failure) {
            refusal.stage = "manifest";
            refusal.code = failure.code();
            refusal.reason = failure.text();
        }
        refuse(std::move(refusal));
    }
}

std::vector<OptionValue> Registry::options_of(const Backend& backend) const {
    const auto settings = options_.settings.find(backend.id);
    return settings == options_.settings.end() ? backend.manifest.options
                                               : merged(backend.manifest.options, settings->second.options);
}

TrialVerdict Registry::try_apart(const Backend& backend, const fs::path& file) const {
    return try_plugin({options_.trial_program, file, backend.id, backend.manifest.needs, options_of(backend),
                       options_.trial_seconds});
}

void Registry::load(Backend& backend) {
    Refusal& refusal = backend.refusal;
    refusal.backend = backend.id;
    std::string stage = "file";
    try {
        LoadedTable loaded;
        std::string library;
        if (backend.entry != nullptr) {
            loaded = negotiate(backend.entry, backend.id);
        } else {
            refusal.library = (backend.directory / backend.manifest.library).string();
            const fs::path file = resolve(backend.directory, backend.manifest.library);
            library = refusal.library = file.string();
            const bool own = backend.directory == options_.own_directory &&
                             std::find(own_backends.begin(), own_backends.end(), backend.id) != own_backends.end();
            if (!own && options_.trial_seconds > 0) {
                const TrialVerdict verdict = try_apart(backend, file);
                if (!verdict.good) throw Refused{verdict.stage, verdict.code, verdict.reason};
            }
            loaded = load_plugin(file, backend.id, backend.manifest.needs);
        }
        if (loaded.table == nullptr) throw Refused{loaded.stage, loaded.code, loaded.reason};
        stage = "create";
        const auto plugin = std::make_shared<PluginInstance>(*loaded.table, backend.id, library, loaded.abi_minor,
                                                             options_of(backend), pool_, log_);
        stage = "devices";
        backend.devices = list_devices(plugin);
        log_->write(VDT_LOG_DEBUG, backend.id + " " + plugin->version() + " is loaded from " +
                                       (library.empty() ? "the program itself" : library) +
                                       ", devices: " + std::to_string(backend.devices.size()) + ".");
        return;
    } catch (const Refused& refused) {
        refusal.stage = refused.stage;
        refusal.code = refused.code;
        refusal.reason = sentence(refused.reason);
    } catch (const Failure& failure) {
        refusal.stage = stage;
        refusal.code = failure.code();
        refusal.reason = sentence(failure.text());
    }
    refuse(refusal);
}

std::vector<std::shared_ptr<Device>> Registry::devices(const std::string& name, Refusal* refusal) {
    const auto found = backends_.find(name);
    if (found != backends_.end()) {
        Backend& backend = *found->second;
        const std::lock_guard lock(backend.mutex);
        if (!backend.loaded) load(backend);
        backend.loaded = true;
        if (refusal != nullptr) *refusal = backend.refusal;
        return backend.devices;
    }
    if (refusal != nullptr) {
        *refusal = {name, "", "manifest", VDT_E_UNAVAILABLE, "No plugin of that name is installed."};
        const std::lock_guard lock(mutex_);
        for (const Refusal& known : refusals_)
            if (known.backend == name) *refusal = known;
    }
    return {};
}

std::vector<std::shared_ptr<Device>> Registry::loaded_devices(const std::string& name) {
    const auto found = backends_.find(name);
    if (found == backends_.end()) return {};
    const std::unique_lock lock(found->second->mutex, std::try_to_lock);
    return lock && found->second->loaded ? found->second->devices : std::vector<std::shared_ptr<Device>>();
}

bool Registry::gives_costs(const std::string& name) {
    const auto found = backends_.find(name);
    if (found == backends_.end()) return true;
    Backend& backend = *found->second;
    const std::lock_guard lock(backend.mutex);
    if (backend.loaded)
        return backend.devices.empty() ||
               std::any_of(backend.devices.begin(), backend.devices.end(),
                           [](const std::shared_ptr<Device>& device) { return device->gives_costs(); });
    if (!backend.manifest.list_apart || options_.trial_seconds <= 0) return true;
    try {
        const TrialVerdict verdict = try_apart(backend, resolve(backend.directory, backend.manifest.library));
        return !verdict.good || verdict.gives_costs;
    } catch (const Refused&) {
        return true;  // loading it says why
    }
}

bool Registry::missing(const std::string& name) {
    const auto found = backends_.find(name);
    if (found == backends_.end()) return true;
    const std::unique_lock lock(found->second->mutex, std::try_to_lock);
    return lock && found->second->loaded && found->second->devices.empty();
}

void Registry::note_open_failure(Device& device, vdt_code code, const std::string& reason) {
    Refusal refusal{device.backend(), device.plugin().library(), "open", code,
                    sentence(device.name() + " (device " + std::to_string(device.index()) + "): " + reason)};
    {
        const std::lock_guard lock(mutex_);
        for (const Refusal& known : refusals_)
            if (known.backend == refusal.backend && known.stage == "open" && known.reason == refusal.reason) return;
    }
    refuse(std::move(refusal));
}

void Registry::load_all() {
    const std::lock_guard lock(listing_mutex_);
    if (all_loaded_) return;
    std::vector<std::shared_ptr<Device>> listed;
    for (const std::string& name : names_) {
        for (const std::shared_ptr<Device>& device : devices(name)) {
            try {
                if (!device->quarantined()) device->open();
                listed.push_back(device);
            } catch (const Failure& failure) {
                device->note_failure(failure.code(), failure.text());
                note_open_failure(*device, failure.code(), failure.text());
            }
        }
    }
    note_shared_devices(listed);
    const std::lock_guard inner(mutex_);
    listed_ = std::move(listed);
    all_loaded_ = true;
}

void Registry::note_shared_devices(const std::vector<std::shared_ptr<Device>>& devices) {
    std::map<std::string, std::string> seen;
    for (const std::shared_ptr<Device>& device : devices) {
        if (device->uid().empty()) continue;
        const std::string name = device->backend() + ":" + std::to_string(device->index());
        const auto [place, fresh] = seen.try_emplace(device->uid(), name);
        if (!fresh)
            log_->write(VDT_LOG_INFO, name + " and " + place->second + " are one device (" + device->uid() + ").");
    }
}

std::size_t Registry::device_count() const {
    const std::lock_guard lock(mutex_);
    return listed_.size();
}

std::shared_ptr<Device> Registry::device_at(std::size_t index) const {
    const std::lock_guard lock(mutex_);
    return index < listed_.size() ? listed_[index] : nullptr;
}

std::size_t Registry::refusal_count() const {
    const std::lock_guard lock(mutex_);
    return refusals_.size();
}

const Refusal& Registry::refusal_at(std::size_t index) const {
    const std::lock_guard lock(mutex_);
    return refusals_.at(index);
}

}  // namespace vedette::host
