// What the benchmark prints of a measurement.
#pragma once

#include "bench_cases.h"
#include "bench_timing.h"
#include "output.h"
#include "table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vedette::cli {

struct BackendDevice {
    std::string backend;
    std::uint32_t index = 0;
    std::uint32_t kind = 0;
    std::string name;
    std::string library;
    std::uint64_t operations = 0;

    std::string asked_for() const { return backend + ":" + std::to_string(index); }
};

struct BenchRow {
    std::string op;
    std::string name;
    std::optional<BackendDevice> device;
    RunFacts facts;
    std::string residency;
    Timing timing;
    std::string peer;
    double peer_ms = -1;
    double floor_ms = -1;
    std::string skipped;  // why nothing was measured; empty when it was
};

// With `skipped` only what it was and why.
Json row_json(const BenchRow& row);
std::vector<std::string> row_cells(const BenchRow& row);
// With the head that belongs to the cells.
Table bench_table();

}  // namespace vedette::cli
