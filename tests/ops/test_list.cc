#include "test_list.h"

#include <cstring>
#include <stdexcept>

namespace vedette::ops {

namespace {

constexpr std::uint64_t slot_guard = 0x5afec0de5afec0de;

}  // namespace

TestList::TestList(std::uint64_t capacity) : slots_(capacity + 1) {
    for (Slot& slot : slots_) {
        std::memset(&slot.item, 0xEE, sizeof slot.item);
        slot.guard = slot_guard;
    }
    list_.struct_size = sizeof list_;
    list_.item_size = sizeof(Slot);
    list_.capacity = capacity;
    list_.count = ~std::uint64_t{0};
    list_.needed = ~std::uint64_t{0};
    list_.items = slots_.data();
}

TestList::TestList(const std::vector<vdt_item>& items) : TestList(items.size()) {
    for (std::size_t i = 0; i < items.size(); ++i) slots_[i].item = items[i];
    list_.count = items.size();
    list_.needed = items.size();
}

TestList::TestList(const TestList& other) : slots_(other.slots_), list_(other.list_) {
    list_.items = slots_.data();
}

std::vector<vdt_item> TestList::items() const {
    if (list_.count > list_.capacity) throw std::logic_error("the list claims more items than it has room for");
    std::vector<vdt_item> items;
    for (std::uint64_t i = 0; i < list_.count; ++i) items.push_back(slots_[i].item);
    return items;
}

// Nothing beyond the items that were counted may have been touched, nor what lies between them.
bool TestList::guards_intact() const {
    vdt_item untouched;
    std::memset(&untouched, 0xEE, sizeof untouched);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (slots_[i].guard != slot_guard) return false;
        if (i >= list_.count && std::memcmp(&slots_[i].item, &untouched, sizeof untouched) != 0) return false;
    }
    return true;
}

}  // namespace vedette::ops
