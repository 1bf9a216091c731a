#include "properties.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace vedette::model {
namespace {

std::string first_line(const std::string& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

// "512K", "16384K", "36M".
double bytes_of(const std::string& size) {
    char* end = nullptr;
    const double number = std::strtod(size.c_str(), &end);
    return number * (*end == 'K' ? 1024.0 : *end == 'M' ? 1048576.0 : 1.0);
}

// Processors in a list like "0-3,8-11".
std::uint32_t count_of(const std::string& list) {
    std::uint32_t count = 0;
    std::istringstream parts(list);
    for (std::string part; std::getline(parts, part, ',');) {
        const std::size_t dash = part.find('-');
        const long first = std::atol(part.c_str());
        const long last = dash == std::string::npos ? first : std::atol(part.c_str() + dash + 1);
        if (last >= first && last - first < 4096) count += static_cast<std::uint32_t>(last - first + 1);
    }
    return std::max(count, 1u);
}

double clock_of(const std::string& system) {
    const double kilohertz =
        std::atof(first_line(system + "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").c_str());
    if (kilohertz > 0) return kilohertz * 1e3;
    std::ifstream info(system + "proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("cpu MHz"))
            return std::atof(line.c_str() + std::min(line.find(':') + 1, line.size())) * 1e6;
    return 0;
}

}  // namespace

Parameters cpu_properties(std::uint32_t threads, const std::string& instruction_set, const std::string& system) {
    const double processors = std::max(threads, 1u);
    const double known_clock = clock_of(system);
    const double clock = known_clock > 0 ? known_clock : 2.5e9;
    const double vector = instruction_set == "avx512" ? 16 : instruction_set == "avx2" ? 8 : 4;
    Parameters cpu;
    cpu.set(VDT_PARAM_PROCESSORS, processors);
    cpu.set(VDT_PARAM_BUNDLE, 2 * vector);  // what a thread starts in one clock, from one stream of instructions
    cpu.set(VDT_PARAM_LANES, 2 * vector);   // two vector units
    cpu.set(VDT_PARAM_CLOCK, clock);
    cpu.set(VDT_PARAM_OPERATION_TIME, 4 / clock);  // of a floating-point sum or product
    cpu.set(VDT_PARAM_GLOBAL_LATENCY, 90e-9);
    cpu.set(VDT_PARAM_GLOBAL_BANDWIDTH, std::min(12e9 * processors, 100e9));
    cpu.set(VDT_PARAM_REFS_IN_FLIGHT, 24);                                     // with those of the prefetchers
    cpu.set(VDT_PARAM_SHARED_BANDWIDTH, processors * clock * 2 * vector * 4);  // two loads a clock
    // Threads join a loop one after the other, each some 12 us after the one before when they sleep and 8 us when they
    // have just worked (two cores of a Xeon, a 2-core Zen 3 VM, 32 cores of a Xeon); on the average of all threads that
    // is half of what the last one waits.
    cpu.set(VDT_PARAM_LAUNCH_TIME, 6e-6 * processors);
    cpu.set(VDT_PARAM_NEXT_LAUNCH_TIME, 4e-6 * processors);
    for (int index = 0; index < 8; ++index) {
        const std::string cache = system + "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        const int level = std::atoi(first_line(cache + "level").c_str());
        const double bytes = bytes_of(first_line(cache + "size"));
        if (bytes <= 0 || first_line(cache + "type") == "Instruction") continue;
        // As many of them as it takes to serve all threads.
        const double many = std::max(processors / count_of(first_line(cache + "shared_cpu_list")), 1.0);
        if (level == 1) cpu.set(VDT_PARAM_SHARED_BYTES, bytes);
        if (level == 2) {
            cpu.set(VDT_PARAM_CACHE2_BYTES, bytes * many);
            cpu.set(VDT_PARAM_CACHE2_BANDWIDTH, processors * clock * 32);
        }
        if (level == 3) {
            cpu.set(VDT_PARAM_CACHE3_BYTES, bytes * many);
            cpu.set(VDT_PARAM_CACHE3_BANDWIDTH, processors * clock * 10);
        }
    }
    return cpu;
}

Parameters gpu_properties(bool integrated) {
    Parameters gpu;
    gpu.set(VDT_PARAM_PROCESSORS, integrated ? 8 : 36);
    gpu.set(VDT_PARAM_LANES, 128);
    gpu.set(VDT_PARAM_BUNDLE, 32);
    gpu.set(VDT_PARAM_CLOCK, 1.6e9);
    gpu.set(VDT_PARAM_OPERATION_TIME, 4 / 1.6e9);
    gpu.set(VDT_PARAM_GLOBAL_LATENCY, 500e-9);
    gpu.set(VDT_PARAM_GLOBAL_BANDWIDTH, integrated ? 50e9 : 350e9);
    gpu.set(VDT_PARAM_SHARED_LATENCY, 20e-9);
    gpu.set(VDT_PARAM_SHARED_BYTES, 48 << 10);
    gpu.set(VDT_PARAM_SHARED_BANKS, 32);
    gpu.set(VDT_PARAM_CONSTANT_LATENCY, 20e-9);
    gpu.set(VDT_PARAM_CONSTANT_BYTES, 64 << 10);
    gpu.set(VDT_PARAM_CONSTANT_CACHE_BYTES, 8 << 10);
    gpu.set(VDT_PARAM_ATOMIC_TIME, 2e-9);
    gpu.set(VDT_PARAM_BARRIER_TIME, 2e-6);
    gpu.set(VDT_PARAM_LAUNCH_TIME, 12e-6);
    gpu.set(VDT_PARAM_NEXT_LAUNCH_TIME, 4e-6);
    gpu.set(VDT_PARAM_TO_DEVICE_PINNED, 12e9);
    gpu.set(VDT_PARAM_TO_DEVICE_PAGEABLE, 6e9);
    gpu.set(VDT_PARAM_TO_HOST_PINNED, 12e9);
    gpu.set(VDT_PARAM_TO_HOST_PAGEABLE, 6e9);
    gpu.set(VDT_PARAM_COPY_LATENCY, 12e-6);
    return gpu;
}

}  // namespace vedette::model
