// The outcome of `vedette find`, as people and programs read it.
#pragma once

#include "library.h"
#include "output.h"

#include <string>
#include <vector>

namespace vedette::cli {

struct PatternReport {
    std::string file;
    vdt_outcome outcome{};
    std::vector<vdt_match> matches;  // best first
    bool found() const { return !matches.empty(); }
};

struct FindReport {
    std::vector<PatternReport> patterns;  // at least one
    std::uint32_t screen_width = 0;
    std::uint32_t screen_height = 0;
    std::string backend;  // "" when none was needed
    std::string device;
    std::string variant;
    std::string choice;
    double predicted_ms = -1;
    double measured_ms = -1;
    std::string annotated;  // file that was written, or ""
    bool all_found() const;
};

FindReport make_report(const vdt_result* result, const std::vector<std::string>& pattern_files);

Json report_json(const FindReport& report);
std::string report_text(const FindReport& report);

// "same", "flat", "scale" or "features".
const char* stage_name(std::uint32_t stage);

}  // namespace vedette::cli
