// Help for plugins written in C++; not part of the ABI. The typed options of vdt_plugin.create.
#ifndef VEDETTE_PLUGIN_CPP_OPTIONS_HPP
#define VEDETTE_PLUGIN_CPP_OPTIONS_HPP

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handle.hpp"

namespace vedette::plugin {

// A plugin asks for each option it knows; what nobody asked for is unknown, and `finish` refuses it:
//
//     const auto isa = options.text("isa");          // nullopt when it was not given
//     const auto streams = options.integer("streams", 1, 64).value_or(4);
//
// Of several entries with one key the last counts. Lives during create only; the texts belong to the host.
class Options {
public:
    // `backend`: the plugin's id, for error sentences.
    Options(const char* backend, const vdt_option* options, uint32_t count)
        : backend_(backend), options_(options), count_(count) {
        if (count != 0) need(options, "options");
        for (uint32_t index = 0; index < count; ++index)
            if (options[index].key == nullptr) throw Failure(VDT_E_OPTION, "an option has no key");
    }

    std::optional<std::string_view> text(std::string_view key) {
        const vdt_option* const option = find(key, VDT_OPTION_TEXT, "a text");
        if (option == nullptr) return std::nullopt;
        if (option->text == nullptr) throw Failure(VDT_E_OPTION, "option " + std::string(key) + " has no text");
        return option->text;
    }
    std::optional<int64_t> integer(std::string_view key, int64_t least, int64_t most) {
        const vdt_option* const option = find(key, VDT_OPTION_INTEGER, "an integer");
        if (option == nullptr) return std::nullopt;
        if (option->integer < least || option->integer > most)
            throw Failure(VDT_E_OPTION, "option " + std::string(key) + " is " + std::to_string(option->integer) +
                                            "; it must lie in " + std::to_string(least) + " to " +
                                            std::to_string(most));
        return option->integer;
    }
    std::optional<bool> flag(std::string_view key) {
        const auto value = integer(key, 0, 1);
        return value ? std::optional<bool>(*value != 0) : std::nullopt;
    }
    std::optional<double> real(std::string_view key, double least, double most) {
        const vdt_option* const option = find(key, VDT_OPTION_REAL, "a real number");
        if (option == nullptr) return std::nullopt;
        if (!(option->real >= least && option->real <= most))  // not a number is neither
            throw Failure(VDT_E_OPTION, "option " + std::string(key) + " is " + std::to_string(option->real) +
                                            "; it must lie in " + std::to_string(least) + " to " +
                                            std::to_string(most));
        return option->real;
    }

    // Throws for the first option that was not asked for. InstanceEntries calls it once the instance is made.
    void finish() const {
        for (uint32_t index = 0; index < count_; ++index) {
            const std::string key = options_[index].key;
            if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
            std::string knows;
            for (const std::string& each : known_) knows += (knows.empty() ? "" : ", ") + each;
            throw Failure(VDT_E_OPTION, "option " + key + " is not known; the " + std::string(backend_) +
                                            " backend knows " + (knows.empty() ? "no options" : knows));
        }
    }

private:
    const vdt_option* find(std::string_view key, uint32_t kind, const char* kind_name) {
        known_.emplace_back(key);
        const vdt_option* found = nullptr;
        for (uint32_t index = 0; index < count_; ++index) {
            if (options_[index].key != key) continue;
            found = &options_[index];
            if (found->kind != kind)
                throw Failure(VDT_E_OPTION, "option " + std::string(key) + " must be " + kind_name);
        }
        return found;
    }

    const char* backend_;
    const vdt_option* options_;
    uint32_t count_;
    std::vector<std::string> known_;
};

}  // namespace vedette::plugin
#endif
