// The loop of restore in one kernel. A team (fft_teams.cuh) owns an image; a thread owns the same pixels and frequencies
// from the first iteration to the last (fft_square.cuh), so that estimates, the blurred image and spectra stay with it,
// in registers or its own corner of shared memory as the team has room. Between two transforms there is only a product
// or a step of the thread's own numbers.
//
// Operations: an iteration has 4 (Richardson-Lucy), 2 (known) or 6 (blind) transforms. Bytes: images come and go once a
// job; inside the loop global memory is not touched, but by teams that have no room elsewhere. The floor is the
// transforms' arithmetic at one multiprocessor's rate, and where lines are few, the latency of its exchanges.
#pragma once

#include "device/shared.cuh"
#include "kernels/fft_square.cuh"
#include "kernels/restore.h"

namespace vedette::cuda {

// Numbers that a thread keeps.
enum class Place { registers, shared, global };

template <int values, Place place>
struct Kept {
    Number* first;  // the thread's
    int stride;
    __device__ __forceinline__ Kept(Number* at, int step) : first(at), stride(step) {}
    __device__ __forceinline__ Number operator[](int v) const { return first[v * stride]; }
    __device__ __forceinline__ void set(int v, Number value) { first[v * stride] = value; }
};
template <int values>
struct Kept<values, Place::registers> {
    Number number[values];
    __device__ __forceinline__ Kept(Number*, int) {}
    __device__ __forceinline__ Number operator[](int v) const { return number[v]; }
    __device__ __forceinline__ void set(int v, Number value) { number[v] = value; }
};

// How many arrays of numbers a team keeps where; the rest lies in global memory. `blocks_at_once`: of one
// multiprocessor, which bounds the registers of a thread.
struct RestoreRoom {
    int in_registers;
    int in_shared;
    int blocks_at_once;
};

__host__ __device__ constexpr int kept_arrays(RestoreMethod method) {
    return method == RestoreMethod::mia_blind ? 6 : 3;
}

template <class Line, class Team, RestoreMethod method, RestoreRoom room>
class RestoreLoop {
    static constexpr int n = Line::n, values = Line::values, lanes = Line::lanes;
    using Numbers = Number[values];

    static constexpr Place place_of(int array) {
        return array < room.in_registers                    ? Place::registers
               : array < room.in_registers + room.in_shared ? Place::shared
                                                            : Place::global;
    }
    static constexpr int arrays = kept_arrays(method);
    static constexpr int shared_arrays =
        arrays <= room.in_registers
            ? 0
            : (arrays - room.in_registers < room.in_shared ? arrays - room.in_registers : room.in_shared);

public:
    static constexpr int global_arrays =
        arrays > room.in_registers + room.in_shared ? arrays - room.in_registers - room.in_shared : 0;
    static constexpr std::size_t shared_bytes =
        sizeof(Number) * (Team::shared_numbers + std::size_t{shared_arrays} * values * Team::threads);

    __device__ __forceinline__ RestoreLoop(const RestoreJob& job, Number* shared)
        : job_(job),
          image_(static_cast<int>(blockIdx.x) / Team::blocks),
          shared_(shared),
          square_(Team(shared, job.exchange + std::size_t{static_cast<unsigned>(image_)} * Team::exchange_numbers,
                       job.barrier),
                  job.roots) {}

    __device__ __forceinline__ void run() {
        if constexpr (method == RestoreMethod::mia_blind)
            run_blind();
        else if constexpr (method == RestoreMethod::mia_known)
            run_known();
        else
            run_richardson_lucy();
    }

private:
    // All factors of the transforms: spectra come doubled, and an inverse transform is n^2 times too large.
    static constexpr float product_scale = 0.25F / (n * n);   // of two spectra
    static constexpr float power_scale = 0.125F / (n * n);    // of three

    template <int array>
    __device__ __forceinline__ Kept<values, place_of(array)> keep() const {
        constexpr Place place = place_of(array);
        const int thread = static_cast<int>(threadIdx.x);
        if constexpr (place == Place::shared) {
            constexpr int index = array - room.in_registers;
            return {shared_ + Team::shared_numbers + index * values * Team::threads + thread, Team::threads};
        } else if constexpr (place == Place::global) {
            constexpr int index = array - room.in_registers - room.in_shared;
            const std::size_t block = std::size_t{blockIdx.x} * global_arrays + index;
            return {job_.kept + block * values * Team::threads + thread, Team::threads};
        } else {
            return {nullptr, 0};
        }
    }

    // ---- Images and estimates -----------------------------------------------------------------------------------

    __device__ __forceinline__ std::int32_t top_row() const {
        return (static_cast<std::int32_t>(job_.first_image) + image_) * n + square_.line();
    }

    // Negative pixels count as 0. In the first job the values are looked at.
    template <bool is_spread>
    __device__ __forceinline__ float checked(const View<const float>& image, std::int32_t y, int x) const {
        const float value = image.row(y)[x];
        if (job_.first) {
            if (!(fabsf(value) <= 3.402823466e38F))
                *(is_spread ? &job_.problems->spread_row : &job_.problems->blurred_row) = y;
            else if (is_spread && value < 0)
                job_.problems->negative_row = y;
        }
        return value > 0 ? value : 0;
    }
    template <bool is_spread>
    __device__ __forceinline__ void load(const View<const float>& image, Numbers& a) const {
#pragma unroll
        for (int m = 0; m < values; ++m) {
            const int x = square_.lane() + lanes * m;
            a[m] = {checked<is_spread>(image, top_row(), x), checked<is_spread>(image, top_row() + n / 2, x)};
        }
    }
    __device__ __forceinline__ void load_blurred(Numbers& a) const { load<false>(job_.blurred, a); }
    __device__ __forceinline__ void load_spread(Numbers& a) const { load<true>(job_.spread, a); }

    __device__ __forceinline__ Number* state(int which, int m) const {
        constexpr int of_image = values * Team::threads * Team::blocks;
        const int thread = static_cast<int>(blockIdx.x) % Team::blocks * Team::threads + static_cast<int>(threadIdx.x);
        return job_.state +
               (std::size_t{job_.first_image + static_cast<unsigned>(image_)} * 2 + static_cast<unsigned>(which)) *
                   of_image +
               m * Team::threads * Team::blocks + thread;
    }
    template <class Estimate>
    __device__ __forceinline__ void resume(Estimate& estimate, int which) const {
#pragma unroll
        for (int m = 0; m < values; ++m) estimate.set(m, *state(which, m));
    }
    template <class Estimate>
    __device__ __forceinline__ void leave(const Estimate& estimate, int which, const View<float>& image) const {
        if (!job_.last) {
#pragma unroll
            for (int m = 0; m < values; ++m) *state(which, m) = estimate[m];
            return;
        }
        float* const top = image.row(top_row());
        float* const bottom = image.row(top_row() + n / 2);
#pragma unroll
        for (int m = 0; m < values; ++m) {
            const int x = square_.lane() + lanes * m;
            const Number value = estimate[m];
            top[x] = value.re;
            bottom[x] = value.im;
        }
    }

    // ---- Steps ----------------------------------------------------------------------------------------------------

    // Estimates stay finite and are never negative, whatever comes in; too small ones, which no pixel could show,
    // become 0. So does what is not a number.
    static __device__ __forceinline__ float clean(float value) {
        constexpr float least = 1e-30F, most = 1e30F;
        const float positive = value > least ? value : 0;
        return positive < most ? positive : most;
    }
    __device__ __forceinline__ float quotient(float above, float below) const {
        return __fdividef(above, below > job_.epsilon ? below : job_.epsilon);
    }
    // estimate <- estimate * given / a, which goes into a, too.
    template <class Estimate, class Given>
    __device__ __forceinline__ void ratio_step(Numbers& a, Estimate& estimate, const Given& given) const {
#pragma unroll
        for (int m = 0; m < values; ++m) {
            const Number e = estimate[m], g = given[m];
            a[m] = {clean(e.re * quotient(g.re, a[m].re)), clean(e.im * quotient(g.im, a[m].im))};
            estimate.set(m, a[m]);
        }
    }

    // Of values that may be pairs of reals (fft_square.cuh).
    template <class Complex, class Reals>
    __device__ __forceinline__ void each(Numbers& a, const Complex& complex, const Reals& reals) const {
#pragma unroll
        for (int q = 0; q < values; ++q)
            a[q] = q % (values / 2) == 0 && square_.holds_reals() ? reals(q) : complex(q);
    }
    template <class Spectrum>
    __device__ __forceinline__ void through(Numbers& a, const Spectrum& lens) const {
        each(
            a, [&](int q) { return product(lens[q], a[q]); },
            [&](int q) {
                return Number{a[q].re * lens[q].re, a[q].im * lens[q].im};
            });
    }
    // a <- conj(one) * other
    template <class One, class Other>
    __device__ __forceinline__ void through_conjugate(Numbers& a, const One& one, const Other& other,
                                                      float scale) const {
        each(
            a, [&](int q) { return conjugate_product(one[q], other[q]) * scale; },
            [&](int q) {
                return Number{one[q].re * other[q].re * scale, one[q].im * other[q].im * scale};
            });
    }
    // a <- |one|^2 * other
    template <class One, class Other>
    __device__ __forceinline__ void through_power(Numbers& a, const One& one, const Other& other) const {
        each(
            a, [&](int q) { return other[q] * (squared_magnitude(one[q]) * power_scale); },
            [&](int q) {
                const Number by = one[q];
                return Number{other[q].re * (by.re * by.re * power_scale), other[q].im * (by.im * by.im * power_scale)};
            });
    }

    // A point-spread function's spectrum; its first number is the sum.
    __device__ __forceinline__ void transform_spread(Numbers& a) {
        load_spread(a);
        square_.forward(a);
        if (job_.first && square_.holds_reals() && a[0].re == 0)
            job_.problems->zero_image = static_cast<int>(job_.first_image) + image_;
    }

    template <class To>
    static __device__ __forceinline__ void copy(const Numbers& from, To& to) {
#pragma unroll
        for (int v = 0; v < values; ++v) to.set(v, from[v]);
    }
    template <class From>
    static __device__ __forceinline__ void copy_from(const From& from, Numbers& to) {
#pragma unroll
        for (int v = 0; v < values; ++v) to[v] = from[v];
    }

    // ---- Methods --------------------------------------------------------------------------------------------------

    __device__ __forceinline__ void run_richardson_lucy() {
        auto estimate = keep<0>();
        auto lens = keep<1>();
        auto given = keep<2>();
        Numbers a;
        transform_spread(a);
#pragma unroll
        for (int q = 0; q < values; ++q) lens.set(q, a[q] * product_scale);
        load_blurred(a);
        copy(a, given);
        if (job_.first)
            copy(a, estimate);
        else
            resume(estimate, 0);
        copy_from(estimate, a);
        for (std::uint32_t iteration = 0; iteration < job_.iterations; ++iteration) {
            square_.forward(a);
            through(a, lens);
            square_.inverse(a);
#pragma unroll
            for (int m = 0; m < values; ++m) {
                const Number g = given[m];
                a[m] = {quotient(g.re, a[m].re), quotient(g.im, a[m].im)};
            }
            square_.forward(a);
            through_conjugate(a, lens, a, 1);
            square_.inverse(a);
#pragma unroll
            for (int m = 0; m < values; ++m) {
                const Number e = estimate[m];
                a[m] = {clean(e.re * (a[m].re > 0 ? a[m].re : 0)), clean(e.im * (a[m].im > 0 ? a[m].im : 0))};
                estimate.set(m, a[m]);
            }
        }
        leave(estimate, 0, job_.restored);
    }

    __device__ __forceinline__ void run_known() {
        auto estimate = keep<0>();
        auto lens = keep<1>();  // |H|^2; of the pairs of reals their squares
        auto given = keep<2>();
        Numbers a;
        transform_spread(a);
        copy(a, lens);
        load_blurred(a);
        if (job_.first)
            copy(a, estimate);
        else
            resume(estimate, 0);
        // The numerator IFFT(conj(H) G) is the same in every iteration; then only |H|^2 is needed.
        square_.forward(a);
        through_conjugate(a, lens, a, product_scale);
        square_.inverse(a);
#pragma unroll
        for (int m = 0; m < values; ++m) given.set(m, {a[m].re > 0 ? a[m].re : 0, a[m].im > 0 ? a[m].im : 0});
#pragma unroll
        for (int q = 0; q < values; ++q) {
            const Number h = lens[q];
            const float power = squared_magnitude(h);
            // Spectra of estimates come doubled as this one did: two spectra's scale, and this one's square halved.
            constexpr float scale = power_scale;
            if (q % (values / 2) == 0 && square_.holds_reals())
                lens.set(q, {h.re * h.re * scale, h.im * h.im * scale});
            else
                lens.set(q, {power * scale, power * scale});
        }
        copy_from(estimate, a);
        for (std::uint32_t iteration = 0; iteration < job_.iterations; ++iteration) {
            square_.forward(a);
#pragma unroll
            for (int q = 0; q < values; ++q) {
                const Number by = lens[q];
                a[q] = {a[q].re * by.re, a[q].im * by.im};
            }
            square_.inverse(a);
            ratio_step(a, estimate, given);
        }
        leave(estimate, 0, job_.restored);
    }

    __device__ __forceinline__ void run_blind() {
        auto image_spectrum = keep<0>();
        auto spread_spectrum = keep<1>();
        auto numerator = keep<2>();
        auto blurred_spectrum = keep<3>();
        auto estimate = keep<4>();
        auto spread = keep<5>();
        Numbers a;
        if (job_.first) {
            transform_spread(a);  // for its check alone
            load_spread(a);
            copy(a, spread);
        } else {
            resume(spread, 1);
        }
        load_blurred(a);
        if (job_.first)
            copy(a, estimate);
        else
            resume(estimate, 0);
        square_.forward(a);
        copy(a, blurred_spectrum);
        for (std::uint32_t iteration = 0; iteration < job_.iterations; ++iteration) {
            copy_from(estimate, a);
            square_.forward(a);
            copy(a, image_spectrum);
            copy_from(spread, a);
            square_.forward(a);
            copy(a, spread_spectrum);
            correct(a, spread_spectrum, image_spectrum, blurred_spectrum, numerator, estimate);
            correct(a, image_spectrum, spread_spectrum, blurred_spectrum, numerator, spread);
        }
        leave(estimate, 0, job_.restored);
        leave(spread, 1, job_.final_spread);
    }
    // estimate <- estimate * IFFT(conj(by) G) / IFFT(|by|^2 own)
    template <class By, class Own, class Blurred, class Numerator, class Estimate>
    __device__ __forceinline__ void correct(Numbers& a, const By& by, const Own& own, const Blurred& blurred,
                                            Numerator& numerator, Estimate& estimate) {
        through_conjugate(a, by, blurred, product_scale);
        square_.inverse(a);
#pragma unroll
        for (int m = 0; m < values; ++m) numerator.set(m, {a[m].re > 0 ? a[m].re : 0, a[m].im > 0 ? a[m].im : 0});
        through_power(a, by, own);
        square_.inverse(a);
        ratio_step(a, estimate, numerator);
    }

    const RestoreJob& job_;
    int image_;
    Number* shared_;
    FftSquare<Line, Team> square_;
};

template <class Line, class Team, RestoreMethod method, RestoreRoom room>
__global__ void __launch_bounds__(Team::threads, room.blocks_at_once) restore_kernel(RestoreJob job) {
    RestoreLoop<Line, Team, method, room>(job, dynamic_shared<Number>()).run();
}

template <class Line, class Team, RestoreMethod method, RestoreRoom room>
RestoreForm make_restore_form(const char* name) {
    using Loop = RestoreLoop<Line, Team, method, room>;
    constexpr std::size_t array_bytes =
        sizeof(Number) * std::size_t{Line::values} * Team::threads * Team::blocks;
    RestoreForm form;
    form.kernel = restore_kernel<Line, Team, method, room>;
    form.name = name;
    form.blocks = Team::blocks;
    form.cooperative = Team::cooperative;
    form.cluster = Team::cooperative ? 1 : Team::blocks;
    form.threads = Team::threads;
    form.shared_bytes = Loop::shared_bytes;
    form.state_bytes = 2 * array_bytes;
    form.kept_bytes = Loop::global_arrays * array_bytes;
    form.exchange_bytes = sizeof(Number) * std::size_t{Team::exchange_numbers};
    form.most_images = 0x7fffffffu / Team::blocks;
    return form;
}

// `room_blind` for the blind method, which keeps twice as much.
template <class Line, class Team, RestoreRoom room, RestoreRoom room_blind>
RestoreForm restore_form_of(RestoreMethod method, const char* name) {
    switch (method) {
        case RestoreMethod::mia_blind:
            return make_restore_form<Line, Team, RestoreMethod::mia_blind, room_blind>(name);
        case RestoreMethod::mia_known:
            return make_restore_form<Line, Team, RestoreMethod::mia_known, room>(name);
        case RestoreMethod::richardson_lucy:
            break;
    }
    return make_restore_form<Line, Team, RestoreMethod::richardson_lucy, room>(name);
}

// The forms of each kind of team; without a kernel where there is none for the side.
RestoreForm restore_block_form(std::uint32_t side, RestoreMethod method);
RestoreForm restore_cluster_form(std::uint32_t side, unsigned blocks, RestoreMethod method);
RestoreForm restore_grid_form(std::uint32_t side, RestoreMethod method);

}  // namespace vedette::cuda
