// Finds through the calls a tool makes: from a small icon to noise that fills the screen.
#include "bench_work.h"

#include "table.h"

#include <cmath>
#include <random>
#include <utility>

namespace vedette::cli {

namespace {

constexpr std::uint32_t most_items = 4096;  // room in the peer's list; the peer itself keeps the map only

// One find: the screen, its patterns and how they are asked for. The peer's work holds the same pixels.
struct Find {
    std::shared_ptr<Work> work;
    vdt_context* context = nullptr;
    vdt_find_options options{};
    std::vector<double> scales;
    std::vector<Pattern> patterns;
    Screen kept;  // when resident
    bool must_match = true;

    Screen make_screen() const {
        vdt_screen* screen = nullptr;
        const vdt_pixels pixels = work->inputs[0].pixels();
        checked([&](vdt_error* error) { return vdt_screen_create(context, &pixels, &screen, error); });
        return Screen(screen);
    }

    RunFacts run(const std::string& backend) const {
        const Screen fresh = kept ? nullptr : make_screen();
        vdt_find_options with_backend = options;
        with_backend.backend = backend.c_str();
        std::vector<vdt_pattern*> raw_patterns;
        for (const Pattern& pattern : patterns) {
            raw_patterns.push_back(pattern.get());
        }
        vdt_result* raw = nullptr;
        checked([&](vdt_error* error) {
            return vdt_find(context, kept ? kept.get() : fresh.get(), raw_patterns.data(),
                            static_cast<std::uint32_t>(raw_patterns.size()), &with_backend, &raw, error);
        });
        const Result result(raw);
        if (must_match && vdt_result_match_count(raw) == 0) {
            throw Problem(VDT_E_INTERNAL, backend + " did not find a pattern that was cut from the screen.");
        }
        vdt_run_info info{};
        info.struct_size = sizeof info;
        checked([&](vdt_error* error) { return vdt_result_run(raw, &info, error); });
        return facts_of(info);
    }
};

// What a case asks for; the name says it in words.
struct Question {
    std::string name{};
    Picture screen{};
    std::vector<Picture> patterns{};
    Picture mask{};  // of all patterns, or empty
    double threshold = 0.9;
    double floor = 0.6;
    std::vector<double> scales{};
    bool verified = false;
    bool resident = true;
    bool present = true;  // the patterns are on the screen
};

// The pattern with its mask as alpha.
Picture with_mask(const Picture& gray, const Picture& mask) {
    Picture out(VDT_FORMAT_BGRA8, gray.width(), gray.height());
    for (std::uint32_t y = 0; y < gray.height(); ++y) {
        for (std::uint32_t x = 0; x < gray.width(); ++x) {
            std::uint8_t* const to = out.at(x, y);
            to[0] = to[1] = to[2] = *gray.at(x, y);
            to[3] = *mask.at(x, y);
        }
    }
    return out;
}

// An ellipse that takes three quarters of the pattern, as round icons have.
Picture round_mask(Size size) {
    Picture mask(VDT_FORMAT_GRAY8, size.width, size.height);
    for (std::uint32_t y = 0; y < size.height; ++y) {
        for (std::uint32_t x = 0; x < size.width; ++x) {
            const double dx = (x + 0.5) / size.width * 2 - 1;
            const double dy = (y + 0.5) / size.height * 2 - 1;
            *mask.at(x, y) = dx * dx + dy * dy <= 1 ? 255 : 0;
        }
    }
    return mask;
}

BenchCase find_case(const BenchSetting& setting, Question question) {
    const auto find = std::make_shared<Find>();
    find->context = setting.context;
    find->scales = std::move(question.scales);
    find->must_match = question.present;
    vdt_template_find_params params{};
    params.struct_size = sizeof params;
    params.flags = VDT_FIND_LOCAL_MAXIMA;  // as find asks for
    params.threshold = question.threshold;
    params.pattern_count = static_cast<std::uint32_t>(question.patterns.size());
    params.max_results = most_items;
    params.scales = find->scales.data();
    params.scale_count = static_cast<std::uint32_t>(find->scales.size());
    const bool color = question.screen.format() == VDT_FORMAT_BGR8;
    find->options.struct_size = sizeof find->options;
    vdt_find_options_init(&find->options);
    find->options.color = color ? VDT_COLOR_BGR : VDT_COLOR_GRAY;
    if (!find->scales.empty()) {
        find->options.scales = find->scales.data();
        find->options.scale_count = static_cast<std::uint32_t>(find->scales.size());
    }
    if (!question.verified) {
        find->options.verify = 0;
        find->options.all = 1;
        find->options.threshold = question.threshold;
        find->options.floor = question.floor;
    }
    find->work = std::make_shared<Work>(VDT_OP_TEMPLATE_FIND, params);
    Work& work = *find->work;
    work.inputs.push_back(std::move(question.screen));
    for (Picture& picture : question.patterns) {
        const Picture seen = question.mask.width() == 0 ? picture : with_mask(picture, question.mask);
        const vdt_pixels pixels = seen.pixels();
        vdt_pattern* pattern = nullptr;
        checked([&](vdt_error* error) { return vdt_pattern_create(setting.context, &pixels, &pattern, error); });
        find->patterns.emplace_back(pattern);
        work.inputs.push_back(std::move(picture));
        work.inputs.push_back(question.mask);
    }
    work.lists_out.emplace_back(sizeof(vdt_item), most_items);
    work.finish();
    if (question.resident) {
        find->kept = find->make_screen();
    }
    BenchCase one;
    one.name = question.name;
    one.residency = question.resident ? "resident" : "host";
    one.bytes = static_cast<double>(work.inputs[0].bytes());
    one.run = [find](const std::string& backend) { return find->run(backend); };
    // The peer does the same for all residencies, thresholds and judgements of one search: it is timed once for them.
    const Picture& first = work.inputs[1];
    const std::string what =
        format("%ux%u %s %zu of %ux%u%s%s", work.inputs[0].width(), work.inputs[0].height(), color ? "bgr" : "gray",
               find->patterns.size(), first.width(), first.height(), question.mask.width() == 0 ? "" : " masked",
               find->scales.empty() ? "" : format(" %zu scales", find->scales.size()).c_str());
    set_peer(setting, find->work, what, one);
    if (question.resident && !question.verified) {
        one.work = std::shared_ptr<const Work>(find, find->work.get());
    }
    return one;
}

Picture noise(Size size, std::uint32_t seed) {
    std::mt19937 random(seed);
    Picture picture(VDT_FORMAT_GRAY8, size.width, size.height);
    for (std::uint32_t y = 0; y < size.height; ++y) {
        for (std::uint32_t x = 0; x < size.width; ++x) {
            *picture.at(x, y) = static_cast<std::uint8_t>(random() >> 24);
        }
    }
    return picture;
}

std::vector<Picture> gray_parts(const Picture& gray, Size size, std::uint32_t count) {
    std::vector<Picture> parts;
    std::mt19937 random(7);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t w = gray.width() - size.width;
        const std::uint32_t h = gray.height() - size.height;
        // The busiest of a few places, and elsewhere if that is hardly more than a gradient: most of a screen is flat,
        // and flat parts are found in another way.
        constexpr double least_deviation = 4;
        constexpr int most_tries = 16;
        Picture part;
        for (int tries = 0; tries < most_tries; ++tries) {
            const Picture around =
                crop(gray, static_cast<std::uint32_t>(random() % (w - w / 4)),
                     static_cast<std::uint32_t>(random() % (h - h / 4)), w / 4 + size.width, h / 4 + size.height);
            part = textured_part(around, size.width, size.height);
            if (gray_deviation(part, 0, 0, size.width, size.height) >= least_deviation) {
                break;
            }
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

class Cases {
public:
    Cases(const BenchSetting& setting, const BenchScreen& screen)
        : setting_(setting), screen_(screen), gray_(gray_of(screen.bgr)) {}

    std::vector<BenchCase> make() {
        if (small()) {
            seen({48, 24}, 0.9, true);
            seen({48, 24}, 0.9, false);
        } else if (setting_.quick) {
            seen({64, 64}, 0.9, true);
            seen({64, 64}, 0.9, false);
            if (middle()) {
                in_color(false, true);
            }
        } else {
            for (const std::uint32_t side : {16u, 32u, 64u, 128u, 256u}) {
                seen({side, side}, 0.9, true);
            }
            seen({64, 64}, 0.8, true);
            seen({64, 64}, 0.9, false);
            absent(64, 0.8, 0.6, "absent >= 0.8, best down to 0.6");
            absent(128, 0.8, -1, "absent, best however low");
            in_color(false, true);
            in_color(true, false);
            masked();
            many();
            noisy();
            if (middle()) {
                scaled();
            }
            if (large()) {
                from_host();
            }
        }
        return std::move(cases_);
    }

private:
    bool small() const { return screen_.bgr.height() < 300; }
    bool middle() const { return screen_.bgr.height() > 1000 && screen_.bgr.height() < 2000; }

    bool large() const { return screen_.bgr.height() >= 2000; }

    // What was asked of the screen that is kept, asked of a fresh one: the way to the device decides on large screens.
    void from_host() {
        host_twins_ = true;
        for (const std::uint32_t side : {32u, 128u, 256u}) {
            seen({side, side}, 0.9, true);
        }
        seen({64, 64}, 0.8, true);
        absent(64, 0.8, 0.6, "absent >= 0.8, best down to 0.6");
        absent(128, 0.8, -1, "absent, best however low");
        in_color(false, true);
        masked();
        many();
    }

    void add(Question question) {
        question.resident = question.resident && !host_twins_;
        question.name = screen_.name + " " + question.name;
        cases_.push_back(find_case(setting_, std::move(question)));
    }

    void seen(Size size, double threshold, bool resident) {
        add({.name = format("gray %s >= %g", size_text(size).c_str(), threshold),
             .screen = gray_,
             .patterns = {gray_of(textured_part(screen_.bgr, size.width, size.height))},
             .threshold = threshold,
             .resident = resident});
    }

    void absent(std::uint32_t side, double threshold, double floor, const char* what) {
        const Picture other = synthetic_screen(1024, 768, 4242);
        add({.name = format("gray %ux%u %s", side, side, what),
             .screen = gray_,
             .patterns = {gray_of(textured_part(other, side, side))},
             .threshold = threshold,
             .floor = floor,
             .present = false});
    }

    void in_color(bool verified, bool resident) {
        add({.name = verified ? "bgr 64x64 best, verified" : "bgr 64x64 >= 0.9",
             .screen = screen_.bgr,
             .patterns = {textured_part(screen_.bgr, 64, 64)},
             .verified = verified,
             .resident = resident});
    }

    void masked() {
        add({.name = "gray 64x64 masked >= 0.9",
             .screen = gray_,
             .patterns = {gray_of(textured_part(screen_.bgr, 64, 64))},
             .mask = round_mask({64, 64})});
    }

    void many() {
        add({.name = "gray 64 of 32x32 >= 0.9", .screen = gray_, .patterns = gray_parts(gray_, {32, 32}, 64)});
    }

    void noisy() {
        const Picture all = noise({gray_.width(), gray_.height()}, 99);
        add({.name = "noise 64x64 >= 0.7",
             .screen = all,
             .patterns = {crop(all, all.width() / 3, all.height() / 3, 64, 64)},
             .threshold = 0.7});
    }

    void scaled() {
        std::vector<double> scales;
        for (int i = 0; i < 20; ++i) {
            scales.push_back(0.5 * std::pow(4.0, i / 19.0));
        }
        add({.name = "gray 64x64, 20 scales 0.5 to 2 >= 0.9",
             .screen = gray_,
             .patterns = {gray_of(textured_part(screen_.bgr, 64, 64))},
             .scales = scales,
             .present = false});  // at a scale that is nearly 1, which need not reach 0.9
    }

    const BenchSetting& setting_;
    const BenchScreen& screen_;
    const Picture gray_;
    std::vector<BenchCase> cases_;
    bool host_twins_ = false;
};

}  // namespace

std::vector<BenchCase> template_find_cases(const BenchSetting& setting, const BenchScreen& screen) {
    return Cases(setting, screen).make();
}

}  // namespace vedette::cli
