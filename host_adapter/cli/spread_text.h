// The point-spread function that `vedette restore` is told: what a lens makes of a point.
#pragma once

#include <vedette/vedette.h>

#include <cstdint>
#include <string>
#include <vector>

namespace vedette::cli {

// As the fields of vdt_restore_options.
struct SpreadText {
    std::uint32_t kind = VDT_SPREAD_GAUSSIAN;
    double size = 0, angle = 0;
    std::vector<double> weights;
    std::uint32_t width = 0, height = 0;
};

// "gaussian:SIGMA", "disk:RADIUS", "motion:LENGTH,ANGLE" (pixels; degrees against the clock from the right), or else
// the path of an image whose gray values are the weights and whose middle is the centre. Throws Problem naming the
// option `--psf`.
SpreadText parse_point_spread(const std::string& text);

}  // namespace vedette::cli
