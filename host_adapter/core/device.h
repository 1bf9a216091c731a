// A loaded plugin's instance and its devices.
#pragma once

#include "host_services.h"
#include "plugin_call.h"
#include "process.h"

#include <vedette/plugin/plugin.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vedette::host {

// Value of an option, as configuration and manifests give it.
struct OptionValue {
    std::string key;
    std::uint32_t kind = VDT_OPTION_INTEGER;
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
};

// One instance of a plugin (vdt_self). Destroyed after every device of it; in a forked child it is left alone.
class PluginInstance {
public:
    // Calls vdt_plugin.create. Failure with the plugin's code and a sentence when that fails.
    PluginInstance(const vdt_plugin& table, std::string id, std::string library, std::uint32_t abi_minor,
                   const std::vector<OptionValue>& options, std::shared_ptr<ThreadPool> pool, std::shared_ptr<Log> log);
    ~PluginInstance();
    PluginInstance(const PluginInstance&) = delete;
    PluginInstance& operator=(const PluginInstance&) = delete;

    const vdt_plugin& table() const noexcept { return table_; }
    vdt_self* self() const noexcept { return self_; }
    const std::string& id() const noexcept { return services_.name(); }
    const std::string& version() const noexcept { return version_; }
    const std::string& description() const noexcept { return description_; }
    const std::string& library() const noexcept { return library_; }
    Log& log() noexcept { return services_.log(); }
    const ProcessMark& process() const noexcept { return process_; }
    // Held during the calls that the ABI marks [serial].
    std::mutex& serial() noexcept { return serial_; }

private:
    const vdt_plugin& table_;
    std::string library_;
    std::string version_;
    std::string description_;
    HostServices services_;
    ProcessMark process_;
    std::mutex serial_;
    vdt_self* self_ = nullptr;
};

// A device of a plugin. Opened on first use. Thread-safe. Always held by a shared_ptr.
class Device : public std::enable_shared_from_this<Device> {
public:
    Device(std::shared_ptr<PluginInstance> plugin, std::uint32_t index, const vdt_device_info& info);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    const std::string& backend() const noexcept { return plugin_->id(); }
    PluginInstance& plugin() noexcept { return *plugin_; }
    const vdt_plugin& table() const noexcept { return plugin_->table(); }
    std::uint32_t index() const noexcept { return index_; }
    std::uint32_t kind() const noexcept { return kind_; }
    const std::string& name() const noexcept { return name_; }
    const std::string& uid() const noexcept { return uid_; }
    const std::string& driver() const noexcept { return driver_; }
    // Memory of its own, which images are copied to and from; false where it works on the host's.
    bool has_own_memory() const noexcept { return own_memory_; }
    // Whether asking op_cost can be worth it, as far as is known without opening the device.
    bool gives_costs() const noexcept { return gives_costs_; }
    // A small number, 0 to 63, for sets of devices. Devices of one process may share one when there are very many.
    std::uint32_t ordinal() const noexcept { return ordinal_; }
    // Grows whenever a device of the process is opened or taken out.
    static std::uint64_t changes() noexcept;
    bool is_open() const noexcept { return device_ != nullptr; }
    // Runs that are on it now.
    std::atomic<std::uint32_t>& running() noexcept { return running_; }
    // A call has ended now.
    void note_end() noexcept { last_end_.store(std::chrono::steady_clock::now(), std::memory_order_relaxed); }
    // No call has ended for so long that what waits for work has gone to sleep: nearer to the rest before which a
    // probe measures a launch, a millisecond, than to none.
    bool rested(std::chrono::steady_clock::time_point now) const noexcept {
        return now - last_end_.load(std::memory_order_relaxed) > std::chrono::microseconds(500);
    }

    // The opened device; opens it when that was not done yet. Failure with the plugin's code when it cannot; a second
    // call then tries again unless the device was taken out.
    vdt_device* open();

    // Asks op_support. Level VDT_SUPPORT_NO with the plugin's code (-2xx) and sentence in `answer` when it says no;
    // Failure for other codes.
    vdt_op_support support(const vdt_query& query, PluginAnswer& answer);
    // Bit i: operation i is supported in general.
    std::uint64_t operations();

    // True when it is in use no more; `reason` (may be NULL) says why.
    bool quarantined(std::string* reason = nullptr) const;
    // Takes note of a failure by its class: -4xx takes the device out, every -5xx is logged and the third takes it out.
    void note_failure(vdt_code code, const std::string& text);

    bool keeps_images() const noexcept { return table().resident_create != nullptr; }
    // NULL when the device could not.
    vdt_resident* create_resident(const vdt_image& image);
    void destroy_resident(vdt_resident* resident) noexcept;

private:
    void take_out(const std::string& reason);  // idempotent

    std::shared_ptr<PluginInstance> plugin_;
    const std::uint32_t index_;
    const std::uint32_t kind_;
    const std::string name_;
    const std::string uid_;
    const std::string driver_;
    const bool own_memory_;
    const bool gives_costs_;
    const std::uint32_t ordinal_;
    std::atomic<std::uint32_t> running_{0};
    std::atomic<std::chrono::steady_clock::time_point> last_end_{};  // long ago
    std::atomic<vdt_device*> device_{nullptr};
    std::atomic<std::uint32_t> strikes_{0};
    std::atomic<bool> quarantined_{false};
    mutable std::mutex reason_mutex_;
    std::string reason_;
};

// The devices of a plugin, none of them opened. Failure VDT_E_NO_DEVICE or VDT_E_NO_DRIVER when there is none,
// VDT_E_CONTRACT when the answers cannot be true, else the plugin's code.
std::vector<std::shared_ptr<Device>> list_devices(const std::shared_ptr<PluginInstance>& plugin);

}  // namespace vedette::host
