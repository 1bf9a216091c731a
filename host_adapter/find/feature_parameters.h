// The usual parameters of features: SIFT as published [Lowe 2004], with OpenCV's defaults.
#pragma once

#include <vedette/plugin/ops.h>

namespace vedette::host {

// At most `most` keypoints, the strongest; 0: as many as the list holds.
inline vdt_features_params usual_features(std::uint32_t most) noexcept {
    vdt_features_params params{};
    params.struct_size = sizeof params;
    params.max_features = most;
    params.octave_layers = 3;
    params.contrast_threshold = 0.04;
    params.edge_threshold = 10;
    params.sigma = 1.6;
    return params;
}

}  // namespace vedette::host
