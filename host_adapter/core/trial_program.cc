// The child's side of a trial: loads one plugin and writes what happens as lines "stage NAME", "refused CODE TEXT",
// "ok", and "ok without costs" when none of its devices gives any.
#include "plugin_library.h"
#include "text.h"
#include "trial.h"

#include "failure.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace vedette::host {
namespace {

class Report {
public:
    // Standard output is the line to the parent; what the plugin itself prints must not get into it.
    Report() : descriptor_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
        const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO);
    }
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

    void line(std::string text) const {
        text += '\n';
        std::string_view rest = text;
        while (!rest.empty()) {
            const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
            if (written <= 0) std::_Exit(2);
            rest.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    void stage(const char* name) const { line(std::string("stage ") + name); }
    int refused(vdt_code code, const std::string& reason) const {
        line("refused " + std::to_string(code) + " " + one_line(reason.c_str(), 1000));
        return 1;
    }

private:
    int descriptor_;
};

bool read_arguments(int argc, char** argv, TrialRequest& request) {
    if (argc < 4) return false;
    request.library = argv[1];
    request.id = argv[2];
    request.seconds = std::strtod(argv[3], nullptr);
    for (int i = 4; i < argc;) {
        const std::string_view kind = argv[i];
        if (kind == "need" && i + 1 < argc) {
            request.needs.emplace_back(argv[i + 1]);
            i += 2;
            continue;
        }
        if (i + 2 >= argc) return false;
        OptionValue option;
        option.key = argv[i + 1];
        const char* const value = argv[i + 2];
        if (kind == "integer") {
            option.integer = std::strtoll(value, nullptr, 10);
        } else if (kind == "real") {
            option.kind = VDT_OPTION_REAL;
            option.real = std::strtod(value, nullptr);
        } else if (kind == "text") {
            option.kind = VDT_OPTION_TEXT;
            option.text = value;
        } else {
            return false;
        }
        request.options.push_back(std::move(option));
        i += 3;
    }
    return true;
}

}  // namespace

int serve_trial(int argc, char** argv) {
    TrialRequest request;
    if (!read_arguments(argc, argv, request)) {
        constexpr std::string_view usage =
            "vedette-probe-plugin is started by libvedette to load a plugin on trial.\n"
            "usage: vedette-probe-plugin LIBRARY ID SECONDS [need NAME]... [integer|real|text KEY VALUE]...\n";
        return ::write(STDERR_FILENO, usage.data(), usage.size()) < 0 ? 3 : 2;
    }
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    // The parent ends this process at its limit; when the parent is gone, the alarm does.
    ::alarm(static_cast<unsigned>(request.seconds) + 2);
    const Report report;
    const auto pool = std::make_shared<ThreadPool>(1);
    const auto log = std::make_shared<Log>(nullptr, nullptr, VDT_LOG_ERROR);
    const LoadedTable loaded =
        load_plugin(request.library, request.id, request.needs, [&](const char* stage) { report.stage(stage); });
    if (loaded.table == nullptr) {
        report.stage(loaded.stage.c_str());
        return report.refused(loaded.code, loaded.reason);
    }
    bool gives_costs = false;
    try {
        report.stage("create");
        auto plugin = std::make_shared<PluginInstance>(*loaded.table, request.id, request.library.string(),
                                                       loaded.abi_minor, request.options, pool, log);
        report.stage("devices");
        for (const std::shared_ptr<Device>& device : list_devices(plugin))
            gives_costs = gives_costs || device->gives_costs();
        plugin.reset();  // destroy
    } catch (const Failure& failure) {
        return report.refused(failure.code(), failure.text());
    }
    report.line(gives_costs ? "ok" : "ok without costs");
    return 0;
}

}  // namespace vedette::host
