// fft2 in two kernels, one for the rows and one for the columns, with the spectrum between them in global memory: for
// images that no team holds.
//
// A group of lanes transforms a line (fft_line.cuh); a block has as many neighbouring lines as its threads make. Each
// kernel reads and writes its numbers once: 16 bytes a number and kernel, most of it in the second-level cache. Loads
// and stores of columns come in runs of as many numbers as a warp has lines.
#include "kernels/fft2_squares.cuh"

namespace vedette::cuda {

namespace {

constexpr int most_threads = 128;  // of a block (estimate)

template <class Line>
struct Lane {
    static constexpr int lines_of_block =
        most_threads / Line::lanes < Line::n / 2 ? most_threads / Line::lanes : Line::n / 2;
    static constexpr int threads = lines_of_block * Line::lanes;
    int lane = static_cast<int>(threadIdx.x) % Line::lanes;
    int local = static_cast<int>(threadIdx.x) / Line::lanes;

    // Of `lines` lines an image, this one, and the image.
    __device__ __forceinline__ int line(int lines) const {
        return static_cast<int>(blockIdx.x) % (lines / lines_of_block) * lines_of_block + local;
    }
    __device__ __forceinline__ int image(int lines) const {
        return static_cast<int>(blockIdx.x) / (lines / lines_of_block);
    }
    __device__ __forceinline__ Number* scratch() const {
        return dynamic_shared<Number>() + local * Line::scratch_numbers + Line::scratch_shift(local);
    }
};

template <class Line, bool inverse>
__device__ __forceinline__ void transform(Number (&a)[Line::values], const Lane<Line>& at, const Number* roots) {
    Line::template transform<inverse>(a, at.scratch(), at.lane, Line::factors_of(roots, at.lane));
}

// Complex: rows of the input to the scratch, columns of the scratch to the output.
template <class Line, bool inverse>
__global__ void __launch_bounds__(Lane<Line>::threads) complex_rows_kernel(Fft2Job job) {
    constexpr int n = Line::n;
    const Lane<Line> at;
    const int line = at.line(n), image = at.image(n);
    const std::int32_t y = (static_cast<std::int32_t>(job.first_image) + image) * n + line;
    Number a[Line::values];
#pragma unroll
    for (int m = 0; m < Line::values; ++m) a[m] = load_number(job.in, y, at.lane + Line::lanes * m);
    transform<Line, inverse>(a, at, job.roots);
    Number* const to = job.scratch + (std::size_t{static_cast<unsigned>(image)} * n + static_cast<unsigned>(line)) * n;
#pragma unroll
    for (int m = 0; m < Line::values; ++m) to[at.lane + Line::lanes * m] = a[m];
}

template <class Line, bool inverse>
__global__ void __launch_bounds__(Lane<Line>::threads) complex_columns_kernel(Fft2Job job) {
    constexpr int n = Line::n;
    const Lane<Line> at;
    const int line = at.line(n), image = at.image(n);
    const Number* const from = job.scratch + std::size_t{static_cast<unsigned>(image)} * n * n + line;
    Number a[Line::values];
#pragma unroll
    for (int m = 0; m < Line::values; ++m) a[m] = from[(at.lane + Line::lanes * m) * n];
    transform<Line, inverse>(a, at, job.roots);
    const std::int32_t top = (static_cast<std::int32_t>(job.first_image) + image) * n;
    constexpr float scale = inverse ? 1.0F / (n * n) : 1;
#pragma unroll
    for (int m = 0; m < Line::values; ++m) store_number(job.out, top + at.lane + Line::lanes * m, line, a[m] * scale);
}

// Real, forward: rows y and y + n / 2 as one complex row, then columns; line 0 is columns 0 and n / 2.
template <class Line>
__global__ void __launch_bounds__(Lane<Line>::threads) real_rows_forward_kernel(Fft2Job job) {
    constexpr int n = Line::n;
    const Lane<Line> at;
    const int line = at.line(n / 2), image = at.image(n / 2);
    const std::int32_t y = (static_cast<std::int32_t>(job.first_image) + image) * n + line;
    Number a[Line::values];
#pragma unroll
    for (int m = 0; m < Line::values; ++m) {
        const int x = at.lane + Line::lanes * m;
        a[m] = {job.in.row(y)[x], job.in.row(y + n / 2)[x]};
    }
    transform<Line, false>(a, at, job.roots);
    Number* const to =
        job.scratch + (std::size_t{static_cast<unsigned>(image)} * (n / 2) + static_cast<unsigned>(line)) * n;
#pragma unroll
    for (int m = 0; m < Line::values; ++m) to[at.lane + Line::lanes * m] = a[m];
}

template <class Line>
__global__ void __launch_bounds__(Lane<Line>::threads) real_columns_forward_kernel(Fft2Job job) {
    constexpr int n = Line::n, values = Line::values;
    const Lane<Line> at;
    const int line = at.line(n / 2), image = at.image(n / 2);
    const Number* const from = job.scratch + std::size_t{static_cast<unsigned>(image)} * (n / 2) * n;
    // Z(c) and Z(n - c) of packed rows are half the sum of transforms A and i B of their two rows, and its mirror. For
    // line 0 each row of the pair is a column of reals: that of column 0, and as imaginary part that of column n / 2.
    Number a[values];
#pragma unroll
    for (int m = 0; m < values / 2; ++m) {
        const Number* const row = from + (at.lane + Line::lanes * m) * n;
        const Number p = row[line], q = row[line == 0 ? n / 2 : n - line];
        a[m] = line == 0 ? Number{p.re, q.re} : Number{p.re + q.re, p.im - q.im} * 0.5F;
        a[m + values / 2] = line == 0 ? Number{p.im, q.im} : Number{p.im + q.im, q.re - p.re} * 0.5F;
    }
    transform<Line, false>(a, at, job.roots);
    const std::int32_t top = (static_cast<std::int32_t>(job.first_image) + image) * n;
    if (line != 0) {
#pragma unroll
        for (int q = 0; q < values; ++q) store_number(job.out, top + at.lane + Line::lanes * q, line, a[q]);
        return;
    }
    Number other[values];
#pragma unroll
    for (int q = 0; q < values; ++q) other[q] = a[q];
    Line::change_places(
        other, at.scratch(), 0xffffffffu >> (32 - Line::lanes),  // line 0 is the first group of its warp
        [&](int q) { return at.lane + Line::lanes * q; }, [&](int q) { return (n - at.lane - Line::lanes * q) % n; });
#pragma unroll
    for (int q = 0; q < values; ++q) {
        const int ky = at.lane + Line::lanes * q;
        const Number p = a[q], o = other[q];
        store_number(job.out, top + ky, 0, Number{p.re + o.re, p.im - o.im} * 0.5F);
        store_number(job.out, top + ky, n / 2, Number{p.im + o.im, o.re - p.re} * 0.5F);
    }
}

// Real, inverse: columns, then rows.
template <class Line>
__global__ void __launch_bounds__(Lane<Line>::threads) real_columns_inverse_kernel(Fft2Job job) {
    constexpr int n = Line::n, values = Line::values;
    const Lane<Line> at;
    const int line = at.line(n / 2), image = at.image(n / 2);
    const std::int32_t top = (static_cast<std::int32_t>(job.first_image) + image) * n;
    Number a[values];
#pragma unroll
    for (int q = 0; q < values; ++q) {
        const int ky = at.lane + Line::lanes * q;
        if (line != 0) {
            a[q] = load_number(job.in, top + ky, line);
            continue;
        }
        // Of columns 0 and n / 2 the part that a real image's transform can have, as one column.
        const int mirrored = (n - ky) % n;
        const Number zero = load_number(job.in, top + ky, 0), other_zero = load_number(job.in, top + mirrored, 0);
        const Number half = load_number(job.in, top + ky, n / 2),
                     other_half = load_number(job.in, top + mirrored, n / 2);
        a[q] = Number{zero.re + other_zero.re - (half.im - other_half.im),
                      zero.im - other_zero.im + half.re + other_half.re} *
               0.5F;
    }
    transform<Line, true>(a, at, job.roots);
    Number* const to = job.scratch + std::size_t{static_cast<unsigned>(image)} * (n / 2) * n;
#pragma unroll
    for (int m = 0; m < values / 2; ++m) {
        const Number up = a[m], down = a[m + values / 2];
        Number* const row = to + (at.lane + Line::lanes * m) * n;
        row[line] = line == 0 ? Number{up.re, down.re} : Number{up.re - down.im, up.im + down.re};
        row[line == 0 ? n / 2 : n - line] =
            line == 0 ? Number{up.im, down.im} : Number{up.re + down.im, down.re - up.im};
    }
}

template <class Line>
__global__ void __launch_bounds__(Lane<Line>::threads) real_rows_inverse_kernel(Fft2Job job) {
    constexpr int n = Line::n;
    const Lane<Line> at;
    const int line = at.line(n / 2), image = at.image(n / 2);
    const Number* const from =
        job.scratch + (std::size_t{static_cast<unsigned>(image)} * (n / 2) + static_cast<unsigned>(line)) * n;
    Number a[Line::values];
#pragma unroll
    for (int m = 0; m < Line::values; ++m) a[m] = from[at.lane + Line::lanes * m];
    transform<Line, true>(a, at, job.roots);
    const std::int32_t y = (static_cast<std::int32_t>(job.first_image) + image) * n + line;
    constexpr float scale = 1.0F / (n * n);
#pragma unroll
    for (int m = 0; m < Line::values; ++m) {
        const int x = at.lane + Line::lanes * m;
        job.out.row(y)[x] = a[m].re * scale;
        job.out.row(y + n / 2)[x] = a[m].im * scale;
    }
}

template <class Line>
Fft2Form lines_form(Fft2Kind kind) {
    constexpr int n = Line::n;
    const bool real = kind == Fft2Kind::real_forward || kind == Fft2Kind::real_inverse;
    Fft2Form form;
    switch (kind) {
        case Fft2Kind::complex_forward:
            form.kernel = complex_rows_kernel<Line, false>;
            form.second = complex_columns_kernel<Line, false>;
            break;
        case Fft2Kind::complex_inverse:
            form.kernel = complex_rows_kernel<Line, true>;
            form.second = complex_columns_kernel<Line, true>;
            break;
        case Fft2Kind::real_forward:
            form.kernel = real_rows_forward_kernel<Line>;
            form.second = real_columns_forward_kernel<Line>;
            break;
        case Fft2Kind::real_inverse:
            form.kernel = real_columns_inverse_kernel<Line>;
            form.second = real_rows_inverse_kernel<Line>;
            break;
    }
    constexpr int lines_of_block = Lane<Line>::lines_of_block;
    const int lines = real ? n / 2 : n;
    form.name = "lines";
    form.blocks = static_cast<unsigned>(lines / lines_of_block);
    form.threads = Lane<Line>::threads;
    form.shared_bytes = sizeof(Number) * std::size_t{lines_of_block} * Line::scratch_numbers;
    form.scratch_bytes = sizeof(Number) * std::size_t{static_cast<unsigned>(lines)} * n;
    form.most_images = 0x7fffffffu / form.blocks;
    return form;
}

}  // namespace

Fft2Form fft2_lines_form(std::uint32_t side, Fft2Kind kind) {
    switch (side) {
        case 32:
            return lines_form<FftLine<32, 4>>(kind);
        case 64:
            return lines_form<FftLine<64, 8>>(kind);
        case 128:
            return lines_form<FftLine<128, 8>>(kind);
        case 256:
            return lines_form<FftLine<256, 16>>(kind);
        case 512:
            return lines_form<FftLine<512, 16>>(kind);
        default:
            return {};
    }
}

}  // namespace vedette::cuda
