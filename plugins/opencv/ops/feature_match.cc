// feature_match: cv::BFMatcher, then cv::findHomography. OpenCV's RANSAC starts from the same random state every time;
// the seed of the call decides in which order it gets the pairs, and so which samples it draws.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <opencv2/calib3d.hpp>
#include <opencv2/features2d.hpp>
#include <random>
#include <vector>

#include "costs.h"
#include "image_view.h"
#include "op.h"

namespace vedette::opencv {

namespace {

constexpr double confidence = 0.999;  // that a sample of four right pairs was among those drawn

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    const auto& params = params_of<vdt_feature_match_params>(query);
    check_finite(params.ratio, "ratio");
    check_finite(params.reprojection, "reprojection");
    if (params.ratio < 0 || params.ratio > 1) throw Failure(VDT_E_ARGUMENT, "feature_match: ratio must lie in 0..1");
    if (params.reprojection <= 0) throw Failure(VDT_E_ARGUMENT, "feature_match: reprojection must be above 0");
    if (params.max_iterations > 1'000'000)
        throw Failure(VDT_E_ARGUMENT, "feature_match: max_iterations must be at most a million");
    check_format(*query.inputs[1], VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32), "the second input");
    if (query.inputs[0]->width != query.inputs[1]->width)
        throw Failure(VDT_E_SIZE, "feature_match: query and train descriptors must be of one length");
    if (query.outputs[0]->width != 3 || query.outputs[0]->height != 3)
        throw Failure(VDT_E_SIZE, "feature_match: the homography is 3 x 3");
    // A homography is an estimate: the pairs are exact, the matrix is judged by where it maps points to.
    promise_within(support, 1);
}

struct Side {
    std::vector<cv::Point2f> points;
    cv::Mat descriptors;

    Side(const vdt_image& image, const vdt_list& list, const char* name) {
        if (list.count > image.height)
            throw Failure(VDT_E_SIZE, std::string("feature_match: there are more ") + name + " keypoints than rows");
        descriptors = read_pixels(image).rowRange(0, static_cast<int>(list.count));
        for (std::uint64_t i = 0; i < list.count; ++i) {
            vdt_keypoint point;
            std::memcpy(&point, static_cast<const unsigned char*>(list.items) + i * list.item_size, sizeof point);
            if (!std::isfinite(point.x) || !std::isfinite(point.y))
                throw Failure(VDT_E_ARGUMENT, std::string("feature_match: a ") + name + " keypoint is not finite");
            points.emplace_back(point.x, point.y);
        }
        if (!cv::checkRange(descriptors))
            throw Failure(VDT_E_ARGUMENT, std::string("feature_match: a ") + name + " descriptor is not finite");
    }
};

std::vector<vdt_descriptor_match> pairs_of(const Side& query, const Side& train, double ratio) {
    std::vector<vdt_descriptor_match> pairs;
    // Without a second neighbour there is nothing to compare with.
    if (query.points.empty() || train.points.size() < 2) return pairs;
    std::vector<std::vector<cv::DMatch>> nearest;
    cv::BFMatcher(cv::NORM_L2).knnMatch(query.descriptors, train.descriptors, nearest, 2);
    for (const std::vector<cv::DMatch>& two : nearest)
        if (static_cast<double>(two[0].distance) < ratio * static_cast<double>(two[1].distance))
            pairs.push_back({static_cast<std::uint32_t>(two[0].queryIdx), static_cast<std::uint32_t>(two[0].trainIdx),
                             two[0].distance, 0});
    return pairs;
}

// Whether points span an area: the smaller axis of their scatter is not negligible beside the larger.
bool spans_area(const std::vector<cv::Point2f>& points) {
    cv::Mat means, covariance, values;
    cv::calcCovarMatrix(cv::Mat(static_cast<int>(points.size()), 2, CV_32F, const_cast<cv::Point2f*>(points.data())),
                        covariance, means, cv::COVAR_NORMAL | cv::COVAR_ROWS, CV_64F);
    cv::eigen(covariance, values);
    return values.at<double>(1) > 1e-8 * values.at<double>(0);
}

// The homography, or all zeros; marks the pairs that fit it.
cv::Matx33d homography_of(const Side& query, const Side& train, std::vector<vdt_descriptor_match>& pairs,
                          const vdt_feature_match_params& params) {
    constexpr std::size_t least_pairs = 4;
    if (pairs.size() < least_pairs || params.max_iterations == 0) return cv::Matx33d::zeros();
    std::vector<std::size_t> order(pairs.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::mt19937_64 random(params.seed);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    std::vector<cv::Point2f> from, to;
    for (const std::size_t i : order) {
        from.push_back(query.points[pairs[i].query]);
        to.push_back(train.points[pairs[i].train]);
    }
    if (!spans_area(from) || !spans_area(to)) return cv::Matx33d::zeros();
    std::vector<unsigned char> fits;
    const cv::Mat found = cv::findHomography(from, to, cv::RANSAC, params.reprojection, fits,
                                             static_cast<int>(params.max_iterations), confidence);
    if (found.empty() || !cv::checkRange(found)) return cv::Matx33d::zeros();
    std::vector<cv::Point2f> from_fits, to_fits;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (fits[i] == 0) continue;
        from_fits.push_back(from[i]);
        to_fits.push_back(to[i]);
    }
    if (from_fits.size() < least_pairs || !spans_area(from_fits) || !spans_area(to_fits)) return cv::Matx33d::zeros();
    const cv::Matx33d homography = found;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const cv::Vec3d mapped = homography * cv::Vec3d(from[i].x, from[i].y, 1);
        pairs[order[i]].inlier =
            std::hypot(mapped[0] / mapped[2] - to[i].x, mapped[1] / mapped[2] - to[i].y) <= params.reprojection ? 1 : 0;
    }
    return homography;
}

class FeatureMatchPlan final : public Plan {
public:
    vdt_code run(const vdt_call& call) override {
        const auto& params = params_of<vdt_feature_match_params>(call);
        vdt_list& list = *call.lists_out[0];
        const Side query(*call.inputs[0], *call.lists_in[0], "query"),
            train(*call.inputs[1], *call.lists_in[1], "train");
        std::vector<vdt_descriptor_match> pairs = pairs_of(query, train, params.ratio);
        const cv::Matx33d homography = homography_of(query, train, pairs, params);
        write_pixels(cv::Mat(homography), *call.outputs[0]);
        list.needed = pairs.size();
        list.count = std::min<std::uint64_t>(list.needed, list.capacity);
        for (std::uint64_t i = 0; i < list.count; ++i)
            std::memcpy(static_cast<unsigned char*>(list.items) + i * list.item_size, &pairs[i], sizeof pairs[i]);
        return list.needed > list.count ? VDT_INCOMPLETE : VDT_OK;
    }
};

std::unique_ptr<Plan> plan(const Device&, const vdt_query&) {
    return std::make_unique<FeatureMatchPlan>();
}

}  // namespace

const OperationEntry feature_match_operation = {
    .op = VDT_OP_FEATURE_MATCH,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_feature_match,
    .plan = plan,
    .input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32),
    .output_formats = VDT_FORMAT_BIT(VDT_FORMAT_F64),
};

}  // namespace vedette::opencv
