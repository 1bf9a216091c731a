#include "group/grouping.h"

#include <cmath>

namespace vedette::cpu {

namespace {

// As OpenCV takes it: the reciprocal and the product in single precision, rounded half to even.
std::int32_t mean(std::int64_t sum, std::int32_t count) {
    return static_cast<std::int32_t>(std::lrint(static_cast<float>(sum) * (1.0F / static_cast<float>(count))));
}

}  // namespace

std::uint64_t Grouping::scratch_bytes(std::uint64_t count) noexcept {
    return Components::scratch_bytes(count) + Covering::scratch_bytes(count) +
           count * (sizeof(std::uint32_t) + sizeof(Class) + sizeof(StrongGroup) + sizeof(vdt_item));
}

std::span<const vdt_item> Grouping::run(const Device& device, vdt_token* token,
                                        std::span<const GroupRectangle> rectangles, std::int32_t threshold,
                                        double eps) {
    const std::span<const std::uint32_t> roots = components_.find(device, token, rectangles, eps);
    add_up(rectangles, roots);
    strong_.clear();
    for (std::uint32_t number = 0; number < classes_.size(); ++number) {
        const Class& c = classes_[number];
        if (c.joined > threshold)
            strong_.push_back({mean(c.x, c.joined), mean(c.y, c.joined), mean(c.w, c.joined), mean(c.h, c.joined),
                               c.joined, number, false});
    }
    covering_.find(device, token, strong_, eps);
    items_.clear();
    for (const StrongGroup& group : strong_) {
        if (group.covered) continue;
        vdt_item item{};
        item.x = static_cast<float>(group.x);
        item.y = static_cast<float>(group.y);
        item.w = static_cast<float>(group.w);
        item.h = static_cast<float>(group.h);
        item.score = classes_[group.number].score;
        item.neighbors = group.joined;
        items_.push_back(item);
    }
    return items_;
}

// Classes are numbered by their first rectangles, which are their roots.
void Grouping::add_up(std::span<const GroupRectangle> rectangles, std::span<const std::uint32_t> roots) {
    class_of_.resize(rectangles.size());
    classes_.clear();
    for (std::uint32_t index = 0; index < rectangles.size(); ++index) {
        const GroupRectangle& r = rectangles[index];
        if (roots[index] == index) {
            class_of_[index] = static_cast<std::uint32_t>(classes_.size());
            classes_.push_back({r.x, r.y, r.w, r.h, 1, r.score});
            continue;
        }
        Class& c = classes_[class_of_[roots[index]]];
        c.x += r.x;
        c.y += r.y;
        c.w += r.w;
        c.h += r.h;
        ++c.joined;
        c.score = std::max(c.score, r.score);
    }
}

}  // namespace vedette::cpu
