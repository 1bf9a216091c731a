#include "ops/cascade_search.h"

#include "operands.h"

#include <cascade/axis.h>
#include <cascade/whole_leaves.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace vedette::opencl {

namespace {

// Of a batch's picture. A processor has the tables in its caches; a GPU needs many windows at once.
constexpr std::size_t processor_pixels = std::size_t{1} << 20;
constexpr std::size_t gpu_pixels = std::size_t{1} << 24;
constexpr std::size_t window_group = 256;
constexpr std::size_t tree_group = 64;
// Eight windows at once on processors: so many stages of them, and work-items of a group (PoCL keeps what each holds
// between barriers in memory).
constexpr std::uint32_t stages_of_eight = 3;
constexpr std::size_t eight_group = 32;
constexpr std::uint32_t least_capacity = 1u << 14;
constexpr std::uint32_t first_found = 1u << 12;
// Windows that come to the host with the counters; more cost another transfer.
constexpr std::size_t fetched_windows = 1024;

// The least square whose norm, 1 / sqrt(square) as a float, is below `limit`; 1 at least.
double least_textured(float limit) {
    const auto is_textured = [&](double square) { return static_cast<float>(1 / std::sqrt(square)) < limit; };
    // Doubles above 0 have the order of their bits.
    auto below = std::bit_cast<std::uint64_t>(1.0), textured = std::bit_cast<std::uint64_t>(0x1p100);
    if (is_textured(1)) return 1;
    while (textured - below > 1) {
        const std::uint64_t middle = below + (textured - below) / 2;
        (is_textured(std::bit_cast<double>(middle)) ? textured : below) = middle;
    }
    return std::bit_cast<double>(textured);
}

std::uint32_t multiple_of_four(std::int32_t width) {
    return (static_cast<std::uint32_t>(width) + 3) / 4 * 4;
}

}  // namespace

std::size_t cascade_batch_pixels(const DeviceLimits& limits) noexcept {
    return limits.kind == Kind::cpu ? processor_pixels : gpu_pixels;
}

std::vector<CascadePass> cascade_passes(CascadeVariant variant, std::uint32_t stages, std::uint32_t first) {
    if (variant == CascadeVariant::straight) return {{first, stages, false}};
    // About half of the windows fail in each stage, and stages grow: a list for each of the first ones, then for twice
    // as many. After eight stages one of a thousand is left.
    std::vector<CascadePass> passes{{first, std::min(stages, first < 2 ? 2u : 4u), false}};
    for (const std::uint32_t last : {4u, 8u})
        if (passes.back().last < std::min(stages, last))
            passes.push_back({passes.back().last, std::min(stages, last), false});
    if (passes.back().last < stages) passes.push_back({passes.back().last, stages, true});
    return passes;
}

CascadeSearch::CascadeSearch(const Device& device, const cascade::Model& model, const cascade::Search& search,
                             std::int32_t width, std::int32_t height, CascadeVariant variant)
    : device_(device), kind_(kind_of(model)) {
    for (const cascade::Scale& scale : cascade::scales_of(model, search, width, height))
        if (scale.columns != 0 && scale.rows != 0) scales_.push_back(scale);
    if (scales_.empty()) return;
    const auto stages = static_cast<std::uint32_t>(model.stages.size());
    by_eight_ = device.limits().kind == Kind::cpu && kind_ == CascadeKind::stumps;
    // At least one pass is left, which writes what is found.
    passes_ = cascade_passes(variant, stages, by_eight_ ? std::clamp(stages - 1, 1U, stages_of_eight) : 1);
    make_batches(width, height);
    make_tables(model);
    const std::string defines = "-D KIND=" + std::to_string(static_cast<std::uint32_t>(kind_));
    const char* const file = by_eight_ ? "cascade_eight" : "cascade";
    first_ = device.programs.kernel(file, by_eight_ ? "first_stages_of_eight" : "first_stage", defines);
    scale_ = device.programs.kernel(file, "scale_levels", defines);
    next_ = device.programs.kernel(file, "next_stages", defines);
    last_ = device.programs.kernel(file, "last_stages", defines);
    program_ = CascadeProgram(device, model, tables_);
    const double area = static_cast<double>(model.width - 2) * (model.height - 2);
    for (Batch& batch : batches_) {
        Request& request = batch.request;
        request.area = area;
        request.least_square = least_textured(cascade::flat_norm(area));
        request.pitch = static_cast<std::uint32_t>(tables_.pitch);
        request.stages = program_.stage_count();
        request.norm_place[0] = tables_.place(1, 1);
        request.norm_place[1] = tables_.place(model.width - 1, 1);
        request.norm_place[2] = tables_.place(1, model.height - 1);
        request.norm_place[3] = tables_.place(model.width - 1, model.height - 1);
    }
    passed_ = device.buffer<std::uint8_t>(most_windows_);
    host_found_.resize(first_found);
    set_capacity(std::min(most_windows_, std::max(least_capacity, most_windows_ / 4)), first_found);
}

// Shelves: levels come by size, so each stands beside the one before while the picture is wide enough.
void CascadeSearch::make_batches(std::int32_t width, std::int32_t height) {
    const cl::Queue queue = device_.service.get();
    std::vector<std::int32_t> places;
    std::vector<std::uint16_t> weights;
    const auto append_axis = [&](int source, int scaled) {
        const cascade::Axis axis = cascade::resampling_axis(source, scaled);
        const std::size_t at = places.size();
        places.insert(places.end(), axis.first.begin(), axis.first.end());
        weights.insert(weights.end(), axis.weight.begin(), axis.weight.end());
        return static_cast<std::uint32_t>(at);
    };
    for (const cascade::Scale& scale : scales_)
        picture_width_ = std::max(picture_width_, multiple_of_four(scale.width));
    const std::size_t most_rows = cascade_batch_pixels(device_.limits()) / picture_width_;
    std::vector<Level> levels;
    std::uint32_t left = 0, shelf = 0;  // of the picture so far
    const auto end_batch = [&] {
        if (levels.empty()) return;
        Batch& batch = batches_.back();
        batch.levels = device_.buffer<Level>(levels.size());
        write(queue, batch.levels, levels.data(), levels.size(), cl::blocking);
        batch.request.levels = static_cast<std::uint32_t>(levels.size());
        picture_height_ = std::max(picture_height_, batch.height);
        most_windows_ = std::max(most_windows_, batch.request.windows);
        levels.clear();
    };
    for (std::size_t index = 0; index < scales_.size(); ++index) {
        const cascade::Scale& scale = scales_[index];
        const std::uint32_t across = multiple_of_four(scale.width);
        const auto down = static_cast<std::uint32_t>(scale.height);
        if (!levels.empty() && left + across > picture_width_) {
            left = 0;
            shelf = batches_.back().height;
        }
        if (levels.empty() || (left == 0 && std::size_t{shelf} + down > most_rows)) {
            end_batch();
            batches_.emplace_back();
            batches_.back().request.first_level = static_cast<std::uint32_t>(index);
            batches_.back().first_counter = static_cast<std::uint32_t>(1 + (batches_.size() - 1) * passes_.size());
            left = shelf = 0;
        }
        Batch& batch = batches_.back();
        Level level{};
        level.width = static_cast<std::uint32_t>(scale.width);
        level.height = down;
        level.left = left;
        level.top = shelf;
        level.source = scale.width == width && scale.height == height ? 1 : 0;
        level.first_four = batch.request.fours;
        level.columns = static_cast<std::uint32_t>(scale.columns);
        level.step = static_cast<std::uint32_t>(scale.step);
        level.first_window = batch.request.windows;
        if (level.source == 0) {
            level.first_column = append_axis(width, scale.width);
            level.first_row = append_axis(height, scale.height);
        }
        levels.push_back(level);
        batch.request.fours += across / 4 * down;
        batch.request.windows += level.columns * static_cast<std::uint32_t>(scale.rows);
        batch.height = std::max(batch.height, shelf + down);
        left += across;
    }
    end_batch();
    axis_places_ = device_.buffer<std::int32_t>(places.size());
    axis_weights_ = device_.buffer<std::uint16_t>(weights.size());
    write(queue, axis_places_, places.data(), places.size(), cl::blocking);
    write(queue, axis_weights_, weights.data(), weights.size(), cl::blocking);
    host_counters_.resize(1 + batches_.size() * passes_.size());
    counters_ = device_.buffer<std::uint32_t>(host_counters_.size());
}

void CascadeSearch::make_tables(const cascade::Model& model) {
    tables_.pitch =
        static_cast<std::int32_t>(pitch_of((std::uint64_t{picture_width_} + 1) * sizeof(std::uint32_t)) / 4);
    const std::uint64_t numbers = static_cast<std::uint64_t>(tables_.pitch) * (std::uint64_t{picture_height_} + 1);
    if (numbers * (model.has_tilted ? 2 : 1) > INT32_MAX)
        throw Failure(VDT_E_UNSUPPORTED, "cascade_detect: the tables of sums of a picture of " +
                                             std::to_string(picture_width_) + " x " + std::to_string(picture_height_) +
                                             " pixels are too large for this backend; search a part of the image");
    if (model.has_tilted) tables_.tilted = static_cast<std::int32_t>(numbers);
    picture_ = device_.buffer<std::uint32_t>(std::size_t{pitch_of(picture_width_)} / 4 * picture_height_);
    // What lies between the levels is summed up, too.
    fill_zero(device_.service.get(), picture_, picture_.size());
    finish(device_.service.get());
    sums_ = device_.buffer<std::uint32_t>(numbers * (model.has_tilted ? 2 : 1));
    const auto form = [](bool squares, bool tilted) { return IntegralForm{true, squares, tilted, false, false}; };
    make_sums_.emplace(device_, form(false, false), picture_width_, picture_height_);
    if (model.has_tilted) make_tilted_.emplace(device_, form(false, true), picture_width_, picture_height_);
    if (kind_ != CascadeKind::lbp) {
        squares_ = device_.buffer<std::uint32_t>(numbers);
        make_squares_.emplace(device_, form(true, false), picture_width_, picture_height_);
    }
}

void CascadeSearch::set_capacity(std::uint32_t windows, std::uint32_t found) {
    for (Buffer<Window>& list : lists_)
        if (list.size() < windows) {
            list = {};
            list = device_.buffer<Window>(windows);
        }
    if (found_.size() < found) {
        found_ = {};
        found_ = device_.buffer<Found>(found);
    }
    for (Batch& batch : batches_) {
        batch.request.capacity = static_cast<std::uint32_t>(lists_[0].size());
        batch.request.found_capacity = static_cast<std::uint32_t>(found_.size());
    }
}

const std::vector<CascadeWindow>& CascadeSearch::run(const Plane& image, cl::Queue queue) {
    windows_.clear();
    if (batches_.empty()) return windows_;
    do {
        fill_zero(queue, counters_, counters_.size());
        for (const Batch& batch : batches_) queue_batch(batch, image, queue);
    } while (!fetch(queue));
    return windows_;
}

void CascadeSearch::queue_batch(const Batch& batch, const Plane& image, cl::Queue queue) {
    const Plane picture{picture_.get(), 0, pitch_of(picture_width_)};
    const auto stride = static_cast<std::uint32_t>(tables_.pitch) * 4;
    launch(queue, scale_, cover({batch.request.fours}, {group_within(scale_, window_group)}), batch.request,
           batch.levels, image, axis_places_, axis_weights_, picture);
    make_sums_->run(queue, picture, {sums_.get(), 0, stride}, batch.height);
    if (make_squares_) make_squares_->run(queue, picture, {squares_.get(), 0, stride}, batch.height);
    if (make_tilted_)
        make_tilted_->run(queue, picture, {sums_.get(), static_cast<std::uint64_t>(tables_.tilted) * 4, stride},
                          batch.height);
    queue_passes(batch, queue);
}

void CascadeSearch::queue_passes(const Batch& batch, cl::Queue queue) {
    const CascadeProgram& p = program_;
    // Tables that a kind lacks are never read.
    const cl::Memory squares = squares_ ? squares_.get() : sums_.get();
    std::uint32_t counter = batch.first_counter;
    if (by_eight_)
        launch(queue, first_,
               cover({(std::size_t{batch.request.windows} + 7) / 8}, {group_within(first_, eight_group)}),
               batch.request, batch.levels, sums_, squares, p.stages(), p.nodes(), p.trees(), p.whole_leaves(),
               p.leaves(), passes_.front().first, passed_, lists_[0], counters_, counter);
    else
        launch(queue, first_, cover({batch.request.windows}, {group_within(first_, window_group)}), batch.request,
               batch.levels, sums_, squares, p.stages(), p.nodes(), p.trees(), p.whole_leaves(), p.leaves(), passed_,
               lists_[0], counters_, counter);
    std::uint32_t unvisited = 1;
    std::size_t list = 0;
    for (const CascadePass& pass : passes_) {
        if (pass.by_group)
            launch(queue, last_,
                   groups_of(std::size_t{16} * device_.limits().compute_units, group_within(last_, tree_group)),
                   batch.request, sums_, p.stages(), p.nodes(), p.trees(), p.whole_leaves(), p.leaves(), pass.first,
                   lists_[list], found_, counters_, counter);
        else
            launch(queue, next_, cover({batch.request.capacity}, {group_within(next_, window_group)}), batch.request,
                   batch.levels, sums_, p.stages(), p.nodes(), p.trees(), p.whole_leaves(), p.leaves(), passed_,
                   unvisited, pass.first, pass.last, lists_[list], lists_[1 - list], found_, counters_, counter);
        list = 1 - list;
        unvisited = 0;
        ++counter;
    }
}

bool CascadeSearch::fetch(cl::Queue queue) {
    const std::size_t first = std::min(fetched_windows, found_.size());
    read(queue, counters_, host_counters_.data(), host_counters_.size(), cl::queued);
    read(queue, found_, host_found_.data(), first, cl::queued);
    finish(queue);
    const std::uint32_t count = host_counters_[0];
    const std::uint32_t longest = *std::max_element(host_counters_.begin() + 1, host_counters_.end());
    if (count > found_.size() || longest > lists_[0].size()) {
        // Lists after one that was too short may have been longer, too.
        set_capacity(std::min(most_windows_, longest + longest / 4), count + count / 4);
        return false;
    }
    if (count > first) {
        if (host_found_.size() < count) host_found_.resize(count);
        read(queue, found_, host_found_.data(), count);
    }
    for (std::size_t index = 0; index < count; ++index) {
        const Found& found = host_found_[index];
        const auto columns = static_cast<std::uint32_t>(scales_[found.level].columns);
        windows_.push_back({found.level, found.number % columns, found.number / columns, found.score});
    }
    std::sort(windows_.begin(), windows_.end(), [](const CascadeWindow& a, const CascadeWindow& b) {
        if (a.scale != b.scale) return a.scale < b.scale;
        return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    return true;
}

}  // namespace vedette::opencl
