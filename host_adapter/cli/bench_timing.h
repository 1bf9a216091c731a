// How the benchmark measures.
#pragma once

#include <functional>

namespace vedette::cli {

struct Timing {
    double median_ms = -1;
    double least_ms = -1;
    double most_ms = -1;
    unsigned runs = 0;
};

// After one run that does not count: at least `least_runs`, then on until `seconds` have passed or `most_runs` are
// done; a case whose single runs are long ends after `most_seconds`, with fewer runs than `least_runs`.
struct Schedule {
    unsigned least_runs;
    unsigned most_runs;
    double seconds;
    double most_seconds;
};

// Wall-clock times of single runs. A loop of our own rather than Google Benchmark's: what is wanted is the median of
// single runs of milliseconds, under a limit of time for the whole table, and the installed command should not need one
// more library for it.
Timing measure(const Schedule& schedule, const std::function<void()>& run);

// Bytes read and written a second by copying far more than the caches hold, on `threads` threads; the best of several.
double measure_bandwidth(unsigned threads);

}  // namespace vedette::cli
