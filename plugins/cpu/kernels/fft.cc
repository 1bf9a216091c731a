// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/fft.h"

#include "kernels/fft_real.h"

namespace vedette::cpu::VEDETTE_ISA {

extern const FftKernels fft_kernels;

namespace {

float* row_at(const FftRows& rows, U32 y) {
    return Strip::row(rows.first, static_cast<std::ptrdiff_t>(y) * rows.stride);
}

template <U32 n>
void real_columns_forward(const float* roots, const float* left, const float* right, std::ptrdiff_t stride, float* tile,
                          float* spectrum, U32 strip) {
    first_pass<n>({const_cast<float*>(left), const_cast<float*>(right), stride}, roots, tile);
    finish_forward<n>(tile, roots, spectrum, strip);
}

template <U32 n>
void real_columns_inverse(const float* roots, const float* spectrum, U32 strip, float* tile, float* left, float* right,
                          std::ptrdiff_t stride) {
    begin_inverse<n>(spectrum, strip, roots, tile);
    const Strip to{left, right, stride};
    last_pass<n>(tile, roots, [&](U32 y, C value) { to.set(y, value); });
}

template <U32 n>
void rows_forward(const float* roots, float* group) {
    run_passes<n, 0, Pass<n, 0>::count, Way::forward>(group, roots);
}
template <U32 n>
void rows_inverse(const float* roots, float* group) {
    run_passes<n, 0, Pass<n, 0>::count, Way::inverse>(group, roots);
}

// ---- Between groups and rows of complex numbers in natural order -------------------------------------------------

// `lanes` frequencies from `slots` on, of all rows of a group: rows[k] gets those of row k, times `scale`.
VEDETTE_INLINE void write_square(const float* group, const U32* slots, bool backwards, V re_scale, V im_scale,
                                 float* const (&rows)[lanes], U32 first) {
    V re[lanes], im[lanes];
    for (U32 k = 0; k < lanes; ++k)
        re[k] = load(group + (backwards ? slots[-static_cast<int>(k)] : slots[k]) * slot_floats);
    transpose(re);
    for (U32 k = 0; k < lanes; ++k)
        im[k] = load(group + (backwards ? slots[-static_cast<int>(k)] : slots[k]) * slot_floats + lanes);
    transpose(im);
    for (U32 k = 0; k < lanes; ++k) {
        if (rows[k] == nullptr) continue;
        V low, high;
        join(re[k] * re_scale, im[k] * im_scale, low, high);
        store(rows[k] + 2 * first, low);
        store(rows[k] + 2 * first + lanes, high);
    }
}
VEDETTE_INLINE void read_square(float* const (&rows)[lanes], U32 first, V re_scale, V im_scale, const U32* slots,
                                bool backwards, float* group) {
    V re[lanes], im[lanes];
    for (U32 k = 0; k < lanes; ++k) split(load(rows[k] + 2 * first), load(rows[k] + 2 * first + lanes), re[k], im[k]);
    transpose(re);
    transpose(im);
    for (U32 k = 0; k < lanes; ++k) {
        float* const at = group + (backwards ? slots[-static_cast<int>(k)] : slots[k]) * slot_floats;
        store(at, re[k] * re_scale);
        store(at + lanes, im[k] * im_scale);
    }
}

// Rows 0 and n / 2, which share lane 0 of group 0.
template <U32 n>
void write_shared_row(const float* group, float* zero, float* half) {
    for (U32 u = 0; u <= n / 2; ++u) {
        const float* const p = group + order<n>.slot[u] * slot_floats;
        const float* const q = group + order<n>.slot[n - u] * slot_floats;
        // Of doubled numbers P(u), with conj P(-u): R0 = (P + conj P') / 2, Rn/2 = (P - conj P') / 2i.
        zero[2 * u] = (p[0] + q[0]) * 0.25F;
        zero[2 * u + 1] = (p[lanes] - q[lanes]) * 0.25F;
        half[2 * u] = (p[lanes] + q[lanes]) * 0.25F;
        half[2 * u + 1] = (q[0] - p[0]) * 0.25F;
    }
}
template <U32 n>
void read_shared_row(const float* zero, const float* half, float scale, float* group) {
    for (U32 u = 0; u < n; ++u) {
        const U32 column = u <= n / 2 ? u : n - u;
        // Both rows are transforms of real ones: their numbers at 0 and n / 2 are real.
        const float sign = u == 0 || u == n / 2 ? 0.0F : (u < n / 2 ? scale : -scale);
        float* const at = group + order<n>.slot[u] * slot_floats;
        at[0] = zero[2 * column] * scale - half[2 * column + 1] * sign;
        at[lanes] = zero[2 * column + 1] * sign + half[2 * column] * scale;
    }
}

template <U32 n>
void write_half(const float* spectrum, U32 group, FftRows out) {
    const float* const from = spectrum + group * group_floats<n>;
    float* rows[lanes];
    float* partners[lanes];
    for (U32 k = 0; k < lanes; ++k) {
        const U32 v = group * lanes + k;
        rows[k] = v == 0 ? nullptr : row_at(out, v);
        partners[k] = v == 0 ? nullptr : row_at(out, n - v);
    }
    const V half = all(0.5F);
    for (U32 u = 0; u < n / 2; u += lanes) {
        write_square(from, order<n>.slot + u, false, half, half, rows, u);
        // F(n - v, u) = conj F(v, n - u).
        write_square(from, order<n>.slot + n - u, true, half, -half, partners, u);
    }
    const float* const middle = from + order<n>.slot[n / 2] * slot_floats;
    for (U32 k = 0; k < lanes; ++k) {
        if (rows[k] == nullptr) continue;
        rows[k][n] = partners[k][n] = middle[k] * 0.5F;
        rows[k][n + 1] = middle[lanes + k] * 0.5F;
        partners[k][n + 1] = middle[lanes + k] * -0.5F;
    }
    if (group == 0) write_shared_row<n>(from, row_at(out, 0), row_at(out, n / 2));
}

template <U32 n>
void read_half(FftRows in, float scale, float* spectrum, U32 group) {
    float* const to = spectrum + group * group_floats<n>;
    float* rows[lanes];
    float* partners[lanes];
    for (U32 k = 0; k < lanes; ++k) {
        const U32 v = group * lanes + k;
        rows[k] = row_at(in, v);
        partners[k] = row_at(in, v == 0 ? 0 : n - v);
    }
    const V by = all(scale);
    // The right half first: its column n (of u = 0) is overwritten by the left half's column 0.
    for (U32 u = 0; u < n / 2; u += lanes) read_square(partners, u, by, -by, order<n>.slot + n - u, true, to);
    for (U32 u = 0; u < n / 2; u += lanes) read_square(rows, u, by, by, order<n>.slot + u, false, to);
    for (U32 u = 0; u <= n / 2; u += n / 2) {
        float* const at = to + order<n>.slot[u] * slot_floats;
        for (U32 k = 0; k < lanes; ++k) {
            at[k] = (rows[k][2 * u] + partners[k][2 * u]) * (0.5F * scale);
            at[lanes + k] = (rows[k][2 * u + 1] - partners[k][2 * u + 1]) * (0.5F * scale);
        }
    }
    if (group == 0) read_shared_row<n>(row_at(in, 0), row_at(in, n / 2), scale, to);
}

// ---- Complex squares --------------------------------------------------------------------------------------------

template <U32 n>
void complex_columns(const float* roots, FftRows in, bool exchange, U32 strip, float* tile, float* spectrum) {
    for (U32 y = 0; y < n; ++y) {
        const float* const row = row_at(in, y) + 2 * lanes * strip;
        C value;
        split(load(row), load(row + lanes), value.re, value.im);
        store_slot(tile, y, exchange ? C{value.im, value.re} : value);
    }
    run_passes<n, 0, Pass<n, 0>::count, Way::forward>(tile, roots);
    for (U32 group = 0; group < n / lanes; ++group) {
        float* const to = spectrum + group * group_floats<n> + strip * lanes * slot_floats;
        for (U32 part = 0; part < slot_floats; part += lanes) {
            V r[lanes];
            for (U32 k = 0; k < lanes; ++k) r[k] = load(tile + order<n>.slot[group * lanes + k] * slot_floats + part);
            transpose(r);
            for (U32 k = 0; k < lanes; ++k) store(to + k * slot_floats + part, r[k]);
        }
    }
}

template <U32 n>
void complex_rows(const float* roots, float* spectrum, U32 group, bool exchange, float scale, FftRows out) {
    float* const from = spectrum + group * group_floats<n>;
    run_passes<n, 0, Pass<n, 0>::count, Way::forward>(from, roots);
    float* rows[lanes];
    for (U32 k = 0; k < lanes; ++k) rows[k] = row_at(out, group * lanes + k);
    const V by = all(scale);
    if (!exchange) {
        for (U32 u = 0; u < n; u += lanes) write_square(from, order<n>.slot + u, false, by, by, rows, u);
        return;
    }
    for (U32 u = 0; u < n; u += lanes) {
        V re[lanes], im[lanes];
        for (U32 k = 0; k < lanes; ++k) re[k] = load(from + order<n>.slot[u + k] * slot_floats);
        transpose(re);
        for (U32 k = 0; k < lanes; ++k) im[k] = load(from + order<n>.slot[u + k] * slot_floats + lanes);
        transpose(im);
        for (U32 k = 0; k < lanes; ++k) {
            V low, high;
            join(im[k] * by, re[k] * by, low, high);
            store(rows[k] + 2 * u, low);
            store(rows[k] + 2 * u + lanes, high);
        }
    }
}

template <U32 n>
constexpr FftSideKernels side_kernels = {
    .side = n,
    .tile_floats = n* slot_floats,
    .real_strips = n / (2 * lanes),
    .real_groups = n / (2 * lanes),
    .complex_strips = n / lanes,
    .complex_groups = n / lanes,
    .group_floats = group_floats<n>,
    .real_columns_forward = real_columns_forward<n>,
    .real_columns_inverse = real_columns_inverse<n>,
    .rows_forward = rows_forward<n>,
    .rows_inverse = rows_inverse<n>,
    .write_half = write_half<n>,
    .read_half = read_half<n>,
    .complex_columns = complex_columns<n>,
    .complex_rows = complex_rows<n>,
};

}  // namespace

const FftKernels fft_kernels = {
    lanes, {side_kernels<32>, side_kernels<64>, side_kernels<128>, side_kernels<256>, side_kernels<512>}};

}  // namespace vedette::cpu::VEDETTE_ISA
