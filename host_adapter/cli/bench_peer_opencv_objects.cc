// OpenCV's grouping as the peer of `vedette bench`.
#include "bench_peer_opencv.h"

#include VEDETTE_BENCH_OBJECTS

#include <vector>

namespace vedette::bench {

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
