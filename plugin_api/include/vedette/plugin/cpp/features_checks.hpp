// Help for plugins written in C++; not part of the ABI. What ops.h asks of features.
#ifndef VEDETTE_PLUGIN_CPP_FEATURES_CHECKS_HPP
#define VEDETTE_PLUGIN_CPP_FEATURES_CHECKS_HPP

#include <cmath>
#include <string>

#include "check.hpp"

namespace vedette::plugin {

// `most_layers`: octave layers that the backend can do.
inline void check_features(const vdt_features_params& params, uint32_t most_layers) {
    if (params.flags != 0) throw Failure(VDT_E_ARGUMENT, "features: flags must be 0");
    if (params.octave_layers == 0 || params.octave_layers > most_layers)
        throw Failure(VDT_E_ARGUMENT, "features: octave_layers must be 1 to " + std::to_string(most_layers));
    if (!(params.contrast_threshold >= 0 && std::isfinite(params.contrast_threshold)))
        throw Failure(VDT_E_ARGUMENT, "features: contrast_threshold must be a number of at least 0");
    if (!(params.edge_threshold > 0 && std::isfinite(params.edge_threshold)))
        throw Failure(VDT_E_ARGUMENT, "features: edge_threshold must be a number above 0");
    // Larger ones would keep thousands of rows of every layer.
    if (!(params.sigma > 0 && params.sigma <= 16))
        throw Failure(VDT_E_ARGUMENT, "features: sigma must be above 0 and at most 16");
}

inline void check_features_images(const vdt_query& query) {
    if (query.input_count != 2 || query.output_count != 1)
        throw Failure(VDT_E_ARGUMENT, "features takes an image, a mask (or none) and one output for descriptors");
    const vdt_image &image = *query.inputs[0], &mask = *query.inputs[1], &descriptors = *query.outputs[0];
    if (image.format != VDT_FORMAT_GRAY8) throw Failure(VDT_E_UNSUPPORTED_FORMAT, "features: the image must be GRAY8");
    if (mask.format != VDT_FORMAT_NONE && mask.format != VDT_FORMAT_GRAY8)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, "features: the mask must be GRAY8 or left out");
    if (mask.format != VDT_FORMAT_NONE && (mask.width != image.width || mask.height != image.height))
        throw Failure(VDT_E_SIZE, "features: the mask must be of the image's size");
    if (descriptors.format != VDT_FORMAT_GRAYF32)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, "features: descriptors are GRAYF32");
    if (descriptors.width != 128) throw Failure(VDT_E_SIZE, "features: a row of descriptors is 128 wide");
}

}  // namespace vedette::plugin
#endif
