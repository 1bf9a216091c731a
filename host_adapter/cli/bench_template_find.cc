// Finds of one pattern, through the calls a tool makes.
#include "bench_work.h"

namespace vedette::cli {

namespace {

// What a find needs besides the screen's and the pattern's pixels, which the peer's work holds.
struct Find {
    std::shared_ptr<Work> work;
    vdt_context* context = nullptr;
    vdt_find_options options{};
    Pattern pattern;
    Screen kept;  // when resident

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
        vdt_pattern* const one = pattern.get();
        vdt_result* raw = nullptr;
        checked([&](vdt_error* error) {
            return vdt_find(context, kept ? kept.get() : fresh.get(), &one, 1, &with_backend, &raw, error);
        });
        const Result result(raw);
        if (vdt_result_match_count(raw) == 0) {
            throw Problem(VDT_E_INTERNAL, backend + " did not find a pattern that was cut from the screen.");
        }
        vdt_run_info info{};
        info.struct_size = sizeof info;
        checked([&](vdt_error* error) { return vdt_result_run(raw, &info, error); });
        return facts_of(info);
    }
};

BenchCase find_case(const BenchSetting& setting, const BenchScreen& screen, Size size, bool color, bool verified,
                    bool resident) {
    const auto find = std::make_shared<Find>();
    find->work = map_work(screen, size, color);
    find->work->finish();
    find->context = setting.context;
    vdt_find_options_init(&find->options);
    find->options.color = color ? VDT_COLOR_BGR : VDT_COLOR_GRAY;
    if (!verified) {
        find->options.verify = 0;
        find->options.all = 1;
        find->options.threshold = 0.9;
    }
    vdt_pattern* pattern = nullptr;
    const vdt_pixels pixels = find->work->inputs[1].pixels();
    checked([&](vdt_error* error) { return vdt_pattern_create(setting.context, &pixels, &pattern, error); });
    find->pattern.reset(pattern);
    if (resident) {
        find->kept = find->make_screen();
    }
    BenchCase one;
    // The peer does the same for all residencies and judgements of one search, and is timed once for them.
    const std::string work = screen.name + (color ? " bgr " : " gray ") + size_text(size);
    one.name = work + (verified ? " best, verified" : " >= 0.9");
    one.residency = resident ? "resident" : "host";
    one.bytes = static_cast<double>(find->work->inputs[0].bytes());
    one.run = [find](const std::string& backend) { return find->run(backend); };
    set_peer(setting, find->work, work, one);
    return one;
}

}  // namespace

std::vector<BenchCase> template_find_cases(const BenchSetting& setting, const BenchScreen& screen) {
    std::vector<BenchCase> cases;
    const bool small = screen.bgr.height() < 300;
    for (const std::uint32_t side :
         small || setting.quick ? std::vector<std::uint32_t>{64} : std::vector<std::uint32_t>{32, 64, 128, 256}) {
        for (const bool resident : {true, false}) {
            cases.push_back(find_case(setting, screen, pattern_size(screen, side), false, false, resident));
        }
    }
    // Colour costs a peer three times as much; one screen of middle size tells enough for a quick look.
    if (!small && (!setting.quick || (screen.bgr.height() > 1000 && screen.bgr.height() < 2000))) {
        cases.push_back(find_case(setting, screen, pattern_size(screen, 64), true, false, true));
        cases.push_back(find_case(setting, screen, pattern_size(screen, 64), true, true, false));
    }
    return cases;
}

}  // namespace vedette::cli
