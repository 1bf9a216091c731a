// Predicted and measured time against size for one operation on every backend: `vedette explain --plot`.
#pragma once

#include "library.h"

#include <functional>
#include <string>

namespace vedette::cli {

// Runs the first case of `op` whose name contains `part_of_name` on drawn screens from 300 x 200 to 8K and returns the
// SVG. Problem when no backend does it on any of them. `step` is called before each size.
std::string explain_plot(const Context& context, vdt_op op, const std::string& part_of_name, bool measure,
                         const std::function<void(const std::string&)>& step);

}  // namespace vedette::cli
