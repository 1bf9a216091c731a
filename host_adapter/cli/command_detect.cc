#include "arguments.h"
#include "bench_picture.h"
#include "commands.h"
#include "detect_report.h"
#include "frames.h"
#include "library.h"
#include "output.h"
#include "table.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <tuple>

namespace vedette::cli {

namespace {

struct DetectArguments {
    ContextArguments context;
    std::string screen;
    std::string cascade;
    double scale_factor = 1.1;
    std::int32_t min_neighbors = 3;
    std::string min_size;
    std::string max_size;
    std::string region;
    std::string backend = "auto";
    bool json = false;
    std::string annotate;
};

std::string read_cascade(const std::string& path) {
    constexpr std::size_t most_bytes = std::size_t{1} << 28;  // OpenCV's largest classifiers have 4 MB
    constexpr std::size_t piece = std::size_t{1} << 16;
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text;
    while (file) {
        const std::size_t before = text.size();
        text.resize(before + piece);
        file.read(text.data() + before, static_cast<std::streamsize>(piece));
        text.resize(before + static_cast<std::size_t>(file.gcount()));
        if (text.size() > most_bytes) {
            throw Problem(VDT_E_FILE, "'" + path + "' has more than " + std::to_string(most_bytes) +
                                          " bytes, the most that is read of a classifier.");
        }
    }
    if (file.bad() || text.empty()) {
        const std::string reason = errno != 0 ? std::strerror(errno) : "it is empty";
        throw Problem(VDT_E_FILE, "The classifier '" + path + "' cannot be read: " + reason + ".");
    }
    return text;
}

// The part of the screen to search; the whole one when no region is asked for.
vdt_rect searched_part(const std::string& region, const Picture& screen) {
    const vdt_rect whole{0, 0, static_cast<std::int32_t>(screen.width()), static_cast<std::int32_t>(screen.height())};
    if (region.empty()) {
        return whole;
    }
    const vdt_rect part = parse_rectangle("--region", region);
    if (part.x < 0 || part.y < 0 || part.w > whole.w - part.x || part.h > whole.h - part.y) {
        throw Problem(VDT_E_ARGUMENT, format("--region %s does not lie inside the screen of %d x %d pixels.",
                                             region.c_str(), whole.w, whole.h));
    }
    return part;
}

// Best first. Runs again with more room when there are more detections than expected.
std::vector<vdt_item> detect(const Context& context, const vdt_cascade_params& params, const Picture& gray,
                             const std::string& backend, vdt_run_info& run) {
    const vdt_image input = gray.view();
    const vdt_image* const inputs[] = {&input};
    std::vector<vdt_item> items(4096);
    vdt_list list{};
    list.struct_size = sizeof list;
    list.item_size = sizeof(vdt_item);
    for (;;) {
        list.items = items.data();
        list.capacity = items.size();
        vdt_list* const lists[] = {&list};
        const vdt_code code = checked([&](vdt_error* error) {
            return vdt_run_operation(context.get(), VDT_OP_CASCADE_DETECT, &params, inputs, 1, nullptr, 0, nullptr, 0,
                                     lists, 1, backend.c_str(), &run, error);
        });
        if (code != VDT_INCOMPLETE) {
            break;
        }
        items.resize(list.needed);
    }
    items.resize(list.count);
    std::sort(items.begin(), items.end(), [](const vdt_item& a, const vdt_item& b) {
        return std::tie(b.neighbors, b.score, a.y, a.x, a.w) < std::tie(a.neighbors, a.score, b.y, b.x, b.w);
    });
    return items;
}

int run_detect(const DetectArguments& arguments) {
    vdt_cascade_params params{};
    params.struct_size = sizeof params;
    params.scale_factor = arguments.scale_factor;
    params.min_neighbors = arguments.min_neighbors;
    if (!arguments.min_size.empty()) {
        std::tie(params.min_w, params.min_h) = parse_window("--min-size", arguments.min_size);
    }
    if (!arguments.max_size.empty()) {
        std::tie(params.max_w, params.max_h) = parse_window("--max-size", arguments.max_size);
        if (params.max_w < params.min_w || params.max_h < params.min_h) {
            throw Problem(VDT_E_ARGUMENT, "--max-size " + arguments.max_size + " is below --min-size " +
                                              arguments.min_size + ": nothing could be detected.");
        }
    }
    const std::string cascade = read_cascade(arguments.cascade);
    params.cascade = cascade.data();
    params.cascade_bytes = cascade.size();

    const Context context = open_context(arguments.context);
    Picture screen = read_picture(arguments.screen);
    const vdt_rect part = searched_part(arguments.region, screen);
    const auto side = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
    const Picture gray = gray_of(crop(screen, side(part.x), side(part.y), side(part.w), side(part.h)));
    DetectReport report;
    report.run.struct_size = sizeof report.run;
    report.detections = detect(context, params, gray, arguments.backend, report.run);
    report.screen_width = side(part.w);
    report.screen_height = side(part.h);
    for (vdt_item& item : report.detections) {
        item.x += static_cast<float>(part.x);
        item.y += static_cast<float>(part.y);
    }
    if (!arguments.annotate.empty()) {
        const auto whole = [](float value) { return static_cast<std::int32_t>(std::lround(value)); };
        for (const vdt_item& item : report.detections) {
            draw_frame(screen, {whole(item.x), whole(item.y), whole(item.w), whole(item.h)});
        }
        const vdt_pixels pixels = screen.pixels();
        checked([&](vdt_error* error) { return vdt_pixels_to_file(&pixels, arguments.annotate.c_str(), error); });
        report.annotated = arguments.annotate;
    }
    if (arguments.json) {
        print(report_json(report));
    } else {
        print(report_text(report));
    }
    return report.detections.empty() ? 1 : 0;
}

void add_options(CLI::App& detect, DetectArguments& arguments) {
    const auto option = [&detect](const char* name, auto& variable, const char* type, const char* text) {
        return detect.add_option(name, variable, wrapped(text, help_text))->type_name(type);
    };
    option("SCREEN", arguments.screen, "", "The screenshot: PNG, JPEG, WebP, PNM or BMP; - is standard input")
        ->required();
    option("CASCADE", arguments.cascade, "",
           "What to detect: a classifier of Haar or LBP features, OpenCV's XML in its old or new format")
        ->required();
    option("--scale-factor", arguments.scale_factor, "F", "Each size is this much larger than the one before, above 1")
        ->capture_default_str();
    option("--min-neighbors", arguments.min_neighbors, "N",
           "More than so many windows around a place make a detection; 0 = every single window")
        ->check(CLI::Range(0, 1'000'000).description(""))
        ->capture_default_str();
    option("--min-size", arguments.min_size, "W[,H]", "Least size of a detection, pixels; default: the classifier's");
    option("--max-size", arguments.max_size, "W[,H]", "Largest size of a detection, pixels; default: the screen's");
    option("--region", arguments.region, "X,Y,W,H", "Search only in this part of the screen, pixels");
    option("--backend", arguments.backend, "NAME[:DEVICE]",
           "Use this backend and no other; auto (default): as the configuration says");
    detect.add_flag("--json", arguments.json, wrapped("Print one JSON object", help_text));
    option("--annotate", arguments.annotate, "OUT.png", "Write a PNG of the screen with the detections framed");
    option("--config", arguments.context.config, "FILE", "Configuration file instead of the installed one");
    detect.add_flag("--verbose", arguments.context.verbose,
                    wrapped("Tell on standard error what is wrong with backends", help_text));
    detect.footer(
        wrapped(
            "Prints the place and size of each detection, how many windows it joins and the sum of the classifier's "
            "last stage; then who searched and how long. Detections are those of OpenCV's CascadeClassifier.",
            help_line) +
        "\nExit status: 0 something was detected, 1 nothing was, 2 an error.\n\n"
        "Examples:\n"
        "  vedette detect photo.png haarcascade_frontalface_default.xml\n"
        "  vedette detect screen.png icon.xml --min-size 24 --max-size 96,48 --annotate seen.png");
}

}  // namespace

Command add_detect(CLI::App& app) {
    const auto arguments = std::make_shared<DetectArguments>();
    CLI::App& detect = *app.add_subcommand("detect", "Detect objects on a screenshot with a trained classifier");
    add_options(detect, *arguments);
    return [arguments] { return run_detect(*arguments); };
}

}  // namespace vedette::cli
