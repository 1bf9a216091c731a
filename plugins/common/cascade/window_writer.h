// The output list of cascade_detect.
#pragma once

#include <vedette/plugin/cpp/list.hpp>

#include <algorithm>

namespace vedette::cascade {

// Fills it. Where rounding has put a side outside the image it is cut off, as OpenCV does after grouping.
class WindowWriter {
public:
    WindowWriter(vdt_list& list, const vdt_image& image)
        : list_(list), width_(static_cast<float>(image.width)), height_(static_cast<float>(image.height)) {}

    void write(vdt_item item) {
        item.w = std::min(item.w, width_ - item.x);
        item.h = std::min(item.h, height_ - item.y);
        if (item.w <= 0 || item.h <= 0) return;
        list_.count_found(1);
        list_.write(item);
    }
    vdt_code finish() { return list_.finish(); }

private:
    plugin::ListWriter<> list_;
    float width_, height_;
};

}  // namespace vedette::cascade
