// Restoration as ops.h writes it down, every product and quotient in the open.
#include <algorithm>

#include "reference/fft2.h"
#include "reference/plane.h"

namespace vedette::reference {

namespace {

using Reals = std::vector<double>;

Square transformed(const Reals& values, std::uint32_t side) {
    Square square{side, {values.begin(), values.end()}};
    return transform(square, false);
}

// Real part of the inverse transform of one(i) given for each frequency.
template <class At>
Reals back(std::uint32_t side, const At& one) {
    Square square{side, std::vector<Complex>(std::size_t{side} * side)};
    for (std::size_t i = 0; i < square.value.size(); ++i) square.value[i] = one(i);
    square = transform(square, true);
    Reals values;
    for (const Complex& value : square.value) values.push_back(value.real());
    return values;
}

struct Problem {
    std::uint32_t side;
    double epsilon;
    Reals blurred;

    // IFFT(conj(A) G) / IFFT(|A|^2 B).
    Reals correction(const Square& a, const Square& g, const Square& b) const {
        const Reals above = back(side, [&](std::size_t i) { return std::conj(a.value[i]) * g.value[i]; });
        const Reals below = back(side, [&](std::size_t i) { return std::norm(a.value[i]) * b.value[i]; });
        return quotient(above, below);
    }
    Reals quotient(const Reals& above, const Reals& below) const {
        Reals out;
        for (std::size_t i = 0; i < above.size(); ++i)
            out.push_back(std::max(above[i], 0.0) / std::max(below[i], epsilon));
        return out;
    }
};

void multiply(Reals& values, const Reals& by) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= std::max(by[i], 0.0);
}

}  // namespace

std::vector<Plane> restore(const vdt_image& blurred, const vdt_image& spread, const vdt_restore_params& params) {
    const std::uint32_t side = blurred.width;
    Plane image = make_plane(side, blurred.height, 1), final_spread = image;
    for (std::uint32_t top = 0; top < blurred.height; top += side) {
        Problem problem{side, params.epsilon, {}};
        Reals h;
        for (std::uint32_t y = 0; y < side; ++y)
            for (std::uint32_t x = 0; x < side; ++x) {
                problem.blurred.push_back(std::max(pixel(blurred, x, top + y, 0), 0.0));
                h.push_back(pixel(spread, x, top + y, 0));
            }
        Reals f = problem.blurred;
        const Square g = transformed(problem.blurred, side);
        for (std::uint32_t i = 0; i < params.iterations; ++i) {
            const Square big_f = transformed(f, side), big_h = transformed(h, side);
            if (params.method == VDT_RESTORE_RICHARDSON_LUCY) {
                const Reals seen = back(side, [&](std::size_t k) { return big_h.value[k] * big_f.value[k]; });
                const Square ratio = transformed(problem.quotient(problem.blurred, seen), side);
                multiply(f, back(side, [&](std::size_t k) { return std::conj(big_h.value[k]) * ratio.value[k]; }));
                continue;
            }
            const Reals f_by = problem.correction(big_h, g, big_f);
            if (params.method == VDT_RESTORE_MIA_BLIND) multiply(h, problem.correction(big_f, g, big_h));
            multiply(f, f_by);
        }
        for (std::uint32_t y = 0; y < side; ++y)
            for (std::uint32_t x = 0; x < side; ++x) {
                at(image, x, top + y, 0) = f[std::size_t{y} * side + x];
                at(final_spread, x, top + y, 0) = h[std::size_t{y} * side + x];
            }
    }
    return {image, final_spread};
}

}  // namespace vedette::reference
