// The side of `vedette probe` that touches devices, in a process of its own, and the lines by which it tells what it
// finds: "devices N" of the backend; for each of them "device I NAME", "step TEXT" as it goes on, then "profile JSON"
// or "failed TEXT"; at last "end". "refused TEXT" when the backend has no devices.
#pragma once

#include <cstdint>
#include <string>

namespace vedette::cli {

struct ProbeTask {
    std::string backend;
    std::string config;       // file; "" = as always
    std::uint32_t first = 0;  // device
    double budget = 5;        // seconds for each device
};

// Probes the devices of one backend from `first` on. Returns the exit status. Problem, host::Failure.
int serve_probe(const ProbeTask& task);

// What libvedette's own code needs to find the installation that this command belongs to: the folder of the library.
std::string library_folder();

}  // namespace vedette::cli
