#include "compare.h"

#include <cfloat>
#include <cmath>
#include <sstream>

namespace vedette::conformance {

double allowed_difference(const vdt_op_support& support, double cap) {
    if (support.determinism == VDT_DETERMINISM_EXACT) return 0;
    std::ostringstream text;
    text << "it advertises a tolerance of " << support.tolerance << ", more than the " << cap
         << " that is sensible here";
    demand(support.tolerance <= cap, text.str());
    return support.tolerance;
}

double largest_magnitude(const reference::Plane& plane) {
    double largest = 0;
    for (const double value : plane.value) largest = std::max(largest, std::abs(value));
    return largest;
}

void compare(const TestImage& output, const reference::Plane& expected, const vdt_op_support& support, double cap,
             bool wraps) {
    const vdt_image& view = output.view();
    demand(view.width == expected.width && view.height == expected.height, "the test's own sizes differ");
    const double allowed = allowed_difference(support, cap);
    // Some roundings on the way to a float; sums in double cost less.
    double storing = 0;
    if (is_float(view.format)) storing = 4 * FLT_EPSILON;
    if (view.format == VDT_FORMAT_F64) storing = 1e-12;
    const double scale = largest_magnitude(expected);
    for (std::uint32_t y = 0; y < view.height; ++y)
        for (std::uint32_t x = 0; x < view.width; ++x)
            for (std::uint32_t c = 0; c < expected.channels; ++c) {
                const double value = output.get(x, y, c);
                double target = expected.at(x, y, c);
                if (wraps && view.format == VDT_FORMAT_I32)
                    target = static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(target)));
                const double difference = std::abs(value - target);
                if (difference <= allowed + storing * scale) continue;
                std::ostringstream text;
                text.precision(9);
                text << "at (" << x << ", " << y << "), channel " << c << " it gives " << value << ", the reference "
                     << target;
                if (allowed > 0) text << " (allowed difference " << allowed << ")";
                throw Broken(text.str());
            }
}

void demand_finite(const TestImage& image) {
    const vdt_image& view = image.view();
    for (std::uint32_t y = 0; y < view.height; ++y)
        for (std::uint32_t x = 0; x < view.width; ++x)
            for (std::uint32_t c = 0; c < reference::channels(view.format); ++c)
                demand(std::isfinite(image.get(x, y, c)), "an output value is not finite");
}

}  // namespace vedette::conformance
