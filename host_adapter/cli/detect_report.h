// The outcome of `vedette detect`, as people and programs read it.
#pragma once

#include "library.h"
#include "output.h"

#include <string>
#include <vector>

namespace vedette::cli {

struct DetectReport {
    std::vector<vdt_item> detections;  // most windows joined first, then the best weight; in pixels of the screen
    std::uint32_t screen_width = 0;
    std::uint32_t screen_height = 0;
    vdt_run_info run{};
    std::string annotated;  // file that was written, or ""
};

Json report_json(const DetectReport& report);
std::string report_text(const DetectReport& report);

}  // namespace vedette::cli
