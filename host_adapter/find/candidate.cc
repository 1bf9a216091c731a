#include "candidate.h"

#include "evidence.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace vedette::host {
namespace {

// A pattern differs everywhere when more than this share of it does, a pixel differing when it does so by more than
// this share of the limit.
constexpr double kEverywhere = 0.5;
constexpr double kPixelDiffers = 0.5;

}  // namespace

Box MatchCandidate::box() const noexcept {
    const ScreenForm& form = search->scene->form;
    return {(form.left + x) * form.step_x, (form.top + y) * form.step_y, search->form->width() * form.step_x,
            search->form->height() * form.step_y};
}

bool better(const MatchCandidate& p, const MatchCandidate& q) noexcept {
    if (p.score != q.score) return p.score > q.score;
    const Box a = p.box();
    const Box b = q.box();
    return std::make_tuple(a.y, a.x, p.search->scale) < std::make_tuple(b.y, b.x, q.search->scale);
}

double Judge::limit(const SizedSearch& search) const {
    return residual_limit(search.form->appearance().deviation(), query_.strictness);
}

void Judge::verify(MatchCandidate& candidate, ResidualMeter& meter) const {
    const SizedSearch& search = *candidate.search;
    const double most = limit(search);
    // A uniform window that equals a uniform pattern differs nowhere; areas of one colour give many of them.
    if (candidate.score == 1 && search.flat() && search.form->appearance().uniform()) {
        candidate.residual = 0;
        candidate.worst = {0, 0, std::min(search.form->width(), kResidualBlock),
                           std::min(search.form->height(), kResidualBlock)};
    } else {
        const Residual found =
            meter.measure(search.form->appearance(), search.scene->pixels(), candidate.x, candidate.y, most);
        candidate.residual = found.value;
        candidate.worst = found.worst;
    }
    if (!search.flat()) candidate.evidence = evidence(candidate.score, search.form->samples(workers_));
    candidate.complete = candidate.residual <= most;
    if (candidate.residual > most)
        candidate.reason = VDT_REASON_DIFFERS_LOCALLY;  // complete() tells from everywhere
    else if (!search.flat() && search.scaled && candidate.evidence < judging::kScaledEvidence)
        candidate.reason = VDT_REASON_TOO_LITTLE_STRUCTURE;
    else if (!search.flat() && !search.scaled && candidate.evidence < judging::kEvidence &&
             candidate.score < judging::kScoreBeyondEvidence)
        candidate.reason = VDT_REASON_TOO_LITTLE_STRUCTURE;
}

void Judge::judge(MatchCandidate& candidate, ResidualMeter& meter) const {
    const SizedSearch& search = *candidate.search;
    if (!query_.verify) {
        candidate.reason = candidate.score < search.least_score ? VDT_REASON_BELOW_SCORE : VDT_REASON_NONE;
        candidate.complete = true;
        return;
    }
    if (candidate.score < search.least_score) {
        candidate.reason = VDT_REASON_BELOW_SCORE;  // complete() measures the one that is reported
        return;
    }
    verify(candidate, meter);
}

std::uint32_t Judge::candidates_of_a_piece(const std::vector<MatchCandidate*>& candidates) const {
    // A candidate takes about as many nanoseconds as its pattern has pixels. To wake the threads took 40 us and more on
    // a machine with sixteen.
    constexpr double least_pixels = 1 << 15;
    constexpr double most = 1U << 16U;
    double pixels = 1;
    for (const MatchCandidate* candidate : candidates)
        pixels = std::max(pixels, static_cast<double>(candidate->search->form->width()) *
                                      static_cast<double>(candidate->search->form->height()));
    return static_cast<std::uint32_t>(std::clamp(least_pixels / pixels, 1.0, most));
}

void Judge::judge(std::vector<std::vector<MatchCandidate>>& candidates) const {
    if (!query_.verify) {  // nanoseconds each
        ResidualMeter meter;
        for (std::vector<MatchCandidate>& list : candidates)
            for (MatchCandidate& candidate : list) judge(candidate, meter);
        return;
    }
    std::vector<MatchCandidate*> all;
    // The statistics run on the workers too, so they come before the loop.
    for (std::vector<MatchCandidate>& list : candidates)
        for (MatchCandidate& candidate : list) {
            all.push_back(&candidate);
            if (!candidate.search->flat() && candidate.score >= candidate.search->least_score)
                candidate.search->form->samples(workers_);
        }
    std::vector<ResidualMeter> meters(workers_.count());
    workers_.run(static_cast<std::uint32_t>(all.size()), candidates_of_a_piece(all),
                 [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
                     for (std::uint32_t i = begin; i < end; ++i) {
                         workers_.check();
                         judge(*all[i], meters[worker]);
                     }
                 });
}

void Judge::complete(MatchCandidate& candidate) const {
    if (!query_.verify || candidate.complete) return;
    const SizedSearch& search = *candidate.search;
    const Appearance& appearance = search.form->appearance();
    ResidualMeter meter;
    const Residual found = meter.measure(appearance, search.scene->pixels(), candidate.x, candidate.y);
    candidate.residual = found.value;
    candidate.worst = found.worst;
    if (!search.flat()) candidate.evidence = evidence(candidate.score, search.form->samples(workers_));
    if (candidate.reason == VDT_REASON_DIFFERS_LOCALLY &&
        share_that_differs(appearance, search.scene->pixels(), candidate.x, candidate.y, kPixelDiffers * limit(search),
                           meter) > kEverywhere)
        candidate.reason = VDT_REASON_DIFFERS_EVERYWHERE;
    candidate.complete = true;
}

vdt_match Judge::match(const MatchCandidate& candidate) const {
    const SizedSearch& search = *candidate.search;
    const ScreenForm& form = search.scene->form;
    const Box box = candidate.box();
    vdt_match match{};
    match.struct_size = sizeof match;
    match.pattern = search.pattern;
    match.x = box.x;
    match.y = box.y;
    match.w = box.w;
    match.h = box.h;
    match.score = candidate.score;
    match.scale = search.factor;
    match.residual = candidate.residual;
    match.residual_limit = query_.verify ? limit(search) : -1;
    match.evidence = candidate.evidence;
    match.stage = search.flat() ? VDT_STAGE_FLAT : search.factor == 1 ? VDT_STAGE_SAME : VDT_STAGE_SCALE;
    match.reason = candidate.reason;
    if (query_.verify) {
        // Outwards to whole pixels of the screen.
        const auto span = [](std::uint32_t begin, std::uint32_t size, double step, std::int32_t& out,
                             std::int32_t& length) {
            out = static_cast<std::int32_t>(std::floor(begin * step));
            length = static_cast<std::int32_t>(std::ceil((static_cast<double>(begin) + size) * step)) - out;
        };
        span(form.left + candidate.x + candidate.worst.x, candidate.worst.w, form.step_x, match.worst.x, match.worst.w);
        span(form.top + candidate.y + candidate.worst.y, candidate.worst.h, form.step_y, match.worst.y, match.worst.h);
    }
    const double corners[8] = {box.x, box.y, box.x + box.w, box.y, box.x + box.w, box.y + box.h, box.x, box.y + box.h};
    std::copy_n(corners, 8, match.quad);
    return match;
}

}  // namespace vedette::host
