// Patterns that are searched by candidates: thresholds, products that name candidates, and their exact tests.
#include "template_finder.h"

#include <kernels/template_many.h>

#include <algorithm>
#include <climits>
#include <tuple>

namespace vedette::cuda_plugin {

namespace {

// Thresholds made for one pattern serve another whose own would be higher by at most this.
constexpr float shared_factor = 1.1f;

}  // namespace

std::uint32_t most_candidates(std::int64_t bytes, bool masked, double positions) {
    constexpr double least = 4096;
    constexpr double most = 1u << 18;
    if (masked) return static_cast<std::uint32_t>(most);  // every score takes 2 ms
    // H200, nanoseconds: a test took 0.48 for 16 x 16 to 2.7 for 128 x 128, and 34 where threads do not hold the
    // pattern; all scores of a 4K screen take 175 us more than the products that candidates need as well.
    const double words = static_cast<double>(bytes) / 4;
    const double price = (0.4 + 0.0006 * words) * (words > 4096 ? 3.4 : 1);
    return static_cast<std::uint32_t>(std::clamp(0.0216 * positions / price, least, most));
}

std::uint32_t TemplateFinder::capacity_for(const Job& job) {
    const cuda::Pattern& pattern = job.prepared.pattern();
    return most_candidates(std::int64_t{pattern.width()} * pattern.height() * pattern.channels(), pattern.masked(),
                           static_cast<double>(job.scene.columns) * job.scene.rows);
}

void TemplateFinder::choose_factor(Job& job, double threshold) {
    const cuda::Pattern& pattern = job.prepared.pattern();
    job.factor = 0;
    job.step = 0;
    if (!by_products(way_) || !cuda::gemm_takes(pattern.width(), pattern.height(), pattern.channels())) return;
    if (job.crowded_version == job.prepared.version() && job.crowded_threshold >= threshold) return;
    const PreparedPattern::Candidate& candidate = job.prepared.candidate(device_, operands_.stream());
    job.part = candidate.part;
    const cuda::QuadFactors quad =
        cuda::quad_factors(candidate.coefficients, candidate.quad, candidate.part, threshold);
    job.upper = quad.upper;
    job.factor =
        quad.upper > 0 ? quad.lower : cuda::candidate_factor(candidate.coefficients, candidate.part, threshold);
    if (way_ == FindWay::blocks && job.factor > 0 && job.upper > 0) choose_step(job, threshold);
}

cuda::QuadPlane TemplateFinder::quads_of(const cuda::TemplateScene& scene) {
    const int stride = cuda::quad_stride(scene.columns);
    const std::size_t count = static_cast<std::size_t>(stride) * static_cast<std::size_t>(cuda::quad_rows(scene.rows));
    return {cuda::make_room(thresholds_, device_.cuda.memory, count, operands_.stream()), stride};
}

bool TemplateFinder::serves(const Job& made_for, const Job& job) {
    const auto key = [](const Job& of) {
        return std::make_tuple(of.scene.columns, of.scene.rows, of.part.x, of.part.y, of.part.width, of.part.height,
                               of.upper > 0, of.step);
    };
    return key(made_for) == key(job) && made_for.factor <= job.factor &&
           made_for.factor * shared_factor >= job.factor && job.upper <= cuda::quad_most_ratio * made_for.factor;
}

bool TemplateFinder::make_thresholds(const Job& job, const cuda::Cleared& cleared) {
    if (thresholds_for_ != nullptr && serves(*thresholds_for_, job)) return false;
    // A coarse bound has a slack, under which flat places would pass that no window of a score over 0 has.
    const int flat = job.step > 0 ? INT_MAX : 1;
    if (job.upper > 0)
        cuda::quad_thresholds(job.scene, job.part, {job.factor, flat}, quads_of(job.scene), cleared,
                              device_.cuda.limits, operands_.stream());
    else
        cuda::window_thresholds(job.scene, job.part, job.factor, plane_of(job.scene, thresholds_), cleared,
                                operands_.stream());
    thresholds_for_ = &job;
    return true;
}

void TemplateFinder::search_candidates(std::size_t index, const vdt_template_find_params& params,
                                       const cuda::Cleared& cleared) {
    Job& job = *jobs_[index];
    const std::uint32_t capacity = capacity_for(job);
    cuda::make_room(places_, device_.cuda.memory, capacity, operands_.stream());
    const cuda::Candidates candidates{places_.data(), capacity};
    cuda::Progress* const progress = test_of(index, params).progress;
    if (job.step > 0) {
        search_coarse(job, candidates, progress, cleared);
        cuda::direct_test(job.scene, place_test(index, candidates, params), device_.cuda.limits, operands_.stream());
        return;
    }
    make_thresholds(job, cleared);
    const cuda::GemmOperand& operand = job.prepared.candidate(device_, operands_.stream()).operand;
    if (job.upper > 0)
        cuda::gemm_candidates(job.scene, operand, quads_of(job.scene), job.upper / thresholds_for_->factor, candidates,
                              progress, device_.cuda.limits, operands_.stream());
    else
        cuda::gemm_candidates(job.scene, operand, plane_of(job.scene, thresholds_), candidates, progress,
                              device_.cuda.limits, operands_.stream());
    cuda::direct_test(job.scene, place_test(index, candidates, params), device_.cuda.limits, operands_.stream());
}

cuda::PlaceTest TemplateFinder::place_test(std::size_t index, const cuda::Candidates& candidates,
                                           const vdt_template_find_params& params) const {
    const Job& job = *jobs_[index];
    return {job.prepared.words(), job.prepared.pattern().sums(), job.exclusions, candidates, test_of(index, params)};
}

std::size_t TemplateFinder::alike(std::size_t first) const {
    const Job& one = *jobs_[order_[first]];
    const cuda::Pattern& pattern = one.prepared.pattern();
    if (pattern.masked() || one.scene.channels != 1) return 1;
    const auto is_alike = [&](std::size_t at) {
        const cuda::Pattern& other = jobs_[order_[at]]->prepared.pattern();
        return other.width() == pattern.width() && other.height() == pattern.height() && !other.masked();
    };
    std::size_t count = 1;
    while (count < cuda::many_most && first + count < order_.size() && is_alike(first + count)) ++count;
    // More patterns than lie in a block's shared memory are taken by halves.
    for (const std::size_t taken : {count, std::min<std::size_t>(count, cuda::many_half)})
        if (cuda::many_takes(pattern.width(), pattern.height(), static_cast<int>(taken), device_.cuda.limits))
            return taken;
    return 1;
}

const std::uint32_t* TemplateFinder::many_words(std::size_t first, std::size_t count) {
    Many& many = many_[first];
    std::vector<std::pair<std::size_t, std::uint64_t>> members;
    members.reserve(count);
    for (std::size_t i = first; i < first + count; ++i)
        members.emplace_back(order_[i], jobs_[order_[i]]->prepared.version());
    if (many.members == members) return many.words.data();
    many.members.clear();
    std::vector<std::vector<std::int8_t>> pixels;
    pixels.reserve(count);
    for (const auto& [index, version] : members) pixels.push_back(cuda::less_128(jobs_[index]->prepared.pattern()));
    const cuda::Pattern& pattern = jobs_[order_[first]]->prepared.pattern();
    const std::vector<std::uint32_t> words =
        cuda::many_words(pixels, pattern.width(), pattern.height(), device_.cuda.limits);
    cuda::make_room(many.words, device_.cuda.memory, words.size(), operands_.stream());
    cuda::check(cudaMemcpyAsync(many.words.data(), words.data(), words.size() * sizeof(std::uint32_t),
                                cudaMemcpyHostToDevice, operands_.stream()),
                "copying patterns");
    cuda::synchronize(operands_.stream());
    many.members = std::move(members);
    return many.words.data();
}

void TemplateFinder::search_many(std::size_t first, std::size_t count, const vdt_template_find_params& params,
                                 const cuda::Cleared& cleared) {
    const Job& job = *jobs_[order_[first]];
    const cuda::ManyOperand operand{many_words(first, count), job.prepared.pattern().width(),
                                    job.prepared.pattern().height(), static_cast<int>(count)};
    if (cleared.words != nullptr) list_.clear(operands_.stream());
    if (tests_.size() < order_.size()) {
        tests_ = cuda::Block<cuda::PlaceTest>(device_.cuda.memory, order_.size());
        host_tests_ = cuda::Block<cuda::PlaceTest>(device_.cuda.pinned, order_.size());
    }
    // Other groups of this search have other places in the arrays.
    cuda::PlaceTest* const tests = host_tests_.data() + first;
    cuda::ManyTests many;
    many.tests = tests_.data() + first;
    many.taken = &test_of(order_[first], params).progress->taken;
    for (std::size_t i = 0; i < count; ++i) {
        jobs_[order_[first + i]]->at_once = true;
        tests[i] = place_test(order_[first + i], {}, params);
        many.set(static_cast<int>(i), tests[i]);
    }
    cuda::check(cudaMemcpyAsync(tests_.data() + first, tests, count * sizeof(cuda::PlaceTest), cudaMemcpyHostToDevice,
                                operands_.stream()),
                "copying what is tested");
    cuda::many_hits(job.scene, operand, many, device_.cuda.limits, operands_.stream());
}

}  // namespace vedette::cuda_plugin
