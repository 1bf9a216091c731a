// Cases of matching: template_map, template_find, group.
#include "compare.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace vedette::conformance {
namespace {

constexpr double largest_score_tolerance = 0.05;  // OpenCV's single precision is off by 0.03 on windows of low contrast

TestImage scene_of(vdt_format format, const Shape& shape) {
    TestImage scene(format, shape.width, shape.height, shape.layout);
    paint(scene, format * 53 + shape.width);
    return scene;
}

TestImage crop(const TestImage& scene, std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height,
               Layout layout) {
    const vdt_format format = scene.view().format;
    TestImage pattern(format, width, height, layout);
    for (std::uint32_t j = 0; j < height; ++j)
        for (std::uint32_t i = 0; i < width; ++i)
            for (std::uint32_t c = 0; c < reference::channels(format); ++c)
                pattern.set(i, j, c, scene.get(x + i, y + j, c));
    pattern.remember();
    return pattern;
}

// A pattern of about a third of the scene, at most 11 x 9, from its first repeated patch.
TestImage pattern_of(const TestImage& scene, const Shape& shape, std::uint32_t shift = 0) {
    const std::uint32_t width = std::min(11u - shift, std::max(1u, (shape.width + 1) / 2));
    const std::uint32_t height = std::min(9u - shift, std::max(1u, (shape.height + 1) / 2));
    return crop(scene, std::min(shift, shape.width - width), std::min(2 * shift, shape.height - height), width, height,
                shape.layout);
}

TestImage mask_of(const TestImage& pattern, const Shape& shape) {
    TestImage mask(VDT_FORMAT_GRAY8, pattern.view().width, pattern.view().height, shape.layout);
    paint_mask(mask, 5);
    return mask;
}

bool has_variance(const TestImage& pattern, const TestImage* mask) {
    // An identical patch scores 1 where there is any, 0 where there is none.
    return reference::score_at(pattern.view(), pattern.view(), mask != nullptr ? &mask->view() : nullptr, 0, 0) != 0;
}

}  // namespace

std::vector<Case> template_map_cases(std::uint64_t input_formats, const Shape& shape) {
    std::vector<Case> cases;
    for (const vdt_format format : formats_in(input_formats)) {
        if (!is_color(format)) continue;  // ops.h names GRAY8 and BGR8; others are made to see them refused
        for (const bool masked : {false, true})
            for (std::uint32_t method = VDT_MATCH_SQDIFF; method <= VDT_MATCH_CCOEFF_NORMED; ++method) {
                Case made;
                made.op = VDT_OP_TEMPLATE_MAP;
                made.name = format_name(format) + ", method " + std::to_string(method) + (masked ? ", mask" : "");
                made.inputs.push_back(scene_of(format, shape));
                made.inputs.push_back(pattern_of(made.inputs[0], shape));
                made.inputs.push_back(masked ? mask_of(made.inputs[1], shape) : TestImage());
                const vdt_image& pattern = made.inputs[1].view();
                made.outputs.emplace_back(VDT_FORMAT_GRAYF32, shape.width - pattern.width + 1,
                                          shape.height - pattern.height + 1, shape.layout);
                const auto params = make_params<vdt_template_map_params>();
                params->method = method;
                made.params = params;
                made.sanity = [](const Case& of) { demand_finite(of.outputs[0]); };
                made.verify = [method](const Case& of, const vdt_op_support& support) {
                    const reference::Plane expected =
                        reference::template_map(of.inputs[0].view(), of.inputs[1].view(), &of.inputs[2].view(), method);
                    const bool normed = method % 2 == 1;
                    // What is summed before differences are taken is up to n * 255^2, and single precision is of that.
                    const vdt_image& window = of.inputs[1].view();
                    const double sums = 65025.0 * window.width * window.height * reference::channels(window.format);
                    compare(of.outputs[0], expected, support, normed ? largest_score_tolerance : 1e-3 * sums);
                };
                cases.push_back(std::move(made));
            }
    }
    return cases;
}

namespace {

struct FindWay {
    const char* name;
    std::uint32_t flags = 0;
    double threshold = 0.7;
    bool two_patterns = false, limited = false, excluded = false, too_large = false;
    std::uint32_t max_results = 100000;
    std::vector<double> scales = {};
};

std::string place(const vdt_item& item) {
    std::ostringstream text;
    text.precision(17);
    text << "pattern " << item.pattern << " at (" << item.x << ", " << item.y << ") with score " << item.score;
    return text.str();
}

void compare_exactly(const std::vector<vdt_item>& found, const std::vector<vdt_item>& expected) {
    demand(found.size() == expected.size(),
           "it returns " + std::to_string(found.size()) + " items, the reference " + std::to_string(expected.size()));
    for (std::size_t i = 0; i < found.size(); ++i) {
        const vdt_item &a = found[i], &b = expected[i];
        const bool same = a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h && a.pattern == b.pattern &&
                          a.scale == b.scale && a.score == b.score;
        demand(same, "item " + std::to_string(i) + " is " + place(a) + ", the reference has " + place(b));
    }
}

const vdt_item* item_near(const std::vector<vdt_item>& items, const vdt_item& wanted, float distance) {
    for (const vdt_item& item : items)
        if (item.pattern == wanted.pattern && std::abs(item.x - wanted.x) <= distance &&
            std::abs(item.y - wanted.y) <= distance)
            return &item;
    return nullptr;
}

// Every sure item is there, no impossible one is, and scores are within the tolerance. Which of two neighbours within
// the tolerance is the local maximum cannot be told, so neighbours stand for each other.
void compare_within(const Case& of, const std::vector<vdt_item>& found, const std::vector<vdt_item>& expected,
                    const vdt_template_find_params& params, double tolerance) {
    const float distance = params.flags & VDT_FIND_LOCAL_MAXIMA ? 1.0f : 0.0f;
    for (const vdt_item& item : expected)
        if (item.score >= params.threshold + tolerance && !(params.flags & VDT_FIND_BEST_ONLY))
            demand(item_near(found, item, distance) != nullptr, "it does not return " + place(item));
    for (const vdt_item& item : found) {
        const std::size_t input = 1 + 2 * static_cast<std::size_t>(item.pattern);
        const double score =
            reference::score_at(of.inputs[0].view(), of.inputs[input].view(), &of.inputs[input + 1].view(),
                                static_cast<std::uint32_t>(item.x), static_cast<std::uint32_t>(item.y));
        demand(score >= params.threshold - tolerance && std::abs(score - item.score) <= tolerance,
               "it returns " + place(item) + ", whose score is " + std::to_string(score));
    }
}

void find_sanity(const Case& of) {
    const auto& params = *static_cast<const vdt_template_find_params*>(of.params.get());
    const vdt_image& scene = of.inputs[0].view();
    const std::vector<vdt_item> items = of.lists_out[0].items<vdt_item>();
    for (std::size_t i = 0; i < items.size(); ++i) {
        const vdt_item& item = items[i];
        demand(std::isfinite(item.score) && item.score >= -1 && item.score <= 1,
               place(item) + ": the score is not in -1..1");
        demand(item.score >= params.threshold, place(item) + ": the score is below the threshold");
        demand(item.pattern < params.pattern_count && item.scale < std::max(1u, params.scale_count),
               place(item) + ": no such pattern or scale was asked for");
        demand(item.x >= 0 && item.y >= 0 && item.w > 0 && item.h > 0 &&
                   item.x + item.w <= static_cast<float>(scene.width) + 0.01f &&
                   item.y + item.h <= static_cast<float>(scene.height) + 0.01f,
               place(item) + ": it is not inside the scene");
        if (i == 0) continue;
        const vdt_item& before = items[i - 1];
        const bool sorted =
            before.pattern < item.pattern ||
            (before.pattern == item.pattern &&
             (before.score > item.score ||
              (before.score == item.score && (before.y < item.y || (before.y == item.y && before.x <= item.x)))));
        demand(sorted, place(item) + ": it comes after " + place(before) + ", out of order");
    }
}

void find_verify(const Case& of, const vdt_op_support& support) {
    const auto& params = *static_cast<const vdt_template_find_params*>(of.params.get());
    std::vector<const vdt_image*> inputs;
    for (const TestImage& image : of.inputs) inputs.push_back(&image.view());
    const std::vector<vdt_item> all = reference::template_find(inputs.data(), params);
    std::vector<vdt_item> expected;
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        kept = i > 0 && all[i - 1].pattern == all[i].pattern ? kept + 1 : 0;
        if (kept < params.max_results) expected.push_back(all[i]);
    }
    const std::vector<vdt_item> found = of.lists_out[0].items<vdt_item>();
    const double tolerance = allowed_difference(support, largest_score_tolerance);
    if (tolerance > 0) {
        compare_within(of, found, expected, params, tolerance);
        return;
    }
    compare_exactly(found, expected);
    if (!(params.flags & VDT_FIND_BEST_ONLY))
        demand(of.lists_out[0].view().needed == all.size(),
               "`needed` is " + std::to_string(of.lists_out[0].view().needed) + ", but there are " +
                   std::to_string(all.size()) + " positions");
}

}  // namespace

std::vector<Case> template_find_cases(std::uint64_t input_formats, const Shape& shape) {
    const std::vector<FindWay> ways = {
        {.name = "one pattern"},
        {.name = "local maxima of two patterns, one masked",
         .flags = VDT_FIND_LOCAL_MAXIMA,
         .threshold = 0.3,
         .two_patterns = true},
        {.name = "best only", .flags = VDT_FIND_BEST_ONLY, .threshold = 0.5, .two_patterns = true},
        {.name = "identical only", .threshold = 1},
        {.name = "every position", .threshold = -1},
        {.name = "every local maximum", .flags = VDT_FIND_LOCAL_MAXIMA, .threshold = -1},
        {.name = "region", .threshold = 0.2, .limited = true},
        {.name = "excluded areas", .threshold = 0.2, .excluded = true},
        {.name = "region and excluded areas, local maxima",
         .flags = VDT_FIND_LOCAL_MAXIMA,
         .threshold = 0,
         .limited = true,
         .excluded = true},
        {.name = "pattern larger than the scene", .threshold = -1, .too_large = true},
        {.name = "at most two", .flags = VDT_FIND_LOCAL_MAXIMA, .threshold = 0.2, .max_results = 2},
        {.name = "scale 1", .threshold = 0.7, .scales = {1.0}},
        {.name = "three scales", .flags = VDT_FIND_LOCAL_MAXIMA, .threshold = 0.6, .scales = {0.5, 1.0, 2.0}},
    };
    std::vector<Case> cases;
    for (const vdt_format format : formats_in(input_formats)) {
        if (!is_color(format)) continue;  // ops.h names GRAY8 and BGR8; others are made to see them refused
        for (const FindWay& way : ways) {
            Case made;
            made.op = VDT_OP_TEMPLATE_FIND;
            made.name = format_name(format) + ", " + way.name;
            made.inputs.push_back(scene_of(format, shape));
            if (way.too_large) {
                made.inputs.emplace_back(format, shape.width + 1, 2, shape.layout);
                paint(made.inputs[1], 3);
            } else {
                made.inputs.push_back(pattern_of(made.inputs[0], shape));
            }
            made.inputs.emplace_back();
            if (way.two_patterns) {
                made.inputs.push_back(pattern_of(made.inputs[0], shape, 2));
                made.inputs.push_back(mask_of(made.inputs[3], shape));
            }
            bool usable = true;  // small images may hold no pattern with structure
            for (std::size_t i = 1; i < made.inputs.size(); i += 2)
                usable = usable && has_variance(made.inputs[i], &made.inputs[i + 1]);
            if (!usable) continue;

            const auto params = make_params<vdt_template_find_params>();
            params->flags = way.flags;
            params->threshold = way.threshold;
            params->pattern_count = way.two_patterns ? 2 : 1;
            params->max_results = way.max_results;
            const auto width = static_cast<std::int32_t>(shape.width), height = static_cast<std::int32_t>(shape.height);
            if (way.limited) params->region = {width / 8, height / 8, width - width / 4, height - height / 4};
            if (way.excluded) {
                const auto areas = std::make_shared<std::vector<vdt_rect>>();
                areas->push_back({width / 2, height / 3, 3, 2});
                areas->push_back({-5, -5, 7, 7});
                params->exclude = areas->data();
                params->exclude_count = static_cast<std::uint32_t>(areas->size());
                made.kept.push_back(areas);
            }
            if (!way.scales.empty()) {
                const auto scales = std::make_shared<std::vector<double>>(way.scales);
                params->scales = scales->data();
                params->scale_count = static_cast<std::uint32_t>(scales->size());
                made.kept.push_back(scales);
            }
            made.params = params;
            made.lists_out.emplace_back(sizeof(vdt_item), 3 * std::uint64_t{2} * shape.width * shape.height);
            made.sanity = find_sanity;
            // How sizes are rounded at other scales is each backend's own, so only the items' form is looked at.
            if (way.scales.size() <= 1) made.verify = find_verify;
            cases.push_back(std::move(made));
        }
    }
    return cases;
}

Case heavy_find(std::uint32_t width, std::uint32_t height, std::uint32_t max_results, std::uint64_t capacity) {
    Case made;
    made.op = VDT_OP_TEMPLATE_FIND;
    made.name = "many hits";
    const Shape shape{width, height, Layout::packed};
    made.inputs.push_back(scene_of(VDT_FORMAT_GRAY8, shape));
    made.inputs.push_back(
        crop(made.inputs[0], 3, 5, std::min(40u, width / 2), std::min(30u, height / 2), Layout::packed));
    made.inputs.emplace_back();
    const auto params = make_params<vdt_template_find_params>();
    params->threshold = -1;
    params->pattern_count = 1;
    params->max_results = max_results;
    made.params = params;
    made.lists_out.emplace_back(sizeof(vdt_item), capacity);
    made.sanity = find_sanity;
    return made;
}

std::vector<Case> group_cases(const Shape&) {
    std::vector<Case> cases;
    for (const std::int32_t threshold : {0, 1, 3}) {
        Case made;
        made.op = VDT_OP_GROUP;
        made.name = "threshold " + std::to_string(threshold);
        TestList list(sizeof(vdt_item), 60);
        Random random(9);
        auto* items = static_cast<vdt_item*>(list.view().items);
        for (std::uint32_t i = 0; i < 60; ++i) {
            items[i] = vdt_item{};
            items[i].x = static_cast<float>(i % 5 * 70 + random.below(7));
            items[i].y = static_cast<float>(i % 3 * 80 + random.below(7));
            items[i].w = items[i].h = static_cast<float>(30 + i % 2 * 12 + random.below(4));
            items[i].score = i * 0.25;
        }
        list.view().count = list.view().needed = 60;
        made.lists_in.push_back(std::move(list));
        made.lists_out.emplace_back(sizeof(vdt_item), 64);
        const auto params = make_params<vdt_group_params>();
        params->threshold = threshold;
        params->eps = 0.2;
        made.params = params;
        made.verify = [params](const Case& of, const vdt_op_support&) {
            const std::vector<vdt_item> expected = reference::group(of.lists_in[0].items<vdt_item>(), *params);
            const std::vector<vdt_item> found = of.lists_out[0].items<vdt_item>();
            demand(found.size() == expected.size(), "it returns " + std::to_string(found.size()) +
                                                        " groups, the reference " + std::to_string(expected.size()));
            for (std::size_t i = 0; i < found.size(); ++i) {
                const vdt_item &a = found[i], &b = expected[i];
                demand(a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h && a.neighbors == b.neighbors,
                       "group " + std::to_string(i) + " differs from the reference");
            }
        };
        cases.push_back(std::move(made));
    }
    return cases;
}

}  // namespace vedette::conformance
