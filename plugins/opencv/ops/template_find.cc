// template_find: the score of every position, then those that count. All patterns of a call share nothing but the
// scene; they are searched one after the other, each spread over the pool by tiles, so that only one map is kept at a
// time.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "calls.h"
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
    if (params.scale_count != 0 || params.scales != nullptr)
        throw Failure(VDT_E_UNSUPPORTED, "template_find: the opencv backend searches at scale 1 only");
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
void exclude(cv::Mat& scores, const cv::Rect& region, const cv::Size& pattern, const vdt_template_find_params& params) {
    for (std::uint32_t i = 0; i < params.exclude_count; ++i) {
        const vdt_rect& area = params.exclude[i];
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
        for (std::uint32_t p = 0; p < pattern_count_; ++p) {
            plugin::throw_if_cancelled(*device_.host, call.token);
            search(call, p, scene, region, list);
        }
        return list.finish();
    }

private:
    void search(const vdt_call& call, std::uint32_t p, const cv::Mat& scene, const cv::Rect& region,
                ListWriter& list) const {
        const auto& params = params_of<vdt_template_find_params>(call);
        const cv::Mat pixels = read_pixels(pattern_of(call.inputs, p));
        const bool masked = mask_of(call.inputs, p).format != VDT_FORMAT_NONE;
        const cv::Mat mask = masked ? read_pixels(mask_of(call.inputs, p)) : cv::Mat();
        // A pattern larger than the region has no matches, but one that cannot be searched for is an error all the
        // same.
        const bool fits = pixels.cols <= region.width && pixels.rows <= region.height;
        const WindowSums pattern(pixels, mask, fits ? region.size() : pixels.size());
        if (pattern.count() == 0) refuse(VDT_E_ARGUMENT, p, "has a mask that ignores every pixel");
        if (pattern.variance() == 0)
            refuse(VDT_E_ARGUMENT, p, "has no variance under its mask: look for its colour instead");
        if (!fits) return;
        cv::Mat scores = score_positions(scene(region), pattern, pixels.size(), call.token);
        exclude(scores, region, pixels.size(), params);
        std::vector<Match> matches = matches_in(scores, params.threshold, region.tl());
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
    .cost = nullptr,
    .plan = plan,
    .input_formats = scene_formats,
    .output_formats = 0,
};

}  // namespace vedette::opencv
