// What the opaque handles of the find functions hold.
#pragma once

#include "../core/execution.h"
#include "compose.h"
#include "pattern.h"
#include "screen.h"

#include <vedette/vedette.h>

#include <atomic>
#include <vector>

struct vdt_screen {
    vedette::host::Screen screen;
};

struct vdt_pattern {
    vedette::host::Pattern pattern;
};

struct vdt_cancel {
    std::atomic<bool> flag{false};
};

struct vdt_result {
    std::vector<vedette::host::PatternOutcome> outcomes;  // by pattern
    std::uint32_t match_count = 0;
    vedette::host::RunReport run;
    double measured_ms = 0;
    std::uint32_t screen_width = 0;
    std::uint32_t screen_height = 0;
};
