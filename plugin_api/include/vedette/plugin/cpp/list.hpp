// Help for plugins written in C++; not part of the ABI. Lists that check_call has accepted, in host memory.
#ifndef VEDETTE_PLUGIN_CPP_LIST_HPP
#define VEDETTE_PLUGIN_CPP_LIST_HPP

#include <cstring>

#include "../result.h"

namespace vedette::plugin {

// Item `index` of an input list; the stride may be larger than the item. Item: what the operation names.
template <class Item = vdt_item>
Item item_at(const vdt_list& list, uint64_t index) noexcept {
    Item item;
    std::memcpy(&item, static_cast<const unsigned char*>(list.items) + index * list.item_size, sizeof item);
    return item;
}

// Fills an output list: items beyond its capacity are counted, not written. The list is empty until `finish`, and so
// after an exception.
template <class Item = vdt_item>
class ListWriter {
public:
    explicit ListWriter(vdt_list& list) noexcept : list_(list) {
        list_.count = 0;
        list_.needed = 0;
    }

    // So many more were found, whether or not they will be written.
    void count_found(uint64_t found) noexcept { found_ += found; }

    void write(const Item& item) noexcept {
        if (written_ == list_.capacity) return;
        std::memcpy(static_cast<unsigned char*>(list_.items) + written_ * list_.item_size, &item, sizeof item);
        ++written_;
    }

    // The same of the item that `before` others come before, from any thread; wrote() tells how many there are when all
    // are there. Not together with write().
    void write_at(uint64_t before, const Item& item) const noexcept {
        if (before >= list_.capacity) return;
        std::memcpy(static_cast<unsigned char*>(list_.items) + before * list_.item_size, &item, sizeof item);
    }
    void wrote(uint64_t items) noexcept { written_ = items < list_.capacity ? items : list_.capacity; }

    // VDT_OK, or VDT_INCOMPLETE when more were found than there is room for.
    vdt_code finish() noexcept {
        list_.count = written_;
        list_.needed = found_;
        return found_ > list_.capacity ? VDT_INCOMPLETE : VDT_OK;
    }

private:
    vdt_list& list_;
    uint64_t written_ = 0, found_ = 0;
};

}  // namespace vedette::plugin
#endif
