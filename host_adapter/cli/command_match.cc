// `vedette match`: a pattern found by its keypoints, turned, scaled or seen from the side.
#include "arguments.h"
#include "bench_picture.h"
#include "commands.h"
#include "draw_polygon.h"
#include "find/feature_parameters.h"
#include "library.h"
#include "match_guards.h"
#include "output.h"
#include "table.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstring>
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

// An image with the mask that its alpha gives (empty: all pixels count).
struct Subject {
    Picture bgr, mask;
};

// As for patterns of a find: opaque pixels count; where under a tenth of the visible ones is fully opaque, those of at
// least half.
Picture mask_from_alpha(const vdt_pixels& pixels) {
    Picture mask(VDT_FORMAT_GRAY8, pixels.width, pixels.height);
    std::size_t visible = 0, opaque = 0;
    const auto alpha = [&pixels](std::uint32_t x, std::uint32_t y) {
        return static_cast<const std::uint8_t*>(pixels.data)[y * pixels.stride + 4 * std::int64_t{x} + 3];
    };
    for (std::uint32_t y = 0; y < pixels.height; ++y) {
        for (std::uint32_t x = 0; x < pixels.width; ++x) {
            visible += alpha(x, y) != 0 ? 1U : 0U;
            opaque += alpha(x, y) == 255 ? 1U : 0U;
        }
    }
    const int least = opaque * 10 < visible ? 128 : 255;
    for (std::uint32_t y = 0; y < pixels.height; ++y) {
        for (std::uint32_t x = 0; x < pixels.width; ++x) {
            *mask.at(x, y) = alpha(x, y) >= least ? 255 : 0;
        }
    }
    return mask;
}

Subject read_subject(const std::string& path, bool with_mask) {
    vdt_pixels pixels{};
    pixels.struct_size = sizeof pixels;
    checked([&](vdt_error* error) { return vdt_pixels_from_file(path.c_str(), &pixels, error); });
    const std::unique_ptr<vdt_pixels, Destroy<vdt_pixels_free>> owner(&pixels);
    Subject subject{picture_of(pixels), {}};
    if (with_mask && pixels.format == VDT_FORMAT_BGRA8) {
        subject.mask = mask_from_alpha(pixels);
    }
    return subject;
}

// Operations on one backend.
class Operations {
public:
    Operations(const Context& context, std::string backend) : context_(context), backend_(std::move(backend)) {}

    void run(vdt_op op, const void* params, const std::vector<const Picture*>& inputs, const Picture& output,
             const std::vector<const vdt_list*>& from = {}, vdt_list* to = nullptr) {
        std::vector<vdt_image> views;
        for (const Picture* const input : inputs) {
            vdt_image none{};
            none.struct_size = sizeof none;
            views.push_back(input->width() == 0 ? none : input->view());
        }
        std::vector<const vdt_image*> in;
        for (const vdt_image& view : views) {
            in.push_back(&view);
        }
        const vdt_image out = output.view();
        const vdt_image* const outs[] = {&out};
        vdt_list* const lists[] = {to};
        info_.struct_size = sizeof info_;
        checked([&](vdt_error* error) {
            return vdt_run_operation(context_.get(), op, params, in.data(), static_cast<std::uint32_t>(in.size()), outs,
                                     1, from.data(), static_cast<std::uint32_t>(from.size()), lists,
                                     to != nullptr ? 1 : 0, backend_.c_str(), &info_, error);
        });
    }
    // Of the last run.
    const vdt_run_info& info() const { return info_; }

private:
    const Context& context_;
    std::string backend_;
    vdt_run_info info_{};
};

struct Keypoints {
    std::vector<vdt_keypoint> points;
    Picture descriptors;  // a row for each, and more
};

template <class Item>
vdt_list list_of(std::vector<Item>& items, std::size_t count) {
    vdt_list list{};
    list.struct_size = sizeof list;
    list.item_size = sizeof(Item);
    list.capacity = items.size();
    list.count = list.needed = count;
    list.items = items.data();
    return list;
}

Keypoints keypoints_of(Operations& operations, const Subject& subject) {
    // The strongest of so many suffice to tell a place, and bound the time on screens full of detail.
    constexpr std::uint32_t most = 20000;
    Picture gray(VDT_FORMAT_GRAY8, subject.bgr.width(), subject.bgr.height());
    const vdt_convert_params convert{sizeof convert, 0, 1, 0};
    operations.run(VDT_OP_CONVERT, &convert, {&subject.bgr}, gray);
    const vdt_features_params params = host::usual_features(most);
    Keypoints found{std::vector<vdt_keypoint>(most), Picture(VDT_FORMAT_GRAYF32, 128, most)};
    vdt_list list = list_of(found.points, 0);
    operations.run(VDT_OP_FEATURES, &params, {&gray, &subject.mask}, found.descriptors, {}, &list);
    found.points.resize(list.count);
    return found;
}

Matching match(Operations& operations, const MatchArguments& arguments, const Subject& pattern, const Subject& screen) {
    Keypoints query = keypoints_of(operations, pattern), train = keypoints_of(operations, screen);
    vdt_feature_match_params params{};
    params.struct_size = sizeof params;
    params.max_iterations = 10000;
    params.ratio = arguments.ratio;
    params.reprojection = arguments.reprojection;
    params.seed = arguments.seed;
    Matching matching;
    matching.pairs.resize(query.points.size());
    const vdt_list from = list_of(query.points, query.points.size()), to = list_of(train.points, train.points.size());
    vdt_list pairs = list_of(matching.pairs, 0);
    const Picture homography(VDT_FORMAT_F64, 3, 3);
    operations.run(VDT_OP_FEATURE_MATCH, &params, {&query.descriptors, &train.descriptors}, homography, {&from, &to},
                   &pairs);
    matching.pairs.resize(pairs.count);
    for (std::uint32_t y = 0; y < 3; ++y) {
        std::memcpy(matching.homography.data() + 3 * std::size_t{y}, homography.at(0, y), 3 * sizeof(double));
    }
    matching.pattern = std::move(query.points);
    matching.screen = std::move(train.points);
    return matching;
}

Json corners_json(const Quad& quad) {
    Json corners = Json::array();
    for (const Point& corner : quad.corner) {
        corners.push_back({{"x", number(corner.x)}, {"y", number(corner.y)}});
    }
    return corners;
}

Json report(const Judgement& judgement, const Matching& matching, const vdt_run_info& info, double milliseconds) {
    return {{"status", judgement.found ? "found" : "not_found"},
            {"quad", judgement.has_quad ? corners_json(judgement.quad) : Json(nullptr)},
            {"inliers", judgement.inliers},
            {"pairs", judgement.pairs},
            {"pattern_keypoints", matching.pattern.size()},
            {"screen_keypoints", matching.screen.size()},
            {"reason", judgement.found ? Json(nullptr) : Json(judgement.reason)},
            {"backend", info.backend},
            {"device", info.device},
            {"measured_ms", milliseconds}};
}

std::string text_of(const Judgement& judgement, const Matching& matching, const MatchArguments& arguments,
                    const vdt_run_info& info, double milliseconds) {
    std::string text = (judgement.found ? "found      " : "not found  ") + arguments.pattern;
    if (judgement.found) {
        text += "  at";
        for (const Point& corner : judgement.quad.corner) {
            text += format(" %.1f,%.1f", corner.x, corner.y);
        }
    } else {
        text += "  " + judgement.reason;
    }
    text += format("\n%u of %u pairs agree; %zu keypoints on the pattern, %zu on the screen\n", judgement.inliers,
                   judgement.pairs, matching.pattern.size(), matching.screen.size());
    return text + format("%s in %.1f ms\n", info.backend, milliseconds);
}

void annotate(const MatchArguments& arguments, const Judgement& judgement, Picture picture) {
    constexpr Color green{40, 170, 0}, red{20, 20, 230};
    if (judgement.has_quad) {
        draw_polygon(picture, {judgement.quad.corner.begin(), judgement.quad.corner.end()},
                     judgement.found ? green : red);
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
    const Subject screen = read_subject(arguments.screen, false), pattern = read_subject(arguments.pattern, true);
    const auto start = std::chrono::steady_clock::now();
    Operations operations(context, arguments.backend);
    const Matching matching = match(operations, arguments, pattern, screen);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    const auto extent = [](const Subject& subject) { return Extent{subject.bgr.width(), subject.bgr.height()}; };
    const Judgement judgement = judge(matching, extent(pattern), extent(screen));
    if (!arguments.annotate.empty()) {
        annotate(arguments, judgement, screen.bgr);
    }
    if (arguments.json) {
        print(report(judgement, matching, operations.info(), took.count()));
    } else {
        print(text_of(judgement, matching, arguments, operations.info(), took.count()));
    }
    return judgement.found ? 0 : 1;
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
