// Lists of items that operations read and write.
#pragma once

#include <vedette/plugin/result.h>

#include <cstring>
#include <opencv2/core.hpp>

#include "op.h"

namespace vedette::opencv {

// Item i of a list that check_call has looked at; the stride may be larger than the item.
inline vdt_item item_at(const vdt_list& list, std::uint64_t i) noexcept {
    vdt_item item;
    std::memcpy(&item, static_cast<const unsigned char*>(list.items) + i * list.item_size, sizeof item);
    return item;
}

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

// Fills an output list: items beyond its capacity are counted, not written. After an exception the list is empty.
class ListWriter {
public:
    explicit ListWriter(vdt_list& list) noexcept : list_(list) {
        list_.count = 0;
        list_.needed = 0;
    }

    // So many more were found, whether or not they will be written.
    void count_found(std::uint64_t found) noexcept { found_ += found; }

    void write(const vdt_item& item) noexcept {
        if (written_ == list_.capacity) return;
        std::memcpy(static_cast<unsigned char*>(list_.items) + written_ * list_.item_size, &item, sizeof item);
        ++written_;
    }

    vdt_code finish() noexcept {
        list_.count = written_;
        list_.needed = found_;
        return found_ > list_.capacity ? VDT_INCOMPLETE : VDT_OK;
    }

private:
    vdt_list& list_;
    std::uint64_t written_ = 0, found_ = 0;
};

}  // namespace vedette::opencv
