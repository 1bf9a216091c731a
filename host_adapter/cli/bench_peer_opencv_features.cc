// OpenCV's SIFT and brute-force matcher as the peer of `vedette bench`.
#include "bench_peer_opencv.h"

#include <opencv2/features2d.hpp>

#include <vector>

namespace vedette::bench {

void features(const Call& call) {
    const auto& params = *static_cast<const vdt_features_params*>(call.params);
    // All of them: keeping fewer costs OpenCV a sort and saves nothing before the descriptors.
    const cv::Ptr<cv::SIFT> sift = cv::SIFT::create(0, static_cast<int>(params.octave_layers),
                                                    params.contrast_threshold, params.edge_threshold, params.sigma);
    std::vector<cv::KeyPoint> keypoints;
    cv::Mat descriptors;
    sift->detectAndCompute(mat_of(call.inputs[0]), cv::noArray(), keypoints, descriptors);
    call.lists_out[0]->needed = keypoints.size();
}

// The two nearest alone; the homography is a small part.
void feature_match(const Call& call) {
    std::vector<std::vector<cv::DMatch>> nearest;
    cv::BFMatcher(cv::NORM_L2).knnMatch(mat_of(call.inputs[0]), mat_of(call.inputs[1]), nearest, 2);
    call.lists_out[0]->needed = nearest.size();
}

}  // namespace vedette::bench
