// template_find: the score of every position, then those that count. All patterns of a call share nothing but the
// scene; they are searched one after the other, each spread over the pool by tiles, so that only one map is kept at a
// time.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <vedette/plugin/cpp/template_scales.hpp>

#include "calls.h"
#include "costs.h"
#include "image_view.h"
#include "lists.h"
#include "op.h"
#include "window_sums.h"

namespace vedette::opencv {

namespace {

constexpr std::uint64_t scene_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8) | VDT_FORMAT_BIT(VDT_FORMAT_BGR8);
constexpr std::uint32_t all_flags = VDT_FIND_LOCAL_MAXIMA | VDT_FIND_BEST_ONLY;
constexpr double excluded = -std::numeric_limits<double>::infinity();  // below every score

struct Match {
    double score;
    int x, y;  // in the scene
};

// ops.h's order within a pattern: best score, then top, then left.
bool comes_first(const Match& a, const Match& b) {
    return std::make_tuple(-a.score, a.y, a.x) < std::make_tuple(-b.score, b.y, b.x);
}

const vdt_image& pattern_of(const vdt_image* const* inputs, std::uint32_t p) {
    return *inputs[1 + 2 * std::size_t{p}];
}
const vdt_image& mask_of(const vdt_image* const* inputs, std::uint32_t p) {
    return *inputs[2 + 2 * std::size_t{p}];
}

[[noreturn]] void refuse(vdt_code code, std::uint32_t p, const std::string& what) {
    throw Failure(code, "template_find: pattern " + std::to_string(p) + " " + what);
}

// Of the parameters, those that the plan keeps.
void check_plan(const vdt_template_find_params& params) {
    if ((params.flags & ~all_flags) != 0) throw Failure(VDT_E_ARGUMENT, "template_find: unknown flag");
    if (params.pattern_count == 0) throw Failure(VDT_E_ARGUMENT, "template_find: there is no pattern");
    plugin::check_scales(params);
}

// The parameters that may differ from call to call.
void check_call_params(const vdt_template_find_params& params, const vdt_image& scene) {
    if (!(params.threshold >= -1 && params.threshold <= 1))
        throw Failure(VDT_E_ARGUMENT, "template_find: threshold must lie in -1..1");
    if (params.max_results == 0) throw Failure(VDT_E_ARGUMENT, "template_find: max_results must be at least 1");
    if (params.exclude_count != 0 && params.exclude == nullptr)
        throw Failure(VDT_E_ARGUMENT, "template_find: exclude is NULL");
    const vdt_rect& region = params.region;
    if (region.w == 0 && region.h == 0) return;
    if (region.w <= 0 || region.h <= 0 || region.x < 0 || region.y < 0 ||
        std::int64_t{region.x} + region.w > scene.width || std::int64_t{region.y} + region.h > scene.height)
        throw Failure(VDT_E_ARGUMENT, "template_find: the region is empty or does not lie inside the scene");
}

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    const auto& params = params_of<vdt_template_find_params>(query);
    check_plan(params);
    check_call_params(params, *query.inputs[0]);
    if (query.input_count != 1 + 2 * std::uint64_t{params.pattern_count})
        throw Failure(VDT_E_ARGUMENT, "template_find needs the scene and two inputs for each pattern");
    for (std::uint32_t p = 0; p < params.pattern_count; ++p) {
        const vdt_image &scene = *query.inputs[0], &pattern = pattern_of(query.inputs, p),
                        &mask = mask_of(query.inputs, p);
        if (pattern.format != scene.format) refuse(VDT_E_UNSUPPORTED_FORMAT, p, "has not the scene's format");
        if (pattern.width <= scene.width && pattern.height <= scene.height &&
            !WindowSums::can_hold(size_of(pattern), size_of(scene)))
            refuse(VDT_E_UNSUPPORTED_SIZE, p, "is too large for this backend");
        if (mask.format == VDT_FORMAT_NONE) continue;
        check_format(mask, VDT_FORMAT_BIT(VDT_FORMAT_GRAY8), "a mask");
        if (mask.width != pattern.width || mask.height != pattern.height)
            refuse(VDT_E_SIZE, p, "has a mask of another size");
    }
    promise_exact(support);
}

// Exact, as ops.h defines it.
double score_of(const Moments& moments, double pattern_variance) {
    if (moments.variance == 0) return 0;
    const double squared = static_cast<double>(moments.variance) * pattern_variance;
    return std::clamp(static_cast<double>(moments.covariance) / std::sqrt(squared), -1.0, 1.0);
}

// Marks the positions whose rectangle meets an excluded area.
void exclude(cv::Mat& scores, const cv::Rect& region, const cv::Size& pattern, const std::vector<vdt_rect>& areas) {
    for (const vdt_rect& area : areas) {
        if (area.w <= 0 || area.h <= 0) continue;
        const auto begin = [](std::int64_t edge, int side, int origin, int limit) {
            return static_cast<int>(std::clamp<std::int64_t>(edge - side + 1 - origin, 0, limit));
        };
        const auto end = [](std::int64_t edge, int origin, int limit) {
            return static_cast<int>(std::clamp<std::int64_t>(edge - origin, 0, limit));
        };
        const cv::Point first(begin(area.x, pattern.width, region.x, scores.cols),
                              begin(area.y, pattern.height, region.y, scores.rows));
        const cv::Point last(end(std::int64_t{area.x} + area.w, region.x, scores.cols),
                             end(std::int64_t{area.y} + area.h, region.y, scores.rows));
        if (first.x < last.x && first.y < last.y) scores(cv::Rect(first, last)) = cv::Scalar(excluded);
    }
}

bool is_local_maximum(const cv::Mat& scores, int x, int y) {
    const double own = scores.at<double>(y, x);
    for (int v = std::max(0, y - 1); v <= std::min(scores.rows - 1, y + 1); ++v)
        for (int u = std::max(0, x - 1); u <= std::min(scores.cols - 1, x + 1); ++u) {
            const double other = scores.at<double>(v, u);
            const bool earlier = v < y || (v == y && u < x);
            if (other > own || (earlier && other == own)) return false;
        }
    return true;
}

class TemplateFindPlan final : public Plan {
public:
    TemplateFindPlan(const Device& device, const vdt_template_find_params& params)
        : device_(device), flags_(params.flags), pattern_count_(params.pattern_count) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = params_of<vdt_template_find_params>(call);
        check_plan(params);
        check_call_params(params, *call.inputs[0]);
        if (params.pattern_count != pattern_count_ || params.flags != flags_)
            throw Failure(VDT_E_ARGUMENT, "template_find: pattern_count and flags are not those of the plan");
        const cv::Mat scene = read_pixels(*call.inputs[0]);
        cv::Rect region(cv::Point(0, 0), scene.size());
        if (params.region.w != 0) region = {params.region.x, params.region.y, params.region.w, params.region.h};
        ListWriter list(*call.lists_out[0]);
        if (params.scale_count != 0) {
            search_scales(call, region, list);
            return list.finish();
        }
        const std::vector<vdt_rect> areas(params.exclude, params.exclude + params.exclude_count);
        for (std::uint32_t p = 0; p < pattern_count_; ++p) {
            plugin::throw_if_cancelled(*device_.host, call.token);
            search(call, p, scene, region, areas, list);
        }
        return list.finish();
    }

private:
    // As long as `pixels` and `mask` (empty: every pixel counts) have something to compare.
    std::vector<Match> matches_of(const cv::Mat& pixels, const cv::Mat& mask, const cv::Mat& scene,
                                  const cv::Rect& region, const std::vector<vdt_rect>& areas, double threshold,
                                  vdt_token* token) const {
        const WindowSums pattern(pixels, mask, region.size());
        cv::Mat scores = score_positions(scene(region), pattern, pixels.size(), token);
        exclude(scores, region, pixels.size(), areas);
        return matches_in(scores, threshold, region.tl());
    }

    static bool fits(const cv::Size& pattern, const cv::Size& region) {
        return pattern.width <= region.width && pattern.height <= region.height;
    }

    // A pattern that cannot be searched for is an error wherever it may be.
    static void check_pattern(const vdt_call& call, std::uint32_t p) {
        std::uint64_t area = 0;
        bool varies = false;
        plugin::look_at_pattern(pattern_of(call.inputs, p), mask_of(call.inputs, p), area, varies);
        if (area == 0) refuse(VDT_E_ARGUMENT, p, "has a mask that ignores every pixel");
        if (!varies) refuse(VDT_E_ARGUMENT, p, "has no variance under its mask: look for its colour instead");
    }

    // The scene and the patterns shrunk for each scale, and searched one after the other.
    void search_scales(const vdt_call& call, const cv::Rect& region, ListWriter& list) const {
        const auto& params = params_of<vdt_template_find_params>(call);
        std::vector<std::vector<vdt_item>> found(pattern_count_);
        for (std::uint32_t p = 0; p < pattern_count_; ++p) check_pattern(call, p);
        for (std::uint32_t i = 0; i < params.scale_count; ++i) search_scale(call, i, region, found);
        for (std::vector<vdt_item>& items : found) {
            std::sort(items.begin(), items.end(), plugin::scaled_item_comes_first);
            if ((flags_ & VDT_FIND_BEST_ONLY) != 0 && items.size() > 1) items.erase(items.begin() + 1, items.end());
            list.count_found(items.size());
            for (std::size_t k = 0; k < std::min<std::size_t>(items.size(), params.max_results); ++k)
                list.write(items[k]);
        }
    }

    void search_scale(const vdt_call& call, std::uint32_t scale, const cv::Rect& whole_region,
                      std::vector<std::vector<vdt_item>>& found) const {
        const auto& params = params_of<vdt_template_find_params>(call);
        const double factor = params.scales[scale];
        const vdt_image& whole = *call.inputs[0];
        std::vector<std::uint64_t> sums;
        plugin::ScaledPixels scene;
        scene.resize(plugin::scene_side(whole.width, factor), plugin::scene_side(whole.height, factor),
                     whole.format == VDT_FORMAT_BGR8 ? 3 : 1);
        plugin::shrink_by_area(whole, scene, sums);
        const cv::Mat scene_pixels = read_pixels(scene.view());
        const plugin::ScaledAxis across(whole.width, scene.width), down(whole.height, scene.height);
        cv::Rect region;
        across.inside(whole_region.x, whole_region.width, region.x, region.width);
        down.inside(whole_region.y, whole_region.height, region.y, region.height);
        std::vector<vdt_rect> areas;
        for (std::uint32_t e = 0; e < params.exclude_count; ++e) {
            vdt_rect area = params.exclude[e];
            if (area.w <= 0 || area.h <= 0) continue;
            across.around(params.exclude[e].x, params.exclude[e].w, area.x, area.w);
            down.around(params.exclude[e].y, params.exclude[e].h, area.y, area.h);
            areas.push_back(area);
        }
        for (std::uint32_t p = 0; p < pattern_count_; ++p) {
            plugin::throw_if_cancelled(*device_.host, call.token);
            const vdt_image &pattern = pattern_of(call.inputs, p), &mask = mask_of(call.inputs, p);
            plugin::ScaledPixels pixels, taken;
            pixels.resize(plugin::pattern_side(pattern.width, factor), plugin::pattern_side(pattern.height, factor),
                          scene.channels);
            plugin::shrink_by_area(pattern, pixels, sums);
            vdt_image taken_view = mask;
            if (mask.format != VDT_FORMAT_NONE) {
                taken.resize(pixels.width, pixels.height, 1);
                plugin::shrink_mask(mask, taken);
                taken_view = taken.view();
            }
            const cv::Size size(static_cast<int>(pixels.width), static_cast<int>(pixels.height));
            std::uint64_t area = 0;
            bool varies = false;
            plugin::look_at_pattern(pixels.view(), taken_view, area, varies);
            if (!varies || !fits(size, region.size())) continue;
            if (!WindowSums::can_hold(size, region.size()))
                refuse(VDT_E_UNSUPPORTED_SIZE, p, "is too large for this backend");
            for (const Match& match :
                 matches_of(read_pixels(pixels.view()), taken.width == 0 ? cv::Mat() : read_pixels(taken_view),
                            scene_pixels, region, areas, params.threshold, call.token)) {
                vdt_item item{};
                across.place(match.x, pixels.width, whole.width, item.x, item.w);
                down.place(match.y, pixels.height, whole.height, item.y, item.h);
                item.score = match.score;
                item.pattern = p;
                item.scale = scale;
                found[p].push_back(item);
            }
        }
    }

    void search(const vdt_call& call, std::uint32_t p, const cv::Mat& scene, const cv::Rect& region,
                const std::vector<vdt_rect>& areas, ListWriter& list) const {
        const auto& params = params_of<vdt_template_find_params>(call);
        check_pattern(call, p);
        const cv::Mat pixels = read_pixels(pattern_of(call.inputs, p));
        const bool masked = mask_of(call.inputs, p).format != VDT_FORMAT_NONE;
        const cv::Mat mask = masked ? read_pixels(mask_of(call.inputs, p)) : cv::Mat();
        if (!fits(pixels.size(), region.size())) return;
        std::vector<Match> matches = matches_of(pixels, mask, scene, region, areas, params.threshold, call.token);
        list.count_found(matches.size());
        const std::size_t kept = std::min<std::size_t>(matches.size(), params.max_results);
        std::partial_sort(matches.begin(), matches.begin() + static_cast<std::ptrdiff_t>(kept), matches.end(),
                          comes_first);
        matches.resize(kept);
        for (const Match& match : matches) list.write(item_of(match, p, pixels.size()));
    }

    cv::Mat score_positions(const cv::Mat& scene, const WindowSums& pattern, const cv::Size& size,
                            vdt_token* token) const {
        cv::Mat scores(scene.rows - size.height + 1, scene.cols - size.width + 1, CV_64F);
        const double pattern_variance = static_cast<double>(pattern.variance());
        for_each_piece(*device_.host, token, static_cast<std::uint32_t>(pattern.tiles().size()), [&](std::uint32_t i) {
            const cv::Rect& tile = pattern.tiles()[i];
            const WindowSums::Tile sums = pattern.sums(scene, tile);
            for (int y = 0; y < tile.height; ++y)
                for (int x = 0; x < tile.width; ++x)
                    scores.at<double>(tile.y + y, tile.x + x) = score_of(sums.at(y, x), pattern_variance);
        });
        return scores;
    }

    std::vector<Match> matches_in(const cv::Mat& scores, double threshold, const cv::Point& origin) const {
        std::vector<Match> matches;
        for (int y = 0; y < scores.rows; ++y)
            for (int x = 0; x < scores.cols; ++x) {
                const double score = scores.at<double>(y, x);
                if (score < threshold) continue;
                if ((flags_ & VDT_FIND_LOCAL_MAXIMA) != 0 && !is_local_maximum(scores, x, y)) continue;
                const Match match{score, origin.x + x, origin.y + y};
                if ((flags_ & VDT_FIND_BEST_ONLY) == 0 || matches.empty())
                    matches.push_back(match);
                else if (comes_first(match, matches[0]))
                    matches[0] = match;
            }
        return matches;
    }

    static vdt_item item_of(const Match& match, std::uint32_t p, const cv::Size& size) {
        vdt_item item = item_from(cv::Rect(cv::Point(match.x, match.y), size), match.score, 0);
        item.pattern = p;
        return item;
    }

    Device device_;
    std::uint32_t flags_, pattern_count_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<TemplateFindPlan>(device, params_of<vdt_template_find_params>(query));
}

}  // namespace

const OperationEntry template_find_operation = {
    .op = VDT_OP_TEMPLATE_FIND,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_template_find,
    .plan = plan,
    .input_formats = scene_formats,
    .output_formats = 0,
};

}  // namespace vedette::opencv
