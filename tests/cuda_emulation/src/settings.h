// What environment variables and faults.h say, shared by all threads.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "vedette_emulation/faults.h"
#include "vedette_emulation/types.h"

namespace vedette_emulation {

struct CallFault {
    int calls_left = 0;  // the call that brings it to 0 fails
    cudaError_t error = cudaSuccess;
};

struct Settings {
    std::mutex mutex;  // of everything below
    int devices = 1;
    int multiprocessors = 4;
    int major = 9;
    int minor = 0;
    size_t memory = size_t{4} << 30;  // bytes of each device
    bool no_driver = false;
    bool deferred = false;
    ThreadOrder order = ThreadOrder::forward;
    uint64_t seed = 0;
    std::multimap<std::string, CallFault> call_faults;
    std::map<std::string, uint64_t> calls;
    cudaError_t sticky[max_devices] = {};

    /// As the environment says. An environment variable that cannot be read ends the process with a sentence.
    void read_environment();
};

/// Read from the environment at the first call.
Settings& settings();

}  // namespace vedette_emulation
