// A picture of what a find saw.
#pragma once

#include "compose.h"
#include "screen.h"

#include <string>
#include <vector>

namespace vedette::host {

// Writes the screen as PNG with every match framed in green and, for a pattern that was not found, its best candidate
// framed in red with the reason and the block that differs most; scores beside the frames. Failure as write_png.
void annotate(const Screen& screen, const std::vector<PatternOutcome>& outcomes, const std::string& path);

}  // namespace vedette::host
