// vdt_find_by_features of the C API.
#include "../core/api_guard.h"
#include "../core/context.h"
#include "../core/handles.h"
#include "../core/struct_out.h"
#include "api_objects.h"
#include "feature_judgement.h"
#include "features.h"

#include <chrono>
#include <cstdio>
#include <string>

using namespace vedette::host;

namespace {

// The strongest of so many suffice to tell a place, and bound the time on screens full of detail.
constexpr std::uint32_t kMost = 20000;
constexpr std::uint32_t kIterations = 10000;

vdt_feature_options defaults() {
    vdt_feature_options options{};
    options.struct_size = sizeof options;
    options.ratio = 0.75;
    options.reprojection = 3;
    return options;
}

// Written so that NaN fails.
void require_range(const char* name, double value, double least, double most) {
    if (value >= least && value <= most) return;
    char text[160];
    std::snprintf(text, sizeof text, "`%s` is %g; it must be between %g and %g.", name, value, least, most);
    throw Failure(VDT_E_ARGUMENT, text);
}

vdt_feature_options checked_options(const vdt_feature_options* given) {
    vdt_feature_options options = defaults();
    if (given != nullptr) copy_in(options, *given, "options");
    require_range("ratio", options.ratio, 0, 1);
    require_range("reprojection", options.reprojection, 0.01, 1000);
    if (options.reserved != 0) throw Failure(VDT_E_ARGUMENT, "`reserved` must be 0.");
    return options;
}

// What the caller sees of a judgement.
vdt_feature_place place_of(const FeatureJudgement& judgement, const FeatureSet& pattern, const FeatureSet& screen) {
    vdt_feature_place place{};
    place.found = judgement.found ? 1 : 0;
    place.has_quad = judgement.has_quad ? 1 : 0;
    place.pairs = judgement.pairs;
    place.inliers = judgement.inliers;
    place.pattern_keypoints = static_cast<std::uint32_t>(pattern.keypoints.size());
    place.screen_keypoints = static_cast<std::uint32_t>(screen.keypoints.size());
    for (std::size_t i = 0; judgement.has_quad && i < 4; ++i) {
        place.quad[2 * i] = judgement.quad.corner[i].x;
        place.quad[2 * i + 1] = judgement.quad.corner[i].y;
    }
    std::snprintf(place.reason, sizeof place.reason, "%s", judgement.reason.c_str());
    return place;
}

}  // namespace

void vdt_feature_options_init(vdt_feature_options* options) noexcept {
    fill_defaults(options, defaults());
}

vdt_code vdt_find_by_features(vdt_context* context, vdt_screen* screen, vdt_pattern* pattern,
                              const vdt_feature_options* options, vdt_feature_place* place, vdt_run_info* info,
                              vdt_error* error) noexcept {
    return api_guard(error, [&] {
        const auto begin = std::chrono::steady_clock::now();
        Context& inside = context_of(context);
        require_handle(screen, HandleKind::Screen, "screen");
        require_handle(pattern, HandleKind::Pattern, "pattern");
        require_out(place, "`place`");
        if (info != nullptr) require_out(info, "`info`");
        const vdt_feature_options asked = checked_options(options);
        const std::string backend = asked.backend == nullptr ? "" : asked.backend;

        const Workers workers(&inside.pool(), nullptr);
        RunReport report;
        FeatureOperations operations;
        operations.made_by = backend;
        operations.extract = [&](SharedImage& picture, SharedImage* mask, double step_x, double step_y,
                                 std::uint32_t most) {
            return extract_features(inside, backend, nullptr, picture, mask, step_x, step_y, most, report);
        };
        Screen& scene = screen->screen;
        Pattern& element = pattern->pattern;
        const auto of_pattern = element.features(operations, 1, kMost, workers);
        const auto of_screen = scene.features(operations, {0, 0, scene.width(), scene.height()}, 1, kMost, workers);
        const PairSettings settings{asked.ratio, asked.reprojection, kIterations, asked.seed};
        const FeaturePairs pairs = pair_features(inside, backend, nullptr, *of_pattern, *of_screen, settings, report);
        const FeatureJudgement judgement =
            judge(of_pattern->keypoints, of_screen->keypoints, pairs.pairs, pairs.homography,
                  {element.width(), element.height()}, {scene.width(), scene.height()});
        copy_out(*place, place_of(judgement, *of_pattern, *of_screen));
        if (info == nullptr) return;
        vdt_run_info all{};
        all.device_index = report.device_index;
        all.backend = inside.keep(report.backend);
        all.device = inside.keep(report.device);
        all.variant = inside.keep(report.variant);
        all.choice = inside.keep(report.choice);
        all.predicted_ms = -1;  // of one of several operations only
        all.measured_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        copy_out(*info, all);
    });
}
