#include "sized_search.h"

#include "evidence.h"
#include "import_pixels.h"

#include <algorithm>
#include <cmath>

namespace vedette::host {
namespace {

constexpr double kRounding = 1e-9;  // of a quotient that should be whole

std::int32_t whole(double value) {
    return static_cast<std::int32_t>(std::clamp(value, -1e9, 1e9));
}

Scene make_scene(Screen& screen, ColorMode mode, double factor, const FindQuery& query, const Workers& workers) {
    Scene scene{mode, screen.form(mode, factor, workers), query.region, query.exclude};
    const double step_x = scene.form.step_x;
    const double step_y = scene.form.step_y;
    if (step_x == 1 && step_y == 1) return scene;
    // Inside the region: the first pixel that begins in it to the last that ends in it.
    const auto inside = [](std::uint32_t begin, std::uint32_t size, double step, std::uint32_t& out_begin,
                           std::uint32_t& out_size) {
        const double first = std::ceil(begin / step - kRounding);
        const double last = std::floor((static_cast<double>(begin) + size) / step + kRounding);
        out_begin = static_cast<std::uint32_t>(first);
        out_size = last > first ? static_cast<std::uint32_t>(last - first) : 0;
    };
    inside(query.region.x, query.region.w, step_x, scene.region.x, scene.region.w);
    inside(query.region.y, query.region.h, step_y, scene.region.y, scene.region.h);
    for (vdt_rect& area : scene.exclude) {
        if (area.w <= 0 || area.h <= 0) continue;
        const std::int32_t left = whole(std::floor(area.x / step_x + kRounding));
        const std::int32_t top = whole(std::floor(area.y / step_y + kRounding));
        const std::int32_t right = whole(std::ceil((static_cast<double>(area.x) + area.w) / step_x - kRounding));
        const std::int32_t bottom = whole(std::ceil((static_cast<double>(area.y) + area.h) / step_y - kRounding));
        area = {left, top, right - left, bottom - top};
    }
    return scene;
}

}  // namespace

ColorMode color_mode(Screen& screen, const Pattern& pattern, std::uint32_t color) {
    if (color == VDT_COLOR_GRAY) return ColorMode::Gray;
    if (color == VDT_COLOR_BGR) return ColorMode::Color;
    return pattern.only_gray() && screen.only_gray() ? ColorMode::Gray : ColorMode::Color;
}

PixelView Scene::pixels() const noexcept {
    return view_of(form.image->image());
}

SizedSearches make_sized_searches(Screen& screen, const std::vector<Pattern*>& patterns, const FindQuery& query,
                                  const Workers& workers) {
    SizedSearches result;
    const auto scene_for = [&](ColorMode mode, double factor) -> const Scene& {
        for (const Scene& scene : result.scenes)
            if (factor <= 1 && scene.mode == mode && scene.form.step_x == 1 && scene.form.step_y == 1) return scene;
        result.scenes.push_back(make_scene(screen, mode, std::max(factor, 1.0), query, workers));
        return result.scenes.back();
    };
    result.too_large.assign(patterns.size(), 1);
    // By factor first, so that a shrunk screen is asked for once.
    for (std::uint32_t scale = 0; scale < query.scales.size(); ++scale) {
        const double factor = query.scales[scale];
        const Scene* scene_of_mode[2] = {};
        for (std::uint32_t index = 0; index < patterns.size(); ++index) {
            workers.check();
            Pattern& pattern = *patterns[index];
            const ColorMode mode = color_mode(screen, pattern, query.color);
            const Scene*& scene = scene_of_mode[mode == ColorMode::Color ? 1 : 0];
            if (scene == nullptr) scene = &scene_for(mode, factor);
            // Sizes before pixels: a pattern too large needs no form.
            const double shrinking = std::min(factor, 1.0);
            const auto side = [&](std::uint32_t full) { return std::max(1.0, std::floor(full * shrinking + 0.5)); };
            if (side(pattern.width()) > scene->region.w || side(pattern.height()) > scene->region.h) continue;
            result.too_large[index] = 0;
            std::shared_ptr<const PatternForm> form = pattern.form(mode, shrinking, workers);
            if (form == nullptr) continue;
            const bool lost =
                shrinking < 1 && form->appearance().flat() && !pattern.form(mode, 1, workers)->appearance().flat();
            if (lost) continue;
            const bool scaled = (query.scales.size() > 1 || query.many_trials) && factor != 1;
            const double least =
                scaled && query.verify ? std::max(query.threshold, judging::kScaledScore) : query.threshold;
            result.searches.push_back({index, scale, factor, scene, std::move(form), least, scaled});
        }
    }
    std::stable_sort(result.searches.begin(), result.searches.end(),
                     [](const SizedSearch& p, const SizedSearch& q) { return p.pattern < q.pattern; });
    return result;
}

}  // namespace vedette::host
