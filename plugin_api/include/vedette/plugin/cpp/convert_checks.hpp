// Help for plugins written in C++; not part of the ABI. What ops.h asks of convert.
#ifndef VEDETTE_PLUGIN_CPP_CONVERT_CHECKS_HPP
#define VEDETTE_PLUGIN_CPP_CONVERT_CHECKS_HPP

#include "check.hpp"
#include "format.hpp"

namespace vedette::plugin {

// Whether a colour format holds floats.
inline bool is_real_format(vdt_format format) noexcept {
    return layout_of(format)->element_bytes == sizeof(float);
}

// Of formats that were checked. Scale and offset count only where whole numbers and floats meet. Throws Failure.
inline void check_convert_values(const vdt_convert_params& params, vdt_format in, vdt_format out) {
    if (params.flags != 0) throw Failure(VDT_E_ARGUMENT, "convert: flags must be 0");
    if (is_real_format(in) == is_real_format(out)) return;
    check_finite(params.scale, "convert: scale");
    check_finite(params.offset, "convert: offset");
    if (params.scale == 0) throw Failure(VDT_E_ARGUMENT, "convert: scale must not be 0");
}

// Throws Failure.
inline void check_convert(const vdt_query& query) {
    const vdt_image &in = *query.inputs[0], &out = *query.outputs[0];
    if (in.width != out.width || in.height != out.height)
        throw Failure(VDT_E_SIZE, "convert: input and output differ in size");
    check_convert_values(params_of<vdt_convert_params>(query), in.format, out.format);
}

}  // namespace vedette::plugin
#endif
