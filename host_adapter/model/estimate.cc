#include "estimate.h"

#include <numeric>

namespace vedette::model {

double cpu_seconds(const SourceMachine& machine, double operations) noexcept {
    return operations / machine.cpu_rate;
}

double stage_seconds(const SourceMachine& machine, const StageCounts& counts) noexcept {
    const double one = counts.operations * machine.operation_time + counts.global_refs * machine.global_time +
                       counts.near_refs * machine.near_time;
    return machine.start_time + one / (machine.multiprocessors * machine.processors);
}

double gpu_seconds(const SourceMachine& machine, const AlgorithmCounts& counts) noexcept {
    double seconds = counts.bytes_to_device / machine.to_device_rate + counts.bytes_to_host / machine.to_host_rate;
    for (const StageCounts& stage : counts.stages) seconds += stage_seconds(machine, stage);
    return seconds;
}

Place decide(double cpu, double gpu, double gpu_cached) noexcept {
    if (cpu <= gpu && cpu <= gpu_cached) return Place::Cpu;
    return gpu <= gpu_cached ? Place::Gpu : Place::GpuCached;
}

double bank_serialisation(unsigned stride_words, unsigned banks) noexcept {
    // Stride 0 is one word for all lanes, which is broadcast.
    return stride_words == 0 || banks == 0 ? 1 : std::gcd(stride_words, banks);
}

}  // namespace vedette::model
