#pragma once

#include "../core/image.h"

#include <string>

namespace vedette::host {

// Writes GRAY8, BGR8 or BGRA8 as PNG. The file appears whole or not at all (written beside its place, then renamed).
// Failure: VDT_E_FILE naming the path.
void write_png(const Image& image, const std::string& path);

}  // namespace vedette::host
