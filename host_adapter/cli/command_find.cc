#include "arguments.h"
#include "commands.h"
#include "find_report.h"
#include "library.h"
#include "output.h"
#include "table.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

namespace vedette::cli {

namespace {

struct FindArguments {
    ContextArguments context;
    std::string screen;
    std::vector<std::string> patterns;
    double threshold = 0;
    double floor = 0;
    double strictness = 0;
    double time_limit = 0;
    bool no_verify = false;
    bool all = false;
    std::uint32_t max_results = 0;
    std::string region;
    std::vector<std::string> exclude;
    std::string scales = "auto";
    bool no_fallback = false;
    std::uint32_t color = VDT_COLOR_AUTO;
    std::string backend = "auto";
    bool json = false;
    std::string annotate;
};

// The areas and scales the C API's options point to.
struct FindOptions {
    vdt_find_options options{};
    std::vector<vdt_rect> exclude;
    std::vector<double> scales;
};

void fill_options(const FindArguments& arguments, FindOptions& out) {
    vdt_find_options& options = out.options;
    options.threshold = arguments.threshold;
    options.floor = arguments.floor;
    require_range("--strict", arguments.strictness, 0.25, 4);
    options.strictness = arguments.strictness;
    options.verify = arguments.no_verify ? 0 : 1;
    options.all = arguments.all ? 1 : 0;
    options.max_results = arguments.max_results;
    options.color = arguments.color;
    options.time_limit = arguments.time_limit;
    options.backend = arguments.backend.c_str();
    if (!arguments.region.empty()) {
        options.region = parse_rectangle("--region", arguments.region);
    }
    for (const std::string& text : arguments.exclude) {
        out.exclude.push_back(parse_rectangle("--exclude", text));
    }
    options.exclude = out.exclude.data();
    options.exclude_count = static_cast<std::uint32_t>(out.exclude.size());
    if (arguments.no_fallback) {
        options.fallbacks = 0;
    }
    if (arguments.scales == "none") {
        options.fallbacks &= ~std::uint32_t{VDT_FALLBACK_SCALES};
    } else if (arguments.scales != "auto") {
        out.scales = parse_scales("--scales", arguments.scales);
        options.scales = out.scales.data();
        options.scale_count = static_cast<std::uint32_t>(out.scales.size());
    }
}

// With --verbose: how long each step took, on standard error.
class Steps {
public:
    explicit Steps(bool on) : on_(on) {}
    void done(const std::string& what) {
        const auto now = std::chrono::steady_clock::now();
        if (on_) {
            std::fprintf(stderr, "vedette: %s in %.1f ms\n", what.c_str(),
                         std::chrono::duration<double, std::milli>(now - last_).count());
        }
        last_ = now;
    }

private:
    const bool on_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

int run_find(const FindArguments& arguments) {
    FindOptions find;
    find.options.struct_size = sizeof find.options;
    vdt_find_options_init(&find.options);
    fill_options(arguments, find);
    if (std::count(arguments.patterns.begin(), arguments.patterns.end(), "-") + (arguments.screen == "-" ? 1 : 0) > 1) {
        throw Problem(VDT_E_ARGUMENT, "Only one image can be read from standard input (\"-\").");
    }

    Steps steps(arguments.context.verbose);
    const Context context = open_context(arguments.context);
    steps.done("configuration read");
    const Screen screen = read_screen(context, arguments.screen);
    steps.done(arguments.screen + " read");
    std::vector<Pattern> patterns;
    std::vector<vdt_pattern*> pointers;
    for (const std::string& path : arguments.patterns) {
        patterns.push_back(read_pattern(context, path));
        pointers.push_back(patterns.back().get());
        steps.done(path + " read");
    }
    vdt_result* raw_result = nullptr;
    checked([&](vdt_error* error) {
        return vdt_find(context.get(), screen.get(), pointers.data(), static_cast<std::uint32_t>(pointers.size()),
                        &find.options, &raw_result, error);
    });
    const Result result(raw_result);
    steps.done("searched");

    FindReport report = make_report(result.get(), arguments.patterns);
    checked([&](vdt_error* error) {
        return vdt_screen_size(screen.get(), &report.screen_width, &report.screen_height, error);
    });
    if (!arguments.annotate.empty()) {
        checked([&](vdt_error* error) {
            return vdt_result_annotate(result.get(), screen.get(), arguments.annotate.c_str(), error);
        });
        report.annotated = arguments.annotate;
        steps.done(arguments.annotate + " written");
    }
    if (arguments.json) {
        print(report_json(report));
    } else {
        print(report_text(report));
    }
    return report.all_found() ? 0 : 1;
}

CLI::Validator above_zero() {
    return CLI::Validator(
        [](std::string& text) {
            const double seconds = std::strtod(text.c_str(), nullptr);
            return seconds > 0 && seconds < 1e9 ? std::string() : text + " is no time above 0 seconds";
        },
        "");
}

void add_options(CLI::App& find, FindArguments& arguments) {
    // Defaults shown in the help are the library's.
    vdt_find_options defaults{};
    defaults.struct_size = sizeof defaults;
    vdt_find_options_init(&defaults);
    arguments.threshold = defaults.threshold;
    arguments.floor = defaults.floor;
    arguments.strictness = defaults.strictness;
    arguments.max_results = defaults.max_results;

    const auto option = [&find](const char* name, auto& variable, const char* type, const char* text) {
        return find.add_option(name, variable, wrapped(text, help_text))->type_name(type);
    };
    const auto flag = [&find](const char* name, bool& variable, const char* text) {
        find.add_flag(name, variable, wrapped(text, help_text));
    };
    option("SCREEN", arguments.screen, "", "The screenshot: PNG, JPEG, WebP, PNM or BMP; - is standard input")
        ->required();
    option("PATTERN", arguments.patterns, "", "What to look for, one image or several; transparent pixels take no part")
        ->required();
    option("--threshold", arguments.threshold, "T", "Least score of a match, -1 to 1")->capture_default_str();
    option("--floor", arguments.floor, "T",
           "When nothing is found, report the best candidate down to this score; -1 = however low")
        ->capture_default_str();
    flag("--all", arguments.all, "All matches, not only the best of each pattern");
    option("--max", arguments.max_results, "N", "Most matches of each pattern")
        ->check(CLI::Range(1u, 1'000'000u).description(""))
        ->capture_default_str();
    option("--region", arguments.region, "X,Y,W,H", "Search only in this part of the screen, pixels");
    option("--exclude", arguments.exclude, "X,Y,W,H", "No match may meet this area; may be repeated")
        ->allow_extra_args(false);
    option("--scales", arguments.scales, "auto|none|A:B:STEP",
           "Sizes of the pattern to try. auto (default): its own and, for a pattern that is nowhere at that size, 0.5 "
           "to 2.4 times it. none: no other. A:B:STEP: exactly A, A + STEP, A + 2 STEP ... up to B, which is included "
           "when a step lands on it, and nothing else; 0.5:2:0.25 tries 0.5, 0.75 ... 2. At most 200 sizes");
    flag("--no-fallback", arguments.no_fallback,
         "Look for each pattern as it is, and neither at other sizes (unless --scales names them) nor, by its local "
         "features, rotated or in perspective");
    option("--color", arguments.color, "gray|bgr|auto",
           "What is compared; auto (default): colour, unless screen and pattern are both gray")
        ->transform(CLI::CheckedTransformer(
                        std::map<std::string, std::uint32_t>{
                            {"auto", VDT_COLOR_AUTO}, {"gray", VDT_COLOR_GRAY}, {"bgr", VDT_COLOR_BGR}},
                        CLI::ignore_case)
                        .description(""));
    option("--backend", arguments.backend, "NAME[:DEVICE]",
           "Use this backend and no other; auto (default): as the configuration says");
    option("--strict", arguments.strictness, "F",
           "Strictness of the verification, 0.25 to 4: 1.25 tells states of a control apart, 0.67 tolerates lossy "
           "screens")
        ->capture_default_str();
    flag("--no-verify", arguments.no_verify, "Judge by the score alone");
    flag("--json", arguments.json, "Print one JSON object");
    option("--annotate", arguments.annotate, "OUT.png",
           "Write a PNG of the screen: matches framed in green, the best refused candidate in red");
    option("--config", arguments.context.config, "FILE", "Configuration file instead of the installed one");
    option("--time-limit", arguments.time_limit, "SECONDS", "Give up after this time")->check(above_zero());
    flag("--verbose", arguments.context.verbose,
         "Tell on standard error how long each step takes and what is wrong with backends");
    find.footer(
        wrapped("Prints for each pattern its place, score and residual (the largest colour difference against its "
                "limit), or the best candidate and why it was refused; then who searched, how long, and why that "
                "backend.",
                help_line) +
        "\nExit status: 0 every pattern was found, 1 some pattern was not, 2 an error.\n\n"
        "Examples:\n"
        "  vedette find screen.png button.png\n"
        "  vedette find screen.png icon.png --all --annotate found.png\n"
        "  import -window root png:- | vedette find - ok.png cancel.png --region 0,0,800,600 --json");
}

}  // namespace

Command add_find(CLI::App& app) {
    const auto arguments = std::make_shared<FindArguments>();
    CLI::App& find = *app.add_subcommand("find", "Find patterns on a screenshot");
    add_options(find, *arguments);
    return [arguments] { return run_find(*arguments); };
}

}  // namespace vedette::cli
