// Comparing a plugin's output with the reference.
#pragma once

#include "cases.h"
#include "reference/reference.h"

namespace vedette::conformance {

// The difference that is allowed: none for an exact operation; else what the plugin advertises, which must not be above
// `cap`. Broken when it is.
double allowed_difference(const vdt_op_support& support, double cap);

// Compares every value. Whole formats exactly within the allowed difference, or modulo 2^32 for I32 when `wraps`; float
// formats also within what storing in that format costs. `cap`: largest tolerance that makes sense, in output units.
void compare(const TestImage& output, const reference::Plane& expected, const vdt_op_support& support, double cap,
             bool wraps = false);

double largest_magnitude(const reference::Plane& plane);
void demand_finite(const TestImage& image);

}  // namespace vedette::conformance
