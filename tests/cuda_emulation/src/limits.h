// What the emulated devices can do.
#pragma once
#include <cstddef>

#include "vedette_emulation/types.h"

namespace vedette_emulation {

constexpr size_t default_shared = 48 * 1024;  // dynamic shared memory without an opt-in, bytes
constexpr int max_threads = 1024;             // of a block
constexpr int3 max_block{1024, 1024, 64};
constexpr int3 max_grid{0x7fffffff, 65535, 65535};
constexpr unsigned int portable_cluster = 8;  // blocks
constexpr unsigned int largest_cluster = 16;  // blocks, with the attribute for sizes that are not portable

/// By compute capability and settings; bytes.
struct Limits {
    int major = 0;
    int minor = 0;
    int multiprocessors = 0;
    size_t memory = 0;
    size_t shared_of_multiprocessor = 0;
    size_t shared_opt_in = 0;
    size_t shared_reserved = 0;  // of every block
    int threads_of_multiprocessor = 0;
    int blocks_of_multiprocessor = 0;
    bool clusters = false;
};
Limits limits();

/// cudaErrorInvalidValue for an attribute that is not known here.
cudaError_t device_attribute(int* value, cudaDeviceAttr attribute, int device);

}  // namespace vedette_emulation
