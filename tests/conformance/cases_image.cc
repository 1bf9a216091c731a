// Cases of the image work: convert, resize, integral, filter, pyramid.
#include "compare.h"

#include <cmath>

namespace vedette::conformance {
namespace {

TestImage painted(vdt_format format, const Shape& shape, std::uint32_t seed) {
    TestImage image(format, shape.width, shape.height, shape.layout);
    paint(image, seed);
    return image;
}

// One input, one output.
Case simple(vdt_op op, std::string name, TestImage input, TestImage output) {
    Case made;
    made.op = op;
    made.name = std::move(name);
    made.inputs.push_back(std::move(input));
    made.outputs.push_back(std::move(output));
    return made;
}

// Whole pixels may round the other way; float ones may be off by a ten-thousandth of what the input's pixels run over.
void compare_pixels(const Case& of, const TestImage& output, const reference::Plane& expected,
                    const vdt_op_support& support) {
    const vdt_format in = of.inputs[0].view().format;
    const double range = in >= VDT_FORMAT_GRAY16 && in <= VDT_FORMAT_RGBA16 ? 65535 : 255;
    compare(output, expected, support, is_float(output.view().format) ? 1e-4 * range : 1);
}

}  // namespace

std::vector<Case> convert_cases(std::uint64_t input_formats, std::uint64_t output_formats, const Shape& shape) {
    std::vector<Case> cases;
    for (const vdt_format in : formats_in(input_formats))
        for (const vdt_format out : formats_in(output_formats)) {
            if (!is_color(in) || !is_color(out)) continue;
            Case made =
                simple(VDT_OP_CONVERT, format_name(in) + " to " + format_name(out), painted(in, shape, in * 31 + out),
                       TestImage(out, shape.width, shape.height, shape.layout));
            const auto params = make_params<vdt_convert_params>();
            params->scale = 0.5;
            params->offset = 3;
            made.params = params;
            // Gray of float colours has decimal weights: whether a value lies at or beside a half, and so where it is
            // rounded to, is beyond what single or double precision tells.
            const bool halves =
                is_float(in) && !is_float(out) && reference::channels(in) > 1 && reference::channels(out) == 1;
            made.verify = [params, out, halves](const Case& of, const vdt_op_support& given) {
                vdt_op_support support = given;
                if (halves && support.determinism == VDT_DETERMINISM_EXACT) {
                    support.determinism = VDT_DETERMINISM_TOLERANCE;
                    support.tolerance = 1;
                }
                compare_pixels(of, of.outputs[0], reference::convert(of.inputs[0].view(), out, *params), support);
            };
            cases.push_back(std::move(made));
        }
    return cases;
}

std::vector<Case> resize_cases(std::uint64_t input_formats, std::uint64_t output_formats, const Shape& shape) {
    struct Way {
        const char* name;
        std::uint32_t method, flags, times, over;  // new side = side * times / over
    };
    const Way ways[] = {{"half-pixel, larger", VDT_RESIZE_HALF_PIXEL, 0, 7, 4},
                        {"half-pixel, smaller", VDT_RESIZE_HALF_PIXEL, 0, 2, 3},
                        {"area, smaller", VDT_RESIZE_AREA, 0, 2, 5},
                        {"area, half", VDT_RESIZE_AREA, 0, 1, 2},
                        {"aligned corners, larger", VDT_RESIZE_ALIGNED_CORNERS, 0, 7, 4},
                        {"letterbox", VDT_RESIZE_HALF_PIXEL, VDT_RESIZE_LETTERBOX, 3, 2}};
    std::vector<Case> cases;
    for (const vdt_format in : formats_in(input_formats))
        for (const vdt_format out : formats_in(output_formats)) {
            const bool fused = !is_float(in) && is_float(out);
            if (!is_color(in) || !is_color(out) || (in != out && !fused)) continue;
            for (const Way& way : ways) {
                const std::uint32_t width = std::max(1u, shape.width * way.times / way.over);
                const std::uint32_t extra = way.flags & VDT_RESIZE_LETTERBOX ? 9 : 0;
                const std::uint32_t height = std::max(1u, shape.height * way.times / way.over) + extra;
                Case made = simple(VDT_OP_RESIZE, format_name(in) + " to " + format_name(out) + ", " + way.name,
                                   painted(in, shape, in * 37 + out), TestImage(out, width, height, shape.layout));
                const auto params = make_params<vdt_resize_params>();
                params->method = way.method;
                params->flags = way.flags;
                params->fill = 12;
                params->scale = 0.5;
                params->offset = 3;
                made.params = params;
                made.verify = [=](const Case& of, const vdt_op_support& support) {
                    compare_pixels(of, of.outputs[0],
                                   reference::resize(of.inputs[0].view(), out, width, height, *params), support);
                };
                cases.push_back(std::move(made));
            }
        }
    return cases;
}

std::vector<Case> integral_cases(std::uint64_t input_formats, std::uint64_t output_formats, const Shape& shape) {
    const std::uint32_t kinds[] = {VDT_INTEGRAL_SUM, VDT_INTEGRAL_SQUARED, VDT_INTEGRAL_TILTED};
    std::vector<Case> cases;
    for (const vdt_format in : formats_in(input_formats)) {
        if (in != VDT_FORMAT_GRAY8 && in != VDT_FORMAT_GRAYF32) continue;
        for (std::uint32_t flags = 1; flags < 8; ++flags)
            for (const bool whole : {true, false}) {
                if (whole && in == VDT_FORMAT_GRAYF32) continue;
                Case made;
                made.op = VDT_OP_INTEGRAL;
                made.name =
                    format_name(in) + (whole ? " to whole numbers" : " to F64") + ", flags " + std::to_string(flags);
                made.inputs.push_back(painted(in, shape, 41 + in));
                for (const std::uint32_t kind : kinds) {
                    if (!(flags & kind)) continue;
                    vdt_format out = VDT_FORMAT_F64;
                    if (whole) out = kind == VDT_INTEGRAL_SQUARED ? VDT_FORMAT_I64 : VDT_FORMAT_I32;
                    made.outputs.emplace_back(out, shape.width + 1, shape.height + 1, shape.layout);
                }
                if (!(output_formats & VDT_FORMAT_BIT(made.outputs[0].view().format))) continue;
                const auto params = make_params<vdt_integral_params>();
                params->flags = flags;
                made.params = params;
                made.verify = [flags, kinds](const Case& of, const vdt_op_support& support) {
                    std::size_t output = 0;
                    for (const std::uint32_t kind : kinds) {
                        if (!(flags & kind)) continue;
                        const reference::Plane expected = reference::integral(of.inputs[0].view(), kind);
                        const bool floats = of.outputs[output].view().format == VDT_FORMAT_F64;
                        compare(of.outputs[output], expected, support, floats ? 1e-6 * largest_magnitude(expected) : 0,
                                true);
                        ++output;
                    }
                };
                cases.push_back(std::move(made));
            }
    }
    return cases;
}

std::vector<Case> filter_cases(std::uint64_t input_formats, std::uint64_t output_formats, const Shape& shape) {
    static const float across[] = {0.25f, 0.5f, 0.25f, 0.125f, -0.125f};
    static const float down[] = {0.5f, -0.25f, 0.75f};
    static const float general[] = {0.0f, -0.25f, 0.5f, 1.0f, -0.5f, 0.125f};
    std::vector<Case> cases;
    for (const vdt_format in : formats_in(input_formats & output_formats)) {
        if (!is_color(in)) continue;
        for (std::uint32_t kind = VDT_FILTER_SEPARABLE; kind <= VDT_FILTER_BOX; ++kind)
            for (std::uint32_t border = VDT_BORDER_CONSTANT; border <= VDT_BORDER_REFLECT_101; ++border) {
                Case made =
                    simple(VDT_OP_FILTER,
                           format_name(in) + ", kind " + std::to_string(kind) + ", border " + std::to_string(border),
                           painted(in, shape, in * 43 + kind), TestImage(in, shape.width, shape.height, shape.layout));
                const auto params = make_params<vdt_filter_params>();
                params->kind = kind;
                params->border = border;
                params->border_value = 9;
                params->anchor_x = params->anchor_y = -1;
                params->kernel_w = kind == VDT_FILTER_GENERAL ? 3 : 5;
                params->kernel_h = kind == VDT_FILTER_GENERAL ? 2 : 3;
                params->sigma_x = 1.1;
                params->sigma_y = 0.8;
                params->delta = kind == VDT_FILTER_GENERAL ? 2 : 0;
                if (kind == VDT_FILTER_SEPARABLE) {
                    params->kernel_x = across;
                    params->kernel_y = down;
                } else if (kind == VDT_FILTER_GENERAL) {
                    params->kernel_x = general;
                    params->anchor_x = 0;
                }
                made.params = params;
                made.verify = [params, in](const Case& of, const vdt_op_support& support) {
                    compare_pixels(of, of.outputs[0], reference::filter(of.inputs[0].view(), in, *params), support);
                };
                cases.push_back(std::move(made));
            }
    }
    return cases;
}

std::vector<Case> pyramid_cases(std::uint64_t input_formats, const Shape& shape) {
    std::vector<Case> cases;
    for (const vdt_format in : formats_in(input_formats)) {
        if (!is_color(in)) continue;
        for (const std::uint32_t method : {VDT_PYRAMID_AREA2, VDT_PYRAMID_GAUSS5}) {
            Case made;
            made.op = VDT_OP_PYRAMID;
            made.name = format_name(in) + ", method " + std::to_string(method);
            made.inputs.push_back(painted(in, shape, in * 47 + method));
            std::uint32_t width = shape.width, height = shape.height;
            constexpr std::uint32_t levels = 3;
            for (std::uint32_t level = 0; level < levels; ++level) {
                width = (width + 1) / 2;
                height = (height + 1) / 2;
                made.outputs.emplace_back(in, width, height, shape.layout);
            }
            const auto params = make_params<vdt_pyramid_params>();
            params->method = method;
            params->levels = levels;
            made.params = params;
            // Each level from the plugin's own level before it, so that roundings do not add up.
            made.verify = [method](const Case& of, const vdt_op_support& support) {
                const TestImage* from = &of.inputs[0];
                for (const TestImage& level : of.outputs) {
                    compare_pixels(of, level, reference::pyramid_level(from->view(), method), support);
                    from = &level;
                }
            };
            cases.push_back(std::move(made));
        }
    }
    return cases;
}

}  // namespace vedette::conformance
