#include "template_finder.h"

#include "template_cost.h"

#include <kernels/template_many.h>

#include <vedette/plugin/cpp/list.hpp>
#include <vedette/plugin/cpp/loop.hpp>
#include <vedette/plugin/cpp/template_checks.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>

namespace vedette::cuda_plugin {

namespace {

// Hits of a pattern from which on the next search computes every score, since the device then cuts the list to what is
// wanted; sorting so many on the host takes longer (estimate).
constexpr std::size_t many_hits = std::size_t{1} << 13;
// The same of a pattern that costs little since it is searched with others (estimate).
constexpr std::size_t many_hits_at_once = std::size_t{1} << 15;
// Hits from which on they are sorted on all threads, whose waking takes some 50 us (estimate).
constexpr std::size_t threaded_hits = 1024;
// Patterns between two waits for the device: enough queued work for it to stay busy (estimate).
constexpr std::size_t patterns_of_a_step = 8;

bool keeps_maxima(const vdt_template_find_params& params) {
    return (params.flags & VDT_FIND_LOCAL_MAXIMA) != 0 && (params.flags & VDT_FIND_BEST_ONLY) == 0;
}

}  // namespace

TemplateFinder::TemplateFinder(const Device& device, FindWay way)
    : way_(way), device_(device), operands_(device), pace_(device), list_(device) {
    cuda::gemm_prepare(device.cuda.limits);
    cuda::coarse_prepare(device.cuda.limits);
    cuda::many_prepare(device.cuda.limits);
}

void TemplateFinder::prepare(const vdt_call& call, const vdt_template_find_params& params, const DeviceImage& scene,
                             const vdt_rect& region) {
    job_count_ = params.pattern_count;
    while (jobs_.size() < job_count_) jobs_.push_back(std::make_unique<Job>());
    for (std::size_t p = 0; p < job_count_; ++p) {
        Job& job = *jobs_[p];
        job.prepared.prepare(device_, *call.inputs[1 + 2 * p], *call.inputs[2 + 2 * p], operands_.stream());
        job.hits.clear();
        const cuda::Pattern& pattern = job.prepared.pattern();
        plugin::check_template_pixels(static_cast<std::uint32_t>(p), pattern.sums().area, pattern.sums().variance != 0);
        job.fits = pattern.width() <= region.w && pattern.height() <= region.h;
        if (job.fits) job.scene = scene_of(scene, region, pattern.width(), pattern.height());
    }
    upload_exclusions(params, region);
}

void TemplateFinder::upload_exclusions(const vdt_template_find_params& params, const vdt_rect& region) {
    host_rects_.clear();
    for (std::size_t p = 0; p < job_count_; ++p) {
        Job& job = *jobs_[p];
        job.exclusions = {};
        if (!job.fits) continue;
        const std::size_t first = host_rects_.size();
        for (std::uint32_t e = 0; e < params.exclude_count; ++e) {
            if (params.exclude[e].w <= 0 || params.exclude[e].h <= 0) continue;
            const cuda::Pattern& pattern = job.prepared.pattern();
            const vdt_rect rect =
                plugin::excluded_positions(params.exclude[e], region, pattern.width(), pattern.height());
            if (rect.w > 0 && rect.h > 0) host_rects_.push_back({rect.x, rect.y, rect.w, rect.h});
        }
        job.exclusions.count = static_cast<int>(host_rects_.size() - first);
    }
    if (host_rects_.empty()) return;
    if (rects_.size() < host_rects_.size())
        rects_ = cuda::Block<cuda::PlaceRect>(device_.cuda.memory, host_rects_.size());
    cuda::check(cudaMemcpyAsync(rects_.data(), host_rects_.data(), host_rects_.size() * sizeof(cuda::PlaceRect),
                                cudaMemcpyHostToDevice, operands_.stream()),
                "copying excluded areas");
    const cuda::PlaceRect* next = rects_.data();
    for (std::size_t p = 0; p < job_count_; ++p) {
        jobs_[p]->exclusions.rects = next;
        next += jobs_[p]->exclusions.count;
    }
}

cuda::HitTest TemplateFinder::test_of(std::size_t job, const vdt_template_find_params& params) const {
    cuda::HitTest test = list_.test_of(job);
    test.threshold = params.threshold;
    test.best_only = (params.flags & VDT_FIND_BEST_ONLY) != 0;
    return test;
}

cuda::PositionPlane TemplateFinder::plane_of(const cuda::TemplateScene& scene, cuda::Block<std::int32_t>& block) const {
    const int stride = cuda::position_stride(scene.columns);
    const std::size_t count = static_cast<std::size_t>(stride) * static_cast<std::size_t>(scene.rows);
    cuda::make_room(block, device_.cuda.memory, count, operands_.stream());
    return {block.data(), stride};
}

void TemplateFinder::search_scores(std::size_t index, const vdt_template_find_params& params) {
    Job& job = *jobs_[index];
    const cuda::Pattern& pattern = job.prepared.pattern();
    const cuda::HitTest test = test_of(index, params);
    if (way_ == FindWay::windows) {
        cuda::direct_test(job.scene, place_test(index, {}, params), device_.cuda.limits, operands_.stream());
        return;
    }
    const auto count = static_cast<std::size_t>(job.scene.columns) * static_cast<std::size_t>(job.scene.rows);
    cuda::make_room(scores_, device_.cuda.memory, count, operands_.stream());
    if (by_products(way_) && takes_matrix(shape_of(pattern))) {
        const cuda::PositionPlane products = plane_of(job.scene, products_);
        cuda::gemm_sums(job.scene, job.prepared.exact(device_, operands_.stream()), products, device_.cuda.limits,
                        operands_.stream());
        cuda::window_scores(job.scene, job.prepared.words(), pattern.sums(), products, job.exclusions, scores_.data(),
                            operands_.stream());
    } else {
        cuda::direct_scores(job.scene, job.prepared.words(), pattern.sums(), job.exclusions, scores_.data(),
                            operands_.stream());
    }
    if (!class_counts_) class_counts_ = cuda::Block<std::uint32_t>(device_.cuda.memory, cuda::score_classes);
    const cuda::Selection selection{(params.flags & VDT_FIND_LOCAL_MAXIMA) != 0 && !test.best_only, params.max_results,
                                    class_counts_.data()};
    job.counted = !test.best_only;
    cuda::select_hits(scores_.data(), job.scene.columns, job.scene.rows, selection, test, device_.cuda.limits,
                      operands_.stream());
}

void TemplateFinder::search(const vdt_template_find_params& params) {
    list_.begin(job_count_, keeps_maxima(params), operands_.stream());
    order_.clear();
    bool all_by_candidates = true;
    for (std::size_t p = 0; p < job_count_; ++p) {
        Job& job = *jobs_[p];
        job.counted = false;
        job.at_once = false;
        if (!job.fits) continue;
        choose_factor(job, params.threshold);
        if (job.factor > 0)
            order_.push_back(p);
        else
            all_by_candidates = false;
    }
    // The first pattern's thresholds are made by a kernel that runs before all who count.
    cuda::Cleared counters;
    if (all_by_candidates && !order_.empty())
        counters = list_.counters();
    else
        list_.clear(operands_.stream());
    std::size_t searched = 0;
    for (std::size_t p = 0; p < job_count_; ++p) {
        if (!jobs_[p]->fits || jobs_[p]->factor > 0) continue;
        heed_limits(searched++);
        search_scores(p, params);
    }
    // Patterns of one size one after another, the lowest thresholds first, so that one plane of them serves several.
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t p) {
            const Job& job = *jobs_[p];
            return std::make_tuple(job.scene.columns, job.scene.rows, job.prepared.pattern().masked(), job.upper > 0,
                                   job.step, job.factor, p);
        };
        return key(a) < key(b);
    });
    thresholds_for_ = nullptr;
    phases_step_ = 0;
    for (std::size_t i = 0; i < order_.size();) {
        const std::size_t count = alike(i);
        heed_limits(searched++);
        if (count > 1)
            search_many(i, count, params, counters);
        else
            search_candidates(order_[i], params, counters);
        counters = {};
        i += count;
    }
}

void TemplateFinder::heed_limits(std::size_t searched) {
    if (searched % patterns_of_a_step == 0)
        pace_.step();
    else
        pace_.check();
}

bool TemplateFinder::all_candidates_fit(const vdt_template_find_params& params) {
    bool fit = true;
    for (const std::size_t p : order_) {
        if (list_.progress_of(p).candidates <= capacity_for(*jobs_[p])) continue;
        jobs_[p]->leave_candidates(params.threshold);
        fit = false;
    }
    return fit;
}

bool TemplateFinder::fetch(const vdt_template_find_params& params) {
    const bool room = list_.fetch(operands_.stream());
    if (!all_candidates_fit(params) || !room) return false;
    for (const cuda::Hit& hit : list_.hits())
        jobs_[hit.pattern]->hits.push_back(
            {hit.score, static_cast<std::int32_t>(hit.place & 0xffffu), static_cast<std::int32_t>(hit.place >> 16)});
    for (const std::size_t p : order_) {
        Job& job = *jobs_[p];
        if (job.step > 0 && !job.at_once) learn_step(job, list_.progress_of(p), params.threshold);
        if (job.hits.size() > (job.at_once ? many_hits_at_once : many_hits) && job.hits.size() > params.max_results)
            job.leave_candidates(params.threshold);
    }
    return true;
}

vdt_code TemplateFinder::find(const vdt_call& call) {
    const auto& params = plugin::params_of<vdt_template_find_params>(call);
    const vdt_rect region = plugin::region_of(*call.inputs[0], params);
    plugin::ListWriter<> items(*call.lists_out[0]);
    plugin::throw_if_cancelled(*device_.host, call.token);
    Operands::Call running(operands_, call);
    const DeviceImage scene = operands_.input(0);
    prepare(call, params, scene, region);
    pace_.start(call.token, operands_.stream());
    do {
        pace_.check();
        search(params);
    } while (!fetch(params));
    const bool maxima = keeps_maxima(params) && !list_.thinned();
    const bool best_only = (params.flags & VDT_FIND_BEST_ONLY) != 0;
    const auto sort = [&](Job& job) { job.found = plugin::keep_best(job.hits, best_only, maxima, params.max_results); };
    const auto write = [&](std::size_t p, std::uint64_t before) {
        const Job& job = *jobs_[p];
        for (const plugin::Position& hit : job.hits) {
            vdt_item item{};
            item.x = static_cast<float>(hit.x + region.x);
            item.y = static_cast<float>(hit.y + region.y);
            item.w = static_cast<float>(job.prepared.pattern().width());
            item.h = static_cast<float>(job.prepared.pattern().height());
            item.score = hit.score;
            item.pattern = static_cast<std::uint32_t>(p);
            items.write_at(before++, item);
        }
    };
    // How many of a pattern stay is known before they are sorted, unless there are local maxima to be found.
    const auto stay = [&](const Job& job) {
        return std::min<std::size_t>(job.hits.size(), best_only ? 1 : params.max_results);
    };
    std::uint64_t written = 0;
    // Sorting takes longer than the search where many patterns have many matches: a pattern a thread.
    if (list_.hits().size() < threaded_hits || maxima) {
        for (std::size_t p = 0; p < job_count_; ++p) {
            sort(*jobs_[p]);
            write(p, written);
            written += jobs_[p]->hits.size();
        }
    } else {
        firsts_.resize(job_count_);
        for (std::size_t p = 0; p < job_count_; ++p) {
            firsts_[p] = written;
            written += stay(*jobs_[p]);
        }
        plugin::parallel_for(*device_.host, call.token, 0, static_cast<std::uint32_t>(job_count_), 1,
                             [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                                 for (std::uint32_t p = begin; p < end; ++p) {
                                     sort(*jobs_[p]);
                                     write(p, firsts_[p]);
                                 }
                             });
    }
    for (std::size_t p = 0; p < job_count_; ++p) {
        Job& job = *jobs_[p];
        items.count_found(job.counted ? list_.progress_of(p).found : job.found);
    }
    items.wrote(written);
    running.finish(true);  // list_ has waited
    return items.finish();
}

}  // namespace vedette::cuda_plugin
