#include "device.h"

#include "failure.h"
#include "operations.h"
#include "quarantine.h"

namespace vedette::host {
namespace {

constexpr std::uint32_t most_strikes = 3;
constexpr std::uint32_t most_devices = 64;

std::atomic<std::uint64_t> device_changes{0};

std::uint32_t next_ordinal() noexcept {
    static std::atomic<std::uint32_t> next{0};
    return next++ % 64;
}

std::string field_text(const char* field, std::size_t size) {
    return one_line(field, size);
}

}  // namespace

PluginInstance::PluginInstance(const vdt_plugin& table, std::string id, std::string library, std::uint32_t abi_minor,
                               const std::vector<OptionValue>& options, std::shared_ptr<ThreadPool> pool,
                               std::shared_ptr<Log> log)
    : table_(table),
      library_(std::move(library)),
      version_(one_line(table.version, 64)),
      description_(one_line(table.description, 400)),
      services_(std::move(id), abi_minor, std::move(pool), std::move(log)) {
    std::vector<vdt_option> entries;
    entries.reserve(options.size());
    for (const OptionValue& option : options)
        entries.push_back({option.key.c_str(), option.kind, 0, option.integer, option.real,
                           option.kind == VDT_OPTION_TEXT ? option.text.c_str() : nullptr});
    const PluginAnswer answer =
        call_plugin(table_.create, services_.table(), entries.empty() ? nullptr : entries.data(),
                    static_cast<std::uint32_t>(entries.size()), &self_);
    if (answer.code < 0)
        throw Failure(answer.code, answer.text.empty() ? "It could not be started." : answer.text, answer.native_code);
    if (self_ == nullptr) throw Failure(VDT_E_CONTRACT, "It says that it started but gave no instance.");
}

PluginInstance::~PluginInstance() {
    if (process_.same()) call_plugin_quietly(table_.destroy, self_);
}

Device::Device(std::shared_ptr<PluginInstance> plugin, std::uint32_t index, const vdt_device_info& info)
    : plugin_(std::move(plugin)),
      index_(index),
      kind_(info.kind),
      name_(field_text(info.name, sizeof info.name)),
      uid_(field_text(info.uid, sizeof info.uid)),
      driver_(field_text(info.driver, sizeof info.driver)),
      own_memory_(info.memory_bytes != 0),
      gives_costs_(plugin_->table().op_cost != nullptr && (info.flags & VDT_DEVICE_NO_COSTS) == 0),
      ordinal_(next_ordinal()) {
    if (auto reason = lost_device(plugin_->library(), index_, uid_)) {
        reason_ = *reason;
        quarantined_ = true;
    }
}

Device::~Device() {
    vdt_device* const device = device_;
    if (device == nullptr || !plugin_->process().same()) return;
    const std::lock_guard lock(plugin_->serial());
    call_plugin_quietly(table().device_close, device);
}

vdt_device* Device::open() {
    if (vdt_device* const device = device_) return device;
    const std::lock_guard lock(plugin_->serial());
    if (vdt_device* const device = device_) return device;
    std::string reason;
    if (quarantined(&reason)) throw Failure(VDT_E_UNAVAILABLE, reason);
    vdt_device* device = nullptr;
    const PluginAnswer answer = call_plugin(table().device_open, plugin_->self(), index_, &device);
    // Opening has no argument that a caller could get wrong.
    if (VDT_IS_CALLER_FAULT(answer.code))
        throw Failure(VDT_E_CONTRACT, "device_open blamed its caller: " + answer.text, answer.native_code);
    if (answer.code < 0)
        throw Failure(answer.code, answer.text.empty() ? "The device could not be opened." : answer.text,
                      answer.native_code);
    if (device == nullptr) throw Failure(VDT_E_CONTRACT, "The plugin says that the device is open but gave none.");
    device_ = device;
    ++device_changes;
    return device;
}

std::uint64_t Device::changes() noexcept {
    return device_changes;
}

vdt_op_support Device::support(const vdt_query& query, PluginAnswer& answer) {
    vdt_op_support support{};
    support.struct_size = sizeof support;
    answer = call_plugin(table().op_support, open(), &query, &support);
    if (answer.code < 0 && !VDT_IS_UNSUPPORTED(answer.code))
        throw Failure(answer.code, answer.text.empty() ? "op_support failed." : answer.text, answer.native_code);
    if (answer.code >= 0 && support.level == VDT_SUPPORT_NO)
        answer.code = VDT_IS_UNSUPPORTED(answer.noted) ? answer.noted : vdt_code{VDT_E_UNSUPPORTED};
    if (answer.code < 0) return {};
    if (support.level > VDT_SUPPORT_SLOW || support.variant_count == 0)
        throw Failure(VDT_E_CONTRACT, "op_support gave the level " + std::to_string(support.level) + " with " +
                                          std::to_string(support.variant_count) + " variants.");
    return support;
}

std::uint64_t Device::operations() {
    std::uint64_t bits = 0;
    for (vdt_op op = 1; op < VDT_OP_COUNT; ++op) {
        vdt_query query{};
        query.struct_size = sizeof query;
        query.op = op;
        PluginAnswer answer;
        try {
            if (support(query, answer).level != VDT_SUPPORT_NO) bits |= std::uint64_t{1} << op;
        } catch (const Failure& failure) {
            // A plugin that fails at the general question cannot do the operation.
            note_failure(failure.code(), failure.text());
        }
    }
    return bits;
}

bool Device::quarantined(std::string* reason) const {
    if (!quarantined_) return false;
    if (reason != nullptr) {
        const std::lock_guard lock(reason_mutex_);
        *reason = reason_;
    }
    return true;
}

void Device::take_out(const std::string& reason) {
    {
        const std::lock_guard lock(reason_mutex_);
        if (quarantined_) return;
        reason_ = reason;
        quarantined_ = true;
    }
    ++device_changes;
    remember_lost_device(plugin_->library(), index_, uid_, reason);
    plugin_->log().write(VDT_LOG_WARNING, backend() + ": " + name_ + " is taken out of use: " + reason);
}

void Device::note_failure(vdt_code code, const std::string& text) {
    if (VDT_IS_UNAVAILABLE(code)) {
        take_out(text);
    } else if (VDT_IS_PLUGIN_BUG(code)) {
        plugin_->log().write(VDT_LOG_ERROR, backend() + ": " + text);
        if (strikes_.fetch_add(1) + 1 >= most_strikes) take_out("it failed three times, at last: " + text);
    }
}

vdt_resident* Device::create_resident(const vdt_image& image) {
    vdt_resident* resident = nullptr;
    try {
        const PluginAnswer answer = call_plugin(table().resident_create, open(), &image, &resident);
        if (answer.code >= 0) return resident;
        note_failure(answer.code, answer.text.empty() ? "resident_create failed." : answer.text);
    } catch (const Failure& failure) {
        note_failure(failure.code(), failure.text());
    }
    return nullptr;
}

void Device::destroy_resident(vdt_resident* resident) noexcept {
    if (resident != nullptr && plugin_->process().same()) call_plugin_quietly(table().resident_destroy, resident);
}

std::vector<std::shared_ptr<Device>> list_devices(const std::shared_ptr<PluginInstance>& plugin) {
    const vdt_plugin& table = plugin->table();
    std::uint32_t count = 0;
    const PluginAnswer counted = call_plugin(table.device_count, plugin->self(), &count);
    if (counted.code < 0)
        throw Failure(counted.code, counted.text.empty() ? "It could not count its devices." : counted.text,
                      counted.native_code);
    if (count == 0) {
        const bool no_driver = counted.noted == VDT_E_NO_DRIVER;
        throw Failure(no_driver ? VDT_E_NO_DRIVER : VDT_E_NO_DEVICE,
                      counted.text.empty() ? "It has no device on this machine." : counted.text, counted.native_code);
    }
    if (count > most_devices)
        throw Failure(VDT_E_CONTRACT, "It says that it has " + std::to_string(count) + " devices.");
    std::vector<std::shared_ptr<Device>> devices;
    for (std::uint32_t index = 0; index < count; ++index) {
        vdt_device_info info{};
        info.struct_size = sizeof info;
        const PluginAnswer answer = call_plugin(table.device_info, plugin->self(), index, &info);
        if (answer.code < 0)
            throw Failure(VDT_IS_CALLER_FAULT(answer.code) ? vdt_code{VDT_E_CONTRACT} : answer.code,
                          "It cannot describe its device " + std::to_string(index) + ": " + answer.text);
        if (info.kind < VDT_DEVICE_CPU || info.kind > VDT_DEVICE_ACCELERATOR)
            throw Failure(VDT_E_CONTRACT, "Its device " + std::to_string(index) + " is of the unknown kind " +
                                              std::to_string(info.kind) + ".");
        devices.push_back(std::make_shared<Device>(plugin, index, info));
    }
    return devices;
}

}  // namespace vedette::host
