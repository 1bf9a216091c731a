#include "probe_worker.h"

#include "core/context.h"
#include "core/failure.h"
#include "output.h"
#include "probe/parameters.h"
#include "probe_calibration.h"
#include "probe_copies.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>

namespace vedette::cli {

namespace {

using Clock = std::chrono::steady_clock;

// Of a device's time: the rest is for calibration.
constexpr double parameter_share = 0.35;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Standard output is the line to the parent; what a plugin itself prints must not get into it.
class Report {
public:
    Report() : descriptor_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
        const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nowhere >= 0) {
            ::dup2(nowhere, STDOUT_FILENO);
        }
    }
    ~Report() { ::close(descriptor_); }
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

    void line(std::string text) const {
        text += '\n';
        for (std::size_t done = 0; done < text.size();) {
            const ssize_t wrote = ::write(descriptor_, text.data() + done, text.size() - done);
            if (wrote <= 0) {
                std::_Exit(2);  // the parent is gone
            }
            done += static_cast<std::size_t>(wrote);
        }
    }

private:
    int descriptor_;
};

std::string now_text() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    char text[32];
    ::gmtime_r(&now, &utc);
    return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc));
}

// A conversion of a small screen: what a process has to wait for until a device has done anything.
void first_operation(const BenchDevice& on, vdt_context* context) {
    const BenchSetting setting{context, nullptr, true, ""};
    for (const BenchCase& one : make_cases(setting, VDT_OP_CONVERT, {"256x64", Picture(VDT_FORMAT_BGR8, 256, 64)})) {
        if (one.work != nullptr) {
            DeviceWork(on, one.work).run();
            return;
        }
    }
}

model::Profile probe_device(host::Context& context, vdt_context* api, const std::shared_ptr<host::Device>& device,
                            double loading, double budget, const Report& report) {
    const Clock::time_point start = Clock::now();
    const std::uint32_t threads = context.pool().worker_count();
    const auto step = [&](const std::string& text) { report.line("step " + text); };
    step("opening the device");
    const BenchDevice on(device);
    if ((device->operations() >> VDT_OP_CONVERT & 1) != 0) {
        first_operation(on, api);
    }
    vdt_param open_time{};
    open_time.id = VDT_PARAM_OPEN_TIME;
    open_time.source = VDT_SOURCE_MEASURED;
    open_time.value = loading + seconds_since(start);
    open_time.samples = 1;

    model::Profile profile;
    profile.key = host::profile_key(*device, threads);
    profile.kind = device->kind();
    profile.recorded = now_text();
    profile.parameters = host::property_parameters(*device, threads);
    const Clock::time_point measuring = Clock::now();
    step("measuring parameters");
    profile.parameters.merge(host::measure_parameters(*device, budget * parameter_share));
    profile.parameters.set(open_time);
    measure_calls(on, api, profile);
    step("copying images");
    measure_copies(on, profile);
    calibrate(on, api, budget - seconds_since(measuring), profile, step);
    return profile;
}

std::string one_line_json(const model::Profile& profile) {
    return Json::parse(model::write_profile(profile)).dump();
}

}  // namespace

std::string library_folder() {
    Dl_info info{};
    const void* const symbol = ::dlsym(RTLD_DEFAULT, "vdt_context_create");
    if (symbol == nullptr || ::dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) {
        throw Problem(VDT_E_FILE, "The system does not tell where libvedette lies.");
    }
    std::error_code error;
    const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
    if (error) {
        throw Problem(VDT_E_FILE, std::string(info.dli_fname) + ": " + error.message() + ".");
    }
    return file.parent_path().string();
}

int serve_probe(const ProbeTask& task) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const Report report;
    host::ContextOptions options;
    if (!task.config.empty()) {
        options.config_file = task.config;
    }
    options.library_directory = library_folder();
    ContextArguments arguments;
    arguments.config = task.config;
    const Context api = open_context(arguments);
    host::Context context(options);
    const Clock::time_point start = Clock::now();
    host::Refusal refusal;
    const auto devices = context.registry().devices(task.backend, &refusal);
    const double loading = seconds_since(start);
    if (devices.empty()) {
        report.line("refused " + (refusal.reason.empty() ? "It has no devices." : refusal.reason));
        return 0;
    }
    report.line("devices " + std::to_string(devices.size()));
    for (std::uint32_t index = task.first; index < devices.size(); ++index) {
        report.line("device " + std::to_string(index) + " " + devices[index]->name());
        try {
            report.line("profile " +
                        one_line_json(probe_device(context, api.get(), devices[index], loading, task.budget, report)));
        } catch (const host::Failure& failure) {
            report.line("failed " + host::one_line(failure.text().c_str(), 1000));
        } catch (const Problem& problem) {
            report.line("failed " + host::one_line(problem.what(), 1000));
        }
    }
    report.line("end");
    return 0;
}

}  // namespace vedette::cli
