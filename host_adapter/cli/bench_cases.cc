#include "bench_cases.h"

#include "table.h"

#include <algorithm>
#include <memory>

namespace vedette::cli {

namespace {

// One operation with everything it needs, shared by the functions of a case.
struct Work {
    vdt_op op = 0;
    std::vector<Picture> inputs;
    std::vector<Picture> outputs;
    vdt_convert_params convert{sizeof(vdt_convert_params), 0, 1, 0};
    vdt_integral_params integral{sizeof(vdt_integral_params), 0};
    vdt_template_map_params map{sizeof(vdt_template_map_params), VDT_MATCH_CCOEFF_NORMED};
    std::vector<vdt_image> views;
    std::vector<const vdt_image*> in;
    std::vector<const vdt_image*> out;

    explicit Work(vdt_op operation) : op(operation) {}

    const void* params() const {
        return op == VDT_OP_CONVERT    ? static_cast<const void*>(&convert)
               : op == VDT_OP_INTEGRAL ? static_cast<const void*>(&integral)
                                       : static_cast<const void*>(&map);
    }

    // After the pictures are there: views of them. An empty picture stands for an input left out.
    void finish() {
        views.reserve(inputs.size() + outputs.size());
        for (auto* side : {&inputs, &outputs}) {
            for (const Picture& picture : *side) {
                vdt_image none{};
                none.struct_size = sizeof none;
                views.push_back(picture.width() == 0 ? none : picture.view());
                (side == &inputs ? in : out).push_back(&views.back());
            }
        }
    }

    double bytes() const {
        double sum = 0;
        for (const auto* side : {&inputs, &outputs}) {
            for (const Picture& picture : *side) {
                sum += static_cast<double>(picture.bytes());
            }
        }
        return sum;
    }
};

RunFacts facts_of(const vdt_run_info& info) {
    return {info.device, info.variant, info.predicted_ms};
}

// `what` tells the work from others of the same function.
void set_peer(const BenchSetting& setting, const std::shared_ptr<Work>& work, const std::string& what, BenchCase& one) {
    const char* function = setting.peer != nullptr ? setting.peer->function(work->op) : nullptr;
    if (function == nullptr) {
        return;
    }
    one.peer_name = std::string(function) + " (" + setting.peer->name + ")";
    one.peer_work = one.peer_name + " " + what;
    one.peer = [peer = setting.peer, work] {
        char text[240] = {};
        if (peer->run(work->op, work->params(), work->in.data(), work->out.data(), text, sizeof text) != 0) {
            throw Problem(VDT_E_INTERNAL, std::string(peer->name) + " failed: " + text);
        }
    };
}

BenchCase operation_case(const BenchSetting& setting, const std::string& name, const std::shared_ptr<Work>& work) {
    work->finish();
    BenchCase one;
    one.name = name;
    one.residency = "host";
    one.bytes = work->bytes();
    one.run = [context = setting.context, work](const std::string& backend) {
        vdt_run_info info{};
        info.struct_size = sizeof info;
        checked([&](vdt_error* error) {
            return vdt_run_operation(context, work->op, work->params(), work->in.data(),
                                     static_cast<std::uint32_t>(work->in.size()), work->out.data(),
                                     static_cast<std::uint32_t>(work->out.size()), nullptr, 0, nullptr, 0,
                                     backend.c_str(), &info, error);
        });
        return facts_of(info);
    };
    set_peer(setting, work, name, one);
    return one;
}

std::vector<BenchCase> convert_cases(const BenchSetting& setting, const BenchScreen& screen) {
    const auto to_gray = std::make_shared<Work>(VDT_OP_CONVERT);
    to_gray->inputs.push_back(screen.bgr);
    to_gray->outputs.emplace_back(VDT_FORMAT_GRAY8, screen.bgr.width(), screen.bgr.height());
    const auto drop_alpha = std::make_shared<Work>(VDT_OP_CONVERT);
    drop_alpha->inputs.push_back(with_alpha(screen.bgr));
    drop_alpha->outputs.emplace_back(VDT_FORMAT_BGR8, screen.bgr.width(), screen.bgr.height());
    return {operation_case(setting, screen.name + " bgr to gray", to_gray),
            operation_case(setting, screen.name + " bgra to bgr", drop_alpha)};
}

std::vector<BenchCase> integral_cases(const BenchSetting& setting, const BenchScreen& screen) {
    std::vector<BenchCase> cases;
    for (const bool squared : {false, true}) {
        const auto work = std::make_shared<Work>(VDT_OP_INTEGRAL);
        work->integral.flags = VDT_INTEGRAL_SUM;
        work->inputs.push_back(gray_of(screen.bgr));
        work->outputs.emplace_back(VDT_FORMAT_I32, screen.bgr.width() + 1, screen.bgr.height() + 1);
        if (squared) {
            work->integral.flags |= VDT_INTEGRAL_SQUARED;
            work->outputs.emplace_back(VDT_FORMAT_I64, screen.bgr.width() + 1, screen.bgr.height() + 1);
        }
        cases.push_back(operation_case(setting, screen.name + (squared ? " sum and squares" : " sum"), work));
    }
    return cases;
}

struct Size {
    std::uint32_t width, height;
};

// Small screens are searched for smaller things.
Size pattern_size(const BenchScreen& screen, std::uint32_t side) {
    return screen.bgr.height() < 300 ? Size{48, 24} : Size{side, side};
}

std::shared_ptr<Work> map_work(const BenchScreen& screen, Size size, bool color) {
    const auto work = std::make_shared<Work>(VDT_OP_TEMPLATE_MAP);
    const Picture part = textured_part(screen.bgr, size.width, size.height);
    work->inputs.push_back(color ? screen.bgr : gray_of(screen.bgr));
    work->inputs.push_back(color ? part : gray_of(part));
    work->inputs.emplace_back();  // no mask
    work->outputs.emplace_back(VDT_FORMAT_GRAYF32, screen.bgr.width() - size.width + 1,
                               screen.bgr.height() - size.height + 1);
    return work;
}

std::string size_text(Size size) {
    return format("%ux%u", size.width, size.height);
}

std::vector<BenchCase> map_cases(const BenchSetting& setting, const BenchScreen& screen) {
    std::vector<BenchCase> cases;
    for (const std::uint32_t side :
         setting.quick ? std::vector<std::uint32_t>{32} : std::vector<std::uint32_t>{32, 128}) {
        const Size size = pattern_size(screen, side);
        cases.push_back(
            operation_case(setting, screen.name + " gray " + size_text(size), map_work(screen, size, false)));
        if (screen.bgr.height() < 300) {
            break;  // one size there
        }
    }
    return cases;
}

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

std::vector<BenchCase> find_cases(const BenchSetting& setting, const BenchScreen& screen) {
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

}  // namespace

const std::vector<vdt_op>& benchmarked_operations() {
    static const std::vector<vdt_op> operations{VDT_OP_TEMPLATE_FIND, VDT_OP_TEMPLATE_MAP, VDT_OP_INTEGRAL,
                                                VDT_OP_CONVERT};
    return operations;
}

std::vector<BenchCase> make_cases(const BenchSetting& setting, vdt_op op, const BenchScreen& screen) {
    constexpr std::uint32_t largest_pattern = 256;
    if (screen.bgr.width() < largest_pattern || screen.bgr.height() < 64) {
        throw Problem(VDT_E_ARGUMENT,
                      screen.name + " is too small to benchmark: a screen has at least 256 x 64 pixels.");
    }
    switch (op) {
        case VDT_OP_TEMPLATE_FIND:
            return find_cases(setting, screen);
        case VDT_OP_TEMPLATE_MAP:
            return map_cases(setting, screen);
        case VDT_OP_INTEGRAL:
            return integral_cases(setting, screen);
        default:
            return convert_cases(setting, screen);
    }
}

}  // namespace vedette::cli
