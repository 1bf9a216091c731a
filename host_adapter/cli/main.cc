// The `vedette` command.
#include "commands.h"
#include "library.h"
#include "output.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace vedette::cli;

constexpr int exit_error = 2;

// One sentence on standard error; with --json also an object on standard output.
int report_error(bool json, vdt_code code, std::string message) {
    for (char& c : message) {
        c = c == '\n' ? ' ' : c;
    }
    if (json) {
        try {
            print(error_json(code, message));
            return exit_error;
        } catch (const Problem& problem) {
            message = problem.what();
        }
    }
    std::fprintf(stderr, "vedette: %s\n", message.c_str());
    return exit_error;
}

using Commands = std::vector<std::pair<const char*, Command>>;

// Before parsing: the parser's own sentence would not name the wrong word.
void require_known_command(int argc, char** argv, const Commands& commands) {
    const std::string word = argc > 1 ? argv[1] : "";
    std::string known;
    for (const auto& [name, command] : commands) {
        if (word == name) {
            return;
        }
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    if (word.empty() || word[0] != '-') {
        throw Problem(VDT_E_ARGUMENT, (word.empty() ? "A command is missing" : "\"" + word + "\" is no command") +
                                          "; it is one of " + known + "; see vedette --help.");
    }
}

int run(int argc, char** argv, bool json) {
    CLI::App app{"Finds elements on screenshots, on whichever processor is fastest.", "vedette"};
    app.set_version_flag("--version", std::string("vedette ") + vdt_version());
    app.require_subcommand(1);
    app.get_formatter()->column_width(help_names);
    const Commands commands{
        {"find", add_find(app)},       {"detect", add_detect(app)},   {"match", add_match(app)},
        {"restore", add_restore(app)}, {"resize", add_resize(app)},   {"backends", add_backends(app)},
        {"bench", add_bench(app)},     {"explain", add_explain(app)}, {"probe", add_probe(app)},
    };
    require_known_command(argc, argv, commands);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        return report_error(json, VDT_E_ARGUMENT, std::string(error.what()) + "; see vedette --help.");
    }
    for (const auto& [name, command] : commands) {
        if (app.got_subcommand(name)) {
            return command();
        }
    }
    return exit_error;
}

}  // namespace

int main(int argc, char** argv) {
    bool json = false;
    for (int i = 1; i < argc; ++i) {
        json = json || std::strcmp(argv[i], "--json") == 0;
    }
    try {
        return run(argc, argv, json);
    } catch (const Problem& problem) {
        return report_error(json, problem.code(), problem.what());
    } catch (const std::bad_alloc&) {
        return report_error(json, VDT_E_OUT_OF_MEMORY, "There is not enough memory.");
    } catch (const std::exception& error) {
        return report_error(json, VDT_E_INTERNAL, std::string("Internal error: ") + error.what());
    }
}
