// Help for plugins written in C++; not part of the ABI. What ops.h asks of cascade_detect.
#ifndef VEDETTE_PLUGIN_CPP_CASCADE_CHECKS_HPP
#define VEDETTE_PLUGIN_CPP_CASCADE_CHECKS_HPP

#include <cmath>

#include "check.hpp"

namespace vedette::plugin {

inline void check_cascade_detect(const vdt_cascade_params& params) {
    if (params.flags != 0) throw Failure(VDT_E_ARGUMENT, "cascade_detect: flags must be 0");
    if (params.cascade == nullptr || params.cascade_bytes == 0)
        throw Failure(VDT_E_ARGUMENT, "cascade_detect: there is no cascade");
    if (!std::isfinite(params.scale_factor) || params.scale_factor <= 1)
        throw Failure(VDT_E_ARGUMENT, "cascade_detect: scale_factor must be a finite number above 1");
    // Below it the scales from one window to the image are thousands.
    if (params.scale_factor < 1.001)
        throw Failure(VDT_E_UNSUPPORTED, "cascade_detect: this backend needs a scale_factor of at least 1.001");
    if (params.min_neighbors < 0) throw Failure(VDT_E_ARGUMENT, "cascade_detect: min_neighbors must not be below 0");
    if (params.min_w < 0 || params.min_h < 0 || params.max_w < 0 || params.max_h < 0)
        throw Failure(VDT_E_ARGUMENT, "cascade_detect: sizes must not be below 0");
}

inline void check_cascade_detect_images(const vdt_query& query) {
    if (query.input_count != 1 || query.output_count != 0)
        throw Failure(VDT_E_ARGUMENT, "cascade_detect takes one input and no output image");
    if (query.inputs[0]->format != VDT_FORMAT_GRAY8)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, "cascade_detect: the input must be GRAY8");
}

}  // namespace vedette::plugin
#endif
