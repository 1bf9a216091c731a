// Lists of items that operations read and write.
#pragma once

#include <opencv2/core.hpp>
#include <vedette/plugin/cpp/list.hpp>

namespace vedette::opencv {

using plugin::item_at;
using ListWriter = plugin::ListWriter<vdt_item>;

inline vdt_item item_from(const cv::Rect& rectangle, double score, int neighbors) noexcept {
    vdt_item item{};
    item.x = static_cast<float>(rectangle.x);
    item.y = static_cast<float>(rectangle.y);
    item.w = static_cast<float>(rectangle.width);
    item.h = static_cast<float>(rectangle.height);
    item.score = score;
    item.neighbors = neighbors;
    return item;
}

}  // namespace vedette::opencv
