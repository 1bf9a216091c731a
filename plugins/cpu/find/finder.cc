#include "finder.h"

#include <vedette/plugin/cpp/template_checks.hpp>

#include <algorithm>
#include <cmath>

#include "../parallel.h"
#include "cut.h"
#include "large.h"
#include "pruned.h"

namespace vedette::cpu::find {

Finder::Finder(const Device& device) : device_(device), kernels_(kernels_for(device.isa)) {
    for (std::uint32_t i = 0; i < std::max(1u, device.workers); ++i) {
        workers_.push_back(std::make_unique<Worker>());
        running_.push_back(std::make_unique<Running>());
    }
}

Task Finder::task_of(Job& job) const {
    Task task;
    task.goal = &job.goal;
    task.kernels = &kernels_;
    task.scene = &scene_;
    task.pattern = &job.prepared->pattern();
    task.excluded = &job.excluded;
    task.dense = &job.prepared->dense();
    task.bound = job.bound;
    task.masked = job.masked;
    task.prepared = job.prepared.get();
    task.isa = device_.isa;
    if (job.bound == nullptr && job.masked == nullptr && job.transform != 0)
        task.spectrum = &job.prepared->spectrum(kernels_, job.transform);
    return task;
}

void Finder::add_to_group(std::size_t job, double cost) {
    const Task task = task_of(*jobs_[job]);
    const auto shared = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
        return share_sweep(task_of(*jobs_[group.jobs.front()]), task);
    });
    Group& group = shared != groups_.end() ? *shared : groups_.emplace_back();
    group.jobs.push_back(job);
    group.cost += cost;
}

void Finder::add_pieces(std::size_t group) {
    const Job& job = *jobs_[groups_[group].jobs.front()];
    const double cost = groups_[group].cost;
    const Pattern& pattern = job.prepared->pattern();
    const int columns = scene_.width() - pattern.w + 1, rows = scene_.height() - pattern.h + 1;
    if (job.transform != 0 && job.bound == nullptr && job.masked == nullptr) return add_blocks(group);
    const auto [strips, bands] = cut_positions(pattern, columns, rows, cost, groups_.size(), workers_.size());
    for (int b = 0; b < bands; ++b)
        for (int s = 0; s < strips; ++s) {
            const auto part = [](int total, int i, int n) { return static_cast<int>(std::int64_t{total} * i / n); };
            Unit unit;
            unit.y = part(rows, b, bands);
            unit.rows = part(rows, b + 1, bands) - unit.y;
            // Strips begin at whole groups, so that only the last one has a partial group.
            const int groups = (columns + kernels_.group - 1) / kernels_.group;
            unit.x = part(groups, s, strips) * kernels_.group;
            unit.columns = std::min(columns, part(groups, s + 1, strips) * kernels_.group) - unit.x;
            if (unit.rows > 0 && unit.columns > 0) pieces_.push_back({group, unit});
        }
}

void Finder::add_blocks(std::size_t group) {
    const Job& job = *jobs_[groups_[group].jobs.front()];
    const Pattern& pattern = job.prepared->pattern();
    const int columns = scene_.width() - pattern.w + 1, rows = scene_.height() - pattern.h + 1;
    const FftBlock block = fft_block(pattern, job.transform);
    for (int y = 0; y < rows; y += block.rows)
        for (int x = 0; x < columns; x += block.columns)
            pieces_.push_back({group, {x, y, std::min(block.columns, columns - x), std::min(block.rows, rows - y)}});
}

void Finder::choose_exhaustive(Job& job) {
    const Pattern& pattern = job.prepared->pattern();
    const int columns = scene_.width() - pattern.w + 1, rows = scene_.height() - pattern.h + 1;
    const Exhaustive way = find::choose_exhaustive(pattern, columns, rows, device_.isa);
    job.transform = way.transform;
    job.exhaustive_price = way.beside_bound() / (static_cast<double>(columns) * rows);
}

void Finder::choose_way(Job& job, double threshold, vdt_token* token) {
    const double positions = static_cast<double>(scene_.width() - job.prepared->pattern().w + 1) *
                             (scene_.height() - job.prepared->pattern().h + 1);
    const bool same = job.chosen_for == job.prepared && job.chosen_threshold == threshold &&
                      job.chosen_width == scene_.width() && job.chosen_height == scene_.height();
    const auto survived = static_cast<double>(job.survivors.exchange(0));
    // Four times the expected survivors, with room for what a sample cannot see: the scene has changed its kind.
    if (same && ((!job.choice.pruned && job.choice.masked == nullptr) ||
                 survived <= 4 * job.choice.share * positions + 0.01 * positions))
        return;
    job.choice = choose(*job.prepared, scene_, threshold, job.exhaustive_price, device_, token);
    job.chosen_for = job.prepared;
    job.chosen_threshold = threshold;
    job.chosen_width = scene_.width();
    job.chosen_height = scene_.height();
}

void Finder::prepare_jobs(const vdt_call& call, const vdt_template_find_params& params, const vdt_rect& region) {
    groups_.clear();
    pieces_.clear();
    while (jobs_.size() < params.pattern_count) jobs_.push_back(std::make_unique<Job>());
    lists_.resize(params.pattern_count * workers_.size());
    for (HitList& list : lists_) list.clear();
    for (std::size_t p = 0; p < params.pattern_count; ++p) {
        Job& job = *jobs_[p];
        job.prepared = prepare(*call.inputs[1 + 2 * p], call.inputs[2 + 2 * p], job.prepared);
        const Pattern& pattern = job.prepared->pattern();
        plugin::check_template_pixels(static_cast<std::uint32_t>(p), static_cast<std::uint64_t>(pattern.area),
                                      pattern.variance != 0);
        job.goal.threshold = params.threshold;
        job.goal.best_only = (params.flags & VDT_FIND_BEST_ONLY) != 0;
        job.goal.local_maxima = (params.flags & VDT_FIND_LOCAL_MAXIMA) != 0;
        job.goal.max_results = params.max_results;
        job.goal.begin();
        job.first_list = p * workers_.size();
        job.excluded.clear();
        if (pattern.w > region.w || pattern.h > region.h) continue;
        for (std::uint32_t e = 0; e < params.exclude_count; ++e) {
            if (params.exclude[e].w <= 0 || params.exclude[e].h <= 0) continue;
            const vdt_rect positions = plugin::excluded_positions(params.exclude[e], region, pattern.w, pattern.h);
            if (positions.w > 0 && positions.h > 0) job.excluded.push_back(positions);
        }
        double cost = 0;
        job.bound = nullptr;
        job.masked = nullptr;
        choose_exhaustive(job);
        cost = job.exhaustive_price;
        if (pattern.prunable()) {
            choose_way(job, params.threshold, call.token);
            job.masked = job.choice.masked;
            if (job.choice.pruned) job.bound = &job.prepared->bound(job.choice.grid);
            cost = job.choice.cost;
        }
        add_to_group(p, cost);
    }
    for (std::size_t group = 0; group < groups_.size(); ++group) add_pieces(group);
}

void Finder::run_pieces(vdt_token* token, const std::function<void(const Piece&, std::uint32_t)>& run) {
    if (pieces_.empty()) return;
    parallel_for(device_, token, 0, static_cast<std::uint32_t>(pieces_.size()), 1,
                 [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
                     for (std::uint32_t i = begin; i < end; ++i) run(pieces_[i], worker);
                 });
}

void Finder::search(const vdt_call& call) {
    const auto& params = *static_cast<const vdt_template_find_params*>(call.params);
    const vdt_rect region = plugin::region_of(*call.inputs[0], params);
    scene_.set(device_, call.token, *call.inputs[0], region);
    prepare_jobs(call, params, region);
    const auto pieces = static_cast<std::uint32_t>(pieces_.size());
    if (pieces == 0) return;
    // Behind the pieces a turn for each worker that finds none any more, where there is enough to do for all of them.
    const auto workers = static_cast<std::uint32_t>(workers_.size());
    shared_ = shares_rows(pieces, shared_work(), workers);
    const std::uint32_t helpers = shared_ ? workers : 0;
    parallel_for(device_, call.token, 0, pieces + helpers, 1,
                 [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
                     for (std::uint32_t i = begin; i < end; ++i) {
                         if (i < pieces)
                             search_piece(pieces_[i], worker);
                         else
                             while (help(worker)) {
                             }
                     }
                 });
}

double Finder::shared_work() const {
    double work = 0;
    for (const Piece& piece : pieces_) {
        const Group& group = groups_[piece.group];
        if (jobs_[group.jobs.front()]->bound != nullptr)
            work += group.cost * static_cast<double>(piece.unit.columns) * piece.unit.rows;
    }
    return work;
}

bool Finder::help(std::uint32_t worker) {
    Running* most = nullptr;
    double longest = 0;
    for (std::size_t other = 0; other < running_.size(); ++other) {
        Running& one = *running_[other];
        const std::unique_lock lock(one.mutex, std::try_to_lock);
        if (!lock.owns_lock() || !one.at_it || other == worker) continue;
        const Group& group = groups_[one.piece.group];
        const Job& job = *jobs_[group.jobs.front()];
        const Pattern& pattern = job.prepared->pattern();
        const double columns = one.piece.unit.columns;
        // What the first windows of the rows taken cost, before there is any gain.
        const double first = sums_cost(pattern, job.bound->grid) * columns * pattern.h;
        const double time = one.rows.left() * one.rows.row_time(group.cost * columns);
        if (time / 2 < first + least_unit || time <= longest) continue;
        longest = time;
        most = &one;
    }
    if (most == nullptr) return false;
    Piece piece;
    {
        const std::lock_guard lock(most->mutex);
        int begin = 0, end = 0;
        if (!most->at_it || !most->rows.take_half(begin, end)) return false;
        piece = most->piece;
        piece.unit.y += begin;
        piece.unit.rows = end - begin;
    }
    search_piece(piece, worker);
    return true;
}

// While it lives others may take rows of the piece.
class Finder::Shared {
public:
    Shared(Running& running, const Piece& piece) : running_(running) {
        const std::lock_guard lock(running_.mutex);
        running_.piece = piece;
        running_.rows.reset(piece.unit.rows);
        running_.at_it = true;
    }
    ~Shared() {
        const std::lock_guard lock(running_.mutex);
        running_.at_it = false;
    }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

private:
    Running& running_;
};

void Finder::search_piece(const Piece& piece, std::uint32_t worker) {
    const std::vector<std::size_t>& jobs = groups_[piece.group].jobs;
    Job& job = *jobs_[jobs.front()];
    Worker& scratch = *workers_[worker];
    if (job.bound != nullptr) {
        std::vector<PrunedSearch> searches;
        for (const std::size_t j : jobs)
            searches.push_back({task_of(*jobs_[j]), &lists_[jobs_[j]->first_list + worker]});
        if (shared_) {
            const Shared shared(*running_[worker], piece);
            search_pruned(searches, piece.unit, scratch, &running_[worker]->rows);
        } else {
            search_pruned(searches, piece.unit, scratch, nullptr);
        }
        for (std::size_t i = 0; i < jobs.size(); ++i)
            jobs_[jobs[i]]->survivors.fetch_add(searches[i].survivors, std::memory_order_relaxed);
        return;
    }
    const Task task = task_of(job);
    HitList& hits = lists_[job.first_list + worker];
    if (!task.pattern->small())
        search_large(task, piece.unit, scratch, hits);
    else if (task.masked != nullptr)
        job.survivors.fetch_add(search_masked(task, piece.unit, scratch, hits), std::memory_order_relaxed);
    else
        search_dense(task, piece.unit, scratch, hits);
}

std::uint64_t Finder::join(std::size_t pattern, std::vector<Hit>& hits) {
    const Job& job = *jobs_[pattern];
    return join_hits(job.goal, lists_.data() + job.first_list, workers_.size(), hits);
}

vdt_code Finder::find(const vdt_call& call) {
    search(call);
    const auto& params = *static_cast<const vdt_template_find_params*>(call.params);
    const vdt_rect region = plugin::region_of(*call.inputs[0], params);
    vdt_list& list = *call.lists_out[0];
    list.count = list.needed = 0;
    for (std::size_t p = 0; p < params.pattern_count; ++p) {
        const Pattern& pattern = jobs_[p]->prepared->pattern();
        list.needed += join(p, joined_);
        for (const Hit& hit : joined_) {
            if (list.count == list.capacity) break;
            auto& item =
                *reinterpret_cast<vdt_item*>(static_cast<unsigned char*>(list.items) + list.count * list.item_size);
            item = {};
            item.x = static_cast<float>(hit.x + region.x);
            item.y = static_cast<float>(hit.y + region.y);
            item.w = static_cast<float>(pattern.w);
            item.h = static_cast<float>(pattern.h);
            item.score = hit.score;
            item.pattern = static_cast<std::uint32_t>(p);
            ++list.count;
        }
    }
    return list.needed > list.capacity ? VDT_INCOMPLETE : VDT_OK;
}

vdt_code Finder::map(const vdt_call& call) {
    const auto& params = *static_cast<const vdt_template_map_params*>(call.params);
    const vdt_image& image = *call.inputs[0];
    scene_.set(device_, call.token, image,
               {0, 0, static_cast<std::int32_t>(image.width), static_cast<std::int32_t>(image.height)});
    if (jobs_.empty()) jobs_.push_back(std::make_unique<Job>());
    Job& job = *jobs_[0];
    job.prepared = prepare(*call.inputs[1], call.inputs[2], job.prepared);
    groups_.clear();
    pieces_.clear();
    job.bound = nullptr;
    job.masked = nullptr;
    choose_exhaustive(job);
    add_to_group(0, job.exhaustive_price);
    add_pieces(0);
    const Task task = task_of(job);
    run_pieces(call.token, [&](const Piece& piece, std::uint32_t worker) {
        if (task.pattern->small())
            map_dense(task, params.method, piece.unit, *workers_[worker], *call.outputs[0]);
        else
            map_large(task, params.method, piece.unit, *workers_[worker], *call.outputs[0]);
    });
    return VDT_OK;
}

}  // namespace vedette::cpu::find
