#include "arguments.h"
#include "commands.h"
#include "explain_report.h"
#include "library.h"
#include "output.h"
#include "table.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace vedette::cli {

namespace {

using Inner = std::vector<std::pair<const char*, Command>>;

struct ExplainArguments {
    bool json = false;
    bool measure = false;
};

int run_explain(CLI::App& explain, const Inner& inner, const ExplainArguments& arguments) {
    for (const auto& [name, command] : inner) {
        if (!explain.got_subcommand(name)) {
            continue;
        }
        // The inner --json is as good: nothing else of that command is printed.
        const bool json = arguments.json || explain.get_subcommand(name)->count("--json") != 0;
        Explaining explaining(arguments.measure);
        command();
        const Json document = Json::parse(explaining.finish());
        if (json) {
            print(document);
        } else {
            print(explain_text(document));
        }
        return 0;
    }
    return 2;
}

}  // namespace

Command add_explain(CLI::App& app) {
    const auto arguments = std::make_shared<ExplainArguments>();
    CLI::App& explain = *app.add_subcommand("explain", "Say for another command which backend does it and why");
    explain.add_flag("--json", arguments->json, "Print one JSON object");
    explain.add_flag(
        "--measure", arguments->measure,
        wrapped("Run every candidate as well, and print its time and the error of the prediction", help_text));
    explain.require_subcommand(1);
    const auto inner = std::make_shared<Inner>(Inner{{"find", add_find(explain)},
                                                     {"detect", add_detect(explain)},
                                                     {"match", add_match(explain)},
                                                     {"restore", add_restore(explain)},
                                                     {"resize", add_resize(explain)}});
    explain.footer(
        wrapped("Runs the command, files that it writes included, and prints instead of its results, for each "
                "operation that it was made of: every backend, device and variant that could do it, the terms "
                "of its predicted time, which one was taken and why. All devices are opened.",
                help_line) +
        "\nExit status: 0 done, 2 an error.\n\n"
        "Examples:\n"
        "  vedette explain find screen.png button.png\n"
        "  vedette explain --measure --json detect photo.jpg cascade.xml");
    return [&explain, inner, arguments] { return run_explain(explain, *inner, *arguments); };
}

}  // namespace vedette::cli
