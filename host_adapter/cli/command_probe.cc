#include "arguments.h"
#include "commands.h"
#include "core/child.h"
#include "core/context.h"
#include "core/failure.h"
#include "core/operations.h"
#include "library.h"
#include "output.h"
#include "probe_worker.h"
#include "table.h"

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace vedette::cli {

namespace {

struct ProbeArguments {
    ContextArguments context;
    std::string only;
    double budget = 5;
    double patience = 30;
    bool json = false;
    // Of the helper process.
    std::string worker;
    std::uint32_t first = 0;
};

struct Probed {
    std::string backend;
    std::uint32_t index = 0;
    std::string device;
    std::optional<model::Profile> profile;
    std::string failure;  // why there is none
};

void tell(const std::string& text) {
    std::fprintf(stderr, "vedette probe: %s\n", text.c_str());
}

// Two probes at a time would measure each other: the second waits. Goes with the process, so a crash leaves nothing
// locked.
class Turn {
public:
    Turn(const std::filesystem::path& directory, double patience) {
        std::error_code error;
        std::filesystem::create_directories(directory, error);  // what is wrong with it shows below
        const std::filesystem::path path = directory / "probe.lock";
        file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file_ < 0) {
            const std::string why = std::strerror(errno);
            throw Problem(VDT_E_FILE, "Profiles cannot be written to " + directory.string() + ": " + why + ".");
        }
        const auto end =
            std::chrono::steady_clock::now() +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(patience));
        for (bool told = false; ::flock(file_, LOCK_EX | LOCK_NB) != 0; told = true) {
            if (errno != EWOULDBLOCK && errno != EINTR) {
                const std::string why = std::strerror(errno);
                throw Problem(VDT_E_FILE, path.string() + " cannot be locked: " + why + ".");
            }
            if (std::chrono::steady_clock::now() > end) {
                throw Problem(VDT_E_STATE, "Another probe has been running for long; try again when it has ended.");
            }
            if (!told) {
                tell("waiting for another probe to end");
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
    ~Turn() { ::close(file_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    int file_;
};

std::string own_program() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) {
        throw Problem(VDT_E_FILE, "The system does not tell where this program lies: " + error.message() + ".");
    }
    return program.string();
}

// Takes the lines of one helper process.
class Listener {
public:
    Listener(std::string backend, std::vector<Probed>& all) : backend_(std::move(backend)), all_(all) {}

    void operator()(const std::string& line) {
        const std::size_t space = line.find(' ');
        const std::string word = line.substr(0, space);
        const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
        if (word == "devices") {
            count_ = static_cast<std::uint32_t>(std::strtoul(rest.c_str(), nullptr, 10));
        } else if (word == "device") {
            char* name = nullptr;
            const auto index = static_cast<std::uint32_t>(std::strtoul(rest.c_str(), &name, 10));
            current_ = Probed{backend_, index, *name == ' ' ? name + 1 : name, {}, {}};
            tell(label() + ": " + current_->device);
        } else if (word == "step") {
            tell(label() + ": " + rest);
        } else if (word == "profile" && current_) {
            try {
                current_->profile = model::read_profile(rest, "the measured profile");
            } catch (const host::Failure& failure) {
                current_->failure = failure.text();
            }
            take();
        } else if (word == "failed" && current_) {
            current_->failure = rest;
            take();
        } else if (word == "refused") {
            current_ = Probed{backend_, 0, "", {}, rest};
            take();
            done_ = true;
        } else if (word == "end") {
            done_ = true;
        }
    }

    // The process ended as `result` says. The next device to go on with, if any.
    std::optional<std::uint32_t> finish(const host::ChildResult& result, std::uint32_t first) {
        if (done_) {
            return std::nullopt;
        }
        std::string reason = result.reason.empty() ? "Its process ended without an answer." : result.reason;
        if (!current_ && next_ == 0) {
            // Before any device was reached: the backend as a whole.
            all_.push_back({backend_, first, "", {}, std::move(reason)});
            return std::nullopt;
        }
        if (current_) {
            current_->failure = std::move(reason);
            take();
        }
        return next_ < count_ ? std::optional(next_) : std::nullopt;
    }

private:
    std::string label() const {
        return backend_ + (current_ && current_->index != 0 ? ":" + std::to_string(current_->index) : "");
    }
    void take() {
        next_ = current_->index + 1;
        all_.push_back(std::move(*current_));
        current_.reset();
    }

    std::string backend_;
    std::vector<Probed>& all_;
    std::optional<Probed> current_;
    std::uint32_t count_ = 0;
    std::uint32_t next_ = 0;
    bool done_ = false;
};

void probe_backend(const ProbeArguments& arguments, const std::string& backend, std::vector<Probed>& all) {
    std::optional<std::uint32_t> first = 0;
    while (first) {
        std::vector<std::string> words = {own_program(), "probe",
                                          "--worker",    backend,
                                          "--first",     std::to_string(*first),
                                          "--budget",    format("%.17g", arguments.budget)};
        if (!arguments.context.config.empty()) {
            words.insert(words.end(), {"--config", arguments.context.config});
        }
        Listener listener(backend, all);
        // A step of the work may take the whole budget.
        const host::ChildResult result =
            host::run_child(words, {arguments.budget + arguments.patience, true}, [&](const std::string& line) {
                listener(line);
                return true;
            });
        first = listener.finish(result, *first);
    }
}

std::string value_text(std::uint32_t id, double value) {
    const std::string unit = model::parameter_unit(id);
    const auto scaled = [&](std::initializer_list<std::pair<double, const char*>> steps) {
        for (const auto& [step, name] : steps) {
            if (value >= step) {
                return format("%.4g %s", value / step, name);
            }
        }
        return format("%.4g %s", value, unit.c_str());
    };
    if (unit == "s") {
        return scaled({{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}});
    }
    if (unit == "Hz") {
        return scaled({{1e9, "GHz"}, {1e6, "MHz"}});
    }
    if (unit == "bytes/s") {
        return scaled({{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}});
    }
    if (unit == "bytes") {
        return scaled({{1 << 20, "MiB"}, {1 << 10, "KiB"}});
    }
    return format("%.4g", value);
}

std::string device_text(const Probed& probed) {
    std::string text = probed.backend + ":" + std::to_string(probed.index) + "  " + probed.device + "\n";
    if (!probed.profile) {
        return text + "  not measured: " + probed.failure + "\n";
    }
    Table parameters({1, 2});
    parameters.add({"  parameter", "value", "spread", "source"});
    for (std::uint32_t id = 1; id < model::parameter_count; ++id) {
        const vdt_param& param = probed.profile->parameters.entry(id);
        if (!probed.profile->parameters.has(id)) {
            continue;
        }
        const bool measured = param.source == VDT_SOURCE_MEASURED;
        parameters.add({std::string("  ") + model::parameter_name(id), value_text(id, param.value),
                        measured && param.samples > 1 ? format("%.1f %%", param.spread * 100) : "",
                        measured ? "measured" : "properties"});
    }
    text += parameters.text() + "\n";
    Table factors({2, 3, 4});
    factors.add({"  operation", "variant", "efficiency", "spread", "cases"});
    for (const auto& [op, variants] : probed.profile->efficiencies) {
        for (const auto& [variant, efficiency] : variants) {
            factors.add({std::string("  ") + host::operation_name(op), variant, format("%.3f", efficiency.value),
                         format("%.0f %%", efficiency.spread * 100), std::to_string(efficiency.samples)});
        }
    }
    return text + factors.text() + "\n";
}

Json device_json(const Probed& probed) {
    Json json = {{"backend", probed.backend}, {"device_index", probed.index}, {"device", probed.device}};
    if (probed.profile) {
        json["profile"] = Json::parse(model::write_profile(*probed.profile));
    } else {
        json["failure"] = probed.failure;
    }
    return json;
}

int run_probe(const ProbeArguments& arguments) {
    require_range("--budget", arguments.budget, 0.1, 600);
    require_range("--patience", arguments.patience, 0.1, 3600);
    try {
        if (!arguments.worker.empty()) {
            return serve_probe({arguments.worker, arguments.context.config, arguments.first, arguments.budget});
        }
        host::ContextOptions options;
        if (!arguments.context.config.empty()) {
            options.config_file = arguments.context.config;
        }
        options.library_directory = library_folder();
        // Finds the backends and the place of profiles; no plugin is loaded in this process.
        host::Context context(options);
        const std::filesystem::path directory = context.models().store().directory();
        if (directory.empty()) {
            throw Problem(VDT_E_FILE,
                          "There is no place for profiles: set HOME, XDG_CACHE_HOME or model.profile_directory in the "
                          "configuration.");
        }
        std::vector<std::string> backends;
        for (const std::string& name : context.registry().names()) {
            if (arguments.only.empty() || arguments.only == name) {
                backends.push_back(name);
            }
        }
        if (backends.empty()) {
            throw Problem(VDT_E_UNAVAILABLE, (arguments.only.empty() ? "There is no backend"
                                                                     : "--backend " + arguments.only + " is none") +
                                                 std::string("; see vedette backends."));
        }
        const Turn turn(directory, arguments.patience + 4 * arguments.budget);
        std::vector<Probed> all;
        for (const std::string& backend : backends) {
            probe_backend(arguments, backend, all);
        }
        bool good = true;
        Json devices = Json::array();
        for (Probed& probed : all) {
            if (probed.profile && !context.models().store().save(*probed.profile)) {
                probed.profile.reset();
                probed.failure = "Its profile could not be written to " + directory.string() + ".";
            }
            good = good && probed.profile;
            if (arguments.json) {
                devices.push_back(device_json(probed));
            } else {
                print(device_text(probed));
            }
        }
        if (arguments.json) {
            print(Json{{"directory", directory.string()}, {"devices", std::move(devices)}});
        } else {
            print("profiles: " + directory.string() + "\n");
        }
        return good ? 0 : 1;
    } catch (const host::Failure& failure) {
        throw Problem(failure.code(), failure.text());
    }
}

}  // namespace

Command add_probe(CLI::App& app) {
    const auto arguments = std::make_shared<ProbeArguments>();
    CLI::App& probe = *app.add_subcommand("probe", "Measure every device, so that the fastest one can be chosen");
    probe.add_option("--backend", arguments->only, "Only the devices of this backend")->type_name("NAME");
    probe.add_option("--budget", arguments->budget, "Seconds to measure a device, 0.1 to 600 (5)")->type_name("S");
    probe
        .add_option("--patience", arguments->patience,
                    wrapped("Seconds, on top of the budget, after which a device that does not answer is given up (30)",
                            help_text))
        ->type_name("S");
    probe.add_option("--config", arguments->context.config, "Configuration file instead of the installed one")
        ->type_name("FILE");
    probe.add_flag("--json", arguments->json, "Print one JSON object");
    probe.add_option("--worker", arguments->worker)->group("");
    probe.add_option("--first", arguments->first)->group("");
    probe.footer(
        wrapped(
            "Measures rates and latencies of each device and how well each operation uses it, and keeps that as the "
            "device's profile in the user's cache directory, from which vedette predicts the times of calls. Each "
            "backend is measured in a process of its own: a driver that crashes or hangs ends that process only. "
            "Let nothing else run meanwhile. Measure again after a change of driver or hardware.",
            help_line) +
        "\nExit status: 0 all devices were measured, 1 some were not, 2 an error.\n\n"
        "Examples:\n"
        "  vedette probe\n"
        "  vedette probe --backend cuda --budget 10 --json");
    return [arguments] { return run_probe(*arguments); };
}

}  // namespace vedette::cli
