#include "probe.h"

#include "streams.h"

#include <vedette/plugin/cpp/probe_copies.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <vector>

namespace vedette::opencl {

namespace {

using plugin::Measurement;
using plugin::Probe;

constexpr std::uint32_t samples = 11;
constexpr double share = 0.05;  // of the budget, for one parameter
// Kernels last long enough that a launch's uncertain end does not count.
constexpr double least_seconds = 3e-4;

// As in kernels/probe.cl.
constexpr std::uint32_t chain_entries = 1024, chain_length = 32, local_reads_of_item = 8;

void tell_properties(const Device& device, Probe& probe) {
    const DeviceLimits& limits = device.limits();
    probe.know(VDT_PARAM_PROCESSORS, limits.compute_units);
    probe.know(VDT_PARAM_SHARED_BYTES, static_cast<double>(limits.local_bytes));
    probe.know(VDT_PARAM_CONSTANT_BYTES, static_cast<double>(limits.constant_bytes));
    probe.know(VDT_PARAM_CLOCK, limits.clock);
}

class Measuring {
public:
    Measuring(const Device& device, Probe& probe)
        : device_(device),
          probe_(probe),
          queue_(device.make_queue()),
          vector_(device.limits().kind == Kind::cpu && device.limits().native_floats >= 4
                      ? (device.limits().native_floats >= 8 ? 8 : 4)
                      : 1),
          defines_("-D GROUP=" + std::to_string(group) + " -D CHAIN=" + std::to_string(chain_entries) +
                   " -D FLOATS=float" + (vector_ == 1 ? "" : std::to_string(vector_))),
          nothing_(kernel("nothing")),
          sink_(device.buffer<std::uint32_t>(64)) {
        fill_zero(queue(), sink_, sink_.size());
        finish(queue());
    }
    ~Measuring() { (void)cl::api().Finish(queue()); }
    Measuring(const Measuring&) = delete;
    Measuring& operator=(const Measuring&) = delete;

    void run() {
        probe_.know(VDT_PARAM_BUNDLE, static_cast<double>(bundle()));
        measure_launches();
        measure_copies();
        measure_units();
        measure_memory();
        measure_chains();
        measure_atomics();
    }

private:
    static constexpr std::size_t group = 64;  // which every device has

    cl::Queue queue() const noexcept { return queue_.get(); }
    // Only a kernel tells it.
    std::size_t bundle() const noexcept { return nothing_.preferred_multiple(); }
    Kernel kernel(const char* name) const { return device_.programs.kernel("probe", name, defines_); }
    // Groups enough to keep every unit busy whatever it waits for: what the largest known GPUs hold at once is 2048
    // work-items a unit, twice. A processor's unit is a thread, which takes one group after the other.
    std::size_t groups() const noexcept {
        const std::size_t of_unit = device_.limits().kind == Kind::cpu ? 2 : 4096 / group;
        return of_unit * device_.limits().compute_units;
    }
    Range everywhere() const { return groups_of(groups(), group); }
    static Range one_item() { return groups_of(1, 1); }

    template <class Enqueue>
    double seconds(const Enqueue& enqueue) const {
        const auto start = std::chrono::steady_clock::now();
        enqueue();
        finish(queue());
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    // Seconds that one round of `enqueue(rounds)` takes, without what starting and waiting takes: the difference of two
    // lengths.
    template <class Enqueue>
    Measurement round_time(const Enqueue& enqueue, double part = share) const {
        constexpr std::uint32_t most = 1u << 24;
        std::uint32_t rounds = 4;
        while (rounds < most && probe_.seconds_left() > 0 && seconds([&] { enqueue(rounds); }) < least_seconds)
            rounds *= 4;
        return probe_.repeat(samples, part, [&] {
            const double once = seconds([&] { enqueue(rounds); });
            return (seconds([&] { enqueue(2 * rounds); }) - once) / rounds;
        });
    }

    // Something a second instead of the seconds of one.
    static Measurement rate(Measurement time, double amount) noexcept {
        if (time.value > 0) time.value = amount / time.value;
        return time;
    }

    void measure_launches() {
        constexpr unsigned queued = 32;
        const auto start = [&] { launch(queue(), nothing_, groups_of(1, group), sink_); };
        probe_.answer(VDT_PARAM_LAUNCH_TIME, probe_.repeat(3 * samples, share, [&] { return seconds(start); }));
        probe_.answer(VDT_PARAM_NEXT_LAUNCH_TIME, probe_.repeat(samples, share, [&] {
            const double once = seconds(start);
            return (seconds([&] {
                        for (unsigned i = 0; i <= queued; ++i) start();
                    }) -
                    once) /
                   queued;
        }));
    }

    void measure_copies() {
        const BufferRecord on_device(device_, VDT_MEMORY_DEVICE, plugin::probe_copy_bytes);
        const BufferRecord pinned(device_, VDT_MEMORY_PINNED, plugin::probe_copy_bytes);
        plugin::measure_copies(probe_, samples, share, DeviceHandle::handle(const_cast<Device*>(&device_)),
                               on_device.address(), pinned.address(), [&](const vdt_image& from, const vdt_image& to) {
                                   copy_image(device_, from, to, nullptr, nullptr);
                               });
    }

    // The device's clock is what it tells; the lanes are those that, at that clock, do the operations that were done.
    void measure_units() {
        const Kernel chain = kernel("operation_chain"), all = kernel("operations");
        Measurement one =
            round_time([&](std::uint32_t rounds) { launch(queue(), chain, one_item(), rounds, 1.5F, sink_); });
        one.value /= chain_length;
        probe_.answer(VDT_PARAM_OPERATION_TIME, one);
        const Measurement lanes =
            round_time([&](std::uint32_t rounds) { launch(queue(), all, everywhere(), rounds, 1.5F, sink_); });
        const double operations = static_cast<double>(groups() * group) * chain_length * vector_;
        const double clock = device_.limits().clock > 0 ? device_.limits().clock : assumed_clock;
        if (lanes.samples != 0 && device_.limits().clock <= 0) probe_.answer(VDT_PARAM_CLOCK, {clock, 0, 1});
        probe_.answer(VDT_PARAM_LANES, rate(lanes, operations / clock / device_.limits().compute_units));
    }
    static constexpr double assumed_clock = 1e9;  // where a device tells none: only lanes times clock counts

    void measure_memory() {
        const Kernel local = kernel("local_reads");
        const Measurement shared =
            round_time([&](std::uint32_t rounds) { launch(queue(), local, everywhere(), rounds, sink_); });
        probe_.answer(VDT_PARAM_SHARED_BANDWIDTH,
                      rate(shared, static_cast<double>(groups() * group) * local_reads_of_item * sizeof(float)));

        constexpr std::size_t most_area = std::size_t{256} << 20;
        const DeviceLimits& limits = device_.limits();
        const std::size_t bytes =
            std::bit_floor(std::min({most_area, limits.global_bytes / 16, limits.largest_allocation}));
        area_ = device_.buffer<std::uint32_t>(bytes / sizeof(std::uint32_t));
        half_ = device_.buffer<std::uint32_t>(bytes / 2 / sizeof(std::uint32_t));
        fill_zero(queue(), area_, area_.size());
        finish(queue());

        // As much as a device copies in a time that is worth measuring.
        constexpr double long_enough = 0.02;
        copy_ = kernel("copy");
        std::size_t part = std::size_t{1} << 18;
        while (part < bytes && probe_.seconds_left() > 0 && copy_time(everywhere(), part) < long_enough) part *= 2;
        const Measurement memory = probe_.repeat(samples, share, [&] {
            return static_cast<double>(part / 2) / (copy_time(everywhere(), part) - copy_time(everywhere(), part / 2));
        });
        probe_.answer(VDT_PARAM_GLOBAL_BANDWIDTH, memory);
        if (memory.samples != 0) measure_cache(bytes / 2);
    }

    // Seconds of a copy of `bytes` / 2 bytes from one place to another: `bytes` of traffic.
    double copy_time(const Range& range, std::size_t bytes) const {
        return seconds([&] {
            launch(queue(), copy_, range, half_, area_, static_cast<std::uint32_t>(bytes / 2 / bytes_of_item));
        });
    }
    static constexpr std::size_t bytes_of_item = 16;

    // What devices tell of caches is now the first one's size, now the last one's. So areas of growing size are read
    // again and again: the cache ends where the rate falls, halfway between the best and that of the largest area.
    void measure_cache(std::size_t most) {
        const Kernel reads = kernel("area_reads");
        std::vector<std::pair<std::size_t, Measurement>> rates;
        for (std::size_t bytes = std::size_t{512} << 10; bytes <= most && probe_.seconds_left() > 0; bytes *= 2) {
            const auto count = static_cast<std::uint32_t>(bytes / bytes_of_item);
            const Measurement found = rate(
                round_time(
                    [&](std::uint32_t rounds) { launch(queue(), reads, everywhere(), area_, count, rounds, sink_); },
                    share / 4),
                static_cast<double>(bytes));
            if (found.samples != 0) rates.emplace_back(bytes, found);
        }
        if (rates.size() < 3) return;
        const auto best = std::max_element(
            rates.begin(), rates.end(), [](const auto& a, const auto& b) { return a.second.value < b.second.value; });
        const double fall = std::sqrt(best->second.value * rates.back().second.value);
        constexpr double worth_telling = 1.5;
        if (best->second.value < worth_telling * rates.back().second.value) return;
        std::size_t last = best->first;
        for (auto each = best; each != rates.end() && each->second.value >= fall; ++each) last = each->first;
        probe_.answer(VDT_PARAM_CACHE2_BYTES, {static_cast<double>(last), 0, best->second.samples});
        probe_.answer(VDT_PARAM_CACHE2_BANDWIDTH, best->second);
    }

    // Latencies, and from that of memory how many transactions one processor waits for at a time.
    void measure_chains() {
        if (!area_ || probe_.seconds_left() <= 0) return;
        // A linear congruence of full period [Knuth, volume 2, 3.2.1.2]: an order that no prefetcher foresees. Lines of
        // 128 bytes; far more of them than the caches hold, as far as there is memory.
        constexpr std::size_t stride = 128 / sizeof(std::uint32_t), most_lines = std::size_t{1} << 20;
        const std::size_t lines = std::bit_floor(std::min(most_lines, area_.bytes() / 128));
        std::vector<std::uint32_t> chain(lines * stride);
        for (std::size_t at = 0; at < lines; ++at)
            chain[at * stride] = static_cast<std::uint32_t>(((at * 1664525 + 1013904223) & (lines - 1)) * stride);
        write(queue(), area_, chain.data(), chain.size(), cl::blocking);
        const Kernel far = kernel("global_chain");
        const Measurement waiting =
            round_time([&](std::uint32_t steps) { launch(queue(), far, one_item(), area_, steps, sink_); });
        probe_.answer(VDT_PARAM_GLOBAL_LATENCY, waiting);

        const Buffer<std::uint32_t> small = device_.buffer<std::uint32_t>(chain_entries);
        for (std::uint32_t at = 0; at < chain_entries; ++at) chain[at] = (at * 421 + 173) % chain_entries;
        write(queue(), small, chain.data(), chain_entries, cl::blocking);
        const Kernel near = kernel("local_chain"), constant = kernel("constant_chain");
        probe_.answer(VDT_PARAM_SHARED_LATENCY, round_time([&](std::uint32_t steps) {
                          launch(queue(), near, groups_of(1, group), small, steps, sink_);
                      }));
        probe_.answer(VDT_PARAM_CONSTANT_LATENCY, round_time([&](std::uint32_t steps) {
                          launch(queue(), constant, one_item(), small, steps, sink_);
                      }));

        // Little's law, for what one group as large as can be, on one processor, copies.
        const Range one_group = groups_of(1, group_within(copy_, device_.limits().item_sizes[0]));
        const std::size_t part = std::min(area_.bytes() / 2, std::size_t{1} << 22);
        Measurement alone = probe_.repeat(samples, share, [&] {
            return static_cast<double>(part / 2) / (copy_time(one_group, part) - copy_time(one_group, part / 2));
        });
        alone.value *= waiting.value / transaction_bytes;
        if (waiting.samples != 0) probe_.answer(VDT_PARAM_REFS_IN_FLIGHT, alone);
    }

    void measure_atomics() {
        const Kernel adding = kernel("atomics");
        const auto width = static_cast<std::uint32_t>(std::min(bundle(), group));
        Measurement one =
            round_time([&](std::uint32_t rounds) { launch(queue(), adding, everywhere(), rounds, width, sink_); });
        one.value /= static_cast<double>(groups() * (group / width));
        probe_.answer(VDT_PARAM_ATOMIC_TIME, one);
    }

    const Device& device_;
    Probe& probe_;
    const Queue queue_;
    const std::uint32_t vector_;
    const std::string defines_;
    const Kernel nothing_;
    Kernel copy_;
    Buffer<std::uint32_t> sink_;
    Buffer<std::uint32_t> area_, half_;
};

}  // namespace

void measure_device(const Device& device, Probe& probe) {
    tell_properties(device, probe);
    if (probe.may_measure()) Measuring(device, probe).run();
}

}  // namespace vedette::opencl
