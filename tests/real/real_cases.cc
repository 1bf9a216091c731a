// Answers every case of a cases.json of real screenshots through the public API, with one fixed configuration, in the
// format of its scoring program: {"<case>": {"<template index>": [{"x","y","w","h","score"}, ...]}}, best first. An
// option never depends on a case beyond what the case states: templates, their alpha or excluded rectangles, a search
// region, the parameters of a cascade.
#include <vedette/vedette.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

using Json = nlohmann::json;

struct Destroy {
    void operator()(vdt_context* object) const { vdt_context_destroy(object); }
    void operator()(vdt_screen* object) const { vdt_screen_destroy(object); }
    void operator()(vdt_pattern* object) const { vdt_pattern_destroy(object); }
    void operator()(vdt_result* object) const { vdt_result_destroy(object); }
};
template <class T>
using Owned = std::unique_ptr<T, Destroy>;

void check(vdt_code code, const vdt_error& error, const std::string& what) {
    if (code < 0) throw std::runtime_error(what + ": " + error.text + " (" + vdt_code_name(code) + ")");
}

vdt_rect rectangle(const Json& area) {
    return {area.at("x").get<int>(), area.at("y").get<int>(), area.at("w").get<int>(), area.at("h").get<int>()};
}

struct Arguments {
    std::string cases;
    std::string predictions;
    std::string backend;
    std::string config;
    std::string plugin_directory;
    bool verbose = false;
};

Arguments parse(int argc, char** argv) {
    Arguments arguments;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::map<std::string, std::string*> values{{"--backend", &arguments.backend},
                                                         {"--config", &arguments.config},
                                                         {"--plugins", &arguments.plugin_directory}};
        const auto value = values.find(word);
        if (value != values.end() && i + 1 < argc)
            *value->second = argv[++i];
        else if (word == "--verbose")
            arguments.verbose = true;
        else if (word.starts_with("--"))
            throw std::invalid_argument("unknown option " + word);
        else
            files.push_back(word);
    }
    if (files.size() != 2)
        throw std::invalid_argument(
            "usage: real_cases CASES.json PREDICTIONS.json [--backend NAME] [--config FILE] [--plugins DIRECTORY] "
            "[--verbose]");
    arguments.cases = files[0];
    arguments.predictions = files[1];
    return arguments;
}

class Program {
public:
    explicit Program(const Arguments& arguments)
        : arguments_(arguments), base_(std::filesystem::path(arguments.cases).parent_path()) {
        error_.struct_size = sizeof error_;
        vdt_context_options options{};
        options.struct_size = sizeof options;
        if (!arguments.config.empty()) options.config_file = arguments.config.c_str();
        if (!arguments.plugin_directory.empty()) options.plugin_directory = arguments.plugin_directory.c_str();
        vdt_context* context = nullptr;
        check(vdt_context_create(&options, &context, &error_), error_, "context");
        context_.reset(context);
    }

    Json run(const Json& cases) {
        Json predictions = Json::object();
        for (const Json& one : cases) {
            Json answers = answer(one);
            if (!answers.empty()) predictions[one.at("id").get<std::string>()] = std::move(answers);
        }
        return predictions;
    }

private:
    Json answer(const Json& one) {
        // Templates with the same needs are searched in one call.
        std::vector<std::string> keys;
        std::vector<Owned<vdt_pattern>> owned;
        std::vector<vdt_pattern*> patterns;
        const Json& templates = one.at("templates");
        Json cascades = Json::object();
        for (std::size_t i = 0; i < templates.size(); ++i) {
            if (templates[i].contains("cascade")) {
                cascades[std::to_string(i)] = detect(one, templates[i]);
                continue;
            }
            keys.push_back(std::to_string(i));
            owned.push_back(pattern(templates[i]));
            patterns.push_back(owned.back().get());
        }
        if (patterns.empty()) return cascades;
        Json answers = std::move(cascades);

        vdt_screen* loaded = nullptr;
        const std::string file = path(one.at("screenshot"));
        check(vdt_screen_from_file(context_.get(), file.c_str(), &loaded, &error_), error_, file);
        const Owned<vdt_screen> screen(loaded);

        vdt_find_options options{};
        options.struct_size = sizeof options;
        vdt_find_options_init(&options);
        options.all = 1;
        if (!arguments_.backend.empty()) options.backend = arguments_.backend.c_str();
        if (one.contains("search_region") && one["search_region"].is_object())
            options.region = rectangle(one["search_region"]);
        vdt_result* made = nullptr;
        const std::string id = one.at("id").get<std::string>();
        check(vdt_find(context_.get(), screen.get(), patterns.data(), static_cast<uint32_t>(patterns.size()), &options,
                       &made, &error_),
              error_, id);
        const Owned<vdt_result> result(made);

        for (const std::string& key : keys) answers[key] = Json::array();
        for (uint32_t i = 0; i < vdt_result_match_count(result.get()); ++i) {
            vdt_match match{};
            match.struct_size = sizeof match;
            check(vdt_result_match(result.get(), i, &match, &error_), error_, "match");
            answers[keys[match.pattern]].push_back(
                {{"x", match.x}, {"y", match.y}, {"w", match.w}, {"h", match.h}, {"score", match.score}});
        }
        if (arguments_.verbose) describe(id, keys, *result);
        return answers;
    }

    // What a cascade detects, most windows joined first, then the best weight.
    Json detect(const Json& one, const Json& of) {
        const std::string file = path(of.at("file"));
        std::ifstream in(file, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        const Json& stated = of.at("cascade").at("params");
        vdt_cascade_params params{};
        params.struct_size = sizeof params;
        params.cascade = text.data();
        params.cascade_bytes = text.size();
        params.scale_factor = stated.at("scaleFactor");
        params.min_neighbors = stated.at("minNeighbors");
        const auto size = [&](const char* name, std::int32_t& w, std::int32_t& h) {
            if (!stated.contains(name)) return;
            w = stated[name].at(0);
            h = stated[name].at(1);
        };
        size("minSize", params.min_w, params.min_h);
        size("maxSize", params.max_w, params.max_h);

        const Gray gray = gray_screen(path(one.at("screenshot")));
        const vdt_image view = gray.view();
        const vdt_image* const inputs[] = {&view};
        std::vector<vdt_item> items(100000);
        vdt_list list{};
        list.struct_size = sizeof list;
        list.item_size = sizeof(vdt_item);
        list.capacity = items.size();
        list.items = items.data();
        vdt_list* const lists[] = {&list};
        check(
            vdt_run_operation(context_.get(), VDT_OP_CASCADE_DETECT, &params, inputs, 1, nullptr, 0, nullptr, 0, lists,
                              1, arguments_.backend.empty() ? nullptr : arguments_.backend.c_str(), nullptr, &error_),
            error_, file);
        items.resize(list.count);
        std::sort(items.begin(), items.end(), [](const vdt_item& a, const vdt_item& b) {
            return std::tie(b.neighbors, b.score, a.y, a.x, a.w) < std::tie(a.neighbors, a.score, b.y, b.x, b.w);
        });
        Json answers = Json::array();
        for (const vdt_item& item : items)
            answers.push_back({{"x", item.x}, {"y", item.y}, {"w", item.w}, {"h", item.h}, {"score", item.score}});
        return answers;
    }

    // GRAY8 rows without gaps.
    struct Gray {
        std::vector<std::uint8_t> pixels;
        std::uint32_t width, height;
        vdt_image view() const { return image_of(VDT_FORMAT_GRAY8, width, height, width, pixels.data()); }
    };

    static vdt_image image_of(vdt_format format, std::uint32_t width, std::uint32_t height, std::int64_t stride,
                              const void* data) {
        vdt_image image{};
        image.struct_size = sizeof image;
        image.format = format;
        image.width = width;
        image.height = height;
        image.plane_count = 1;
        image.plane[0].base = const_cast<void*>(data);
        image.plane[0].row_stride = stride;
        image.plane[0].bytes = static_cast<std::uint64_t>(stride) * height;
        return image;
    }

    Gray gray_screen(const std::string& file) {
        vdt_pixels pixels{};
        pixels.struct_size = sizeof pixels;
        check(vdt_pixels_from_file(file.c_str(), &pixels, &error_), error_, file);
        Gray gray{std::vector<std::uint8_t>(std::size_t{pixels.width} * pixels.height), pixels.width, pixels.height};
        const vdt_image from = image_of(pixels.format, pixels.width, pixels.height, pixels.stride, pixels.data);
        const vdt_image to = gray.view();
        const vdt_image *const inputs[] = {&from}, *const outputs[] = {&to};
        const vdt_convert_params params{sizeof(vdt_convert_params), 0, 1, 0};
        const vdt_code code = vdt_run_operation(context_.get(), VDT_OP_CONVERT, &params, inputs, 1, outputs, 1, nullptr,
                                                0, nullptr, 0, nullptr, nullptr, &error_);
        vdt_pixels_free(&pixels);
        check(code, error_, file);
        return gray;
    }

    Owned<vdt_pattern> pattern(const Json& one) {
        vdt_pattern* loaded = nullptr;
        const std::string file = path(one.at("file"));
        check(vdt_pattern_from_file(context_.get(), file.c_str(), &loaded, &error_), error_, file);
        Owned<vdt_pattern> owned(loaded);
        std::vector<vdt_rect> areas;
        if (one.contains("exclude"))
            for (const Json& area : one["exclude"]) areas.push_back(rectangle(area));
        check(vdt_pattern_exclude(loaded, areas.data(), static_cast<uint32_t>(areas.size()), &error_), error_, file);
        return owned;
    }

    void describe(const std::string& id, const std::vector<std::string>& keys, const vdt_result& result) {
        vdt_run_info run{};
        run.struct_size = sizeof run;
        check(vdt_result_run(&result, &run, &error_), error_, "run");
        std::printf("%s: %.1f ms, %s %s\n", id.c_str(), run.measured_ms, run.backend, run.variant);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            vdt_outcome outcome{};
            outcome.struct_size = sizeof outcome;
            check(vdt_result_outcome(&result, static_cast<uint32_t>(i), &outcome, &error_), error_, "outcome");
            const vdt_match& best = outcome.best;
            std::printf("  [%s] %u found, %s, margin %.3f%s, copies %u", keys[i].c_str(), outcome.match_count,
                        vdt_reason_text(outcome.reason), outcome.margin, outcome.margin_is_bound != 0 ? " or more" : "",
                        outcome.copies);
            if (outcome.has_best != 0)
                std::printf("; best (%g, %g) score %.4f residual %.2f of %.2f evidence %.2f worst %d,%d,%d,%d", best.x,
                            best.y, best.score, best.residual, best.residual_limit, best.evidence, best.worst.x,
                            best.worst.y, best.worst.w, best.worst.h);
            std::printf("\n");
        }
    }

    std::string path(const Json& relative) const { return (base_ / relative.get<std::string>()).string(); }

    const Arguments& arguments_;
    const std::filesystem::path base_;
    Owned<vdt_context> context_;
    vdt_error error_{};
};

}  // namespace

int main(int argc, char** argv) {
    try {
        const Arguments arguments = parse(argc, argv);
        std::ifstream in(arguments.cases);
        if (!in) throw std::runtime_error("cannot read " + arguments.cases);
        const Json cases = Json::parse(in);
        const auto begin = std::chrono::steady_clock::now();
        const Json predictions = Program(arguments).run(cases.at("cases"));
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        std::ofstream out(arguments.predictions);
        out << predictions.dump(1) << '\n';
        if (!out.flush()) throw std::runtime_error("cannot write " + arguments.predictions);
        std::printf("answered %zu cases in %.1f s\n", predictions.size(), seconds);
        return EXIT_SUCCESS;
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "real_cases: %s\n", exception.what());
        return EXIT_FAILURE;
    }
}
