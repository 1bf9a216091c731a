// fft2 by a team that holds the whole image (fft_teams.cuh): one kernel, the image is read and written once.
#pragma once

#include "device/shared.cuh"
#include "kernels/fft2.h"
#include "kernels/fft_square.cuh"

namespace vedette::cuda {

__device__ __forceinline__ Number load_number(const View<const float>& image, std::int32_t y, int x) {
    return reinterpret_cast<const Number*>(image.row(y))[x];
}
__device__ __forceinline__ void store_number(const View<float>& image, std::int32_t y, int x, Number value) {
    reinterpret_cast<Number*>(image.row(y))[x] = value;
}

// Real images. A thread owns rows line and line + n / 2, or the column of its line, at every `lanes`th place
// (fft_square.cuh). Bytes: 4 n^2 in and out; operations: 3 n^2 log2 n.
template <class Line, class Team, bool inverse>
__global__ void __launch_bounds__(Team::threads) fft2_real_kernel(Fft2Job job) {
    constexpr int n = Line::n, values = Line::values, lanes = Line::lanes;
    FftSquare<Line, Team> square(Team(dynamic_shared<Number>(), nullptr, nullptr), job.roots);
    const int line = square.line();
    const std::int32_t top = static_cast<std::int32_t>(job.first_image + blockIdx.x / Team::blocks) * n;
    Number a[values];
    if constexpr (!inverse) {
#pragma unroll
        for (int m = 0; m < values; ++m) {
            const int x = square.lane() + lanes * m;
            a[m] = {job.in.row(top + line)[x], job.in.row(top + line + n / 2)[x]};
        }
        square.forward(a);
#pragma unroll
        for (int q = 0; q < values; ++q) {
            const int ky = square.lane() + lanes * q;
            const Number value = a[q] * 0.5F;
            if (line != 0) {
                store_number(job.out, top + ky, line, value);
            } else if (q % (values / 2) == 0 && square.lane() == 0) {
                store_number(job.out, top + ky, 0, {value.re, 0});
                store_number(job.out, top + ky, n / 2, {value.im, 0});
            } else {
                const int column = q < values / 2 ? 0 : n / 2;
                const Number conjugate{value.re, -value.im};
                store_number(job.out, top + ky, column, q < values / 2 ? value : conjugate);
                store_number(job.out, top + n - ky, column, q < values / 2 ? conjugate : value);
            }
        }
    } else {
        constexpr float scale = 1.0F / (n * n);
#pragma unroll
        for (int q = 0; q < values; ++q) {
            const int ky = square.lane() + lanes * q;
            if (line != 0) {
                a[q] = load_number(job.in, top + ky, line) * scale;
            } else if (q % (values / 2) == 0 && square.lane() == 0) {
                a[q] = Number{load_number(job.in, top + ky, 0).re, load_number(job.in, top + ky, n / 2).re} * scale;
            } else {
                // The part that a real image's transform can have.
                const int column = q < values / 2 ? 0 : n / 2;
                const Number here = load_number(job.in, top + (q < values / 2 ? ky : n - ky), column);
                const Number there = load_number(job.in, top + (q < values / 2 ? n - ky : ky), column);
                a[q] = Number{here.re + there.re, here.im - there.im} * (0.5F * scale);
            }
        }
        square.inverse(a);
#pragma unroll
        for (int m = 0; m < values; ++m) {
            const int x = square.lane() + lanes * m;
            job.out.row(top + line)[x] = a[m].re;
            job.out.row(top + line + n / 2)[x] = a[m].im;
        }
    }
}

// Complex images in one block: twice as many lines as a real image has, so a group owns rows line and line + n / 2,
// then the columns of these numbers. Bytes: 16 n^2 in and out; operations: 6 n^2 log2 n.
template <class Line, bool inverse>
__global__ void __launch_bounds__(BlockTeam<Line, 1, Line::n>::threads) fft2_complex_kernel(Fft2Job job) {
    constexpr int n = Line::n, values = Line::values, lanes = Line::lanes;
    BlockTeam<Line, 1, n> team(dynamic_shared<Number>(), nullptr, nullptr);
    const typename Line::Factors factors = Line::factors_of(job.roots, team.lane());
    const int line = team.line();
    const std::int32_t top = static_cast<std::int32_t>(job.first_image + blockIdx.x) * n;
    Number a[values], b[values];
#pragma unroll
    for (int m = 0; m < values; ++m) {
        const int x = team.lane() + lanes * m;
        a[m] = load_number(job.in, top + line, x);
        b[m] = load_number(job.in, top + line + n / 2, x);
    }
    Line::template transform<inverse>(a, team.scratch(), team.lane(), factors);
    Line::template transform<inverse>(b, team.scratch(), team.lane(), factors);
    team.begin();
    const auto first = team.rising(line), second = team.rising(line + n / 2);
#pragma unroll
    for (int q = 0; q < values; ++q) {
        first.store(q, a[q]);
        second.store(q, b[q]);
    }
    team.deliver();
#pragma unroll
    for (int q = 0; q < values; ++q) {
        a[q] = team.get(q);
        b[q] = team.get(q, n / 2);
    }
    __syncwarp();  // the scratch is where these lay
    Line::template transform<inverse>(a, team.scratch(), team.lane(), factors);
    Line::template transform<inverse>(b, team.scratch(), team.lane(), factors);
    constexpr float scale = inverse ? 1.0F / (n * n) : 1;
#pragma unroll
    for (int q = 0; q < values; ++q) {
        const std::int32_t y = top + team.lane() + lanes * q;
        store_number(job.out, y, line, a[q] * scale);
        store_number(job.out, y, line + n / 2, b[q] * scale);
    }
}

template <class Line, class Team>
Fft2Form fft2_team_form(const char* name) {
    Fft2Form form;
    form.name = name;
    form.blocks = Team::blocks;
    form.cluster = Team::blocks;
    form.threads = Team::threads;
    form.shared_bytes = sizeof(Number) * std::size_t{Team::shared_numbers};
    form.most_images = 0x7fffffffu / Team::blocks;
    return form;
}

// Real images only: of others a form without a kernel.
template <class Line, class Team>
Fft2Form fft2_real_form(Fft2Kind kind, const char* name) {
    Fft2Form form = fft2_team_form<Line, Team>(name);
    if (kind == Fft2Kind::real_forward)
        form.kernel = fft2_real_kernel<Line, Team, false>;
    else if (kind == Fft2Kind::real_inverse)
        form.kernel = fft2_real_kernel<Line, Team, true>;
    return form;
}

template <class Line>
Fft2Form fft2_block_form_of(Fft2Kind kind) {
    if (kind == Fft2Kind::real_forward || kind == Fft2Kind::real_inverse)
        return fft2_real_form<Line, BlockTeam<Line, 1>>(kind, "block");
    Fft2Form form = fft2_team_form<Line, BlockTeam<Line, 1, Line::n>>("block");
    form.kernel =
        kind == Fft2Kind::complex_forward ? fft2_complex_kernel<Line, false> : fft2_complex_kernel<Line, true>;
    return form;
}

}  // namespace vedette::cuda
