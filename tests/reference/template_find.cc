#include "plane.h"

#include <tuple>

namespace vedette::reference {
namespace {

__extension__ typedef __int128 Wide;

struct Moments {
    Wide covariance = 0, scene_variance = 0, pattern_variance = 0;
};

Moments moments_at(const Plane& scene, const Plane& pattern, const std::vector<std::uint8_t>& taken, std::uint32_t x,
                   std::uint32_t y) {
    Moments moments;
    Wide n = 0;
    for (const std::uint8_t one : taken) n += one;
    for (std::uint32_t c = 0; c < pattern.channels; ++c) {
        Wide s = 0, t = 0, st = 0, ss = 0, tt = 0;
        for (std::uint32_t j = 0; j < pattern.height; ++j)
            for (std::uint32_t i = 0; i < pattern.width; ++i) {
                if (taken[static_cast<std::size_t>(j) * pattern.width + i] == 0) continue;
                const auto a = static_cast<std::int64_t>(scene.at(x + i, y + j, c));
                const auto b = static_cast<std::int64_t>(pattern.at(i, j, c));
                s += a;
                t += b;
                st += a * b;
                ss += a * a;
                tt += b * b;
            }
        moments.covariance += n * st - s * t;
        moments.scene_variance += n * ss - s * s;
        moments.pattern_variance += n * tt - t * t;
    }
    return moments;
}

bool meets(double x, double y, double w, double h, const vdt_rect& r) {
    return r.w > 0 && r.h > 0 && x < static_cast<double>(r.x) + r.w && x + w > r.x &&
           y < static_cast<double>(r.y) + r.h && y + h > r.y;
}

// One pattern at one factor: the images that are really compared, and how their pixels map to the scene's.
struct Search {
    Plane scene, pattern;
    std::vector<std::uint8_t> taken;
    double step_x = 1, step_y = 1;  // scene pixels for one pixel of `scene`
};

std::uint32_t scaled(std::uint32_t size, double factor) {
    return static_cast<std::uint32_t>(std::max(1.0, std::floor(size * factor + 0.5)));
}

Plane shrink(const Plane& in, std::uint32_t width, std::uint32_t height) {
    Plane out = resize_values(in, width, height, VDT_RESIZE_AREA);
    for (double& value : out.value) value = round_half_up(value);
    return out;
}

// Above 1 the scene is shrunk, below 1 the pattern: sizes rounded half up, pixels by area average, rounded half up. A
// pixel of a shrunk pattern is taken only when everything it covers is taken.
Search at_factor(const Plane& scene, const Plane& pattern, const std::vector<std::uint8_t>& taken, double factor) {
    Search search{scene, pattern, taken};
    if (factor > 1) {
        search.scene = shrink(scene, scaled(scene.width, 1 / factor), scaled(scene.height, 1 / factor));
        search.step_x = static_cast<double>(scene.width) / search.scene.width;
        search.step_y = static_cast<double>(scene.height) / search.scene.height;
    } else if (factor < 1) {
        const std::uint32_t width = scaled(pattern.width, factor), height = scaled(pattern.height, factor);
        Plane cover = make_plane(pattern.width, pattern.height, 1);
        for (std::size_t i = 0; i < taken.size(); ++i) cover.value[i] = taken[i] != 0 ? 1 : 0;
        cover = resize_values(cover, width, height, VDT_RESIZE_AREA);
        search.pattern = shrink(pattern, width, height);
        search.taken.clear();
        for (const double value : cover.value) search.taken.push_back(value > 1 - 1e-9 ? 1 : 0);
    }
    return search;
}

// Scores of all positions; NaN where the position lies outside the region or meets an excluded area.
Plane score_positions(const Search& search, const vdt_template_find_params& params, const vdt_rect& region) {
    Plane scores;
    if (search.pattern.width > search.scene.width || search.pattern.height > search.scene.height) return scores;
    scores =
        make_plane(search.scene.width - search.pattern.width + 1, search.scene.height - search.pattern.height + 1, 1);
    const double w = search.pattern.width * search.step_x, h = search.pattern.height * search.step_y;
    constexpr double slack = 1e-9;  // of a product that should be whole
    for (std::uint32_t v = 0; v < scores.height; ++v)
        for (std::uint32_t u = 0; u < scores.width; ++u) {
            const double x = u * search.step_x, y = v * search.step_y;
            bool searched = x >= region.x - slack && y >= region.y - slack &&
                            x + w <= static_cast<double>(region.x) + region.w + slack &&
                            y + h <= static_cast<double>(region.y) + region.h + slack;
            for (std::uint32_t e = 0; searched && e < params.exclude_count; ++e)
                searched = !meets(x, y, w, h, params.exclude[e]);
            at(scores, u, v, 0) = searched ? score_of(search.scene, search.pattern, search.taken, u, v) : std::nan("");
        }
    return scores;
}

bool is_local_maximum(const Plane& scores, std::uint32_t x, std::uint32_t y) {
    const double own = scores.at(x, y);
    for (std::int64_t j = -1; j <= 1; ++j)
        for (std::int64_t i = -1; i <= 1; ++i) {
            const std::int64_t u = std::int64_t{x} + i, v = std::int64_t{y} + j;
            if ((i == 0 && j == 0) || u < 0 || v < 0 || u >= scores.width || v >= scores.height) continue;
            const double other = scores.at(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v));
            const bool earlier = j < 0 || (j == 0 && i < 0);
            if (other > own || (other == own && earlier)) return false;
        }
    return true;
}

}  // namespace

std::vector<std::uint8_t> read_mask(const vdt_image* mask, std::uint32_t width, std::uint32_t height) {
    std::vector<std::uint8_t> taken;
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) taken.push_back(is_taken(mask, x, y) ? 1 : 0);
    return taken;
}

double score_of(const Plane& scene, const Plane& pattern, const std::vector<std::uint8_t>& taken, std::uint32_t x,
                std::uint32_t y) {
    const Moments moments = moments_at(scene, pattern, taken, x, y);
    if (moments.scene_variance == 0 || moments.pattern_variance == 0) return 0;
    const double product = static_cast<double>(moments.scene_variance) * static_cast<double>(moments.pattern_variance);
    return std::clamp(static_cast<double>(moments.covariance) / std::sqrt(product), -1.0, 1.0);
}

bool has_variance(const Plane& pattern, const std::vector<std::uint8_t>& taken) {
    return moments_at(pattern, pattern, taken, 0, 0).pattern_variance != 0;
}

double score_at(const vdt_image& scene, const vdt_image& pattern, const vdt_image* mask, std::uint32_t x,
                std::uint32_t y) {
    Plane window = make_plane(pattern.width, pattern.height, channels(pattern.format));
    for (std::uint32_t j = 0; j < window.height; ++j)
        for (std::uint32_t i = 0; i < window.width; ++i)
            for (std::uint32_t c = 0; c < window.channels; ++c) at(window, i, j, c) = pixel(scene, x + i, y + j, c);
    return score_of(window, read(pattern), read_mask(mask, pattern.width, pattern.height), 0, 0);
}

std::vector<vdt_item> template_find(const vdt_image* const* inputs, const vdt_template_find_params& params) {
    const vdt_image& scene_image = *inputs[0];
    const Plane scene = read(scene_image);
    vdt_rect region = params.region;
    if (region.w == 0 && region.h == 0) {
        region.w = static_cast<std::int32_t>(scene.width);
        region.h = static_cast<std::int32_t>(scene.height);
    }
    const std::vector<double> factors = params.scales == nullptr
                                            ? std::vector<double>{1.0}
                                            : std::vector<double>(params.scales, params.scales + params.scale_count);

    std::vector<vdt_item> items;
    for (std::uint32_t p = 0; p < params.pattern_count; ++p) {
        const vdt_image& pattern_image = *inputs[1 + 2 * static_cast<std::size_t>(p)];
        const Plane pattern = read(pattern_image);
        const std::vector<std::uint8_t> mask =
            read_mask(inputs[2 + 2 * static_cast<std::size_t>(p)], pattern.width, pattern.height);
        if (pattern_image.format != scene_image.format)
            throw std::invalid_argument("formats of scene and pattern differ");
        if (!has_variance(pattern, mask)) throw std::invalid_argument("a pattern has no variance under its mask");

        std::vector<vdt_item> found;
        for (std::size_t f = 0; f < factors.size(); ++f) {
            const Search search = at_factor(scene, pattern, mask, factors[f]);
            if (!has_variance(search.pattern, search.taken)) continue;  // shrunk until nothing is left to compare
            const Plane scores = score_positions(search, params, region);
            for (std::uint32_t y = 0; y < scores.height; ++y)
                for (std::uint32_t x = 0; x < scores.width; ++x) {
                    const double score = scores.at(x, y);
                    if (!(score >= params.threshold)) continue;
                    if ((params.flags & VDT_FIND_LOCAL_MAXIMA) && !is_local_maximum(scores, x, y)) continue;
                    vdt_item item{};
                    item.x = static_cast<float>(x * search.step_x);
                    item.y = static_cast<float>(y * search.step_y);
                    item.w = static_cast<float>(search.pattern.width * search.step_x);
                    item.h = static_cast<float>(search.pattern.height * search.step_y);
                    item.score = score;
                    item.pattern = p;
                    item.scale = static_cast<std::uint32_t>(f);
                    found.push_back(item);
                }
        }
        std::stable_sort(found.begin(), found.end(), [](const vdt_item& a, const vdt_item& b) {
            return std::make_tuple(-a.score, a.y, a.x, a.scale) < std::make_tuple(-b.score, b.y, b.x, b.scale);
        });
        if ((params.flags & VDT_FIND_BEST_ONLY) && found.size() > 1) found.erase(found.begin() + 1, found.end());
        items.insert(items.end(), found.begin(), found.end());
    }
    return items;
}

}  // namespace vedette::reference
