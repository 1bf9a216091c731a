// OpenCV's cascades and grouping as the peer of `vedette bench`.
#include "bench_peer_opencv.h"

#include VEDETTE_BENCH_OBJECTS

#include <stdexcept>
#include <string>
#include <vector>

namespace vedette::bench {

// The classifier is read once, as a program does it.
void cascade_detect(const Call& call) {
    const auto& params = *static_cast<const vdt_cascade_params*>(call.params);
    static std::string read;
    static cv::CascadeClassifier classifier;
    const std::string text(params.cascade, params.cascade_bytes);
    if (read != text) {
        const cv::FileStorage storage(text, cv::FileStorage::READ | cv::FileStorage::MEMORY);
        if (!classifier.read(storage.getFirstTopLevelNode())) {
            throw std::runtime_error("the classifier cannot be read");
        }
        read = text;
    }
    std::vector<cv::Rect> objects;
    classifier.detectMultiScale(mat_of(call.inputs[0]), objects, params.scale_factor, params.min_neighbors, 0,
                                cv::Size(params.min_w, params.min_h), cv::Size(params.max_w, params.max_h));
    call.lists_out[0]->needed = objects.size();
}

void group(const Call& call) {
    const auto& params = *static_cast<const vdt_group_params*>(call.params);
    const vdt_list& in = *call.lists_in[0];
    const auto* const items = static_cast<const vdt_item*>(in.items);
    std::vector<cv::Rect> rectangles;
    for (std::uint64_t i = 0; i < in.count; ++i) {
        rectangles.emplace_back(static_cast<int>(items[i].x), static_cast<int>(items[i].y),
                                static_cast<int>(items[i].w), static_cast<int>(items[i].h));
    }
    std::vector<int> joined;
    cv::groupRectangles(rectangles, joined, params.threshold, params.eps);
    call.lists_out[0]->needed = rectangles.size();
}

}  // namespace vedette::bench
