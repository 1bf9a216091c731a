#include "probe.h"

#include "kernels/per_isa.h"
#include "kernels/probe.h"
#include "probe_team.h"
#include "processor.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <thread>
#include <vector>

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(ProbeKernels, probe_kernels)

namespace {

using plugin::Measurement;
using plugin::Probe;

constexpr std::uint32_t samples = 15;
constexpr double line = 64;  // bytes of a transaction, as the costs of the operations count them
// One sample takes about a millisecond at 3 GHz: long against a clock's reading, short against a time slice.
constexpr std::uint64_t chain_rounds = 100000, addition_rounds = 150000;
// Shares of the budget: nothing takes more of it than this, so that something is left for everything.
constexpr double small_share = 0.05, memory_share = 0.15, touching_share = 0.3;

template <class Value>
void use(Value value) noexcept {
    __asm__ volatile("" : : "r,m"(value) : "memory");
}

std::uint64_t cache_bytes(int name, std::uint64_t usual) noexcept {
    const long told = name < 0 ? 0 : ::sysconf(name);
    return told > 0 ? static_cast<std::uint64_t>(told) : usual;
}

// Of the whole machine; `usual` where nobody tells.
std::uint64_t memory_bytes(std::uint64_t usual) noexcept {
    const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : usual;
}

#ifdef _SC_LEVEL1_DCACHE_SIZE
constexpr int first_cache = _SC_LEVEL1_DCACHE_SIZE, second_cache = _SC_LEVEL2_CACHE_SIZE;
#else
constexpr int first_cache = -1, second_cache = -1;
#endif

// Memory of the host for the time of a measurement.
class Area {
public:
    Area(const Device& device, std::uint64_t bytes)
        : host_(*device.host), bytes_(bytes), base_(static_cast<unsigned char*>(host_.alloc(host_.ctx, bytes, 4096))) {}
    ~Area() {
        if (base_ != nullptr) host_.free(host_.ctx, base_);
    }
    Area(const Area&) = delete;
    Area& operator=(const Area&) = delete;
    unsigned char* base() const noexcept { return base_; }
    float* floats() const noexcept { return reinterpret_cast<float*>(base_); }
    std::uint64_t bytes() const noexcept { return bytes_; }

private:
    const vdt_host& host_;
    std::uint64_t bytes_;
    unsigned char* base_;
};

class Measuring {
public:
    Measuring(const Device& device, Probe& probe)
        : device_(device), probe_(probe), kernels_(select_probe_kernels(device.isa)), team_(device) {}

    void run() {
        measure_units();
        measure_forks();
        measure_memory();
        measure_meetings();
    }

private:
    double members() const noexcept { return team_.size(); }

    Measurement team_rate(double share, double amount, const auto& work) {
        return probe_.repeat(samples, share, [&] { return team_.rate(amount, work); });
    }

    // Clock, lanes and the time of a dependent operation, under the load of all processors: that is how operations run.
    void measure_units() {
        Measurement clock = team_rate(small_share, static_cast<double>(chain_rounds * ProbeKernels::chain_length),
                                      [&](std::uint32_t) { use(kernels_.integer_chain(chain_rounds)); });
        clock.value /= members();
        probe_.answer(VDT_PARAM_CLOCK, clock);

        const double each = static_cast<double>(addition_rounds * ProbeKernels::independent_additions) * kernels_.lanes;
        Measurement lanes =
            team_rate(small_share, each, [&](std::uint32_t) { use(kernels_.additions(addition_rounds)); });
        if (clock.samples != 0) {
            lanes.value /= members() * clock.value;
            probe_.answer(VDT_PARAM_LANES, lanes);
        }
        constexpr std::uint64_t rounds = chain_rounds / 3;
        Measurement chain = team_rate(small_share, static_cast<double>(rounds * ProbeKernels::chain_length),
                                      [&](std::uint32_t) { use(kernels_.float_chain(rounds)); });
        if (chain.value > 0) chain.value = members() / chain.value;
        probe_.answer(VDT_PARAM_OPERATION_TIME, chain);
    }

    // What a loop over all threads takes beyond its share of the work. Threads join it one after the other while those
    // that are there already work, so that what is lost is the mean of the times after which they come. One for a pool
    // that has slept, and one for a loop that follows another as loops of an operation and calls do: after a while in
    // which the caller works alone and the others have begun to sleep. (The time of a loop less that of its share would
    // also hold what a busy machine takes from some of the threads, and grow with the work.)
    void measure_forks() {
        probe_.answer(VDT_PARAM_LAUNCH_TIME, probe_.repeat(samples, small_share, [&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return joining_time();
        }));
        probe_.answer(VDT_PARAM_NEXT_LAUNCH_TIME, probe_.repeat(samples, small_share, [&] {
            constexpr double alone = 5e-6;
            joining_time();
            const auto start = std::chrono::steady_clock::now();
            while (seconds_since(start) < alone) use(kernels_.float_chain(1));
            return joining_time();
        }));
    }

    double joining_time() {
        // A piece takes some microseconds while somebody is missing, so that all of them last for milliseconds.
        constexpr std::uint32_t pieces = 1024;  // of a thread
        constexpr std::uint64_t rounds = 40;
        constexpr double missing = -1;
        std::vector<double> came(team_.size(), missing);
        std::atomic<std::uint32_t> there{0};
        const auto start = std::chrono::steady_clock::now();
        parallel_for(device_, nullptr, 0, team_.size() * pieces, 1,
                     [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
                         for (; begin < end; ++begin) {
                             if (came[worker] == missing) {
                                 came[worker] = seconds_since(start);
                                 there.fetch_add(1, std::memory_order_relaxed);
                             }
                             if (there.load(std::memory_order_relaxed) < team_.size())
                                 use(kernels_.float_chain(rounds));
                         }
                     });
        const double whole = seconds_since(start);
        double sum = 0;
        for (const double time : came) sum += time == missing ? whole : time;
        // Less than a clock can tell is more than nothing.
        constexpr double least = 1e-7;
        return std::max(sum / members(), least);
    }

    // Reads by all threads of `bytes` each, again and again; bytes a second of all together.
    Measurement read_rate(const Area& area, std::uint64_t bytes) {
        constexpr std::uint64_t each_sample = std::uint64_t{24} << 20;  // 1 ms or less from a second cache
        const std::uint64_t floats = bytes / sizeof(float) / ProbeKernels::block_floats * ProbeKernels::block_floats;
        const std::uint64_t passes = std::max<std::uint64_t>(each_sample / (floats * sizeof(float)), 1);
        return team_rate(small_share, static_cast<double>(floats * passes) * sizeof(float), [&](std::uint32_t member) {
            use(kernels_.read(area.floats() + member * floats, floats, passes));
        });
    }

    // Copies within `bytes` of each thread; bytes read and written a second by all together. Caches are read and
    // written by what works in them, and writing takes them longer.
    Measurement cached_copy_rate(const Area& area, std::uint64_t bytes) {
        constexpr std::uint64_t each_sample = std::uint64_t{16} << 20;
        const std::uint64_t floats =
            bytes / 2 / sizeof(float) / ProbeKernels::block_floats * ProbeKernels::block_floats;
        const std::uint64_t passes = std::max<std::uint64_t>(each_sample / (2 * floats * sizeof(float)), 1);
        return team_rate(small_share, 2 * static_cast<double>(floats * passes) * sizeof(float),
                         [&](std::uint32_t member) {
                             float* const from = area.floats() + member * 2 * floats;
                             kernels_.copy_cached(from + floats, from, floats, passes);
                         });
    }

    // Bytes read and written a second when `all` threads, or the first alone, copy one half of so many bytes of the
    // area to the other.
    double copy_rate(const Area& area, std::uint64_t bytes, bool all) {
        const std::uint64_t parts = all ? team_.size() : 4;
        const std::uint64_t floats =
            bytes / 2 / parts / sizeof(float) / ProbeKernels::block_floats * ProbeKernels::block_floats;
        const double moved = 2.0 * static_cast<double>(floats) * sizeof(float);
        const auto copy = [&](std::uint32_t member) {
            float* const from = area.floats() + member * floats;
            kernels_.copy(from + bytes / 2 / sizeof(float), from, floats);
        };
        if (all) return team_.rate(moved, copy);
        const auto start = std::chrono::steady_clock::now();
        copy(0);
        return moved / seconds_since(start);
    }

    // Seconds of one reference among `lines` lines of the area, a power of two, each to the place that the one before
    // names.
    Measurement latency(const Area& area, std::uint64_t lines) {
        constexpr std::uint64_t steps = 16384;
        auto* const places = reinterpret_cast<std::uint64_t*>(area.base());
        constexpr std::uint64_t words = static_cast<std::uint64_t>(line) / sizeof(std::uint64_t);
        // A linear congruence of full period [Knuth, volume 2, 3.2.1.2]: every line once, in an order that no
        // prefetcher foresees.
        const auto after = [&](std::uint64_t at) { return (at * 1664525 + 1013904223) & (lines - 1); };
        team_.rate(1, [&](std::uint32_t member) {
            for (std::uint64_t at = lines * member / team_.size(); at < lines * (member + 1) / team_.size(); ++at)
                places[at * words] = after(at) * words;
        });
        std::uint64_t place = 0;
        return probe_.repeat(samples, small_share, [&] {
            const auto start = std::chrono::steady_clock::now();
            for (std::uint64_t step = 0; step < steps; ++step) place = places[place];
            use(place);
            return seconds_since(start) / steps;
        });
    }

    // Has all threads touch the area, so that the system gives it its memory, as much of it as there is time for;
    // returns how many bytes that were.
    std::uint64_t touch(const Area& area) {
        constexpr std::uint64_t each_time = std::uint64_t{16} << 20;
        const double begin = probe_.seconds_left();
        const double end = (1 - touching_share) * begin;
        std::uint64_t touched = 0;
        while (touched < area.bytes()) {
            const std::uint64_t bytes = std::min(each_time, area.bytes() - touched);
            team_.rate(1, [&](std::uint32_t member) {
                unsigned char* const chunk = area.base() + touched;
                std::fill(chunk + bytes * member / team_.size(), chunk + bytes * (member + 1) / team_.size(),
                          static_cast<unsigned char>(0));
            });
            touched += bytes;
            if (probe_.seconds_left() < end) break;
        }
        return touched;
    }

    void measure_memory() {
        constexpr std::uint64_t least_area = std::uint64_t{64} << 20, most_area = std::uint64_t{1} << 30;
        const std::uint64_t first = cache_bytes(first_cache, 32 << 10), second = cache_bytes(second_cache, 512 << 10);
        const std::uint64_t last = last_cache_bytes();
        // Not more than a sixteenth of the machine's memory.
        const Area area(device_, std::min(std::clamp(std::bit_ceil(4 * last), least_area, most_area),
                                          std::bit_floor(memory_bytes(16 * most_area) / 16)));
        if (area.base() == nullptr) return;
        const double before = probe_.seconds_left();
        const std::uint64_t bytes = std::bit_floor(touch(area));
        const double touching = before - probe_.seconds_left();
        const std::uint64_t part = bytes / team_.size();
        if (part < ProbeKernels::block_floats * 2 * sizeof(float)) return;
        const auto fits = [&](std::uint64_t each) { return each <= part; };
        if (fits(first / 2)) probe_.answer(VDT_PARAM_SHARED_BANDWIDTH, read_rate(area, first / 2));
        if (fits(second / 2)) probe_.answer(VDT_PARAM_CACHE2_BANDWIDTH, cached_copy_rate(area, second / 2));
        // Where the second caches of all threads hold as much as the last cache, nothing is to be measured.
        const std::uint64_t of_last = std::min(last / 2 / team_.size(), part);
        if (of_last > second + second / 2) probe_.answer(VDT_PARAM_CACHE3_BANDWIDTH, cached_copy_rate(area, of_last));
        // What the last cache holds is no memory's.
        if (bytes < 2 * last) return;
        // A copy takes no longer than the first touch of the same memory did; and then it must be given back.
        if (probe_.seconds_left() < 1.5 * touching) return;
        probe_.answer(VDT_PARAM_GLOBAL_BANDWIDTH,
                      probe_.repeat(samples, memory_share, [&] { return copy_rate(area, bytes, true); }));
        Measurement alone = probe_.repeat(samples, memory_share, [&] { return copy_rate(area, bytes, false); });
        if (!probe_.asks(VDT_PARAM_GLOBAL_LATENCY) && !probe_.asks(VDT_PARAM_REFS_IN_FLIGHT)) return;
        const std::uint64_t lines = bytes / 2 / static_cast<std::uint64_t>(line);
        constexpr double slow_write = 0.25e-6;  // of a line to memory, beside others
        if (probe_.seconds_left() < static_cast<double>(lines) * slow_write / members()) return;
        const Measurement waiting = latency(area, lines);
        probe_.answer(VDT_PARAM_GLOBAL_LATENCY, waiting);
        // Little's law.
        alone.value *= waiting.value / line;
        if (waiting.samples != 0) probe_.answer(VDT_PARAM_REFS_IN_FLIGHT, alone);
    }

    // Atomic additions of all threads to one number, and meetings of all threads.
    void measure_meetings() {
        constexpr std::uint64_t additions = 10000, meetings = 50;
        // On a busy system each meeting can wait for a time slice, and fifty of them for longer than the whole budget.
        constexpr double longest_sample = 0.02;
        std::atomic<std::uint64_t> counter{0};
        Measurement atomics = team_rate(small_share, double{additions}, [&](std::uint32_t) {
            for (std::uint64_t i = 0; i < additions; ++i) counter.fetch_add(1, std::memory_order_relaxed);
        });
        if (atomics.value > 0) atomics.value = 1 / atomics.value;
        probe_.answer(VDT_PARAM_ATOMIC_TIME, atomics);
        Measurement barrier = probe_.repeat(samples, small_share, [&] {
            counter = 0;
            std::atomic<bool> all{true};
            const double rate = team_.rate(double{meetings}, [&](std::uint32_t) {
                const auto start = std::chrono::steady_clock::now();
                for (std::uint64_t i = 1; i <= meetings && all; ++i)
                    if (!Team::meet(counter, i * team_.size()) || seconds_since(start) > longest_sample) all = false;
            });
            return all ? rate : 0;
        });
        // Threads that the system keeps putting aside meet by chance only, which says nothing.
        constexpr std::uint32_t least_samples = 3;
        if (barrier.samples < least_samples) return;
        barrier.value = members() / barrier.value;
        probe_.answer(VDT_PARAM_BARRIER_TIME, barrier);
    }

    const Device& device_;
    Probe& probe_;
    const ProbeKernels& kernels_;
    Team team_;
};

}  // namespace

void measure_processors(const Device& device, Probe& probe) {
    probe.know(VDT_PARAM_PROCESSORS, device.workers);
    if (probe.may_measure()) Measuring(device, probe).run();
}

}  // namespace vedette::cpu
