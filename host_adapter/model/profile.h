// What is known of one device: parameters, how well each operation uses it, and what calls have taught. As a JSON file:
// config/schema/device.schema.json.
#pragma once

#include "correction.h"
#include "machine.h"
#include "parameters.h"

#include <vedette/plugin/ops.h>

#include <cstdint>
#include <map>
#include <string>

namespace vedette::model {

// What a profile was made of; when any of it changes, it is stale. `device` is the plugin's uid and the device's name;
// for a CPU also the number of threads, since processors and bandwidths depend on it.
struct ProfileKey {
    std::string plugin;
    std::string version;
    std::string device;
    std::string driver;
    bool operator==(const ProfileKey&) const = default;
};

// The one factor that is fitted for each operation and variant: the share that the code reaches of the speed of
// instructions which the terms assume (Machine::predict). Above 1 where its counts are too many. `spread`:
// interquartile range over the median.
struct Efficiency {
    static constexpr double least = 1.0 / 1024, most = 1024;
    double value = 1;
    double spread = 0;
    std::uint32_t samples = 0;
};

struct Profile {
    ProfileKey key;
    std::uint32_t kind = 0;  // VDT_DEVICE_...
    std::string recorded;    // when, "2026-11-30T09:00:00Z"; "" = not known
    Parameters parameters;
    // By operation and name of the variant.
    std::map<vdt_op, std::map<std::string, Efficiency>> efficiencies;
    // Those of which calls were measured, by size class.
    std::map<vdt_op, std::map<std::string, std::map<std::uint32_t, Correction>>> corrections;

    // `name` as of fitted_name. Of one that was never fitted: of a call of one thread that of the variant; of the same
    // name in another operation (the same code, then), else the median of the operation's others, else of all
    // operations; 1 when none was.
    double efficiency(vdt_op op, const std::string& name) const;

    // The name that the efficiency of calls with these counts goes by: the variant's, with ", one thread" where a CPU's
    // calling thread does all by itself. Such a call has the caches and the bandwidth that others share to itself, and
    // code that waits for them reaches a share of the processor's speed that says nothing of one beside fifteen.
    std::string fitted_name(const std::string& variant, const vdt_cost& cost) const;
};

// The device of a profile as the formulas see it.
Machine machine_of(const Profile& profile) noexcept;

// Operations of later versions are left out by the reader, so that an older library can use a newer one's file.
std::string write_profile(const Profile& profile);
// `name` begins every error. host::Failure VDT_E_CONFIG for what is no such document.
Profile read_profile(const std::string& text, const std::string& name);

}  // namespace vedette::model
