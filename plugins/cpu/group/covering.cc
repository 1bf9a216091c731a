#include "group/covering.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "group/rectangle.h"
#include "parallel.h"

namespace vedette::cpu {

namespace {

constexpr std::size_t fewest_for_threads = 1024;
constexpr std::uint32_t groups_of_a_piece = 128;
constexpr std::int32_t fewest_of_coverer = 3;  // who covers a group of three or more joins more than this

// Level, row, column; see components.cc.
constexpr unsigned row_shift = 33, level_shift = 59;

std::uint64_t key_of(unsigned level, std::int32_t row, std::int32_t column) {
    return std::uint64_t{level} << level_shift | static_cast<std::uint64_t>(row) << row_shift |
           static_cast<std::uint64_t>(column);
}

// OpenCV's saturate_cast<int>(side * eps): rounded half to even.
std::int32_t margin_of(std::int32_t side, double eps) {
    return static_cast<std::int32_t>(std::lrint(std::min<double>(beyond_all, side * eps)));
}

}  // namespace

std::uint64_t Covering::scratch_bytes(std::uint64_t count) noexcept {
    return 4 * count * (2 * sizeof(Keyed) + sizeof(Widened));
}

void Covering::find(const Device& device, vdt_token* token, std::span<StrongGroup> groups, double eps) {
    enter(groups, eps);
    const auto body = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
        for (std::uint32_t index = begin; index < end; ++index)
            groups[index].covered = is_covered(groups[index], index);
    };
    const auto count = static_cast<std::uint32_t>(groups.size());
    if (groups.size() < fewest_for_threads)
        body(0, count, 0);
    else
        parallel_for(device, token, 0, count, groups_of_a_piece, body);
}

void Covering::enter(std::span<const StrongGroup> groups, double eps) {
    left_ = top_ = furthest_coordinate;
    std::int32_t right = -furthest_coordinate, bottom = -furthest_coordinate;
    std::int32_t fewest = fewest_of_coverer + 1;
    for (const StrongGroup& group : groups) {
        left_ = std::min(left_, group.x);
        top_ = std::min(top_, group.y);
        right = std::max(right, group.x);
        bottom = std::max(bottom, group.y);
        if (group.joined < fewest_of_coverer) fewest = 0;
    }
    entries_.clear();
    widened_.clear();
    present_ = 0;
    for (std::uint32_t index = 0; index < groups.size(); ++index) {
        const StrongGroup& group = groups[index];
        if (group.joined < fewest) continue;
        const std::int32_t dx = margin_of(group.w, eps), dy = margin_of(group.h, eps);
        // Only corners of groups are looked up: what lies beyond them needs no cells.
        const std::int32_t x0 = std::max(group.x - dx, left_), x1 = std::min(group.x + group.w + dx, right);
        const std::int32_t y0 = std::max(group.y - dy, top_), y1 = std::min(group.y + group.h + dy, bottom);
        const auto level =
            static_cast<unsigned>(std::bit_width(static_cast<std::uint32_t>(std::max(x1 - x0, y1 - y0))));
        present_ |= 1u << level;
        for (std::int32_t row = (y0 - top_) >> level; row <= (y1 - top_) >> level; ++row)
            for (std::int32_t column = (x0 - left_) >> level; column <= (x1 - left_) >> level; ++column)
                entries_.push_back({key_of(level, row, column), index});
    }
    radix_sort(entries_, spare_);
    widened_.reserve(entries_.size());
    for (const Keyed& entry : entries_) {
        const StrongGroup& group = groups[entry.value];
        const std::int32_t dx = margin_of(group.w, eps), dy = margin_of(group.h, eps);
        widened_.push_back(
            {group.x - dx, group.y - dy, group.x + group.w + dx, group.y + group.h + dy, group.joined, entry.value});
    }
}

bool Covering::is_covered(const StrongGroup& group, std::uint32_t index) const {
    const std::int32_t right = group.x + group.w, bottom = group.y + group.h;
    const bool weak = group.joined < fewest_of_coverer;
    const std::int32_t most = std::max(fewest_of_coverer, group.joined);
    for (unsigned levels = present_; levels != 0; levels &= levels - 1) {
        const auto level = static_cast<unsigned>(std::countr_zero(levels));
        const std::uint64_t key = key_of(level, (group.y - top_) >> level, (group.x - left_) >> level);
        auto at = static_cast<std::size_t>(
            std::lower_bound(entries_.begin(), entries_.end(), key,
                             [](const Keyed& entry, std::uint64_t wanted) { return entry.key < wanted; }) -
            entries_.begin());
        for (; at < entries_.size() && entries_[at].key == key; ++at) {
            const Widened& other = widened_[at];
            if ((weak || other.joined > most) && group.x >= other.left && group.y >= other.top &&
                right <= other.right && bottom <= other.bottom && other.index != index)
                return true;
        }
    }
    return false;
}

}  // namespace vedette::cpu
