// How surprising a correlation is, and the constants that decide what counts as a match.
#pragma once

#include "view.h"
#include "workers.h"

namespace vedette::host {

// Number of independent samples a pattern amounts to: n / sum over all lags of rho(lag)^2, rho the autocorrelation of
// the mean-free pattern under its mask, summed over the channels, normalised to 1 at lag 0 [Bartlett's variance of a
// chance correlation]. Between 0 (no variance) and n = pixels that count. By FFT. For patterns of more than 512 x 512
// pixels it is an estimate: they are averaged over small blocks first.
double effective_samples(const PixelView& pattern, const PixelView& mask, const Workers& workers);

// atanh(score) * sqrt(samples): the score in standard deviations of chance [Fisher's z]. Large but finite for score 1.
double evidence(double score, double samples) noexcept;

// The fixed configuration. Each was chosen on screenshots of public test suites with the interval that gives the same
// result; they hold together, so none is an option by itself: `strictness` moves the three residual limits.
namespace judging {
constexpr double kResidualBase = 5.5;          // 4.6 .. 7.6
constexpr double kResidualPerContrast = 0.8;   // 0.66 .. 1.66
constexpr double kResidualMost = 19;           // 16.6 .. 21.3
constexpr double kEvidence = 6.4;              // 6.0 .. 8.1
constexpr double kScoreBeyondEvidence = 0.98;  // 0.973 .. 1: a score like this needs no further evidence
constexpr double kScaledScore = 0.8;           // for sizes other than 1 when several are tried: more trials,
constexpr double kScaledEvidence = 9;          // so more evidence, without the exemption
// Resampling leaves differences, so a higher score at another size says no more: patterns too small to reach the
// evidence with this one are not looked for.
constexpr double kScaledScoreMost = 0.999;
constexpr double kOtherStateScore = 0.85;  // refused by its residual, but surely the element: in another state
constexpr double kIdentical = 1;           // a residual below this: the same pixels but for rounding
}  // namespace judging

// The samples below which a pattern cannot reach the evidence that is asked for at another size.
double least_samples_of_scaled() noexcept;

// The residual a pattern of this CIELAB deviation may have: a faint pattern gets a tight limit. strictness > 0 divides
// it.
double residual_limit(double deviation, double strictness) noexcept;

}  // namespace vedette::host
