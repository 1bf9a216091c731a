// The peer's module of the benchmark, when it is installed.
#pragma once

#include "bench_peer.h"

#include <string>

namespace vedette::cli {

struct BenchPeer {
    const vedette_bench_peer* peer = nullptr;  // lives until the process ends
    std::string missing;                       // why there is none
};

// Loads vedette/vedette-bench-opencv.so from the folder of libvedette.
BenchPeer load_bench_peer();

}  // namespace vedette::cli
