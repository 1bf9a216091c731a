#include "device_model.h"

#include "../model/properties.h"
#include "../probe/parameters.h"
#include "failure.h"
#include "json_input.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

namespace vedette::host {
namespace {

namespace fs = std::filesystem;

// What the plugin knows without measuring: a probe with no time.
model::Parameters plugin_properties(Device& device) {
    model::Parameters parameters;
    const PluginAnswer answer = ask_parameters(device, 0, parameters);
    if (VDT_IS_PLUGIN_BUG(answer.code)) device.note_failure(answer.code, "probe: " + answer.text);
    return parameters;
}

// How well the same operations of the same plugin use a device of the same kind, recorded elsewhere: the code is the
// same, and so roughly is the share of a machine's speed that it reaches. A recording with the same driver (of a CPU
// backend: its instruction set) is nearest, and of several the one whose processors are about as many, which have as
// much to share.
void add_recorded_efficiencies(const fs::path& directory, model::Profile& profile) {
    std::error_code error;
    std::set<fs::path> files;
    if (directory.empty()) return;
    for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
        if (entry->path().extension() == ".json") files.insert(entry->path());
    const double own = std::max(profile.parameters.get(VDT_PARAM_PROCESSORS, 1), 1.0);
    constexpr double far = 1e3;
    double nearest = 2 * far;
    for (const fs::path& file : files) {
        const model::Profile recorded = model::read_profile(read_json_file(file), file.string());
        if (recorded.key.plugin != profile.key.plugin || recorded.kind != profile.kind || recorded.efficiencies.empty())
            continue;
        const double processors = std::max(recorded.parameters.get(VDT_PARAM_PROCESSORS, 1), 1.0);
        const double distance =
            std::abs(std::log(processors / own)) + (recorded.key.driver == profile.key.driver ? 0 : far);
        if (distance >= nearest) continue;
        nearest = distance;
        profile.efficiencies = recorded.efficiencies;
    }
}

}  // namespace

DeviceModel::DeviceModel(model::Profile profile)
    : profile_(std::move(profile)), machine_(model::machine_of(profile_)) {}

std::string DeviceModel::source() const {
    if (profile_.parameters.source() != VDT_SOURCE_MEASURED) return "device properties";
    return profile_.recorded.empty() ? "measured" : "measured " + profile_.recorded;
}

DeviceModel::Place* DeviceModel::place(vdt_op op, std::uint32_t slot, std::uint32_t size_class) noexcept {
    if (op >= VDT_OP_COUNT || slot >= most_variants || size_class >= model::size_classes) return nullptr;
    return &places_[op][slot][size_class];
}

double DeviceModel::correction(vdt_op op, std::uint32_t slot, std::uint32_t size_class) const noexcept {
    const Place* const found = const_cast<DeviceModel*>(this)->place(op, slot, size_class);
    return found == nullptr ? 1 : static_cast<double>(found->factor.load(std::memory_order_relaxed));
}

std::uint32_t DeviceModel::slot_of(vdt_op op, const std::string& name) {
    if (op >= VDT_OP_COUNT) return most_variants;
    const std::lock_guard lock(mutex_);
    std::vector<std::string>& names = names_[op];
    const auto known = std::find(names.begin(), names.end(), name);
    const auto slot = static_cast<std::uint32_t>(known - names.begin());
    if (known != names.end() || slot == most_variants) return slot;
    names.push_back(name);
    const auto of_op = profile_.corrections.find(op);
    if (of_op == profile_.corrections.end()) return slot;
    const auto stored = of_op->second.find(name);
    if (stored == of_op->second.end()) return slot;
    for (const auto& [of_class, correction] : stored->second) {
        Place* const one = place(op, slot, of_class);
        if (one == nullptr) continue;
        one->correction = correction;
        one->factor = static_cast<float>(correction.factor());
    }
    return slot;
}

void DeviceModel::observe(vdt_op op, std::uint32_t slot, std::uint32_t size_class, double predicted_ms, double least_ms,
                          double most_ms) {
    Place* const found = place(op, slot, size_class);
    if (found == nullptr) return;
    const std::lock_guard lock(mutex_);
    found->correction.observe(predicted_ms, least_ms, most_ms);
    found->factor = static_cast<float>(found->correction.factor());
    changed_ = true;
}

bool DeviceModel::collect(model::Profile& profile) {
    const std::lock_guard lock(mutex_);
    if (!changed_) return false;
    changed_ = false;
    for (vdt_op op = 0; op < VDT_OP_COUNT; ++op)
        for (std::uint32_t slot = 0; slot < names_[op].size(); ++slot)
            for (std::uint32_t of_class = 0; of_class < model::size_classes; ++of_class) {
                const model::Correction& one = places_[op][slot][of_class].correction;
                if (one.count() != 0) profile.corrections[op][names_[op][slot]][of_class] = one;
            }
    return true;
}

model::ProfileKey profile_key(Device& device, std::uint32_t threads) {
    model::ProfileKey key{device.backend(), device.plugin().version(), device.uid() + ", " + device.name(),
                          device.driver()};
    if (device.kind() == VDT_DEVICE_CPU) key.device += ", " + std::to_string(threads) + " threads";
    return key;
}

model::Parameters property_parameters(Device& device, std::uint32_t threads) {
    model::Parameters parameters = device.kind() == VDT_DEVICE_CPU
                                       ? model::cpu_properties(threads, device.driver())
                                       : model::gpu_properties(device.kind() == VDT_DEVICE_INTEGRATED_GPU);
    parameters.merge(plugin_properties(device));
    return parameters;
}

DeviceModels::DeviceModels(ModelOptions options, std::shared_ptr<Log> log)
    : options_(std::move(options)), log_(std::move(log)), store_(options_.directory, log_) {}

DeviceModels::~DeviceModels() {
    try {
        save();
    } catch (...) {
        // What was learnt is lost; nothing else is.
    }
}

model::Profile DeviceModels::profile_of(Device& device) const {
    const model::ProfileKey key = profile_key(device, options_.threads);
    const model::Parameters properties = property_parameters(device, options_.threads);
    if (auto stored = store_.load(key)) {
        model::Parameters all = properties;
        all.merge(stored->parameters);
        stored->parameters = all;
        return *stored;
    }
    model::Profile profile;
    profile.key = key;
    profile.kind = device.kind();
    profile.parameters = properties;
    try {
        add_recorded_efficiencies(options_.recorded, profile);
    } catch (const Failure& failure) {
        log_->write(VDT_LOG_WARNING, "A recorded device profile is not used: " + failure.text());
    }
    log_->write(VDT_LOG_INFO, "No measured profile of " + device.name() + " (" + device.backend() +
                                  "): its times are predicted from device properties.");
    return profile;
}

DeviceModel& DeviceModels::of(Device& device) {
    const std::lock_guard lock(mutex_);
    Entry& entry = models_[&device];
    if (entry.model == nullptr) {
        model::Profile profile = profile_of(device);
        entry.stored = profile.parameters.source() == VDT_SOURCE_MEASURED;
        entry.model = std::make_unique<DeviceModel>(std::move(profile));
    }
    return *entry.model;
}

void DeviceModels::note_observation() {
    // A file of some kilobytes in about a thousand calls.
    constexpr std::uint32_t calls = 1024;
    if (++observations_ % calls == 0) save();
}

void DeviceModels::save() {
    if (!options_.correct || options_.directory.empty()) return;
    const std::lock_guard lock(mutex_);
    for (auto& [device, entry] : models_) {
        model::Profile learnt;
        if (!entry.stored || !entry.model->collect(learnt)) continue;
        store_.update(entry.model->profile().key, [&](model::Profile& profile) {
            if (profile.kind == 0) profile = entry.model->profile();
            for (const auto& [op, variants] : learnt.corrections)
                for (const auto& [variant, classes] : variants)
                    for (const auto& [of_class, one] : classes) profile.corrections[op][variant][of_class] = one;
        });
    }
}

}  // namespace vedette::host
