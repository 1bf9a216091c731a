#include "bench_timing.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

namespace vedette::cli {

namespace {

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Timing measure(const Schedule& schedule, const std::function<void()>& run) {
    run();
    std::vector<double> times;
    const double begin = now_ms();
    for (double now = begin;;) {
        const double seconds = (now - begin) / 1e3;
        const bool enough = times.size() >= schedule.most_runs ||
                            (times.size() >= schedule.least_runs && seconds >= schedule.seconds) ||
                            (!times.empty() && seconds >= schedule.most_seconds);
        if (enough) {
            break;
        }
        const double start = now_ms();
        run();
        now = now_ms();
        times.push_back(now - start);
    }
    std::sort(times.begin(), times.end());
    const std::size_t half = times.size() / 2;
    const double median = times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
    return {median, times.front(), times.back(), static_cast<unsigned>(times.size())};
}

double measure_bandwidth(unsigned threads) {
    const std::size_t bytes = (std::size_t{256} << 20) / threads;  // together beyond any last-level cache
    constexpr int rounds = 7;
    std::vector<std::vector<char>> from(threads, std::vector<char>(bytes, 1));
    std::vector<std::vector<char>> to(threads, std::vector<char>(bytes, 2));
    double best = 0;
    for (int round = 0; round < rounds; ++round) {
        const double start = now_ms();
        std::vector<std::thread> copies;
        for (unsigned i = 0; i < threads; ++i) {
            copies.emplace_back([&, i] { std::memcpy(to[i].data(), from[i].data(), bytes); });
        }
        for (std::thread& copy : copies) {
            copy.join();
        }
        best = std::max(best, 2.0 * static_cast<double>(bytes) * threads / (now_ms() - start) * 1e3);
    }
    return best;
}

}  // namespace vedette::cli
