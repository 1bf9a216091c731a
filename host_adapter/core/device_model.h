// What predictions on one device rest on: its profile, and what calls have taught since.
#pragma once

#include "device.h"

#include "../model/machine.h"
#include "../model/profile.h"
#include "../model/profile_store.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vedette::host {

// Thread-safe.
class DeviceModel {
public:
    // Of one operation, by name; more of them are predicted, but not corrected.
    static constexpr std::uint32_t most_variants = 16;

    explicit DeviceModel(model::Profile profile);

    const model::Machine& machine() const noexcept { return machine_; }
    const model::Profile& profile() const noexcept { return profile_; }
    // "measured", "measured 2026-11-30T09:00:00Z" or "device properties".
    std::string source() const;

    // Where the variant that a plugin calls `name` is corrected: what follows takes it. Names and not numbers, since
    // a plugin may do one variant by ways that differ from call to call.
    std::uint32_t slot_of(vdt_op op, const std::string& name);
    // What predictions of that kind are multiplied by. Does not allocate.
    double correction(vdt_op op, std::uint32_t slot, std::uint32_t size_class) const noexcept;
    // A call by itself took between `least_ms` and `most_ms` that was predicted, without correction, to take
    // `predicted_ms`.
    void observe(vdt_op op, std::uint32_t slot, std::uint32_t size_class, double predicted_ms, double least_ms,
                 double most_ms);
    // Puts what was learnt into `profile`; false when there is nothing new since the last time.
    bool collect(model::Profile& profile);

private:
    struct Place {
        std::atomic<float> factor{1};
        model::Correction correction;
    };
    Place* place(vdt_op op, std::uint32_t slot, std::uint32_t size_class) noexcept;

    const model::Profile profile_;
    const model::Machine machine_;
    mutable std::mutex mutex_;  // guards corrections and names; factors are read without it
    std::array<std::array<std::array<Place, model::size_classes>, most_variants>, VDT_OP_COUNT> places_;
    std::array<std::vector<std::string>, VDT_OP_COUNT> names_;  // by slot
    bool changed_ = false;
};

// Identity of a device for its profile. `threads`: of the pool.
model::ProfileKey profile_key(Device& device, std::uint32_t threads);
// Parameters without any measurement: what the system and the plugin tell.
model::Parameters property_parameters(Device& device, std::uint32_t threads);

struct ModelOptions {
    bool correct = true;              // learn from calls
    std::filesystem::path directory;  // of profiles; empty: none are read or written
    std::filesystem::path recorded;   // profiles of other machines that are installed; empty: none
    std::uint32_t threads = 1;
};

// The models of a context's devices, each made when it is first asked for. Thread-safe. Destroyed before the devices;
// then what was learnt goes into the profiles that are stored (devices without a stored profile keep nothing: there is
// no measurement that a correction would belong to).
class DeviceModels {
public:
    DeviceModels(ModelOptions options, std::shared_ptr<Log> log);
    ~DeviceModels();
    DeviceModels(const DeviceModels&) = delete;
    DeviceModels& operator=(const DeviceModels&) = delete;

    // Of an opened device. The reference lives as long as this object.
    DeviceModel& of(Device& device);
    bool corrects() const noexcept { return options_.correct; }
    const model::ProfileStore& store() const noexcept { return store_; }
    // Writes what was learnt since the last time.
    void save();
    // After each observation: saves now and then, so that a process that is killed loses little.
    void note_observation();

private:
    model::Profile profile_of(Device& device) const;

    const ModelOptions options_;
    std::shared_ptr<Log> log_;
    model::ProfileStore store_;
    std::mutex mutex_;
    struct Entry {
        std::unique_ptr<DeviceModel> model;
        bool stored = false;
    };
    std::map<const Device*, Entry> models_;
    std::atomic<std::uint32_t> observations_{0};
};

}  // namespace vedette::host
