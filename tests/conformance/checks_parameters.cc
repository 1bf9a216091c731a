// Parameters that make no sense: refused when the plan is made or when it runs.
#include "checks.h"
#include "run_case.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace vedette::conformance {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

struct Fault {
    const char* what;
    void (*spoil)(void* params);
};

template <class Params>
Params& as(void* params) {
    return *static_cast<Params*>(params);
}

const Fault convert_faults[] = {
    {"scale NaN", [](void* p) { as<vdt_convert_params>(p).scale = nan; }},
    {"scale infinite", [](void* p) { as<vdt_convert_params>(p).scale = infinity; }},
    {"scale 0", [](void* p) { as<vdt_convert_params>(p).scale = 0; }},
    {"offset NaN", [](void* p) { as<vdt_convert_params>(p).offset = nan; }},
};
const Fault resize_faults[] = {
    {"method 0", [](void* p) { as<vdt_resize_params>(p).method = 0; }},
    {"method 99", [](void* p) { as<vdt_resize_params>(p).method = 99; }},
    {"unknown flags", [](void* p) { as<vdt_resize_params>(p).flags = 0x80000000u; }},
};
const Fault integral_faults[] = {
    {"no flag", [](void* p) { as<vdt_integral_params>(p).flags = 0; }},
    {"an unknown flag", [](void* p) { as<vdt_integral_params>(p).flags |= 8; }},
    {"more flags than outputs", [](void* p) { as<vdt_integral_params>(p).flags = 7; }},
};
const Fault filter_faults[] = {
    {"kind 0", [](void* p) { as<vdt_filter_params>(p).kind = 0; }},
    {"kind 99", [](void* p) { as<vdt_filter_params>(p).kind = 99; }},
    {"border 99", [](void* p) { as<vdt_filter_params>(p).border = 99; }},
    {"kernel width 0", [](void* p) { as<vdt_filter_params>(p).kernel_w = 0; }},
    {"kernel height 2^32 - 1", [](void* p) { as<vdt_filter_params>(p).kernel_h = 0xFFFFFFFFu; }},
    {"anchor outside the kernel", [](void* p) { as<vdt_filter_params>(p).anchor_x = 1000; }},
    {"no kernel", [](void* p) { as<vdt_filter_params>(p).kernel_x = nullptr; }},
};
const Fault fft2_faults[] = {
    {"direction 0", [](void* p) { as<vdt_fft2_params>(p).direction = 0; }},
    {"batch 0", [](void* p) { as<vdt_fft2_params>(p).batch = 0; }},
    {"batch 2^32 - 1", [](void* p) { as<vdt_fft2_params>(p).batch = 0xFFFFFFFFu; }},
};
const Fault restore_faults[] = {
    {"method 0", [](void* p) { as<vdt_restore_params>(p).method = 0; }},
    {"batch 0", [](void* p) { as<vdt_restore_params>(p).batch = 0; }},
    {"epsilon 0", [](void* p) { as<vdt_restore_params>(p).epsilon = 0; }},
    {"epsilon NaN", [](void* p) { as<vdt_restore_params>(p).epsilon = nan; }},
};
const Fault pyramid_faults[] = {
    {"method 0", [](void* p) { as<vdt_pyramid_params>(p).method = 0; }},
    {"levels 0", [](void* p) { as<vdt_pyramid_params>(p).levels = 0; }},
    {"more levels than outputs", [](void* p) { as<vdt_pyramid_params>(p).levels = 9; }},
};
const Fault template_map_faults[] = {
    {"method 99", [](void* p) { as<vdt_template_map_params>(p).method = 99; }},
};
const Fault template_find_faults[] = {
    {"threshold NaN", [](void* p) { as<vdt_template_find_params>(p).threshold = nan; }},
    {"threshold 1.5", [](void* p) { as<vdt_template_find_params>(p).threshold = 1.5; }},
    {"threshold -2", [](void* p) { as<vdt_template_find_params>(p).threshold = -2; }},
    {"no patterns", [](void* p) { as<vdt_template_find_params>(p).pattern_count = 0; }},
    {"2^32 - 1 patterns", [](void* p) { as<vdt_template_find_params>(p).pattern_count = 0xFFFFFFFFu; }},
    {"max_results 0", [](void* p) { as<vdt_template_find_params>(p).max_results = 0; }},
    {"a region outside the scene",
     [](void* p) {
         as<vdt_template_find_params>(p).region = {1000, 1000, 10, 10};
     }},
    {"a region that is partly outside",
     [](void* p) {
         as<vdt_template_find_params>(p).region = {-1, 0, 10, 10};
     }},
    {"a region that overflows",
     [](void* p) {
         as<vdt_template_find_params>(p).region = {1, 1, 0x7FFFFFFF, 0x7FFFFFFF};
     }},
    {"a region of negative size",
     [](void* p) {
         as<vdt_template_find_params>(p).region = {5, 5, -3, -3};
     }},
    {"excluded areas at NULL", [](void* p) { as<vdt_template_find_params>(p).exclude_count = 5; }},
    {"scales of 0",
     [](void* p) {
         static const double scale = 0;
         as<vdt_template_find_params>(p).scales = &scale;
         as<vdt_template_find_params>(p).scale_count = 1;
     }},
    {"scales of NaN",
     [](void* p) {
         as<vdt_template_find_params>(p).scales = &nan;
         as<vdt_template_find_params>(p).scale_count = 1;
     }},
    {"unknown flags", [](void* p) { as<vdt_template_find_params>(p).flags = 0x80000000u; }},
};
const Fault cascade_faults[] = {
    {"no classifier", [](void* p) { as<vdt_cascade_params>(p).cascade = nullptr; }},
    {"a classifier of no bytes", [](void* p) { as<vdt_cascade_params>(p).cascade_bytes = 0; }},
    {"half a classifier", [](void* p) { as<vdt_cascade_params>(p).cascade_bytes /= 2; }},
    {"scale factor 1", [](void* p) { as<vdt_cascade_params>(p).scale_factor = 1; }},
    {"scale factor NaN", [](void* p) { as<vdt_cascade_params>(p).scale_factor = nan; }},
};
const Fault group_faults[] = {
    {"eps NaN", [](void* p) { as<vdt_group_params>(p).eps = nan; }},
    {"eps negative", [](void* p) { as<vdt_group_params>(p).eps = -1; }},
};
const Fault features_faults[] = {
    {"sigma NaN", [](void* p) { as<vdt_features_params>(p).sigma = nan; }},
    {"no layers", [](void* p) { as<vdt_features_params>(p).octave_layers = 0; }},
};
const Fault feature_match_faults[] = {
    {"ratio NaN", [](void* p) { as<vdt_feature_match_params>(p).ratio = nan; }},
    {"ratio 2", [](void* p) { as<vdt_feature_match_params>(p).ratio = 2; }},
};

struct Operation {
    std::size_t bytes;  // of its parameters
    const Fault* first;
    std::size_t count;
};

template <class Params, std::size_t n>
Operation of(const Fault (&faults)[n]) {
    return {sizeof(Params), faults, n};
}

Operation operation(vdt_op op) {
    switch (op) {
        case VDT_OP_CONVERT:
            return of<vdt_convert_params>(convert_faults);
        case VDT_OP_RESIZE:
            return of<vdt_resize_params>(resize_faults);
        case VDT_OP_INTEGRAL:
            return of<vdt_integral_params>(integral_faults);
        case VDT_OP_FILTER:
            return of<vdt_filter_params>(filter_faults);
        case VDT_OP_FFT2:
            return of<vdt_fft2_params>(fft2_faults);
        case VDT_OP_RESTORE:
            return of<vdt_restore_params>(restore_faults);
        case VDT_OP_PYRAMID:
            return of<vdt_pyramid_params>(pyramid_faults);
        case VDT_OP_TEMPLATE_MAP:
            return of<vdt_template_map_params>(template_map_faults);
        case VDT_OP_TEMPLATE_FIND:
            return of<vdt_template_find_params>(template_find_faults);
        case VDT_OP_CASCADE_DETECT:
            return of<vdt_cascade_params>(cascade_faults);
        case VDT_OP_GROUP:
            return of<vdt_group_params>(group_faults);
        case VDT_OP_FEATURES:
            return of<vdt_features_params>(features_faults);
        default:
            return of<vdt_feature_match_params>(feature_match_faults);
    }
}

// convert's numbers count only where exactly one side is float, and a plugin that has no such pair ignores them.
bool uses_numbers(const Case& tried) {
    return tried.op != VDT_OP_CONVERT ||
           is_float(tried.inputs[0].view().format) != is_float(tried.outputs[0].view().format);
}

// A plan that was refused, or the run that was.
Answer attempt(Session& session, Request& request) {
    Answer answer;
    const std::unique_ptr<Plan> plan = make_plan(session, request.query(), answer);
    return plan == nullptr ? answer : run_plan(session, *plan, request.call());
}

void demand_refused(const Answer& answer, const std::string& what) {
    demand(VDT_IS_CALLER_FAULT(answer.code) || VDT_IS_UNSUPPORTED(answer.code),
           what + " is answered " + describe(answer) + ", not with a code of -1xx or -2xx");
    demand(!answer.text.empty(), what + " is refused without a sentence");
}

// A scene smaller than the pattern, and a pattern without structure.
void check_patterns(Session& session, Case& tried, Request& request) {
    TestImage& pattern = tried.inputs[1];
    if (tried.op == VDT_OP_TEMPLATE_MAP) {
        vdt_image& scene = tried.inputs[0].view();
        const vdt_image good = scene;
        scene.width = pattern.view().width - 1;
        demand_refused(attempt(session, request), "a pattern larger than the scene");
        scene = good;
        return;
    }
    for (std::uint32_t y = 0; y < pattern.view().height; ++y)
        for (std::uint32_t x = 0; x < pattern.view().width; ++x)
            for (std::uint32_t c = 0; c < (pattern.view().format == VDT_FORMAT_BGR8 ? 3u : 1u); ++c)
                pattern.set(x, y, c, 50);
    demand_refused(attempt(session, request), "a pattern without structure");
}

}  // namespace

std::string check_absurd_parameters(const Arguments& arguments, std::uint32_t op) {
    Session session(arguments);
    vdt_op_support general;
    if (!is_supported(session, op, general)) throw NothingToCheck("not advertised");
    std::vector<Case> cases = make_cases(op, general.input_formats, general.output_formats, Shape{});
    Case* tried = nullptr;
    for (Case& one : cases) {
        Request request(one);
        vdt_op_support support;
        Answer refusal;
        if (!is_supported(session, request.query(), support, refusal)) continue;
        tried = &one;
        if (uses_numbers(one)) break;
    }
    if (tried == nullptr) throw NothingToCheck("nothing runs");

    const Operation operation_ = operation(op);
    const std::shared_ptr<const void> good = tried->params;
    const auto spoiled = std::make_shared<std::vector<std::uint64_t>>((operation_.bytes + 7) / 8);
    tried->params = std::shared_ptr<const void>(spoiled, spoiled->data());
    Request request(*tried);
    const auto restore = [&] { std::memcpy(spoiled->data(), good.get(), operation_.bytes); };
    restore();
    std::uint32_t asked = 0;
    if (uses_numbers(*tried))
        for (std::size_t i = 0; i < operation_.count; ++i) {
            const Fault& fault = operation_.first[i];
            fault.spoil(spoiled->data());
            demand_refused(attempt(session, request), fault.what);
            restore();
            ++asked;
        }
    if (op != VDT_OP_CONVERT || uses_numbers(*tried)) {
        const std::uint32_t small = 4;
        std::memcpy(spoiled->data(), &small, sizeof small);
        demand_refused(attempt(session, request), "parameters with struct_size 4");
        restore();
        request.query_record().params = nullptr;
        request.call_record().params = nullptr;
        demand_refused(attempt(session, request), "parameters at NULL");
        request.query_record().params = spoiled->data();
        request.call_record().params = spoiled->data();
        asked += 2;
    }
    // What was refused has left no mark.
    const Answer answer = attempt(session, request);
    demand(!VDT_IS_ERROR(answer.code), "after refusals proper parameters are answered " + describe(answer));
    if (op == VDT_OP_TEMPLATE_MAP || op == VDT_OP_TEMPLATE_FIND) {
        check_patterns(session, *tried, request);
        ++asked;
    }
    session.close();
    if (asked == 0) throw NothingToCheck("the parameters do not count here");
    return std::to_string(asked) + " questions";
}

}  // namespace vedette::conformance
