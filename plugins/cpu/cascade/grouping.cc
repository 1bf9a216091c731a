#include "cascade/grouping.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vedette::cpu::cascade {

namespace {

bool are_similar(const Found& a, const Found& b, double eps) {
    const double delta = eps * (std::min(a.w, b.w) + std::min(a.h, b.h)) * 0.5;
    const auto near = [&](std::int32_t p, std::int32_t q) { return std::abs(p - q) <= delta; };
    return near(a.x, b.x) && near(a.y, b.y) && near(a.x + a.w, b.x + b.w) && near(a.y + a.h, b.y + b.h);
}

std::int32_t mean_of(std::int64_t sum, float share) {
    return static_cast<std::int32_t>(std::nearbyint(static_cast<float>(sum) * share));
}

// Whether `inner` lies in `outer`, which is the better founded of the two.
bool is_inside(const Grouped& inner, const Grouped& outer, double eps) {
    const Found &a = inner.mean, &b = outer.mean;
    const auto dx = static_cast<std::int32_t>(std::nearbyint(b.w * eps));
    const auto dy = static_cast<std::int32_t>(std::nearbyint(b.h * eps));
    return a.x >= b.x - dx && a.y >= b.y - dy && a.x + a.w <= b.x + b.w + dx && a.y + a.h <= b.y + b.h + dy &&
           (outer.joined > std::max(3, inner.joined) || inner.joined < 3);
}

}  // namespace

std::uint32_t Grouping::root_of(std::uint32_t index) {
    while (parent_[index] != index) {
        parent_[index] = parent_[parent_[index]];
        index = parent_[index];
    }
    return index;
}

// From left to right: only windows whose left sides are near enough are compared.
void Grouping::join_similar(const std::vector<Found>& found, double eps) {
    const auto count = static_cast<std::uint32_t>(found.size());
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0u);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return found[a].x != found[b].x ? found[a].x < found[b].x : a < b;
    });
    parent_.resize(count);
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Found& first = found[order_[i]];
        const double reach = eps * (first.w + first.h) * 0.5;
        for (std::uint32_t j = i + 1; j < count && found[order_[j]].x - first.x <= reach; ++j) {
            const std::uint32_t a = root_of(order_[i]), b = root_of(order_[j]);
            // The smaller index is the root, so that a group's first window names it.
            if (a != b && are_similar(first, found[order_[j]], eps)) parent_[std::max(a, b)] = std::min(a, b);
        }
    }
}

void Grouping::average(const std::vector<Found>& found) {
    all_.clear();
    sums_.clear();
    group_.resize(found.size());
    for (std::uint32_t i = 0; i < found.size(); ++i) {
        const std::uint32_t root = root_of(i);
        if (root == i) {
            group_[i] = static_cast<std::uint32_t>(all_.size());
            all_.push_back({{0, 0, 0, 0, found[i].weight}, 0});
            sums_.push_back({});
        }
        Grouped& group = all_[group_[root]];
        Sum& sum = sums_[group_[root]];
        sum = {sum.x + found[i].x, sum.y + found[i].y, sum.w + found[i].w, sum.h + found[i].h};
        group.mean.weight = std::max(group.mean.weight, found[i].weight);
        ++group.joined;
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
        Found& mean = all_[i].mean;
        const float share = 1.0F / static_cast<float>(all_[i].joined);
        mean.x = mean_of(sums_[i].x, share);
        mean.y = mean_of(sums_[i].y, share);
        mean.w = mean_of(sums_[i].w, share);
        mean.h = mean_of(sums_[i].h, share);
    }
}

const std::vector<Grouped>& Grouping::run(const std::vector<Found>& found, std::int32_t threshold, double eps) {
    join_similar(found, eps);
    average(found);
    std::erase_if(all_, [&](const Grouped& group) { return group.joined <= threshold; });
    kept_.clear();
    for (std::size_t i = 0; i < all_.size(); ++i) {
        bool is_part = false;
        for (std::size_t j = 0; j < all_.size() && !is_part; ++j) is_part = i != j && is_inside(all_[i], all_[j], eps);
        if (!is_part) kept_.push_back(all_[i]);
    }
    return kept_;
}

}  // namespace vedette::cpu::cascade
