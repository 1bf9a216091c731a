// Running features and feature_match on a backend.
#pragma once

#include <array>
#include <vector>

#include "suite.h"

namespace vedette::ops {

constexpr std::uint32_t descriptor_length = 128;
using Descriptor = std::array<float, descriptor_length>;

// A list of any items, guarded, with a stride larger than the item.
template <class Item>
class ItemList {
public:
    explicit ItemList(std::uint64_t capacity) : slots_(capacity + 1, Slot{{}, guard_value}) {
        list_.struct_size = sizeof list_;
        list_.item_size = sizeof(Slot);
        list_.capacity = capacity;
        list_.items = slots_.data();
    }
    explicit ItemList(const std::vector<Item>& items) : ItemList(items.size()) {
        for (std::size_t i = 0; i < items.size(); ++i) slots_[i].item = items[i];
        list_.count = list_.needed = items.size();
    }
    ItemList(const ItemList&) = delete;
    ItemList& operator=(const ItemList&) = delete;
    vdt_list* ptr() { return &list_; }
    std::vector<Item> items() const {
        std::vector<Item> items;
        for (std::uint64_t i = 0; i < list_.count; ++i) items.push_back(slots_[i].item);
        return items;
    }
    bool guards_intact() const {
        for (const Slot& slot : slots_)
            if (slot.guard != guard_value) return false;
        return true;
    }

private:
    static constexpr std::uint64_t guard_value = 0x5aa5c33c5aa5c33c;
    struct alignas(8) Slot {
        Item item;
        std::uint64_t guard;
    };
    std::vector<Slot> slots_;
    vdt_list list_{};
};

struct Keypoints {
    vdt_code code = VDT_OK;
    std::string text;
    std::uint64_t needed = 0;
    std::vector<vdt_keypoint> points;
    std::vector<Descriptor> descriptors;
};

struct Matches {
    vdt_code code = VDT_OK;
    std::string text;
    std::uint64_t needed = 0;
    std::vector<vdt_descriptor_match> pairs;
    std::array<double, 9> homography{};
};

vdt_features_params usual_features();
vdt_feature_match_params usual_match();

// `mask` may be TestImage::none(). Checks guards, and that the image keeps its bytes.
Keypoints features_of(const Backend& backend, const TestImage& image, const TestImage& mask = TestImage::none(),
                      const vdt_features_params& params = usual_features(), std::uint32_t capacity = 20000,
                      Layout rows = Layout::tight);

Matches matches_of(const Backend& backend, const Keypoints& query, const Keypoints& train,
                   const vdt_feature_match_params& params = usual_match(), Layout rows = Layout::tight);

// Where a homography maps a point to.
struct Point {
    double x, y;
};
Point mapped(const std::array<double, 9>& homography, Point point);

}  // namespace vedette::ops
