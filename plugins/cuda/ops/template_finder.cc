#include "template_finder.h"

#include "template_hits.h"

#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/list.hpp>
#include <vedette/plugin/cpp/loop.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace vedette::cuda_plugin {

namespace {

// Room for hits at first; searches that find more make room for all of them and run again.
constexpr std::size_t first_capacity = std::size_t{1} << 16;
// Hits that come to the host with the counts; more cost another transfer.
constexpr std::size_t fetched_hits = 1024;
// Windows of so many bytes in all are compared one by one, by a warp each (estimate: a tenth of a millisecond).
constexpr double few_bytes = 64e6;

cuda::PlaceRect excluded_places(const vdt_rect& exclude, const vdt_rect& region, int w, int h) {
    // A position's rectangle meets the excluded one when its corner lies in the latter, grown by the pattern's size.
    const auto from = [](std::int64_t value, std::int64_t limit) { return std::clamp<std::int64_t>(value, 0, limit); };
    const std::int64_t x0 = from(std::int64_t{exclude.x} - region.x - w + 1, region.w);
    const std::int64_t y0 = from(std::int64_t{exclude.y} - region.y - h + 1, region.h);
    const std::int64_t x1 = from(std::int64_t{exclude.x} + exclude.w - region.x, region.w);
    const std::int64_t y1 = from(std::int64_t{exclude.y} + exclude.h - region.y, region.h);
    return {static_cast<std::int32_t>(x0), static_cast<std::int32_t>(y0), static_cast<std::int32_t>(x1 - x0),
            static_cast<std::int32_t>(y1 - y0)};
}

// Whether every position is compared by a warp: there are too few to fill the device otherwise.
bool is_few(double positions, double bytes_of_window) {
    return positions <= 4096 || positions * bytes_of_window <= few_bytes;
}

}  // namespace

TemplateFinder::TemplateFinder(const Device& device) : device_(device), operands_(device) {}

std::size_t TemplateFinder::progress_bytes() const {
    return job_count_ * sizeof(cuda::Progress);
}

std::size_t TemplateFinder::hits_offset() const {
    return sizeof(cuda::Progress) + progress_bytes();
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
        if (pattern.sums().area == 0)
            throw Failure(VDT_E_ARGUMENT,
                          "template_find: the mask of pattern " + std::to_string(p) + " takes no pixel");
        if (pattern.sums().variance == 0)
            throw Failure(VDT_E_ARGUMENT,
                          "template_find: pattern " + std::to_string(p) +
                              " has no variance (every pixel taken is the same); compare colours instead");
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
            const cuda::PlaceRect rect = excluded_places(params.exclude[e], region, job.prepared.pattern().width(),
                                                         job.prepared.pattern().height());
            if (rect.w > 0 && rect.h > 0) host_rects_.push_back(rect);
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
    cuda::HitTest test;
    test.threshold = params.threshold;
    test.best_only = (params.flags & VDT_FIND_BEST_ONLY) != 0;
    test.pattern = static_cast<std::uint32_t>(job);
    test.count = reinterpret_cast<std::uint32_t*>(results_.data());
    test.progress = reinterpret_cast<cuda::Progress*>(results_.data()) + 1 + job;
    test.hits = reinterpret_cast<cuda::Hit*>(results_.data() + hits_offset());
    test.capacity = static_cast<std::uint32_t>(hit_capacity_);
    return test;
}

void TemplateFinder::search_job(std::size_t index, const vdt_template_find_params& params) {
    const Job& job = *jobs_[index];
    const cuda::Pattern& pattern = job.prepared.pattern();
    const cuda::HitTest test = test_of(index, params);
    const double positions = static_cast<double>(job.scene.columns) * job.scene.rows;
    const double bytes = static_cast<double>(pattern.width()) * pattern.height() * pattern.channels();
    if (is_few(positions, bytes)) {
        cuda::direct_test(job.scene, job.prepared.words(), pattern.sums(), job.exclusions, {}, test,
                          device_.cuda.limits, operands_.stream());
        return;
    }
    const auto count = static_cast<std::size_t>(job.scene.columns) * static_cast<std::size_t>(job.scene.rows);
    if (scores_.size() < count) scores_ = cuda::Block<double>(device_.cuda.memory, count);
    cuda::direct_scores(job.scene, job.prepared.words(), pattern.sums(), job.exclusions, scores_.data(),
                        operands_.stream());
    cuda::select_hits(scores_.data(), job.scene.columns, job.scene.rows,
                      (params.flags & VDT_FIND_LOCAL_MAXIMA) != 0 && !test.best_only, test, operands_.stream());
}

void TemplateFinder::search(const vdt_template_find_params& params) {
    const std::size_t wanted = std::max(hit_capacity_, first_capacity);
    const std::size_t bytes = hits_offset() + cuda::checked_bytes(wanted, sizeof(cuda::Hit));
    if (results_.size() < bytes) {
        results_ = {};
        results_ = cuda::Block<std::byte>(device_.cuda.memory, bytes);
    }
    hit_capacity_ = wanted;
    cuda::check(cudaMemsetAsync(results_.data(), 0, hits_offset(), operands_.stream()), "clearing counters");
    for (std::size_t p = 0; p < job_count_; ++p)
        if (jobs_[p]->fits) search_job(p, params);
}

bool TemplateFinder::fetch() {
    const std::size_t bytes = hits_offset() + fetched_hits * sizeof(cuda::Hit);
    if (fetched_.size() < bytes) fetched_ = cuda::Block<std::byte>(device_.cuda.pinned, bytes);
    cuda::check(cudaMemcpyAsync(fetched_.data(), results_.data(), bytes, cudaMemcpyDeviceToHost, operands_.stream()),
                "fetching matches");
    cuda::synchronize(operands_.stream());
    std::uint32_t count = 0;
    std::memcpy(&count, fetched_.data(), sizeof count);
    if (count > hit_capacity_) {
        hit_capacity_ = count;
        return false;
    }
    const auto* hits = reinterpret_cast<const cuda::Hit*>(fetched_.data() + hits_offset());
    if (count > fetched_hits) {
        if (more_.size() < count) more_ = cuda::Block<cuda::Hit>(device_.cuda.pinned, count);
        cuda::check(cudaMemcpyAsync(more_.data(), results_.data() + hits_offset(), count * sizeof(cuda::Hit),
                                    cudaMemcpyDeviceToHost, operands_.stream()),
                    "fetching matches");
        cuda::synchronize(operands_.stream());
        hits = more_.data();
    }
    for (std::uint32_t i = 0; i < count; ++i) jobs_[hits[i].pattern]->hits.push_back(hits[i]);
    return true;
}

vdt_code TemplateFinder::find(const vdt_call& call) {
    const auto& params = plugin::params_of<vdt_template_find_params>(call);
    const vdt_rect region = region_of(*call.inputs[0], params);
    plugin::ListWriter<> items(*call.lists_out[0]);
    plugin::throw_if_cancelled(*device_.host, call.token);
    Operands::Call running(operands_, call);
    const DeviceImage scene = operands_.input(0);
    prepare(call, params, scene, region);
    do {
        plugin::throw_if_cancelled(*device_.host, call.token);
        search(params);
    } while (!fetch());
    for (std::size_t p = 0; p < job_count_; ++p) {
        Job& job = *jobs_[p];
        items.count_found(choose_hits(job.hits, params.flags, params.max_results));
        for (const cuda::Hit& hit : job.hits) {
            vdt_item item{};
            item.x = static_cast<float>(static_cast<int>(hit.place & 0xffffu) + region.x);
            item.y = static_cast<float>(static_cast<int>(hit.place >> 16) + region.y);
            item.w = static_cast<float>(job.prepared.pattern().width());
            item.h = static_cast<float>(job.prepared.pattern().height());
            item.score = hit.score;
            item.pattern = static_cast<std::uint32_t>(p);
            items.write(item);
        }
    }
    running.finish();
    return items.finish();
}

void cost_of_template_find(const Device&, const vdt_query& query, vdt_cost& cost) {
    const auto& params = plugin::params_of<vdt_template_find_params>(query);
    const vdt_rect region = region_of(*query.inputs[0], params);
    const double channels = template_channels(query.inputs[0]->format);
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    cost.bytes_to_host = static_cast<double>(fetched_hits * sizeof(cuda::Hit));
    for (std::size_t p = 0; p < params.pattern_count; ++p) {
        const vdt_image& pattern = *query.inputs[1 + 2 * p];
        const auto w = static_cast<double>(pattern.width);
        const auto h = static_cast<double>(pattern.height);
        if (w > region.w || h > region.h) continue;
        const double positions = (region.w - w + 1) * (region.h - h + 1);
        const double words = w * h * channels / 4;
        vdt_cost_stage stage{};
        stage.work = positions * (words * (4 + channels) + 60);
        stage.span = words * (4 + channels) + 60;
        stage.width = positions;
        stage.divergence = 1;
        stage.global_bytes = static_cast<double>(region.w) * region.h * channels + 8 * positions;
        stage.global_refs = stage.global_bytes / 128;
        stage.shared_refs = positions * words / 2;
        plugin::add_stage(cost, stage);
        cost.launches += 2;
        cost.scratch_bytes = std::max(cost.scratch_bytes, static_cast<std::uint64_t>(8 * positions));
    }
}

}  // namespace vedette::cuda_plugin
