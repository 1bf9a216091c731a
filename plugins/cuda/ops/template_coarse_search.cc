// Large patterns, which are compared by means of blocks first (kernels/template_coarse.h).
#include "template_finder.h"

#include <algorithm>

namespace vedette::cuda_plugin {

namespace {

// Of the norms of pattern and window, what the product of a window at the threshold reaches at least; under it much of
// usual screens is left (screens of real programs, 64 x 64 to 256 x 256: 0.4 left up to a quarter of the tiles).
constexpr double least_share = 0.4;
// Of one position.
double products_of(int width, int height) {
    const cuda::GemmOperand shape = cuda::gemm_shape(width, height, 1);
    return (32.0 * shape.steps + (shape.half_step ? 16 : 0)) * shape.rows;
}

}  // namespace

void TemplateFinder::choose_step(Job& job, double threshold) {
    const cuda::Pattern& pattern = job.prepared.pattern();
    if (pattern.channels() != 1 || pattern.masked()) return;
    const bool learnt = job.next_step_version == job.prepared.version() && job.next_step_threshold >= threshold;
    const int largest = largest_step_for(pattern.width(), pattern.height());
    for (int step = learnt ? std::min(job.next_step, largest) : largest; cuda::is_coarse_step(step); step /= 2) {
        const PreparedPattern::Coarse& coarse = job.prepared.coarse(device_, step, operands_.stream());
        if (!coarse.pattern.usable() || cuda::least_share(coarse.pattern.spread, threshold) < least_share) continue;
        const cuda::QuadFactors factors = cuda::quad_factors(coarse.pattern.spread, coarse.quad, job.part, threshold);
        if (factors.upper == 0) continue;
        // Thresholds are made in units of the product of means, and of that much smaller; the part is the same.
        const float unit = 1 / static_cast<float>(step * step);
        // Roundings in float.
        constexpr float less = 1 - 1e-6f;
        constexpr float more = 1 + 1e-6f;
        job.fine.operand = job.prepared.candidate(device_, operands_.stream()).operand;
        job.fine.lower = job.factor / (factors.lower * unit) * less;
        job.fine.upper = job.upper / (factors.lower * unit) * more;
        job.factor = factors.lower * unit;
        job.upper = factors.upper * unit * more;
        job.step = step;
        return;
    }
}

void TemplateFinder::search_coarse(Job& job, const cuda::Candidates& candidates, cuda::Progress* progress,
                                   const cuda::Cleared& cleared) {
    const cudaStream_t stream = operands_.stream();
    const cuda::Pattern& pattern = job.prepared.pattern();
    const bool thresholds_made = make_thresholds(job, cleared);
    cuda::PhasePlanes planes = cuda::phase_planes(job.scene, pattern.width(), pattern.height(), job.step);
    planes.bytes = cuda::make_room(phases_, device_.cuda.memory, planes.all_bytes(), stream);
    cuda::CoarseLeft left = cuda::coarse_left(job.scene);
    left.words = cuda::make_room(left_, device_.cuda.memory, left.size(), stream);
    if (phases_step_ == job.step) {  // of the same part of the screen, whatever the pattern's size
        cuda::check(
            cudaMemsetAsync(left.words, 0, sizeof(std::uint32_t) * static_cast<std::size_t>(left.counters()), stream),
            "clearing counters");
    } else {
        cuda::screen_phases(job.scene, planes, {left.words, left.counters()},
                            thresholds_made && device_.cuda.limits.early_launch, stream);
        phases_step_ = job.step;
    }
    cuda::FineBound fine = job.fine;
    // Thresholds that were made for another pattern of this size may be a little lower than its own.
    const float lower = job.factor / thresholds_for_->factor;
    fine.lower *= lower;
    fine.upper *= lower;
    const PreparedPattern::Coarse& coarse = job.prepared.coarse(device_, job.step, stream);
    cuda::coarse_candidates(job.scene, planes, quads_of(job.scene),
                            {coarse.operand, coarse.pattern.slack, job.upper / thresholds_for_->factor}, fine, left,
                            candidates, progress, device_.cuda.limits, stream);
}

void TemplateFinder::learn_step(Job& job, const cuda::Progress& progress, double threshold) const {
    const cuda::Pattern& pattern = job.prepared.pattern();
    const cuda::CoarseLeft left = cuda::coarse_left(job.scene);
    const double share = progress.tiles / (static_cast<double>(left.tiles_across) * left.tiles_down);
    // In units of the whole product.
    const auto price_of = [&](int step) {
        return products_of(pattern.width() / step, pattern.height() / step) /
               products_of(pattern.width(), pattern.height());
    };
    // Half the step leaves about a third of the tiles (estimate); the pattern itself none.
    const double next = job.step > 2 ? price_of(job.step / 2) + share / 3 : 1;
    if (price_of(job.step) + share <= next) return;
    job.next_step = job.step / 2;
    job.next_step_version = job.prepared.version();
    job.next_step_threshold = threshold;
}

}  // namespace vedette::cuda_plugin
