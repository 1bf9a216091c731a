#include "peers.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>

namespace vedette::peers {

void check(cudaError_t code, const char* what) {
    if (code != cudaSuccess) {
        throw Failed(std::string(what) + ": " + cudaGetErrorString(code));
    }
}

Memory::Memory(std::size_t bytes) {
    check(cudaMalloc(&data_, bytes), "device memory");
    const cudaError_t code = cudaMemset(data_, 0, bytes);
    if (code != cudaSuccess) {
        (void)cudaFree(data_);
        check(code, "clearing device memory");
    }
}

Memory::~Memory() {
    (void)cudaFree(data_);
}

void fill_bytes(const Memory& memory, std::size_t count) {
    std::mt19937 random(1);
    std::vector<std::uint8_t> values(count);
    for (std::uint8_t& value : values) {
        value = static_cast<std::uint8_t>(random() >> 24);
    }
    check(cudaMemcpy(memory.as<void>(), values.data(), count, cudaMemcpyHostToDevice), "copying to the device");
}

void fill_floats(const Memory& memory, std::size_t count) {
    std::mt19937 random(2);
    std::vector<float> values(count);
    for (float& value : values) {
        value = static_cast<float>(random() >> 24);
    }
    check(cudaMemcpy(memory.as<void>(), values.data(), count * sizeof(float), cudaMemcpyHostToDevice),
          "copying to the device");
}

Bench::Bench() {
    check(cudaStreamCreate(&stream_), "a stream");
    check(cudaEventCreate(&begin_), "an event");
    check(cudaEventCreate(&end_), "an event");
}

Bench::~Bench() {
    (void)cudaEventDestroy(end_);
    (void)cudaEventDestroy(begin_);
    (void)cudaStreamDestroy(stream_);
}

float Bench::sample(unsigned repeats, const std::function<void()>& run) const {
    check(cudaEventRecord(begin_, stream_), "recording an event");
    for (unsigned i = 0; i < repeats; ++i) {
        run();
    }
    check(cudaEventRecord(end_, stream_), "recording an event");
    check(cudaEventSynchronize(end_), "waiting for the device");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_), "the time between two events");
    return ms;
}

void Bench::time(const std::string& peer, const std::string& work, double parts,
                 const std::function<void()>& run) const {
    time_made(peer, work, parts, [&run] { return run; });
}

void Bench::time_made(const std::string& peer, const std::string& work, double parts,
                      const std::function<std::function<void()>()>& make) const {
    constexpr std::size_t samples = 21;
    constexpr double warm_seconds = 0.1, sample_ms = 1;
    constexpr float most_repeats = 64;
    try {
        const std::function<void()> run = make();
        const auto start = std::chrono::steady_clock::now();
        float once = 0;
        do {
            once = sample(1, run);
        } while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < warm_seconds);
        const auto repeats = static_cast<unsigned>(
            std::clamp(static_cast<float>(sample_ms) / std::max(once, 1e-3f), 1.0f, most_repeats));
        std::vector<double> times;
        for (std::size_t i = 0; i < samples; ++i) {
            times.push_back(static_cast<double>(sample(repeats, run)) / repeats / parts);
        }
        std::sort(times.begin(), times.end());
        std::printf(
            "{\"peer\": \"%s\", \"work\": \"%s\", \"ms\": %.7f, \"ms_min\": %.7f, \"ms_max\": %.7f, \"runs\": %zu}\n",
            peer.c_str(), work.c_str(), times[samples / 2], times.front(), times.back(), samples);
        std::fflush(stdout);
    } catch (const Failed& failed) {
        print_skipped(peer, work, failed.what());
    }
}

void print_skipped(const std::string& peer, const std::string& work, const std::string& why) {
    std::printf("{\"peer\": \"%s\", \"work\": \"%s\", \"skipped\": \"%s\"}\n", peer.c_str(), work.c_str(), why.c_str());
    std::fflush(stdout);
}

}  // namespace vedette::peers

int main() {
    using namespace vedette::peers;
    try {
        int devices = 0;
        check(cudaGetDeviceCount(&devices), "looking for GPUs");
        const Bench bench;
        bool same = true;
#ifdef VEDETTE_PEERS_CUFFT
        same = check_cufft();
        time_cufft(bench);
#else
        print_skipped("cuFFT", "all", "the library was not found when this was built");
#endif
#ifdef VEDETTE_PEERS_NPP
        time_npp(bench);
#else
        print_skipped("NPP", "all", "the library was not found when this was built");
#endif
        return same ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpu_peers: %s\n", error.what());
        return 1;
    }
}
