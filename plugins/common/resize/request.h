// What ops.h asks of resize, for backends that sample in single precision and sum areas exactly.
#pragma once

#include <vedette/plugin/plugin.h>

#include <cstdint>

namespace vedette::imaging {

// Part of an output image.
struct OutputArea {
    std::uint32_t left, top, width, height;
};

// All of the output, or with VDT_RESIZE_LETTERBOX the largest centred part with the input's aspect ratio.
OutputArea output_area(const vdt_image& in, const vdt_image& out, std::uint32_t flags) noexcept;

// Whether `method` asks for area averages and the picture is not enlarged in any direction.
bool is_by_area(const vdt_image& in, const OutputArea& area, std::uint32_t method) noexcept;

// Whether the output is float and the input is not, so that values are scaled.
bool is_fused(vdt_format in, vdt_format out) noexcept;

// Checks a query, general ones too, and fills formats, determinism and tolerance of the answer. Throws Failure.
void answer_resize(const vdt_query& query, vdt_op_support& answer);

// Throws Failure unless `params` are sound and ask for what a plan was made for (but for `fill`).
void check_resize_call(const vdt_resize_params& params, const vdt_resize_params& planned, vdt_format in,
                       vdt_format out);

// `fill` as an output of `format` holds it: integers rounded half up and saturated.
float fill_value(float fill, vdt_format format) noexcept;

}  // namespace vedette::imaging
