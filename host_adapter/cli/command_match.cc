// `vedette match`: a pattern found by its keypoints, turned, scaled or seen from the side.
#include "arguments.h"
#include "bench_picture.h"
#include "commands.h"
#include "draw_polygon.h"
#include "library.h"
#include "output.h"
#include "table.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace vedette::cli {

namespace {

struct MatchArguments {
    ContextArguments context;
    std::string screen;
    std::string pattern;
    double ratio = 0.75;
    double reprojection = 3;
    std::uint64_t seed = 0;
    std::string backend = "auto";
    bool json = false;
    std::string annotate;
};

struct Pixels : vdt_pixels {
    explicit Pixels(const std::string& path) : vdt_pixels{} {
        struct_size = sizeof(vdt_pixels);
        checked([&](vdt_error* error) { return vdt_pixels_from_file(path.c_str(), this, error); });
    }
    ~Pixels() { vdt_pixels_free(this); }
    Pixels(const Pixels&) = delete;
    Pixels& operator=(const Pixels&) = delete;
};

struct Answer {
    vdt_feature_place place{};
    vdt_run_info info{};
};

Answer match(const Context& context, const MatchArguments& arguments, const Pixels& screen_pixels,
             const Pixels& pattern_pixels) {
    vdt_screen* made_screen = nullptr;
    checked([&](vdt_error* error) { return vdt_screen_create(context.get(), &screen_pixels, &made_screen, error); });
    const Screen screen(made_screen);
    vdt_pattern* made_pattern = nullptr;
    checked([&](vdt_error* error) { return vdt_pattern_create(context.get(), &pattern_pixels, &made_pattern, error); });
    const Pattern pattern(made_pattern);
    vdt_feature_options options{};
    options.struct_size = sizeof options;
    options.ratio = arguments.ratio;
    options.reprojection = arguments.reprojection;
    options.seed = arguments.seed;
    options.backend = arguments.backend.c_str();
    Answer answer;
    answer.place.struct_size = sizeof answer.place;
    answer.info.struct_size = sizeof answer.info;
    checked([&](vdt_error* error) {
        return vdt_find_by_features(context.get(), screen.get(), pattern.get(), &options, &answer.place, &answer.info,
                                    error);
    });
    return answer;
}

Json corners_json(const vdt_feature_place& place) {
    Json corners = Json::array();
    for (std::size_t i = 0; i < 8; i += 2) {
        corners.push_back({{"x", number(place.quad[i])}, {"y", number(place.quad[i + 1])}});
    }
    return corners;
}

Json report(const vdt_feature_place& place, const vdt_run_info& info) {
    return {{"status", place.found != 0 ? "found" : "not_found"},
            {"quad", place.has_quad != 0 ? corners_json(place) : Json(nullptr)},
            {"inliers", place.inliers},
            {"pairs", place.pairs},
            {"pattern_keypoints", place.pattern_keypoints},
            {"screen_keypoints", place.screen_keypoints},
            {"reason", place.found != 0 ? Json(nullptr) : Json(place.reason)},
            {"backend", info.backend},
            {"device", info.device},
            {"measured_ms", info.measured_ms}};
}

std::string text_of(const vdt_feature_place& place, const MatchArguments& arguments, const vdt_run_info& info) {
    std::string text = (place.found != 0 ? "found      " : "not found  ") + arguments.pattern;
    if (place.found != 0) {
        text += "  at";
        for (std::size_t i = 0; i < 8; i += 2) {
            text += format(" %.1f,%.1f", place.quad[i], place.quad[i + 1]);
        }
    } else {
        text += std::string("  ") + place.reason;
    }
    text += format("\n%u of %u pairs agree; %u keypoints on the pattern, %u on the screen\n", place.inliers,
                   place.pairs, place.pattern_keypoints, place.screen_keypoints);
    return text + format("%s in %.1f ms\n", info.backend, info.measured_ms);
}

void annotate(const MatchArguments& arguments, const vdt_feature_place& place, Picture picture) {
    constexpr Color green{40, 170, 0}, red{20, 20, 230};
    if (place.has_quad != 0) {
        std::vector<Point> corners;
        for (std::size_t i = 0; i < 8; i += 2) {
            corners.push_back({place.quad[i], place.quad[i + 1]});
        }
        draw_polygon(picture, corners, place.found != 0 ? green : red);
    }
    const vdt_pixels pixels = picture.pixels();
    checked([&](vdt_error* error) { return vdt_pixels_to_file(&pixels, arguments.annotate.c_str(), error); });
}

int run_match(const MatchArguments& arguments) {
    require_range("--ratio", arguments.ratio, 0, 1);
    require_range("--reprojection", arguments.reprojection, 0.01, 1000);
    if (arguments.screen == "-" && arguments.pattern == "-") {
        throw Problem(VDT_E_ARGUMENT, "Only one image can be read from standard input (\"-\").");
    }
    const Context context = open_context(arguments.context);
    const Pixels screen(arguments.screen), pattern(arguments.pattern);
    const Answer answer = match(context, arguments, screen, pattern);
    if (!arguments.annotate.empty()) {
        annotate(arguments, answer.place, picture_of(screen));
    }
    if (arguments.json) {
        print(report(answer.place, answer.info));
    } else {
        print(text_of(answer.place, arguments, answer.info));
    }
    return answer.place.found != 0 ? 0 : 1;
}

}  // namespace

Command add_match(CLI::App& app) {
    const auto arguments = std::make_shared<MatchArguments>();
    CLI::App& match = *app.add_subcommand("match", "Find a pattern by its keypoints: turned, scaled, in perspective");
    const auto option = [&match](const char* name, auto& variable, const char* type, const char* text) {
        return match.add_option(name, variable, wrapped(text, help_text))->type_name(type);
    };
    option("SCREEN", arguments->screen, "", "The screenshot: PNG, JPEG, WebP, PNM or BMP; - is standard input")
        ->required();
    option("PATTERN", arguments->pattern, "", "What to look for; transparent pixels take no part")->required();
    option("--ratio", arguments->ratio, "R",
           "A keypoint's nearest neighbour counts when it is nearer than R times the second, 0 to 1")
        ->capture_default_str();
    option("--reprojection", arguments->reprojection, "P",
           "Pixels by which a pair of keypoints may miss the common place")
        ->capture_default_str();
    option("--seed", arguments->seed, "N", "Of the random samples; the same seed gives the same answer")
        ->capture_default_str();
    option("--backend", arguments->backend, "NAME[:DEVICE]",
           "Use this backend and no other; auto (default): as the configuration says");
    match.add_flag("--json", arguments->json, "Print one JSON object");
    option("--annotate", arguments->annotate, "OUT.png",
           "Write a PNG of the screen with the place framed: green when found, red when refused");
    option("--config", arguments->context.config, "FILE", "Configuration file instead of the installed one");
    match.add_flag("--verbose", arguments->context.verbose, "Tell on standard error what is wrong with backends");
    match.footer(
        wrapped(
            "Prints the pattern's four corners on the screen (top left, top right, bottom right, bottom left of the "
            "pattern), how many pairs of keypoints agree on the place, and who searched. A place is refused when "
            "under 12 pairs or a quarter of them agree, when it is mirrored, no convex figure, under a tenth or "
            "over ten times the pattern's area, or for the most part off the screen.",
            help_line) +
        "\nExit status: 0 found, 1 not found, 2 an error.\n\n"
        "Examples:\n"
        "  vedette match photo.jpg box.png\n"
        "  vedette match screen.png logo.png --json --annotate found.png");
    return [arguments] { return run_match(*arguments); };
}

}  // namespace vedette::cli
