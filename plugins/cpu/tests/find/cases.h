// Random scenes and patterns, and scores by brute force in 64-bit integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "harness.h"

namespace vedette::cpu::test {

using Random = std::mt19937_64;

inline int pick(Random& random, int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

constexpr const char* scene_kinds[] = {"noise",  "near-flat", "gradient", "sparse", "checker",
                                       "smooth", "periodic",  "one-bit",  "text",   "extremes"};
constexpr int scene_kind_count = 10;

inline Picture make_scene(Random& random, int kind, int w, int h, int channels) {
    Picture p(w, h, channels, pick(random, 0, 3) * 5, random() % 4 == 0);
    const int base = pick(random, 0, 250), step = pick(random, 1, 9), period = pick(random, 2, 17);
    for (int c = 0; c < channels; ++c) {
        double level = base;
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                int v = 0;
                switch (kind) {
                    case 0:
                        v = pick(random, 0, 255);
                        break;
                    case 1:
                        v = base + pick(random, 0, 2);
                        break;
                    case 2:
                        v = (base + x * step / 4 + y * (c + 1) / 2) % 256;
                        break;
                    case 3:
                        v = random() % 200 == 0 ? pick(random, 0, 255) : base;
                        break;
                    case 4:
                        v = (x / step + y / step) % 2 != 0 ? base : 255 - base;
                        break;
                    case 5:
                        level = 0.9 * level + 0.1 * pick(random, 0, 255);
                        v = static_cast<int>(level + 20 * std::sin(y * 0.1 + c));
                        break;
                    case 6:
                        v = static_cast<int>(127 + 120 * std::sin(6.283 * (x + 2 * y) / period));
                        break;
                    case 7:
                        v = base + static_cast<int>(random() % 2);
                        break;
                    case 8:
                        v = y / 9 % 2 == 0 && (x / 3 * 7 + y / 2 * 13 + x * y / 50) % 5 < 2 ? 20 : 235;
                        break;
                    default:
                        v = random() % 2 != 0 ? 255 : 0;
                        break;
                }
                p.at(x, y, c) = static_cast<std::uint8_t>(std::clamp(v, 0, 255));
            }
    }
    return p;
}

// A pattern cut from the scene, maybe changed, or of another kind altogether.
inline Picture make_pattern(Random& random, const Picture& scene, int w, int h, std::string& how) {
    Picture p(w, h, scene.channels, pick(random, 0, 1) * 3);
    const int x0 = pick(random, 0, scene.width - w), y0 = pick(random, 0, scene.height - h),
              change = pick(random, 0, 6);
    how = change < 2    ? "crop"
          : change == 2 ? "noisy"
          : change == 3 ? "inverted"
          : change == 4 ? "low contrast"
          : change == 5 ? "shifted"
                        : "foreign";
    for (int c = 0; c < scene.channels; ++c)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                int v = scene.at(x0 + x, y0 + y, c);
                if (change == 2) v += pick(random, -12, 12);
                if (change == 3) v = 255 - v;
                if (change == 4) v = 100 + v / 32;
                if (change == 5) v = v / 2 + 90;
                if (change == 6) v = pick(random, 0, 255);
                p.at(x, y, c) = static_cast<std::uint8_t>(std::clamp(v, 0, 255));
            }
    return p;
}

struct Sums {
    std::int64_t n = 0, ii = 0, tt = 0, it = 0, i[3] = {}, t[3] = {};
};

inline Sums sums_at(const Picture& scene, const Picture& pattern, const Picture* mask, int x, int y) {
    Sums s;
    for (int j = 0; j < pattern.height; ++j)
        for (int i = 0; i < pattern.width; ++i) {
            if (mask != nullptr && mask->at(i, j) == 0) continue;
            ++s.n;
            for (int c = 0; c < scene.channels; ++c) {
                const std::int64_t a = scene.at(x + i, y + j, c), b = pattern.at(i, j, c);
                s.ii += a * a;
                s.tt += b * b;
                s.it += a * b;
                s.i[c] += a;
                s.t[c] += b;
            }
        }
    return s;
}

// The score of ops.h; 64 bits are enough for the sizes of these tests (area up to 2^18).
inline double brute_score(const Picture& scene, const Picture& pattern, const Picture* mask, int x, int y) {
    const Sums s = sums_at(scene, pattern, mask, x, y);
    std::int64_t num = s.n * s.it, vi = s.n * s.ii, vt = s.n * s.tt;
    for (int c = 0; c < scene.channels; ++c) {
        num -= s.i[c] * s.t[c];
        vi -= s.i[c] * s.i[c];
        vt -= s.t[c] * s.t[c];
    }
    if (vi == 0 || vt == 0) return 0;
    return std::clamp(static_cast<double>(num) / std::sqrt(static_cast<double>(vi) * static_cast<double>(vt)), -1.0,
                      1.0);
}

inline bool has_variance(const Picture& pattern, const Picture* mask) {
    const Sums s = sums_at(pattern, pattern, mask, 0, 0);
    std::int64_t vt = s.n * s.tt;
    for (int c = 0; c < pattern.channels; ++c) vt -= s.t[c] * s.t[c];
    return vt > 0;
}

struct Scores {
    int w = 0, h = 0;
    std::vector<double> value;  // NaN: not searched
    double at(int x, int y) const {
        return value[static_cast<std::size_t>(y) * static_cast<std::size_t>(w) + static_cast<std::size_t>(x)];
    }
};

inline Scores brute_scores(const Picture& scene, const Picture& pattern, const Picture* mask) {
    Scores scores;
    scores.w = scene.width - pattern.width + 1;
    scores.h = scene.height - pattern.height + 1;
    for (int y = 0; y < scores.h; ++y)
        for (int x = 0; x < scores.w; ++x) scores.value.push_back(brute_score(scene, pattern, mask, x, y));
    return scores;
}

// What template_find must return for one pattern, given the scores of all positions of the scene.
inline std::vector<vdt_item> expected_items(const Scores& all, const Picture& pattern, std::uint32_t index,
                                            const vdt_template_find_params& params) {
    const vdt_rect r = params.region;
    const bool whole = r.w == 0 && r.h == 0;
    Scores scores = all;
    for (int y = 0; y < all.h; ++y)
        for (int x = 0; x < all.w; ++x) {
            bool searched =
                whole || (x >= r.x && y >= r.y && x + pattern.width <= r.x + r.w && y + pattern.height <= r.y + r.h);
            for (std::uint32_t e = 0; e < params.exclude_count; ++e) {
                const vdt_rect& ex = params.exclude[e];
                searched = searched && !(ex.w > 0 && ex.h > 0 && x < ex.x + ex.w && ex.x < x + pattern.width &&
                                         y < ex.y + ex.h && ex.y < y + pattern.height);
            }
            if (!searched)
                scores.value[static_cast<std::size_t>(y) * static_cast<std::size_t>(all.w) +
                             static_cast<std::size_t>(x)] = std::nan("");
        }
    std::vector<vdt_item> items;
    for (int y = 0; y < all.h; ++y)
        for (int x = 0; x < all.w; ++x) {
            const double own = scores.at(x, y);
            if (!(own >= params.threshold)) continue;
            bool keep = true;
            for (int j = -1; j <= 1 && (params.flags & VDT_FIND_LOCAL_MAXIMA) != 0; ++j)
                for (int i = -1; i <= 1; ++i) {
                    if ((i == 0 && j == 0) || x + i < 0 || y + j < 0 || x + i >= all.w || y + j >= all.h) continue;
                    const double other = scores.at(x + i, y + j);
                    if (other > own || (other == own && (j < 0 || (j == 0 && i < 0)))) keep = false;
                }
            if (!keep) continue;
            vdt_item item{};
            item.x = static_cast<float>(x);
            item.y = static_cast<float>(y);
            item.w = static_cast<float>(pattern.width);
            item.h = static_cast<float>(pattern.height);
            item.score = own;
            item.pattern = index;
            items.push_back(item);
        }
    std::stable_sort(items.begin(), items.end(),
                     [](const vdt_item& a, const vdt_item& b) { return a.score > b.score; });
    if ((params.flags & VDT_FIND_BEST_ONLY) != 0 && items.size() > 1) items.erase(items.begin() + 1, items.end());
    return items;
}

// "" when both lists are the same in every field and every bit of the scores.
inline std::string difference(const std::vector<vdt_item>& got, const std::vector<vdt_item>& want) {
    if (got.size() != want.size())
        return std::to_string(got.size()) + " items instead of " + std::to_string(want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        const vdt_item &a = got[i], &b = want[i];
        if (a.x != b.x || a.y != b.y || a.w != b.w || a.h != b.h || a.score != b.score || a.pattern != b.pattern ||
            a.scale != 0 || a.neighbors != 0 || a.flags != 0)
            return "item " + std::to_string(i) + " is " + std::to_string(a.score) + " at " + std::to_string(a.x) + "," +
                   std::to_string(a.y) + " instead of " + std::to_string(b.score) + " at " + std::to_string(b.x) + "," +
                   std::to_string(b.y);
    }
    return {};
}

}  // namespace vedette::cpu::test
