#include "arguments.h"
#include "commands.h"
#include "library.h"
#include "output.h"
#include "spread_text.h"
#include "table.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>

namespace vedette::cli {

namespace {

struct RestoreArguments {
    ContextArguments context;
    std::string input, output;
    std::string spread = "gaussian:1.5";
    std::uint32_t method = VDT_RESTORE_RICHARDSON_LUCY;
    std::uint32_t iterations = 30;
    std::string backend = "auto";
    bool json = false;
};

const std::map<std::string, std::uint32_t>& method_names() {
    static const std::map<std::string, std::uint32_t> names{{"richardson-lucy", VDT_RESTORE_RICHARDSON_LUCY},
                                                            {"mia", VDT_RESTORE_MIA_KNOWN},
                                                            {"blind", VDT_RESTORE_MIA_BLIND}};
    return names;
}

std::string name_of(std::uint32_t method) {
    for (const auto& [name, number] : method_names()) {
        if (number == method) {
            return name;
        }
    }
    return "";
}

// One line on a terminal, from the second second on.
class Progress {
public:
    void tell(std::uint32_t done, std::uint32_t all) {
        const auto now = std::chrono::steady_clock::now();
        if (isatty(STDERR_FILENO) == 0 || now - begin_ < std::chrono::seconds(1)) {
            return;
        }
        std::fprintf(stderr, "\rvedette: %u of %u tiles restored", done, all);
        shown_ = true;
    }
    ~Progress() {
        if (shown_) {
            std::fputs("\r\033[K", stderr);
        }
    }

private:
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    bool shown_ = false;
};

Json report_json(const RestoreArguments& arguments, const vdt_pixels& pixels, const vdt_restoration& restoration,
                 const vdt_run_info& info) {
    return {{"status", "done"},
            {"output", arguments.output},
            {"width", pixels.width},
            {"height", pixels.height},
            {"method", name_of(arguments.method)},
            {"iterations", arguments.iterations},
            {"spread_width", restoration.spread_sigma},
            {"tiles", restoration.tiles},
            {"tile_side", restoration.tile_side},
            {"backend", info.backend},
            {"device", info.device},
            {"variant", info.variant},
            {"choice", info.choice},
            {"measured_ms", info.measured_ms}};
}

std::string report_text(const RestoreArguments& arguments, const vdt_pixels& pixels, const vdt_restoration& restoration,
                        const vdt_run_info& info) {
    return format("restored  %s  %u x %u  %s, %u iterations, spread of width %.2f  %u tiles of %u\n",
                  arguments.output.c_str(), pixels.width, pixels.height, name_of(arguments.method).c_str(),
                  arguments.iterations, restoration.spread_sigma, restoration.tiles, restoration.tile_side) +
           format("by %s (%s) in %.1f ms: %s\n", info.backend, info.variant, info.measured_ms, info.choice);
}

int run_restore(const RestoreArguments& arguments) {
    const SpreadText spread = parse_point_spread(arguments.spread);
    const Context context = open_context(arguments.context);
    vdt_pixels pixels{}, restored{};
    pixels.struct_size = restored.struct_size = sizeof pixels;
    checked([&](vdt_error* error) { return vdt_pixels_from_file(arguments.input.c_str(), &pixels, error); });
    const std::unique_ptr<vdt_pixels, Destroy<vdt_pixels_free>> owner(&pixels), restored_owner(&restored);
    vdt_restore_options options{};
    options.struct_size = sizeof options;
    options.method = arguments.method;
    options.iterations = arguments.iterations;
    options.spread = spread.kind;
    options.spread_size = spread.size;
    options.spread_angle = spread.angle;
    options.spread_weights = spread.weights.data();
    options.spread_width = spread.width;
    options.spread_height = spread.height;
    options.backend = arguments.backend.c_str();
    vdt_restoration restoration{};
    restoration.struct_size = sizeof restoration;
    vdt_run_info info{};
    info.struct_size = sizeof info;
    {
        Progress progress;
        options.progress_user = &progress;
        options.progress = [](void* user, std::uint32_t done, std::uint32_t all) {
            static_cast<Progress*>(user)->tell(done, all);
        };
        checked([&](vdt_error* error) {
            return vdt_restore(context.get(), &pixels, &options, &restored, &restoration, &info, error);
        });
    }
    checked([&](vdt_error* error) { return vdt_pixels_to_file(&restored, arguments.output.c_str(), error); });
    if (arguments.json) {
        print(report_json(arguments, pixels, restoration, info));
    } else {
        print(report_text(arguments, pixels, restoration, info));
    }
    return 0;
}

void add_options(CLI::App& restore, RestoreArguments& arguments) {
    const auto option = [&restore](const char* name, auto& variable, const char* type, const char* text) {
        return restore.add_option(name, variable, wrapped(text, help_text))->type_name(type);
    };
    option("IN", arguments.input, "", "The blurred image: PNG, JPEG, WebP, PNM or BMP; - is standard input")
        ->required();
    option("OUT.png", arguments.output, "", "Where the restored image goes, a PNG of 8 bits")->required();
    option("--psf", arguments.spread, "gaussian:SIGMA|disk:RADIUS|motion:LENGTH,ANGLE|FILE",
           "What the lens made of a point, in pixels; the angle in degrees against the clock from the right. FILE: an "
           "image of it, its middle the centre. For blind restoration the first guess, better too wide than too narrow")
        ->capture_default_str();
    option("--method", arguments.method, "richardson-lucy|mia|blind",
           "Richardson-Lucy (default) tolerates noise best; mia is the multiplicative iterative algorithm; blind finds "
           "the point-spread function, then does as mia")
        ->transform(CLI::CheckedTransformer(method_names(), CLI::ignore_case).description(""));
    option("--iterations", arguments.iterations, "N",
           "More are sharper, and make noise grow: 10 to 30 for a noisy image, up to 200 for a clean one")
        ->check(CLI::Range(1u, 100'000u).description(""))
        ->capture_default_str();
    option("--backend", arguments.backend, "NAME[:DEVICE]",
           "Use this backend and no other; auto (default): as the configuration says");
    restore.add_flag("--json", arguments.json, wrapped("Print one JSON object", help_text));
    option("--config", arguments.context.config, "FILE", "Configuration file instead of the installed one");
    restore.add_flag("--verbose", arguments.context.verbose,
                     wrapped("Tell on standard error what is wrong with backends", help_text));
    restore.footer(
        wrapped(
            "Sharpens what a camera saw of a screen, so that find recognises what is on it. Every colour channel is "
            "restored on its own, in overlapping tiles that are blended; transparency stays as it is.",
            help_line) +
        "\nExit status: 0 the image was written, 2 an error.\n\n"
        "Examples:\n"
        "  vedette restore camera.png sharp.png --psf gaussian:1.6\n"
        "  vedette restore camera.jpg sharp.png --psf motion:9,0 --iterations 60\n"
        "  vedette restore camera.png sharp.png --method blind --psf gaussian:2 && vedette find sharp.png button.png");
}

}  // namespace

Command add_restore(CLI::App& app) {
    const auto arguments = std::make_shared<RestoreArguments>();
    CLI::App& restore = *app.add_subcommand("restore", "Sharpen a blurred image of a screen");
    add_options(restore, *arguments);
    return [arguments] { return run_restore(*arguments); };
}

}  // namespace vedette::cli
