// Help for plugins written in C++; not part of the ABI. What ops.h asks of feature_match.
#ifndef VEDETTE_PLUGIN_CPP_FEATURE_MATCH_CHECKS_HPP
#define VEDETTE_PLUGIN_CPP_FEATURE_MATCH_CHECKS_HPP

#include <cmath>

#include "check.hpp"

namespace vedette::plugin {

inline void check_feature_match(const vdt_feature_match_params& params) {
    if (!(params.ratio >= 0 && params.ratio <= 1))
        throw Failure(VDT_E_ARGUMENT, "feature_match: ratio must lie in 0..1");
    if (!(params.reprojection > 0 && std::isfinite(params.reprojection)))
        throw Failure(VDT_E_ARGUMENT, "feature_match: reprojection must be a number of pixels above 0");
    if (params.max_iterations > 1'000'000)
        throw Failure(VDT_E_ARGUMENT, "feature_match: max_iterations must be at most a million");
}

inline void check_feature_match_images(const vdt_query& query) {
    if (query.input_count != 2 || query.output_count != 1)
        throw Failure(VDT_E_ARGUMENT, "feature_match takes descriptors of query and train and gives one homography");
    const vdt_image &first = *query.inputs[0], &second = *query.inputs[1], &homography = *query.outputs[0];
    if (first.format != VDT_FORMAT_GRAYF32 || second.format != VDT_FORMAT_GRAYF32)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, "feature_match: descriptors must be GRAYF32");
    if (first.width != second.width)
        throw Failure(VDT_E_SIZE, "feature_match: query and train descriptors must be of one length");
    if (homography.format != VDT_FORMAT_F64)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, "feature_match: the homography is F64");
    if (homography.width != 3 || homography.height != 3)
        throw Failure(VDT_E_SIZE, "feature_match: the homography is 3 x 3");
}

// The answer of a backend that makes exact pairs and an estimated homography, but for scratch_bytes. False when nothing
// was asked but the formats. Throws Failure.
inline bool answer_feature_match(const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32);
    answer.output_formats = VDT_FORMAT_BIT(VDT_FORMAT_F64);
    // The pairs are exact; a homography is an estimate, judged by where it maps points to, in pixels.
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    answer.tolerance = 1;
    if (query.input_count == 0) return false;
    check_feature_match(params_of<vdt_feature_match_params>(query));
    check_feature_match_images(query);
    return true;
}

}  // namespace vedette::plugin
#endif
