// Help for plugins written in C++; not part of the ABI. What ops.h asks of integral.
#ifndef VEDETTE_PLUGIN_CPP_INTEGRAL_CHECKS_HPP
#define VEDETTE_PLUGIN_CPP_INTEGRAL_CHECKS_HPP

#include <string>

#include "check.hpp"

namespace vedette::plugin {

namespace detail {

inline void check_sum(const vdt_image& in, const vdt_image& out, uint32_t flag) {
    const bool bytes = in.format == VDT_FORMAT_GRAY8;
    const vdt_format integer = flag == VDT_INTEGRAL_SQUARED ? VDT_FORMAT_I64 : VDT_FORMAT_I32;
    const char* const name = flag == VDT_INTEGRAL_SUM ? "sum" : (flag == VDT_INTEGRAL_SQUARED ? "squared" : "tilted");
    if (out.format != VDT_FORMAT_F64 && (out.format != integer || !bytes))
        throw Failure(VDT_E_UNSUPPORTED_FORMAT,
                      std::string("integral: the ") + name + " of this input has the format F64" +
                          (bytes ? (flag == VDT_INTEGRAL_SQUARED ? " or I64" : " or I32") : ""));
    if (out.width != in.width + 1 || out.height != in.height + 1)
        throw Failure(VDT_E_SIZE, "integral: outputs are one row and one column larger than the input");
}

}  // namespace detail

// Checks a query, general ones too, and fills formats, determinism and tolerance of the answer, for a backend whose
// sums of bytes are exact and whose sums of floats are made in double precision, each through at most width + height
// additions (twice that for tilted ones).
inline void answer_integral(const vdt_query& query, vdt_op_support& answer) {
    constexpr uint32_t all_flags = VDT_INTEGRAL_SUM | VDT_INTEGRAL_SQUARED | VDT_INTEGRAL_TILTED;
    answer.input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8) | VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32);
    answer.output_formats =
        VDT_FORMAT_BIT(VDT_FORMAT_I32) | VDT_FORMAT_BIT(VDT_FORMAT_I64) | VDT_FORMAT_BIT(VDT_FORMAT_F64);
    double width = VDT_MAX_DIMENSION, height = VDT_MAX_DIMENSION, most = 65025;
    if (query.input_count != 0) {
        const uint32_t flags = static_cast<const vdt_integral_params*>(query.params)->flags;
        if (flags == 0 || (flags & ~all_flags) != 0)
            throw Failure(VDT_E_ARGUMENT,
                          "integral: flags name at least one of sum, squared and tilted, and nothing else");
        if (query.output_count != static_cast<uint32_t>(__builtin_popcount(flags)))
            throw Failure(VDT_E_ARGUMENT, "integral takes one input and one output for each flag");
        const vdt_image& in = *query.inputs[0];
        check_format(in, answer.input_formats, "integral: the input");
        uint32_t index = 0;
        for (uint32_t flag = VDT_INTEGRAL_SUM; flag <= VDT_INTEGRAL_TILTED; flag <<= 1)
            if ((flags & flag) != 0) detail::check_sum(in, *query.outputs[index++], flag);
        const bool bytes = in.format == VDT_FORMAT_GRAY8;
        const bool squared_first = (flags & VDT_INTEGRAL_SUM) == 0 && (flags & VDT_INTEGRAL_SQUARED) != 0;
        const uint64_t integer = VDT_FORMAT_BIT(squared_first ? VDT_FORMAT_I64 : VDT_FORMAT_I32);
        answer.output_formats = VDT_FORMAT_BIT(VDT_FORMAT_F64) | (bytes ? integer : uint64_t{0});
        if (bytes) return;
        width = in.width;
        height = in.height;
        most = (flags & VDT_INTEGRAL_SQUARED) != 0 ? 65025 : 255;
    }
    // Float pixels between -255 and 255: each addition is rounded to 2^-53 of a sum that is at most width * height *
    // most.
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    answer.tolerance = 2 * (width + height) * 0x1p-53 * width * height * most;
}

}  // namespace vedette::plugin
#endif
