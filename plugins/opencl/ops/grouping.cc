#include "ops/grouping.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vedette::opencl {

namespace {

constexpr std::size_t least_capacity = 1024;
// Groups that come to the host with the counters; more cost another transfer.
constexpr std::size_t fetched_groups = 256;
constexpr std::size_t group_items = 256;
constexpr int levels = 26;                     // w + h <= 2^25
constexpr std::int32_t beyond_all = 1 << 27;   // more than any difference of coordinates
constexpr std::size_t counters = 8, kept = 2;  // the latter's place among them
constexpr std::size_t table_words = 5, table_plain_words = 2;
constexpr std::size_t sum_words = 10, rectangle_plain_words = 4, group_plain_words = 4;

std::size_t table_size(std::size_t count) {
    return std::bit_ceil(2 * count);
}

// A group joins two at least.
std::size_t most_groups(std::size_t count) {
    return count / 2 + 1;
}

// Words that begin as 0, and the others.
std::size_t words_of(std::size_t count) {
    return counters + table_words * table_size(count) + sum_words * count;
}
std::size_t plain_words_of(std::size_t count) {
    return table_plain_words * table_size(count) + rectangle_plain_words * count +
           group_plain_words * most_groups(count);
}

// Doubles as integers of the same order; 0 is below all of them and stands for no number.
std::uint64_t key_of(double score) {
    if (std::isnan(score)) return 0;
    const auto bits = std::bit_cast<std::uint64_t>(score);
    return (bits >> 63) != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}

Kernel kernel_of(const Device& device, const char* name) {
    return device.programs.kernel("group", name);
}

}  // namespace

vdt_item item_of(const RectangleGroup& group) noexcept {
    vdt_item item{};
    item.x = static_cast<float>(group.rectangle.x);
    item.y = static_cast<float>(group.rectangle.y);
    item.w = static_cast<float>(group.rectangle.w);
    item.h = static_cast<float>(group.rectangle.h);
    item.score = group.score;
    item.neighbors = group.joined;
    return item;
}

std::uint64_t Grouping::scratch_bytes(std::size_t count) noexcept {
    return (words_of(count) + plain_words_of(count)) * sizeof(std::uint32_t) +
           count * (2 * sizeof(GroupRectangle) + sizeof(std::uint64_t)) + 2 * most_groups(count) * sizeof(Group);
}

Grouping::Grouping(const Device& device)
    : device_(device),
      enter_knots_(kernel_of(device, "enter_knots")),
      enter_cells_(kernel_of(device, "enter_cells")),
      place_(kernel_of(device, "place_rectangles")),
      join_(kernel_of(device, "join_similar")),
      add_up_(kernel_of(device, "add_up")),
      make_groups_(kernel_of(device, "make_groups")),
      drop_covered_(kernel_of(device, "drop_covered")),
      host_levels_(levels),
      levels_(device.buffer<Level>(levels)),
      host_counters_(counters) {}

void Grouping::reserve(std::size_t count) {
    if (count <= capacity_) return;
    capacity_ = 0;
    const std::size_t capacity = std::max(least_capacity, std::bit_ceil(count));
    rectangles_.resize(capacity);
    scores_.resize(capacity);
    keys_.resize(capacity);
    device_rectangles_ = device_.buffer<GroupRectangle>(capacity);
    placed_ = device_.buffer<GroupRectangle>(capacity);
    device_keys_ = device_.buffer<std::uint64_t>(capacity);
    words_ = device_.buffer<std::uint32_t>(words_of(capacity));
    plain_ = device_.buffer<std::uint32_t>(plain_words_of(capacity));
    strong_ = device_.buffer<Group>(most_groups(capacity));
    kept_ = device_.buffer<Group>(most_groups(capacity));
    host_groups_.resize(most_groups(capacity));
    groups_.reserve(most_groups(capacity));
    capacity_ = capacity;
}

void Grouping::set_levels(double eps, cl::Queue queue) {
    if (eps == eps_) return;
    for (int index = 0; index < levels; ++index) {
        const double size = std::ldexp(1.0, index);
        Level& level = host_levels_[static_cast<std::size_t>(index)];
        // A hair less or more than the bounds, so that the rounding of either side does not matter.
        level.knot_side = static_cast<std::int32_t>(size * (eps / (2 * (1 + eps))) * (1 - 1e-9)) + 1;
        level.reach = static_cast<std::int32_t>(std::min<double>(beyond_all, eps * size * (1 + 1e-9)));
        level.cell_side = (level.reach / level.knot_side + 1) * level.knot_side;
    }
    write(queue, levels_, host_levels_.data(), host_levels_.size());
    eps_ = eps;
}

std::span<const RectangleGroup> Grouping::run(std::size_t count, std::int32_t threshold, double eps, cl::Queue queue) {
    set_levels(eps, queue);
    Request request{
        eps, static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(table_size(count)), threshold, 0, 0, 0};
    for (std::size_t index = 0; index < count; ++index) {
        const auto sides = static_cast<std::uint32_t>(rectangles_[index].w + rectangles_[index].h);
        request.levels |= 1u << (std::bit_width(std::max(sides, 1u)) - 1);
        keys_[index] = key_of(scores_[index]);
    }
    // Similar rectangles differ in w + h by a factor of at most 1 + 2 eps: who is `below` levels down is smaller by
    // more than 2^(below - 1).
    while (request.levels_below < levels - 1 && std::ldexp(1.0, request.levels_below) <= (1 + 2 * eps) * (1 + 1e-9))
        ++request.levels_below;
    write(queue, device_rectangles_, rectangles_.data(), count);
    write(queue, device_keys_, keys_.data(), count);
    fill_zero(queue, words_, words_of(count));
    queue_kernels(request, queue);
    fetch(queue);
    return groups_;
}

void Grouping::queue_kernels(const Request& request, cl::Queue queue) {
    const auto over = [](const Kernel& kernel, std::size_t items) {
        return cover({items}, {group_within(kernel, group_items)});
    };
    const std::size_t count = request.count;
    launch(queue, enter_knots_, over(enter_knots_, count), request, levels_, device_rectangles_, words_, plain_);
    launch(queue, enter_cells_, over(enter_cells_, request.table), request, levels_, device_rectangles_, words_,
           plain_);
    launch(queue, place_, over(place_, count), request, device_rectangles_, words_, plain_, placed_);
    // Without reach only equal rectangles are similar, and they share a knot.
    if (request.eps > 0) launch(queue, join_, over(join_, count), request, levels_, words_, plain_, placed_);
    launch(queue, add_up_, over(add_up_, count), request, device_keys_, words_, plain_, placed_);
    launch(queue, make_groups_, over(make_groups_, count), request, words_, plain_, strong_);
    launch(queue, drop_covered_, over(drop_covered_, most_groups(count)), request, words_, plain_, strong_, kept_);
}

void Grouping::fetch(cl::Queue queue) {
    const std::size_t first = std::min(fetched_groups, host_groups_.size());
    read(queue, words_, host_counters_.data(), counters, cl::queued);
    read(queue, kept_, host_groups_.data(), first, cl::queued);
    finish(queue);
    const std::size_t count = host_counters_[kept];
    if (count > first) read(queue, kept_, host_groups_.data(), count);
    std::sort(host_groups_.begin(), host_groups_.begin() + static_cast<std::ptrdiff_t>(count),
              [](const Group& a, const Group& b) { return a.first < b.first; });
    groups_.clear();
    for (std::size_t index = 0; index < count; ++index) {
        const Group& group = host_groups_[index];
        // The first score stays when it is no number: nothing compares as better.
        const bool first_stays = group.best == 0 || std::isnan(scores_[group.first]);
        groups_.push_back({group.rectangle, static_cast<std::int32_t>(group.joined),
                           scores_[first_stays ? group.first : group.best - 1]});
    }
}

}  // namespace vedette::opencl
