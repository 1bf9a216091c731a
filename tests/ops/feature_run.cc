#include "feature_run.h"

namespace vedette::ops {

vdt_features_params usual_features() {
    vdt_features_params params{};
    params.struct_size = sizeof params;
    params.octave_layers = 3;
    params.contrast_threshold = 0.04;
    params.edge_threshold = 10;
    params.sigma = 1.6;
    return params;
}

vdt_feature_match_params usual_match() {
    vdt_feature_match_params params{};
    params.struct_size = sizeof params;
    params.max_iterations = 5000;
    params.ratio = 0.75;
    params.reprojection = 3;
    params.seed = 1;
    return params;
}

Keypoints features_of(const Backend& backend, const TestImage& image, const TestImage& mask,
                      const vdt_features_params& params, std::uint32_t capacity, Layout rows) {
    TestImage descriptors(VDT_FORMAT_GRAYF32, descriptor_length, capacity, rows);
    ItemList<vdt_keypoint> points(capacity);
    Operation operation;
    operation.op = VDT_OP_FEATURES;
    operation.params = &params;
    operation.inputs = {image.ptr(), mask.ptr()};
    operation.outputs = {descriptors.ptr()};
    operation.lists_out = {points.ptr()};
    const std::vector<std::uint8_t> before = image.bytes();
    const Outcome outcome = backend.run(operation);
    BOOST_CHECK(image.bytes() == before);
    BOOST_CHECK(descriptors.guards_intact());
    BOOST_CHECK(points.guards_intact());
    Keypoints found;
    found.code = outcome.code;
    found.text = outcome.text;
    if (outcome.code < 0) return found;
    found.needed = points.ptr()->needed;
    found.points = points.items();
    for (std::uint32_t i = 0; i < found.points.size(); ++i) {
        Descriptor descriptor;
        for (std::uint32_t k = 0; k < descriptor_length; ++k) descriptor[k] = static_cast<float>(descriptors.at(k, i));
        found.descriptors.push_back(descriptor);
    }
    return found;
}

Matches matches_of(const Backend& backend, const Keypoints& query, const Keypoints& train,
                   const vdt_feature_match_params& params, Layout rows) {
    const Keypoints* const sides[2] = {&query, &train};
    std::vector<TestImage> images;
    for (const Keypoints* const side : sides) {
        // One row more than there are keypoints: rows beyond the list's count do not take part.
        images.emplace_back(VDT_FORMAT_GRAYF32, descriptor_length, static_cast<std::uint32_t>(side->points.size() + 1),
                            rows);
        images.back().fill([side](std::uint32_t x, std::uint32_t y, std::uint32_t) {
            return y < side->descriptors.size() ? static_cast<double>(side->descriptors[y][x]) : 0.0;
        });
    }
    ItemList<vdt_keypoint> from(query.points), to(train.points);
    ItemList<vdt_descriptor_match> pairs(query.points.size());
    TestImage homography(VDT_FORMAT_F64, 3, 3, rows);
    Operation operation;
    operation.op = VDT_OP_FEATURE_MATCH;
    operation.params = &params;
    operation.inputs = {images[0].ptr(), images[1].ptr()};
    operation.outputs = {homography.ptr()};
    operation.lists_in = {from.ptr(), to.ptr()};
    operation.lists_out = {pairs.ptr()};
    const Outcome outcome = backend.run(operation);
    BOOST_CHECK(homography.guards_intact());
    BOOST_CHECK(pairs.guards_intact());
    Matches found;
    found.code = outcome.code;
    found.text = outcome.text;
    if (outcome.code < 0) return found;
    found.needed = pairs.ptr()->needed;
    found.pairs = pairs.items();
    for (std::uint32_t y = 0; y < 3; ++y)
        for (std::uint32_t x = 0; x < 3; ++x) found.homography[y * 3 + x] = homography.at(x, y);
    return found;
}

Point mapped(const std::array<double, 9>& h, Point p) {
    const double w = h[6] * p.x + h[7] * p.y + h[8];
    return {(h[0] * p.x + h[1] * p.y + h[2]) / w, (h[3] * p.x + h[4] * p.y + h[5]) / w};
}

}  // namespace vedette::ops
