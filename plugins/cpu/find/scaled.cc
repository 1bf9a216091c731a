#include "scaled.h"

#include <vedette/plugin/cpp/list.hpp>

#include <algorithm>

namespace vedette::cpu::find {
namespace {

const vdt_image& pattern_of(const vdt_call& call, std::size_t p) {
    return *call.inputs[1 + 2 * p];
}
const vdt_image& mask_of(const vdt_call& call, std::size_t p) {
    return *call.inputs[2 + 2 * p];
}

// The best `most` items, in order.
void cut(std::vector<vdt_item>& items, std::size_t most) {
    const std::size_t kept = std::min(items.size(), most);
    std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(kept), items.end(),
                      plugin::scaled_item_comes_first);
    items.resize(kept);
}

}  // namespace

void ScaledFinder::arrange(const vdt_image& scene, const vdt_template_find_params& params) {
    const bool same = format_ == scene.format && width_ == scene.width && height_ == scene.height &&
                      patterns_ == params.pattern_count &&
                      std::equal(scales_.begin(), scales_.end(), params.scales, params.scales + params.scale_count);
    if (same) return;
    levels_.clear();
    scales_.assign(params.scales, params.scales + params.scale_count);
    format_ = scene.format;
    width_ = scene.width;
    height_ = scene.height;
    patterns_ = params.pattern_count;
    kept_.resize(patterns_);
    const std::uint32_t channels = scene.format == VDT_FORMAT_BGR8 ? 3 : 1;
    for (std::uint32_t i = 0; i < params.scale_count; ++i) {
        const std::uint32_t w = plugin::scene_side(width_, scales_[i]), h = plugin::scene_side(height_, scales_[i]);
        auto at = std::find_if(levels_.begin(), levels_.end(),
                               [&](const auto& level) { return level->width == w && level->height == h; });
        if (at == levels_.end()) {
            auto level = std::make_unique<Level>(device_);
            level->width = w;
            level->height = h;
            if (w != width_ || h != height_) {
                level->pixels.resize(w, h, channels);
                level->resampler =
                    make_area(device_, {scene.format, scene.format, width_, height_, {0, 0, w, h}, 1, 0});
            }
            at = levels_.insert(at, std::move(level));
        }
        (*at)->scales.push_back(i);
    }
    for (const auto& level : levels_) level->forms.resize(level->scales.size() * patterns_);
    // The smallest scene first: what it finds best spares the others.
    std::stable_sort(levels_.begin(), levels_.end(), [](const auto& a, const auto& b) {
        return std::uint64_t{a->width} * a->height < std::uint64_t{b->width} * b->height;
    });
}

void ScaledFinder::ask(Level& level, const vdt_call& call, const vdt_rect& region) {
    level.asked.clear();
    level.inputs.resize(1);
    const auto fits = [&region](std::uint32_t w, std::uint32_t h) {
        return std::int64_t{w} <= region.w && std::int64_t{h} <= region.h;
    };
    for (std::size_t i = 0; i < level.scales.size(); ++i) {
        const double factor = scales_[level.scales[i]];
        for (std::uint32_t p = 0; p < patterns_; ++p) {
            const vdt_image *pattern = &pattern_of(call, p), *mask = &mask_of(call, p);
            const std::uint32_t w = plugin::pattern_side(pattern->width, factor),
                                h = plugin::pattern_side(pattern->height, factor);
            if (!fits(w, h)) continue;
            if (w != pattern->width || h != pattern->height) {
                Form& form = level.forms[i * patterns_ + p];
                form.pixels.resize(w, h, pattern->format == VDT_FORMAT_BGR8 ? 3 : 1);
                plugin::shrink_by_area(*pattern, form.pixels, sums_);
                form.image = form.pixels.view();
                if (mask->format == VDT_FORMAT_NONE) {
                    form.mask_image = *mask;
                } else {
                    form.mask.resize(w, h, 1);
                    plugin::shrink_mask(*mask, form.mask);
                    form.mask_image = form.mask.view();
                }
                pattern = &form.image;
                mask = &form.mask_image;
                std::uint64_t area = 0;
                bool varies = false;
                plugin::look_at_pattern(*pattern, *mask, area, varies);
                if (!varies) continue;
            }
            level.asked.push_back({p, level.scales[i], w, h});
            level.inputs.push_back(pattern);
            level.inputs.push_back(mask);
        }
    }
}

void ScaledFinder::search(Level& level, const vdt_call& call, const vdt_rect& region) {
    const auto& params = *static_cast<const vdt_template_find_params*>(call.params);
    const vdt_image& scene = *call.inputs[0];
    const plugin::ScaledAxis across(width_, level.width), down(height_, level.height);
    vdt_template_find_params inner = params;
    inner.scales = nullptr;
    inner.scale_count = 0;
    across.inside(region.x, region.w, inner.region.x, inner.region.w);
    down.inside(region.y, region.h, inner.region.y, inner.region.h);
    if (inner.region.w == 0 || inner.region.h == 0) return;
    ask(level, call, inner.region);
    if (level.asked.empty()) return;
    level.exclude.clear();
    for (std::uint32_t e = 0; e < params.exclude_count; ++e) {
        const vdt_rect& area = params.exclude[e];
        if (area.w <= 0 || area.h <= 0) continue;
        vdt_rect& shrunk = level.exclude.emplace_back();
        across.around(area.x, area.w, shrunk.x, shrunk.w);
        down.around(area.y, area.h, shrunk.y, shrunk.h);
    }
    inner.exclude = level.exclude.data();
    inner.exclude_count = static_cast<std::uint32_t>(level.exclude.size());
    inner.pattern_count = static_cast<std::uint32_t>(level.asked.size());
    // Of several patterns each may have another best.
    if ((params.flags & VDT_FIND_BEST_ONLY) != 0 && patterns_ == 1 && !kept_[0].items.empty())
        inner.threshold = std::max(inner.threshold, kept_[0].items.front().score);
    vdt_image shrunk = scene;
    if (level.resampler != nullptr) {
        shrunk = level.pixels.view();
        level.resampler->run(scene, shrunk, call.token);
    }
    level.inputs[0] = &shrunk;
    vdt_call inner_call = call;
    inner_call.inputs = level.inputs.data();
    inner_call.input_count = static_cast<std::uint32_t>(level.inputs.size());
    inner_call.params = &inner;
    level.finder.search(inner_call);
    take(level, scene, params, inner.region);
}

void ScaledFinder::take(Level& level, const vdt_image& scene, const vdt_template_find_params& params,
                        const vdt_rect& region) {
    const plugin::ScaledAxis across(width_, level.width), down(height_, level.height);
    const bool best_only = (params.flags & VDT_FIND_BEST_ONLY) != 0;
    for (std::size_t i = 0; i < level.asked.size(); ++i) {
        const Asked& asked = level.asked[i];
        Kept& kept = kept_[asked.pattern];
        kept.found += level.finder.join(i, hits_);
        for (const Hit& hit : hits_) {
            vdt_item item{};
            across.place(region.x + hit.x, asked.width, scene.width, item.x, item.w);
            down.place(region.y + hit.y, asked.height, scene.height, item.y, item.h);
            item.score = hit.score;
            item.pattern = asked.pattern;
            item.scale = asked.scale;
            kept.items.push_back(item);
        }
        cut(kept.items, best_only ? 1 : params.max_results);
        if (best_only) kept.found = kept.items.size();
    }
}

vdt_code ScaledFinder::find(const vdt_call& call) {
    const auto& params = *static_cast<const vdt_template_find_params*>(call.params);
    const vdt_image& scene = *call.inputs[0];
    for (std::uint32_t p = 0; p < params.pattern_count; ++p) {
        std::uint64_t area = 0;
        bool varies = false;
        plugin::look_at_pattern(pattern_of(call, p), mask_of(call, p), area, varies);
        plugin::check_template_pixels(p, area, varies);
    }
    arrange(scene, params);
    for (Kept& kept : kept_) {
        kept.items.clear();
        kept.found = 0;
    }
    const vdt_rect region = plugin::region_of(scene, params);
    for (const auto& level : levels_) search(*level, call, region);
    plugin::ListWriter<> list(*call.lists_out[0]);
    for (const Kept& kept : kept_) {
        list.count_found(kept.found);
        for (const vdt_item& item : kept.items) list.write(item);
    }
    return list.finish();
}

}  // namespace vedette::cpu::find
