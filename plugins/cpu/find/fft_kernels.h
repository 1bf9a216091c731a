// Fourier transforms of square tiles in double precision, for correlations with large patterns; part of kernels.cc.
//
// Two real tiles travel as real and imaginary part of one complex tile: correlation with a real pattern keeps them
// apart. Only products of spectra are formed, so frequencies stay in the order that decimation in frequency leaves them
// in, and the inverse undoes the same steps backwards: no reordering anywhere. Every one-dimensional transform works on
// a panel of fft_lanes neighbouring rows or columns that fits the first-level cache, vectorised across the panel.

static_assert(fft_lanes % lanes64 == 0);
constexpr int fft_vectors = fft_lanes / lanes64;

struct Complex {
    vd re, im;
};
static inline Complex operator+(Complex a, Complex b) {
    return {add_d(a.re, b.re), add_d(a.im, b.im)};
}
static inline Complex operator-(Complex a, Complex b) {
    return {sub_d(a.re, b.re), sub_d(a.im, b.im)};
}
static inline Complex times(Complex a, double re, double im) {
    const vd r = all_d(re), i = all_d(im);
    return {sub_d(mul_d(a.re, r), mul_d(a.im, i)), add_d(mul_d(a.re, i), mul_d(a.im, r))};
}
static inline Complex times_i(Complex a) {
    return {sub_d(all_d(0), a.im), a.re};
}

// Element k of a panel: fft_lanes complex values.
static inline Complex get(const double* re, const double* im, int k, int v) {
    return {load_d(re + k * fft_lanes + v * lanes64), load_d(im + k * fft_lanes + v * lanes64)};
}
static inline void put(double* re, double* im, int k, int v, Complex a) {
    store_d(re + k * fft_lanes + v * lanes64, a.re);
    store_d(im + k * fft_lanes + v * lanes64, a.im);
}

// roots[2 k], roots[2 k + 1]: real and imaginary part of exp(-2 pi i k / n).
static void fft_panel(double* re, double* im, const double* roots, int n) {
    int size = n;
    for (; size >= 4; size /= 4) {
        const int q = size / 4, step = n / size;
        for (int k = 0; k < q; ++k) {
            const double* const w1 = roots + 2 * k * step;
            const double* const w2 = roots + 4 * k * step;
            const double* const w3 = roots + 6 * k * step;
            for (int at = k; at < n; at += size)
                for (int v = 0; v < fft_vectors; ++v) {
                    const Complex a = get(re, im, at, v), b = get(re, im, at + q, v), c = get(re, im, at + 2 * q, v),
                                  d = get(re, im, at + 3 * q, v);
                    const Complex t0 = a + c, t1 = a - c, t2 = b + d, t3 = times_i(b - d);
                    put(re, im, at, v, t0 + t2);
                    put(re, im, at + q, v, times(t1 - t3, w1[0], w1[1]));
                    put(re, im, at + 2 * q, v, times(t0 - t2, w2[0], w2[1]));
                    put(re, im, at + 3 * q, v, times(t1 + t3, w3[0], w3[1]));
                }
        }
    }
    if (size == 2)
        for (int at = 0; at < n; at += 2)
            for (int v = 0; v < fft_vectors; ++v) {
                const Complex a = get(re, im, at, v), b = get(re, im, at + 1, v);
                put(re, im, at, v, a + b);
                put(re, im, at + 1, v, a - b);
            }
}

// n times the inverse.
static void fft_panel_inverse(double* re, double* im, const double* roots, int n) {
    int size = 4;
    int log2 = 0;
    while ((1 << log2) < n) ++log2;
    if (log2 % 2 != 0) {
        for (int at = 0; at < n; at += 2)
            for (int v = 0; v < fft_vectors; ++v) {
                const Complex a = get(re, im, at, v), b = get(re, im, at + 1, v);
                put(re, im, at, v, a + b);
                put(re, im, at + 1, v, a - b);
            }
        size = 8;
    }
    for (; size <= n; size *= 4) {
        const int q = size / 4, step = n / size;
        for (int k = 0; k < q; ++k) {
            const double* const w1 = roots + 2 * k * step;
            const double* const w2 = roots + 4 * k * step;
            const double* const w3 = roots + 6 * k * step;
            for (int at = k; at < n; at += size)
                for (int v = 0; v < fft_vectors; ++v) {
                    const Complex y0 = get(re, im, at, v), y1 = times(get(re, im, at + q, v), w1[0], -w1[1]),
                                  y2 = times(get(re, im, at + 2 * q, v), w2[0], -w2[1]),
                                  y3 = times(get(re, im, at + 3 * q, v), w3[0], -w3[1]);
                    const Complex t0 = y0 + y2, t2 = y0 - y2, t1 = y1 + y3, t3 = times_i(y1 - y3);
                    put(re, im, at, v, t0 + t1);
                    put(re, im, at + 2 * q, v, t0 - t1);
                    put(re, im, at + q, v, t2 + t3);
                    put(re, im, at + 3 * q, v, t2 - t3);
                }
        }
    }
}

static void fft_columns(const FftTile& t, bool inverse) {
    double* const re = t.panel;
    double* const im = t.panel + static_cast<std::ptrdiff_t>(t.n) * fft_lanes;
    for (int u = 0; u < t.n; u += fft_lanes) {
        for (int y = 0; y < t.n; ++y)
            for (int v = 0; v < fft_vectors; ++v) {
                const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(y) * t.stride + u + v * lanes64;
                put(re, im, y, v, {load_d(t.re + from), load_d(t.im + from)});
            }
        if (inverse)
            fft_panel_inverse(re, im, t.roots, t.n);
        else
            fft_panel(re, im, t.roots, t.n);
        for (int y = 0; y < t.n; ++y)
            for (int v = 0; v < fft_vectors; ++v) {
                const std::ptrdiff_t to = static_cast<std::ptrdiff_t>(y) * t.stride + u + v * lanes64;
                const Complex a = get(re, im, y, v);
                store_d(t.re + to, a.re);
                store_d(t.im + to, a.im);
            }
    }
}

// One value of a tile: the pixel less 128, or its square.
static inline double tile_value(const std::uint8_t* row, int x, bool squared) {
    const int value = row[x] - 128;
    return squared ? value * value : value;
}

static void fft_forward(const FftTile& t, const FftSource& source) {
    double* const re = t.panel;
    double* const im = t.panel + static_cast<std::ptrdiff_t>(t.n) * fft_lanes;
    for (int y = 0; y < t.n; y += fft_lanes) {
        if (y >= source.rows) {
            for (int r = 0; r < fft_lanes; ++r) {
                std::memset(t.re + static_cast<std::ptrdiff_t>(y + r) * t.stride, 0,
                            sizeof(double) * static_cast<std::size_t>(t.n));
                std::memset(t.im + static_cast<std::ptrdiff_t>(y + r) * t.stride, 0,
                            sizeof(double) * static_cast<std::size_t>(t.n));
            }
            continue;
        }
        std::memset(t.panel, 0, sizeof(double) * 2 * fft_lanes * static_cast<std::size_t>(t.n));
        for (int r = 0; r < fft_lanes && y + r < source.rows; ++r) {
            for (int c = 0; c < source.channels; ++c) {
                const std::uint8_t* const row = source.pixels[c][y + r];
                for (int x = 0; x < source.columns_re; ++x)
                    re[x * fft_lanes + r] += tile_value(row + source.x_re, x, source.squared);
                for (int x = 0; x < source.columns_im; ++x)
                    im[x * fft_lanes + r] += tile_value(row + source.x_im, x, source.squared);
            }
            if (source.values != nullptr)
                for (int x = 0; x < source.columns_re; ++x)
                    re[x * fft_lanes + r] = source.values[static_cast<std::ptrdiff_t>(y + r) * source.value_stride + x];
        }
        fft_panel(re, im, t.roots, t.n);
        for (int r = 0; r < fft_lanes; ++r) {
            double* const to_re = t.re + static_cast<std::ptrdiff_t>(y + r) * t.stride;
            double* const to_im = t.im + static_cast<std::ptrdiff_t>(y + r) * t.stride;
            for (int u = 0; u < t.n; ++u) {
                to_re[u] = re[u * fft_lanes + r];
                to_im[u] = im[u * fft_lanes + r];
            }
        }
    }
    fft_columns(t, false);
}

// out += in * conj(pattern); with `first` out = instead.
static void fft_multiply(const FftTile& out, const FftTile& in, const FftTile& pattern, bool first) {
    for (int y = 0; y < out.n; ++y) {
        const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(y) * out.stride;
        for (int u = 0; u < out.n; u += lanes64) {
            const vd a = load_d(in.re + row + u), b = load_d(in.im + row + u), c = load_d(pattern.re + row + u),
                     d = load_d(pattern.im + row + u);
            vd re = add_d(mul_d(a, c), mul_d(b, d)), im = sub_d(mul_d(b, c), mul_d(a, d));
            if (!first) {
                re = add_d(re, load_d(out.re + row + u));
                im = add_d(im, load_d(out.im + row + u));
            }
            store_d(out.re + row + u, re);
            store_d(out.im + row + u, im);
        }
    }
}

// Rounds to integers after the inverse: exact, see fft.h.
static void fft_inverse(const FftTile& t, int rows, int columns, double* out, std::ptrdiff_t out_stride,
                        int columns_im) {
    fft_columns(t, true);
    double* const re = t.panel;
    double* const im = t.panel + static_cast<std::ptrdiff_t>(t.n) * fft_lanes;
    const double scale = 1.0 / (static_cast<double>(t.n) * t.n);
    for (int y = 0; y < rows; y += fft_lanes) {
        for (int r = 0; r < fft_lanes; ++r) {
            const double* const from_re = t.re + static_cast<std::ptrdiff_t>(y + r) * t.stride;
            const double* const from_im = t.im + static_cast<std::ptrdiff_t>(y + r) * t.stride;
            for (int u = 0; u < t.n; ++u) {
                re[u * fft_lanes + r] = from_re[u];
                im[u * fft_lanes + r] = from_im[u];
            }
        }
        fft_panel_inverse(re, im, t.roots, t.n);
        // Adding and subtracting 1.5 * 2^52 rounds to the nearest integer.
        constexpr double round = 6755399441055744.0;
        for (int r = 0; r < fft_lanes && y + r < rows; ++r) {
            double* const row = out + (y + r) * out_stride;
            for (int x = 0; x < columns; ++x) row[x] = (re[x * fft_lanes + r] * scale + round) - round;
            for (int x = 0; x < columns_im; ++x) row[columns + x] = (im[x * fft_lanes + r] * scale + round) - round;
        }
    }
}
