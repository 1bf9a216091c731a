#include "features/refine.h"

#include <cmath>

namespace vedette::cpu::features {

namespace {

constexpr int most_steps = 5;
constexpr float furthest_step = 1e6F;  // pixels: beyond it the Hessian is as good as singular

// Differences of layers around a pixel: [difference below, here, above][row][column].
struct Cube {
    float value[3][3][3];

    Cube(const SiftLayer* layers, std::uint32_t layer, std::uint32_t y, std::uint32_t x) {
        for (std::uint32_t row = 0; row < 3; ++row) {
            const float* lower = layers[layer - 1].row(y + row - 1) + x - 1;
            for (std::uint32_t d = 0; d < 3; ++d) {
                const float* const upper = layers[layer + d].row(y + row - 1) + x - 1;
                for (std::uint32_t column = 0; column < 3; ++column)
                    value[d][row][column] = upper[column] - lower[column];
                lower = upper;
            }
        }
    }
    float here() const { return value[1][1][1]; }
};

constexpr float whole = 1.0F / 255;  // gray levels go from 0 to 1

// First and second derivatives.
struct Derivatives {
    float dx, dy, ds, dxx, dyy, dss, dxy, dxs, dys;

    explicit Derivatives(const Cube& cube) {
        constexpr float half = whole * 0.5F, quarter = whole * 0.25F;
        const auto& v = cube.value;
        const float twice = 2 * cube.here();
        dx = (v[1][1][2] - v[1][1][0]) * half;
        dy = (v[1][2][1] - v[1][0][1]) * half;
        ds = (v[2][1][1] - v[0][1][1]) * half;
        dxx = (v[1][1][2] + v[1][1][0] - twice) * whole;
        dyy = (v[1][2][1] + v[1][0][1] - twice) * whole;
        dss = (v[2][1][1] + v[0][1][1] - twice) * whole;
        dxy = (v[1][2][2] - v[1][2][0] - v[1][0][2] + v[1][0][0]) * quarter;
        dxs = (v[2][1][2] - v[2][1][0] - v[0][1][2] + v[0][1][0]) * quarter;
        dys = (v[2][2][1] - v[2][0][1] - v[0][2][1] + v[0][0][1]) * quarter;
    }
};

struct Offset {
    float x = 0, y = 0, s = 0;
};

// Where the quadratic through the derivatives is flat (Cramer's rule); no offset when it is flat everywhere.
Offset flat_point(const Derivatives& d) {
    const float a = d.dyy * d.dss - d.dys * d.dys, b = d.dxy * d.dss - d.dys * d.dxs, c = d.dxy * d.dys - d.dyy * d.dxs;
    const float determinant = d.dxx * a - d.dxy * b + d.dxs * c;
    if (determinant == 0) return {};
    const float inverse = 1 / determinant;
    const float p = d.dy * d.dss - d.dys * d.ds, q = d.dy * d.dys - d.dyy * d.ds, r = d.dxy * d.ds - d.dy * d.dxs;
    return {-inverse * (d.dx * a - d.dxy * p + d.dxs * q), -inverse * (d.dxx * p - d.dx * b + d.dxs * r),
            -inverse * (d.dxx * -q - d.dxy * r + d.dx * c)};
}

bool beyond(const Offset& offset, float limit) {
    return !(std::abs(offset.x) < limit && std::abs(offset.y) < limit && std::abs(offset.s) < limit);
}

}  // namespace

bool refine(const ScaleSpace& space, const SiftLayer* layers, const Tests& tests, std::uint32_t x, std::uint32_t y,
            std::uint32_t layer, Place& place) {
    const std::int64_t width = layers[0].width, height = layers[0].height, first_y = y;
    for (int step = 0; step < most_steps; ++step) {
        const Cube cube(layers, layer, y, x);
        const Derivatives d(cube);
        const Offset offset = flat_point(d);
        if (beyond(offset, 0.5F)) {
            if (beyond(offset, furthest_step)) return false;
            const std::int64_t new_x = x + std::lrint(offset.x), new_y = y + std::lrint(offset.y),
                               new_layer = layer + std::lrint(offset.s);
            if (new_layer < 1 || new_layer > space.octave_layers || new_x < octave_border ||
                new_x >= width - octave_border || new_y < octave_border || new_y >= height - octave_border ||
                std::abs(new_y - first_y) > refine_reach)
                return false;
            x = static_cast<std::uint32_t>(new_x);
            y = static_cast<std::uint32_t>(new_y);
            layer = static_cast<std::uint32_t>(new_layer);
            continue;
        }
        const float slope = d.dx * offset.x + d.dy * offset.y + d.ds * offset.s;
        const float contrast = std::abs(cube.here() * whole + slope * 0.5F);
        if (contrast * static_cast<float>(space.octave_layers) < static_cast<float>(tests.contrast)) return false;
        // Ratio of the principal curvatures, from trace and determinant of the Hessian.
        const float trace = d.dxx + d.dyy, determinant = d.dxx * d.dyy - d.dxy * d.dxy;
        const auto edge = static_cast<float>(tests.edge);
        if (determinant <= 0 || trace * trace * edge >= (edge + 1) * (edge + 1) * determinant) return false;
        place = {layer, y, x, offset.s, offset.y, offset.x, contrast};
        return true;
    }
    return false;
}

}  // namespace vedette::cpu::features
