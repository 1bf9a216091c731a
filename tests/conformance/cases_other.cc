// Cases of transforms, with reference values, and of the operations that have none here: that they run, and give finite
// values in bounds.
#include "compare.h"

#include <algorithm>
#include <cmath>

namespace vedette::conformance {
namespace {

void finite_outputs(const Case& of) {
    for (const TestImage& output : of.outputs) demand_finite(output);
}

TestImage noise(vdt_format format, std::uint32_t width, std::uint32_t height, Layout layout, std::uint32_t seed) {
    TestImage image(format, width, height, layout);
    Random random(seed);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x)
            for (std::uint32_t c = 0; c < reference::channels(format); ++c) image.set(x, y, c, random.below(256));
    image.remember();
    return image;
}

// Sides of a square allowed for transforms, and only for the ordinary test shape: these operations have sizes of their
// own.
constexpr std::uint32_t side = 32;
bool is_ordinary(const Shape& shape) {
    return shape.width >= side && shape.height >= side;
}

// One stage with one feature: the left half is darker than the whole.
constexpr char small_cascade[] = R"(<?xml version="1.0"?>
<opencv_storage>
<cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType>
  <featureType>HAAR</featureType>
  <height>20</height>
  <width>20</width>
  <stageParams>
    <maxWeakCount>1</maxWeakCount></stageParams>
  <featureParams>
    <maxCatCount>0</maxCatCount></featureParams>
  <stageNum>1</stageNum>
  <stages>
    <_>
      <maxWeakCount>1</maxWeakCount>
      <stageThreshold>0.</stageThreshold>
      <weakClassifiers>
        <_>
          <internalNodes>
            0 -1 0 0.</internalNodes>
          <leafValues>
            -1. 1.</leafValues></_></weakClassifiers></_></stages>
  <features>
    <_>
      <rects>
        <_>
          0 0 20 20 -1.</_>
        <_>
          0 0 10 20 2.</_></rects>
      <tilted>0</tilted></_></features></cascade>
</opencv_storage>
)";

}  // namespace

std::vector<Case> fft2_cases(std::uint64_t input_formats, std::uint64_t output_formats, const Shape& shape) {
    struct Way {
        const char* name;
        vdt_format in, out;
        std::uint32_t in_width, out_width, direction;
    };
    const Way ways[] = {
        {"complex forward", VDT_FORMAT_COMPLEXF32, VDT_FORMAT_COMPLEXF32, side, side, VDT_FFT_FORWARD},
        {"complex inverse", VDT_FORMAT_COMPLEXF32, VDT_FORMAT_COMPLEXF32, side, side, VDT_FFT_INVERSE},
        {"real forward", VDT_FORMAT_GRAYF32, VDT_FORMAT_COMPLEXF32, side, side / 2 + 1, VDT_FFT_FORWARD},
        {"real inverse", VDT_FORMAT_COMPLEXF32, VDT_FORMAT_GRAYF32, side / 2 + 1, side, VDT_FFT_INVERSE},
    };
    std::vector<Case> cases;
    if (!is_ordinary(shape)) return cases;
    for (const Way& way : ways) {
        if (!(input_formats & VDT_FORMAT_BIT(way.in)) || !(output_formats & VDT_FORMAT_BIT(way.out))) continue;
        Case made;
        made.op = VDT_OP_FFT2;
        made.name = way.name;
        made.inputs.push_back(noise(way.in, way.in_width, 2 * side, shape.layout, 1));
        made.outputs.emplace_back(way.out, way.out_width, 2 * side, shape.layout);
        const auto params = make_params<vdt_fft2_params>();
        params->direction = way.direction;
        params->batch = 2;
        made.params = params;
        made.sanity = finite_outputs;
        made.verify = [params, out = way.out](const Case& of, const vdt_op_support& support) {
            const reference::Plane expected = reference::fft2(of.inputs[0].view(), out, *params);
            compare(of.outputs[0], expected, support, 1e-5 * largest_magnitude(expected));
        };
        cases.push_back(std::move(made));
    }
    return cases;
}

std::vector<Case> restore_cases(std::uint64_t input_formats, const Shape& shape) {
    std::vector<Case> cases;
    if (!is_ordinary(shape) || !(input_formats & VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32))) return cases;
    for (std::uint32_t method = VDT_RESTORE_MIA_BLIND; method <= VDT_RESTORE_RICHARDSON_LUCY; ++method) {
        Case made;
        made.op = VDT_OP_RESTORE;
        made.name = "method " + std::to_string(method);
        made.inputs.push_back(noise(VDT_FORMAT_GRAYF32, side, side, shape.layout, 2));
        TestImage spread(VDT_FORMAT_GRAYF32, side, side, shape.layout);
        for (std::uint32_t y = 0; y < side; ++y)
            for (std::uint32_t x = 0; x < side; ++x) {
                const bool near = std::min(x, side - x) <= 1 && std::min(y, side - y) <= 1;
                spread.set(x, y, 0, near ? 1.0 / 9 : 0.0);
            }
        spread.remember();
        made.inputs.push_back(std::move(spread));
        made.outputs.emplace_back(VDT_FORMAT_GRAYF32, side, side, shape.layout);
        if (method == VDT_RESTORE_MIA_BLIND) made.outputs.emplace_back(VDT_FORMAT_GRAYF32, side, side, shape.layout);
        const auto params = make_params<vdt_restore_params>();
        params->method = method;
        params->iterations = 3;
        params->batch = 1;
        params->epsilon = 1e-6;
        made.params = params;
        made.sanity = finite_outputs;
        made.verify = [params](const Case& of, const vdt_op_support& support) {
            constexpr double cap = 8;  // of pixels up to 255: steep places differ most
            const std::vector<reference::Plane> expected =
                reference::restore(of.inputs[0].view(), of.inputs[1].view(), *params);
            for (std::size_t i = 0; i < of.outputs.size(); ++i) compare(of.outputs[i], expected[i], support, cap);
        };
        cases.push_back(std::move(made));
    }
    return cases;
}

std::vector<Case> cascade_cases(std::uint64_t input_formats, const Shape& shape) {
    std::vector<Case> cases;
    if (!(input_formats & VDT_FORMAT_BIT(VDT_FORMAT_GRAY8))) return cases;
    for (const std::int32_t neighbors : {0, 2}) {
        Case made;
        made.op = VDT_OP_CASCADE_DETECT;
        made.name = "at least " + std::to_string(neighbors) + " neighbours";
        made.inputs.emplace_back(VDT_FORMAT_GRAY8, shape.width, shape.height, shape.layout);
        paint(made.inputs[0], 4);
        made.lists_out.emplace_back(sizeof(vdt_item), 20000);
        const auto params = make_params<vdt_cascade_params>();
        params->cascade = small_cascade;
        params->cascade_bytes = sizeof small_cascade - 1;
        params->scale_factor = 1.2;
        params->min_neighbors = neighbors;
        made.params = params;
        made.sanity = [](const Case& of) {
            const vdt_image& image = of.inputs[0].view();
            for (const vdt_item& item : of.lists_out[0].items<vdt_item>())
                demand(item.x >= 0 && item.y >= 0 && item.w > 0 && item.h > 0 &&
                           item.x + item.w <= static_cast<float>(image.width) &&
                           item.y + item.h <= static_cast<float>(image.height),
                       "a detected rectangle is not inside the image");
        };
        cases.push_back(std::move(made));
    }
    return cases;
}

std::vector<Case> features_cases(std::uint64_t input_formats, const Shape& shape) {
    std::vector<Case> cases;
    if (!is_ordinary(shape) || !(input_formats & VDT_FORMAT_BIT(VDT_FORMAT_GRAY8))) return cases;
    for (const bool masked : {false, true}) {
        constexpr std::uint64_t capacity = 4000;
        Case made;
        made.op = VDT_OP_FEATURES;
        made.name = masked ? "with a mask" : "without a mask";
        made.inputs.emplace_back(VDT_FORMAT_GRAY8, 2 * shape.width, 2 * shape.height, shape.layout);
        paint(made.inputs[0], 6);
        if (masked) {
            made.inputs.emplace_back(VDT_FORMAT_GRAY8, 2 * shape.width, 2 * shape.height, shape.layout);
            paint_mask(made.inputs[1], 7);
        } else {
            made.inputs.emplace_back();
        }
        made.outputs.emplace_back(VDT_FORMAT_GRAYF32, 128, static_cast<std::uint32_t>(capacity), shape.layout);
        made.lists_out.emplace_back(sizeof(vdt_keypoint), capacity);
        const auto params = make_params<vdt_features_params>();
        params->octave_layers = 3;
        params->contrast_threshold = 0.04;
        params->edge_threshold = 10;
        params->sigma = 1.6;
        made.params = params;
        made.sanity = [](const Case& of) {
            const vdt_image& image = of.inputs[0].view();
            float response = INFINITY;
            std::uint32_t row = 0;
            for (const vdt_keypoint& key : of.lists_out[0].items<vdt_keypoint>()) {
                demand(key.x >= 0 && key.y >= 0 && key.x < static_cast<float>(image.width) &&
                           key.y < static_cast<float>(image.height),
                       "a keypoint is not inside the image");
                demand(std::isfinite(key.size) && key.size > 0 && key.angle >= 0 && key.angle < 360,
                       "a keypoint's size or angle is out of range");
                demand(key.response <= response, "keypoints are not sorted by response");
                response = key.response;
                for (std::uint32_t i = 0; i < 128; ++i)
                    demand(std::isfinite(of.outputs[0].get(i, row, 0)), "a descriptor is not finite");
                ++row;
            }
        };
        cases.push_back(std::move(made));
    }
    return cases;
}

std::vector<Case> feature_match_cases(std::uint64_t input_formats, const Shape& shape) {
    constexpr std::uint32_t count = 40;
    std::vector<Case> cases;
    if (!is_ordinary(shape) || !(input_formats & VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32))) return cases;
    Case made;
    made.op = VDT_OP_FEATURE_MATCH;
    made.name = "a set against itself, moved";
    for (const float moved : {0.0f, 10.0f}) {
        made.inputs.push_back(noise(VDT_FORMAT_GRAYF32, 128, count, shape.layout, 8));
        TestList keys(sizeof(vdt_keypoint), count);
        auto* items = static_cast<vdt_keypoint*>(keys.view().items);
        Random random(11);
        for (std::uint32_t i = 0; i < count; ++i) {
            items[i] = vdt_keypoint{};
            items[i].x = static_cast<float>(random.below(200)) + moved;
            items[i].y = static_cast<float>(random.below(200));
            items[i].size = 3;
        }
        keys.view().count = keys.view().needed = count;
        made.lists_in.push_back(std::move(keys));
    }
    made.lists_out.emplace_back(sizeof(vdt_descriptor_match), count);
    made.outputs.emplace_back(VDT_FORMAT_F64, 3, 3, shape.layout);
    const auto params = make_params<vdt_feature_match_params>();
    params->max_iterations = 500;
    params->ratio = 0.75;
    params->reprojection = 3;
    params->seed = 1;
    made.params = params;
    made.sanity = [](const Case& of) {
        demand_finite(of.outputs[0]);
        for (const vdt_descriptor_match& match : of.lists_out[0].items<vdt_descriptor_match>())
            demand(match.query < count && match.train < count && std::isfinite(match.distance) && match.inlier <= 1,
                   "a pair names rows that do not exist");
    };
    cases.push_back(std::move(made));
    return cases;
}

}  // namespace vedette::conformance
