#include "find_report.h"

#include <algorithm>

namespace vedette::cli {

bool FindReport::all_found() const {
    return std::all_of(patterns.begin(), patterns.end(), [](const PatternReport& one) { return one.found(); });
}

const char* stage_name(std::uint32_t stage) {
    switch (stage) {
        case VDT_STAGE_SAME:
            return "same";
        case VDT_STAGE_FLAT:
            return "flat";
        case VDT_STAGE_SCALE:
            return "scale";
        case VDT_STAGE_FEATURES:
            return "features";
        default:
            return "unknown";
    }
}

FindReport make_report(const vdt_result* result, const std::vector<std::string>& pattern_files) {
    FindReport report;
    for (std::size_t i = 0; i < pattern_files.size(); ++i) {
        PatternReport one;
        one.file = pattern_files[i];
        one.outcome.struct_size = sizeof one.outcome;
        one.outcome.best.struct_size = sizeof one.outcome.best;
        checked([&](vdt_error* error) {
            return vdt_result_outcome(result, static_cast<std::uint32_t>(i), &one.outcome, error);
        });
        report.patterns.push_back(one);
    }
    for (std::uint32_t i = 0; i < vdt_result_match_count(result); ++i) {
        vdt_match match{};
        match.struct_size = sizeof match;
        checked([&](vdt_error* error) { return vdt_result_match(result, i, &match, error); });
        report.patterns.at(match.pattern).matches.push_back(match);
    }
    vdt_run_info run{};
    run.struct_size = sizeof run;
    checked([&](vdt_error* error) { return vdt_result_run(result, &run, error); });
    report.backend = run.backend;
    report.device = run.device;
    report.variant = run.variant;
    report.choice = run.choice;
    report.predicted_ms = run.predicted_ms;
    report.measured_ms = run.measured_ms;
    return report;
}

}  // namespace vedette::cli
