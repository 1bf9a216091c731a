#include "settings.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "fail.h"

namespace vedette_emulation {
namespace {

[[noreturn]] void refuse(const char* variable, std::string_view text) {
    fail("the environment variable %s cannot be read: \"%.*s\"", variable, static_cast<int>(text.size()), text.data());
}

template <typename T>
T number(const char* variable, std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        refuse(variable, text);
    }
    return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (size_t from = 0; from <= text.size();) {
        const size_t to = std::min(text.find(separator, from), text.size());
        parts.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return parts;
}

/// The value of VEDETTE_CUDA_EMULATION_<name> goes to `read`, if it is set.
template <typename Read>
void variable(const char* name, Read read) {
    const std::string full = std::string("VEDETTE_CUDA_EMULATION_") + name;
    if (const char* text = std::getenv(full.c_str()); text != nullptr && *text != '\0') {
        read(full.c_str(), std::string_view(text));
    }
}

}  // namespace

void Settings::read_environment() {
    devices = 1;
    multiprocessors = 4;
    major = 9;
    minor = 0;
    memory = size_t{4} << 30;
    no_driver = false;
    deferred = false;
    order = ThreadOrder::forward;
    seed = 0;
    call_faults.clear();
    calls.clear();
    for (cudaError_t& error : sticky) {
        error = cudaSuccess;
    }
    variable("DEVICES", [&](const char* name, std::string_view text) {
        devices = number<int>(name, text);
        if (devices < 0 || devices > max_devices) {
            refuse(name, text);
        }
    });
    variable("MULTIPROCESSORS", [&](const char* name, std::string_view text) {
        multiprocessors = number<int>(name, text);
        if (multiprocessors < 1) {
            refuse(name, text);
        }
    });
    variable("CAPABILITY", [&](const char* name, std::string_view text) {
        const auto parts = split(text, '.');
        if (parts.size() != 2) {
            refuse(name, text);
        }
        major = number<int>(name, parts[0]);
        minor = number<int>(name, parts[1]);
    });
    variable("MEMORY", [&](const char* name, std::string_view text) { memory = number<size_t>(name, text); });
    variable("NO_DRIVER", [&](const char* name, std::string_view text) { no_driver = number<int>(name, text) != 0; });
    variable("STREAMS", [&](const char* name, std::string_view text) {
        if (text != "immediate" && text != "deferred") {
            refuse(name, text);
        }
        deferred = text == "deferred";
    });
    variable("ORDER", [&](const char* name, std::string_view text) {
        const auto parts = split(text, ':');
        if (text == "forward") {
            order = ThreadOrder::forward;
        } else if (text == "reverse") {
            order = ThreadOrder::reverse;
        } else if (parts.size() == 2 && parts[0] == "random") {
            order = ThreadOrder::random;
            seed = number<uint64_t>(name, parts[1]);
        } else {
            refuse(name, text);
        }
    });
    variable("FAIL", [&](const char* name, std::string_view text) {
        for (const std::string_view fault : split(text, ',')) {
            const auto parts = split(fault, ':');
            if (parts.size() != 3 || number<int>(name, parts[1]) < 1) {
                refuse(name, text);
            }
            call_faults.emplace(
                std::string(parts[0]),
                CallFault{number<int>(name, parts[1]), static_cast<cudaError_t>(number<int>(name, parts[2]))});
        }
    });
    variable("STICKY", [&](const char* name, std::string_view text) {
        const auto parts = split(text, ':');
        if (parts.size() != 2 || number<int>(name, parts[0]) < 0 || number<int>(name, parts[0]) >= max_devices) {
            refuse(name, text);
        }
        sticky[number<int>(name, parts[0])] = static_cast<cudaError_t>(number<int>(name, parts[1]));
    });
}

Settings& settings() {
    // Never destroyed: a library that is unloaded late may still ask.
    static Settings* const all = [] {
        auto* made = new Settings;
        made->read_environment();
        return made;
    }();
    return *all;
}

namespace {
template <typename Change>
void change(Change change) {
    Settings& all = settings();
    const std::lock_guard lock(all.mutex);
    change(all);
}
}  // namespace

void reset_faults() {
    change([](Settings& all) { all.read_environment(); });
}
void set_device_count(int count) {
    if (count < 0 || count > max_devices) {
        fail("set_device_count(%d): there can be 0 to %d devices", count, max_devices);
    }
    change([=](Settings& all) { all.devices = count; });
}
void set_multiprocessors(int count) {
    change([=](Settings& all) { all.multiprocessors = count; });
}
void set_compute_capability(int major, int minor) {
    change([=](Settings& all) {
        all.major = major;
        all.minor = minor;
    });
}
void set_device_memory(size_t bytes) {
    change([=](Settings& all) { all.memory = bytes; });
}
void set_no_driver(bool missing) {
    change([=](Settings& all) { all.no_driver = missing; });
}
void fail_call(const char* function, int n, cudaError_t error) {
    change([=](Settings& all) { all.call_faults.emplace(function, CallFault{n, error}); });
}
uint64_t calls_of(const char* function) {
    uint64_t calls = 0;
    change([&](Settings& all) { calls = all.calls[function]; });
    return calls;
}
void set_sticky_error(int device, cudaError_t error) {
    change([=](Settings& all) { all.sticky[device] = error; });
}
void set_thread_order(ThreadOrder order, uint64_t seed) {
    change([=](Settings& all) {
        all.order = order;
        all.seed = seed;
    });
}
void set_deferred_streams(bool deferred) {
    change([=](Settings& all) { all.deferred = deferred; });
}

}  // namespace vedette_emulation
