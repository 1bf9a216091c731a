#include "probe.h"

#include "streams.h"

#include <kernels/probe.h>
#include <runtime/stream.h>

#include <vedette/plugin/cpp/probe_copies.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <numeric>
#include <vector>

namespace vedette::cuda_plugin {

namespace {

using plugin::Measurement;
using plugin::Probe;

constexpr std::uint32_t samples = 11;
constexpr double share = 0.05;  // of the budget, for one parameter
// Kernels last long enough that a launch's uncertain end does not count.
constexpr double least_seconds = 3e-4;

// 0 when the runtime does not tell.
double attribute(cudaDeviceAttr which, int ordinal) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess && value > 0) return value;
    (void)cudaGetLastError();
    return 0;
}

// Single-precision additions a multiprocessor starts in a clock [CUDA C++ Programming Guide, arithmetic instructions].
double lanes_of(int capability) {
    return capability < 86 ? 64 : 128;
}

void tell_properties(const Device& device, Probe& probe) {
    const cuda::DeviceLimits& limits = device.cuda.limits;
    const int ordinal = limits.ordinal;
    probe.know(VDT_PARAM_PROCESSORS, limits.multiprocessors);
    probe.know(VDT_PARAM_LANES, lanes_of(limits.capability));
    probe.know(VDT_PARAM_BUNDLE, 32);
    probe.know(VDT_PARAM_SHARED_BANKS, 32);
    probe.know(VDT_PARAM_SHARED_BYTES, static_cast<double>(limits.shared_bytes));
    probe.know(VDT_PARAM_CONSTANT_BYTES, attribute(cudaDevAttrTotalConstantMemory, ordinal));
    probe.know(VDT_PARAM_CACHE2_BYTES, attribute(cudaDevAttrL2CacheSize, ordinal));
    const double clock = attribute(cudaDevAttrClockRate, ordinal) * 1e3;
    probe.know(VDT_PARAM_CLOCK, clock);
    if (clock > 0) probe.know(VDT_PARAM_OPERATION_TIME, 4 / clock);
    // Two transfers a clock of the memory, over a bus of so many bits.
    probe.know(VDT_PARAM_GLOBAL_BANDWIDTH, 2 * attribute(cudaDevAttrMemoryClockRate, ordinal) * 1e3 *
                                               attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal) / 8);
}

class Measuring {
public:
    Measuring(const Device& device, Probe& probe)
        : device_(device),
          probe_(probe),
          blocks_(2 * static_cast<unsigned>(std::max(device.cuda.limits.multiprocessors, 1))),
          stream_(cuda::make_stream()),
          sink_(device.cuda.memory, 64) {
        cuda::check(cudaMemsetAsync(sink_.data(), 0, sink_.bytes(), stream()), "clearing memory");
        cuda::synchronize(stream());
    }
    ~Measuring() { (void)cudaStreamSynchronize(stream()); }
    Measuring(const Measuring&) = delete;
    Measuring& operator=(const Measuring&) = delete;

    void run() {
        measure_launches();
        measure_copies();
        measure_units();
        measure_memory();
        measure_chains();
        measure_meetings();
    }

private:
    cudaStream_t stream() const noexcept { return stream_.get(); }
    float* float_sink() const noexcept { return reinterpret_cast<float*>(sink_.data()); }

    template <class Queue>
    double seconds(const Queue& queue) const {
        const auto start = std::chrono::steady_clock::now();
        queue();
        cuda::synchronize(stream());
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    // Seconds that one round of `queue(rounds)` takes, without what starting and waiting takes: the difference of two
    // lengths.
    template <class Queue>
    Measurement round_time(const Queue& queue) const {
        constexpr unsigned most = 1u << 24;
        unsigned rounds = 16;
        while (rounds < most && probe_.seconds_left() > 0 && seconds([&] { queue(rounds); }) < least_seconds)
            rounds *= 4;
        return probe_.repeat(samples, share, [&] {
            const double once = seconds([&] { queue(rounds); });
            return (seconds([&] { queue(2 * rounds); }) - once) / rounds;
        });
    }

    // Something a second instead of the seconds of one.
    static Measurement rate(Measurement time, double amount) noexcept {
        if (time.value > 0) time.value = amount / time.value;
        return time;
    }

    void measure_launches() {
        constexpr unsigned queued = 32;
        probe_.answer(VDT_PARAM_LAUNCH_TIME, probe_.repeat(3 * samples, share, [&] {
            return seconds([&] { cuda::probe_nothing(stream()); });
        }));
        probe_.answer(VDT_PARAM_NEXT_LAUNCH_TIME, probe_.repeat(samples, share, [&] {
            const double once = seconds([&] { cuda::probe_nothing(stream()); });
            return (seconds([&] {
                        for (unsigned i = 0; i <= queued; ++i) cuda::probe_nothing(stream());
                    }) -
                    once) /
                   queued;
        }));
    }

    void measure_copies() {
        const cuda::Block<std::byte> on_device(device_.cuda.memory, plugin::probe_copy_bytes);
        const cuda::Block<std::byte> pinned(device_.cuda.pinned, plugin::probe_copy_bytes);
        plugin::measure_copies(probe_, samples, share, DeviceHandle::handle(const_cast<Device*>(&device_)),
                               on_device.data(), pinned.data(), [&](const vdt_image& from, const vdt_image& to) {
                                   copy_image(device_, from, to, nullptr, nullptr);
                               });
    }

    void measure_units() {
        const Measurement chain = [&] {
            Measurement time =
                round_time([&](unsigned rounds) { cuda::probe_operation_chain(rounds, float_sink(), stream()); });
            time.value /= cuda::probe_chain_length;
            return time;
        }();
        probe_.answer(VDT_PARAM_OPERATION_TIME, chain);
        // A dependent addition takes four clocks on the architectures this backend runs on [Jia and others 2018; NVIDIA
        // H100: Luo and others 2024]. Where that cannot be, the device's own word is taken.
        const double told = attribute(cudaDevAttrClockRate, device_.cuda.limits.ordinal) * 1e3;
        Measurement clock = rate(chain, 4);
        if (told <= 0 || clock.samples == 0) return;
        if (clock.value < told / 2 || clock.value > told * 1.1) clock = {told, 0, 0};
        probe_.answer(VDT_PARAM_CLOCK, clock);
        Measurement lanes =
            round_time([&](unsigned rounds) { cuda::probe_operations(blocks_, rounds, float_sink(), stream()); });
        const double operations = double{cuda::probe_block} * cuda::probe_chain_length * blocks_;
        probe_.answer(VDT_PARAM_LANES, rate(lanes, operations / clock.value / device_.cuda.limits.multiprocessors));
    }

    void measure_memory() {
        const Measurement shared =
            round_time([&](unsigned rounds) { cuda::probe_shared_reads_of(blocks_, rounds, float_sink(), stream()); });
        probe_.answer(VDT_PARAM_SHARED_BANDWIDTH,
                      rate(shared, double{cuda::probe_block} * cuda::probe_shared_reads * sizeof(float) * blocks_));

        constexpr std::size_t most_area = std::size_t{512} << 20;
        const std::size_t bytes = std::bit_floor(std::min(most_area, device_.cuda.limits.memory_bytes / 16));
        area_ = cuda::Block<std::byte>(device_.cuda.memory, bytes);
        cuda::check(cudaMemsetAsync(area_.data(), 0, bytes, stream()), "clearing memory");
        cuda::synchronize(stream());

        const double cache = attribute(cudaDevAttrL2CacheSize, device_.cuda.limits.ordinal);
        if (cache > 0 && cache / 2 < static_cast<double>(bytes)) {
            const auto words = static_cast<unsigned>(cache / 4 / sizeof(std::uint32_t));
            const Measurement reads = round_time([&](unsigned rounds) {
                cuda::probe_cache_reads(blocks_, reinterpret_cast<const std::uint32_t*>(area_.data()), words, rounds,
                                        sink_.data(), stream());
            });
            probe_.answer(VDT_PARAM_CACHE2_BANDWIDTH, rate(reads, static_cast<double>(words) * sizeof(std::uint32_t)));
        }

        // As much as a device copies in a time that is worth measuring.
        constexpr double long_enough = 0.02;
        const auto copy = [&](std::size_t half) {
            return seconds([&] {
                cuda::probe_copy(blocks_, reinterpret_cast<uint4*>(area_.data() + bytes / 2),
                                 reinterpret_cast<const uint4*>(area_.data()), half / sizeof(uint4), stream());
            });
        };
        std::size_t half = std::size_t{1} << 18;
        while (half < bytes / 2 && probe_.seconds_left() > 0 && copy(half) < long_enough) half *= 2;
        probe_.answer(VDT_PARAM_GLOBAL_BANDWIDTH, probe_.repeat(samples, share, [&] {
            return static_cast<double>(half) / (copy(half) - copy(half / 2));
        }));
    }

    // Latencies, and from that of memory how many transactions one processor waits for at a time.
    void measure_chains() {
        if (!area_ || probe_.seconds_left() <= 0) return;
        // A linear congruence of full period [Knuth, volume 2, 3.2.1.2]: an order that no prefetcher foresees. Lines of
        // 128 bytes; far more of them than the caches hold, as far as there is memory.
        constexpr std::size_t stride = 128 / sizeof(std::uint32_t), most_lines = std::size_t{1} << 20;
        const std::size_t lines = std::bit_floor(std::min(most_lines, area_.bytes() / 128));
        auto* const places = reinterpret_cast<std::uint32_t*>(area_.data());
        {
            std::vector<std::uint32_t> chain(lines * stride);
            for (std::size_t at = 0; at < lines; ++at)
                chain[at * stride] = static_cast<std::uint32_t>(((at * 1664525 + 1013904223) & (lines - 1)) * stride);
            cuda::check(
                cudaMemcpyAsync(places, chain.data(), chain.size() * sizeof chain[0], cudaMemcpyHostToDevice, stream()),
                "copying to the device");
            cuda::synchronize(stream());
        }
        const Measurement waiting =
            round_time([&](unsigned rounds) { cuda::probe_global_chain(places, rounds, sink_.data(), stream()); });
        probe_.answer(VDT_PARAM_GLOBAL_LATENCY, waiting);

        cuda::ProbeChain small{};
        std::vector<std::uint32_t> chain(cuda::probe_chain_entries);
        for (unsigned at = 0; at < cuda::probe_chain_entries; ++at) {
            chain[at] = (at * 421 + 173) % cuda::probe_chain_entries;
            small.next[at] = static_cast<std::uint16_t>(chain[at]);
        }
        cuda::check(
            cudaMemcpyAsync(places, chain.data(), chain.size() * sizeof chain[0], cudaMemcpyHostToDevice, stream()),
            "copying to the device");
        cuda::synchronize(stream());
        probe_.answer(VDT_PARAM_SHARED_LATENCY, round_time([&](unsigned rounds) {
                          cuda::probe_shared_chain(places, rounds, sink_.data(), stream());
                      }));
        probe_.answer(VDT_PARAM_CONSTANT_LATENCY, round_time([&](unsigned rounds) {
                          cuda::probe_constant_chain(small, rounds, sink_.data(), stream());
                      }));

        // Little's law, for what a multiprocessor by itself copies.
        const std::size_t part = std::min(area_.bytes() / 2, std::size_t{1} << 22);
        Measurement alone = probe_.repeat(samples, share, [&] {
            const auto copy = [&](std::size_t bytes) {
                return seconds([&] {
                    cuda::probe_copy(1, reinterpret_cast<uint4*>(area_.data() + area_.bytes() / 2),
                                     reinterpret_cast<const uint4*>(area_.data()), bytes / sizeof(uint4), stream());
                });
            };
            return static_cast<double>(part) / (copy(part) - copy(part / 2));
        });
        alone.value *= waiting.value / transaction_bytes;
        if (waiting.samples != 0) probe_.answer(VDT_PARAM_REFS_IN_FLIGHT, alone);
    }

    void measure_meetings() {
        const Measurement atomics =
            round_time([&](unsigned rounds) { cuda::probe_atomics(blocks_, rounds, sink_.data() + 1, stream()); });
        Measurement one = atomics;
        one.value /= blocks_ * (cuda::probe_block / 32.0);
        probe_.answer(VDT_PARAM_ATOMIC_TIME, one);
        if (!device_.cuda.limits.cooperative) return;
        probe_.answer(VDT_PARAM_BARRIER_TIME, round_time([&](unsigned rounds) {
                          cuda::probe_meetings(blocks_, rounds, sink_.data() + 2, stream());
                      }));
    }

    const Device& device_;
    Probe& probe_;
    const unsigned blocks_;
    cuda::Stream stream_;
    cuda::Block<std::uint32_t> sink_;
    cuda::Block<std::byte> area_;
};

// Gives unused memory back whatever happens.
struct Trim {
    const Device& device;
    ~Trim() {
        device.cuda.memory->trim();
        device.cuda.pinned->trim();
    }
};

}  // namespace

void measure_device(const Device& device, Probe& probe) {
    tell_properties(device, probe);
    if (!probe.may_measure()) return;
    const Trim trim{device};
    Measuring(device, probe).run();
}

}  // namespace vedette::cuda_plugin
