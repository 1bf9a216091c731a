// The source's own estimate of running times, made before anything is implemented, and its three-way decision [A:
// Kapustin, thesis, Vologda 2013]. The machine model (machine.h) refines it; this is the formula as written.
#pragma once

#include <vector>

namespace vedette::model {

// What an algorithm declares of one stage for its input size: W, R and K. A stage is one kernel start with a
// device-wide synchronisation after it.
struct StageCounts {
    double operations = 0;   // W: elementary operations
    double global_refs = 0;  // R: references to global memory
    double near_refs = 0;    // K: references to constant and shared memory
};

// N_hd, N_dh and the B(N) stages.
struct AlgorithmCounts {
    double bytes_to_device = 0;
    double bytes_to_host = 0;
    std::vector<StageCounts> stages;
};

// CPU and GPU with the link between them. SI units.
struct SourceMachine {
    double cpu_rate = 0;         // S_cpu: elementary operations a second
    double multiprocessors = 0;  // M
    double processors = 0;       // p: scalar processors of a multiprocessor
    double operation_time = 0;   // of one scalar processor
    double global_time = 0;      // a reference to global memory, latency that others hide already taken off
    double near_time = 0;        // a reference to shared memory, or a hit in constant memory
    double start_time = 0;       // of a kernel, with the synchronisation after it
    double to_device_rate = 0;   // S_hd
    double to_host_rate = 0;     // S_dh
};

// T_cpu = T_s / S_cpu; `operations` is T_s(N).
double cpu_seconds(const SourceMachine& machine, double operations) noexcept;
// A stage: start + (W t_op + R t_global + K t_near) / (M p).
double stage_seconds(const SourceMachine& machine, const StageCounts& counts) noexcept;
// T_gpu = N_hd / S_hd + sum over the B stages + N_dh / S_dh: an upper bound.
double gpu_seconds(const SourceMachine& machine, const AlgorithmCounts& counts) noexcept;

enum class Place { Cpu, Gpu, GpuCached };
// The least of the three estimates; of equal ones the first: what moves less data stays.
Place decide(double cpu, double gpu, double gpu_cached) noexcept;

// A reference of every lane of a bundle at this stride in words is served in as many turns as its lanes meet in one
// bank: the greatest common divisor of stride and banks.
double bank_serialisation(unsigned stride_words, unsigned banks) noexcept;

}  // namespace vedette::model
