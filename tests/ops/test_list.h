// Lists of items for tests.
#pragma once

#include <vedette/plugin/result.h>

#include <cstdint>
#include <vector>

namespace vedette::ops {

// A list with room for `capacity` items, guarded, with a stride larger than the item.
class TestList {
public:
    explicit TestList(std::uint64_t capacity);
    explicit TestList(const std::vector<vdt_item>& items);  // an input list
    TestList(const TestList& other);
    TestList& operator=(const TestList&) = delete;
    vdt_list* ptr() { return &list_; }
    std::vector<vdt_item> items() const;
    bool guards_intact() const;

private:
    struct Slot {
        vdt_item item;
        std::uint64_t guard;
    };
    std::vector<Slot> slots_;
    vdt_list list_{};
};

}  // namespace vedette::ops
