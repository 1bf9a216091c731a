// Transforms by their definition, split into even and odd points again and again.
#include "reference/fft2.h"

#include "reference/plane.h"

#include <numbers>

namespace vedette::reference {

namespace {

using Numbers = std::vector<Complex>;

// out(k) = sum of in(j) roots(step j k), where roots are those of the whole transform, step times as many.
Numbers transform(const Numbers& in, const Numbers& roots, std::size_t step) {
    const std::size_t n = in.size();
    if (n == 1) return in;
    Numbers even, odd;
    for (std::size_t j = 0; j < n; j += 2) {
        even.push_back(in[j]);
        odd.push_back(in[j + 1]);
    }
    even = transform(even, roots, 2 * step);
    odd = transform(odd, roots, 2 * step);
    Numbers out(n);
    for (std::size_t k = 0; k < n / 2; ++k) {
        const Complex turned = odd[k] * roots[k * step];
        out[k] = even[k] + turned;
        out[k + n / 2] = even[k] - turned;
    }
    return out;
}

}  // namespace

Square transform(const Square& in, bool inverse) {
    const std::size_t n = in.side;
    Numbers roots;
    for (std::size_t k = 0; k < n; ++k) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
        roots.push_back(std::polar(1.0, inverse ? angle : -angle));
    }
    Square rows = in, out = in;
    for (std::size_t y = 0; y < n; ++y) {
        const auto begin = in.value.begin() + static_cast<std::ptrdiff_t>(y * n);
        const Numbers row = transform(Numbers(begin, begin + static_cast<std::ptrdiff_t>(n)), roots, 1);
        for (std::size_t x = 0; x < n; ++x) rows.value[y * n + x] = row[x];
    }
    for (std::size_t x = 0; x < n; ++x) {
        Numbers column(n);
        for (std::size_t y = 0; y < n; ++y) column[y] = rows.value[y * n + x];
        column = transform(column, roots, 1);
        for (std::size_t y = 0; y < n; ++y)
            out.value[y * n + x] = column[y] / (inverse ? static_cast<double>(n * n) : 1.0);
    }
    return out;
}

Plane fft2(const vdt_image& in, vdt_format out_format, const vdt_fft2_params& params) {
    const bool inverse = params.direction == VDT_FFT_INVERSE;
    const bool real_in = in.format == VDT_FORMAT_GRAYF32, real_out = out_format == VDT_FORMAT_GRAYF32;
    const std::uint32_t side = in.height / params.batch;
    Plane out = make_plane(!inverse && real_in ? side / 2 + 1 : side, in.height, real_out ? 1 : 2);
    for (std::uint32_t top = 0; top < in.height; top += side) {
        Square square{side, Numbers(std::size_t{side} * side)};
        const auto given = [&](std::uint32_t x, std::uint32_t y) {
            return Complex(pixel(in, x, top + y, 0), real_in ? 0.0 : pixel(in, x, top + y, 1));
        };
        for (std::uint32_t y = 0; y < side; ++y)
            for (std::uint32_t x = 0; x < side; ++x) {
                Complex& value = square.value[std::size_t{y} * side + x];
                const std::uint32_t across = (side - x) % side, down = (side - y) % side;
                if (!inverse || !real_out)
                    value = given(x, y);
                else if (x == across)  // its own partner: the part that a real square can have
                    value = (given(x, y) + std::conj(given(x, down))) / 2.0;
                else
                    value = x < across ? given(x, y) : std::conj(given(across, down));
            }
        square = transform(square, inverse);
        for (std::uint32_t y = 0; y < side; ++y)
            for (std::uint32_t x = 0; x < out.width; ++x) {
                const Complex value = square.value[std::size_t{y} * side + x];
                at(out, x, top + y, 0) = value.real();
                if (!real_out) at(out, x, top + y, 1) = value.imag();
            }
    }
    return out;
}

}  // namespace vedette::reference
