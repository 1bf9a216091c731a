#include "plane.h"

#include <cstdlib>

namespace vedette::reference {
namespace {

struct Box {
    std::int64_t x = 0, y = 0, w = 0, h = 0;
};

struct Group {
    Box box;  // sums first, then means
    int joined = 0;
    double best_score = 0;
};

Box box_of(const vdt_item& item) {
    return {std::lrint(item.x), std::lrint(item.y), std::lrint(item.w), std::lrint(item.h)};
}

bool similar(const Box& a, const Box& b, double eps) {
    const double delta = eps * static_cast<double>(std::min(a.w, b.w) + std::min(a.h, b.h)) * 0.5;
    const auto near = [delta](std::int64_t u, std::int64_t v) { return static_cast<double>(std::abs(u - v)) <= delta; };
    return near(a.x, b.x) && near(a.y, b.y) && near(a.x + a.w, b.x + b.w) && near(a.y + a.h, b.y + b.h);
}

// Class of every box, numbered by first appearance; boxes are in one class when a chain of similar ones joins them.
std::vector<std::size_t> classes_of(const std::vector<Box>& boxes, double eps) {
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> label(boxes.size(), none);
    std::size_t next = 0;
    for (std::size_t first = 0; first < boxes.size(); ++first) {
        if (label[first] != none) continue;
        label[first] = next;
        std::vector<std::size_t> open{first};
        while (!open.empty()) {
            const std::size_t i = open.back();
            open.pop_back();
            for (std::size_t j = 0; j < boxes.size(); ++j)
                if (label[j] == none && similar(boxes[i], boxes[j], eps)) {
                    label[j] = next;
                    open.push_back(j);
                }
        }
        ++next;
    }
    return label;
}

// In single precision, as OpenCV takes the mean.
std::int64_t mean(std::int64_t sum, int count) {
    return std::lrint(static_cast<float>(sum) * (1.0f / static_cast<float>(count)));
}

bool lies_in_stronger(const Group& inner, const Group& outer, double eps) {
    const std::int64_t dx = std::lrint(static_cast<double>(outer.box.w) * eps);
    const std::int64_t dy = std::lrint(static_cast<double>(outer.box.h) * eps);
    const Box& a = inner.box;
    const Box& b = outer.box;
    const bool inside =
        a.x >= b.x - dx && a.y >= b.y - dy && a.x + a.w <= b.x + b.w + dx && a.y + a.h <= b.y + b.h + dy;
    return inside && (outer.joined > std::max(3, inner.joined) || inner.joined < 3);
}

}  // namespace

// The score of a group is the best of its members.
std::vector<vdt_item> group(const std::vector<vdt_item>& items, const vdt_group_params& params) {
    std::vector<vdt_item> out;
    if (params.threshold <= 0) {
        out = items;
        for (vdt_item& item : out) item.neighbors = 1;
        return out;
    }
    std::vector<Box> boxes;
    for (const vdt_item& item : items) boxes.push_back(box_of(item));
    const std::vector<std::size_t> label = classes_of(boxes, params.eps);
    std::vector<Group> groups;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (label[i] >= groups.size()) groups.push_back({{}, 0, items[i].score});
        Group& group = groups[label[i]];
        group.box.x += boxes[i].x;
        group.box.y += boxes[i].y;
        group.box.w += boxes[i].w;
        group.box.h += boxes[i].h;
        ++group.joined;
        group.best_score = std::max(group.best_score, items[i].score);
    }
    for (Group& group : groups)
        group.box = {mean(group.box.x, group.joined), mean(group.box.y, group.joined), mean(group.box.w, group.joined),
                     mean(group.box.h, group.joined)};

    for (const Group& group : groups) {
        if (group.joined <= params.threshold) continue;
        bool covered = false;
        for (const Group& other : groups)
            covered = covered || (&other != &group && other.joined > params.threshold &&
                                  lies_in_stronger(group, other, params.eps));
        if (covered) continue;
        vdt_item item{};
        item.x = static_cast<float>(group.box.x);
        item.y = static_cast<float>(group.box.y);
        item.w = static_cast<float>(group.box.w);
        item.h = static_cast<float>(group.box.h);
        item.score = group.best_score;
        item.neighbors = group.joined;
        out.push_back(item);
    }
    return out;
}

}  // namespace vedette::reference
