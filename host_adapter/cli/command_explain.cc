#include "arguments.h"
#include "bench_cases.h"
#include "commands.h"
#include "explain_plot.h"
#include "explain_report.h"
#include "library.h"
#include "output.h"
#include "table.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

namespace vedette::cli {

namespace {

using Inner = std::vector<std::pair<const char*, Command>>;

struct ExplainArguments {
    bool json = false;
    bool measure = false;
    std::string plot;  // file
    std::string op = "template_find";
    std::string part_of_name;
    ContextArguments context;
};

int run_plot(const ExplainArguments& arguments) {
    if (!arguments.plot.ends_with(".svg")) {
        throw Problem(VDT_E_ARGUMENT, "--plot " + arguments.plot + ": the drawing is SVG; name a file that ends so.");
    }
    const std::vector<vdt_op>& operations = benchmarked_operations();
    const auto op = std::find_if(operations.begin(), operations.end(),
                                 [&](vdt_op one) { return arguments.op == vdt_operation_name(one); });
    if (op == operations.end()) {
        throw Problem(VDT_E_ARGUMENT,
                      "--op " + arguments.op + " is no operation that can be drawn; see vedette bench.");
    }
    const Context context = open_context(arguments.context);
    const StatusLine progress;
    const std::string svg = explain_plot(context, *op, arguments.part_of_name, arguments.measure,
                                         [&](const std::string& text) { progress.show(text); });
    progress.clear();
    std::ofstream file(arguments.plot, std::ios::binary | std::ios::trunc);
    file << svg;
    file.close();
    if (!file) {
        throw Problem(VDT_E_FILE, arguments.plot + " cannot be written.");
    }
    return 0;
}

int run_explain(CLI::App& explain, const Inner& inner, const ExplainArguments& arguments) {
    if (!arguments.plot.empty()) {
        return run_plot(arguments);
    }
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
    throw Problem(VDT_E_ARGUMENT,
                  "A subcommand is required, which is what to explain, or --plot; see vedette explain --help.");
}

}  // namespace

Command add_explain(CLI::App& app) {
    const auto arguments = std::make_shared<ExplainArguments>();
    CLI::App& explain = *app.add_subcommand("explain", "Say for another command which backend does it and why");
    explain.add_flag("--json", arguments->json, "Print one JSON object");
    explain.add_flag(
        "--measure", arguments->measure,
        wrapped("Run every candidate as well, and print its time and the error of the prediction", help_text));
    explain
        .add_option("--plot", arguments->plot,
                    wrapped("Instead of a command: draw the time of an operation on every device against the size of "
                            "the screen, predicted and with --measure measured, with the sizes marked from which on "
                            "another device is the fastest",
                            help_text))
        ->type_name("OUT.svg");
    explain.add_option("--op", arguments->op, "Operation to draw (template_find)")->type_name("OP");
    explain
        .add_option("--case", arguments->part_of_name,
                    "Draw the first case of vedette bench whose name contains this text")
        ->type_name("TEXT");
    explain
        .add_option("--config", arguments->context.config, "Configuration file for --plot instead of the installed one")
        ->type_name("FILE");
    explain.require_subcommand(0, 1);
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
        "  vedette explain --measure --json detect photo.jpg cascade.xml\n"
        "  vedette explain --plot convert.svg --op convert --case gray --measure");
    return [&explain, inner, arguments] { return run_explain(explain, *inner, *arguments); };
}

}  // namespace vedette::cli
