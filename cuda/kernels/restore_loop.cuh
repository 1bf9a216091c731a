// The loop of restore in one kernel. A team (fft_teams.cuh) owns an image; a thread owns the same pixels and
// frequencies from the first iteration to the last (fft_square.cuh), so that estimates, the blurred image and spectra
// stay with it, in registers or its own corner of shared memory as the team has room. Between two transforms there is
// only a product or a step of the thread's own numbers.
//
// Operations: an iteration has 4 (Richardson-Lucy), 2 (known) or 6 (blind) transforms. Bytes: images come and go once a
// job; inside the loop global memory is not touched, but by teams that have no room elsewhere. The floor is the
// transforms' arithmetic at one multiprocessor's rate, and where lines are few, the latency of its exchanges.
#pragma once

#include "device/arithmetic.cuh"
#include "device/shared.cuh"
#include "kernels/fft_square.cuh"
#include "kernels/restore_kept.cuh"

namespace vedette::cuda {

template <class Line, class Team, RestoreMethod method, class Room>
class RestoreLoop {
    static constexpr int n = Line::n, values = Line::values, lanes = Line::lanes;
    using Numbers = Number[values];

    static constexpr Place place_of(int array) {
        return array < Room::in_registers                     ? Place::registers
               : array < Room::in_registers + Room::in_shared ? Place::shared
                                                              : Place::global;
    }
    static constexpr int arrays = kept_arrays(method);
    static constexpr int shared_arrays =
        arrays <= Room::in_registers
            ? 0
            : (arrays - Room::in_registers < Room::in_shared ? arrays - Room::in_registers : Room::in_shared);

public:
    static constexpr int global_arrays =
        arrays > Room::in_registers + Room::in_shared ? arrays - Room::in_registers - Room::in_shared : 0;
    static constexpr std::size_t shared_bytes =
        sizeof(Number) * (Team::shared_numbers + std::size_t{shared_arrays} * values * Team::threads +
                          (method == RestoreMethod::mia_blind ? 0 : n));  // the difference of a lens

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
    static constexpr float product_scale = 0.25F / (n * n);  // of two spectra
    static constexpr float power_scale = 0.125F / (n * n);   // of three

    template <int array>
    __device__ __forceinline__ Kept<values, place_of(array)> keep() const {
        constexpr Place place = place_of(array);
        const int thread = static_cast<int>(threadIdx.x);
        if constexpr (place == Place::shared) {
            constexpr int index = array - Room::in_registers;
            return {shared_ + Team::shared_numbers + index * values * Team::threads + thread, Team::threads};
        } else if constexpr (place == Place::global) {
            constexpr int index = array - Room::in_registers - Room::in_shared;
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

    // Negative pixels count as 0. In the first job the values are looked at, when all are there: a word about one of
    // them must not stand between two loads.
    template <bool is_spread>
    __device__ __forceinline__ void load(const View<const float>& image, Numbers& a) const {
        const float* const top = image.row(top_row());
        const float* const bottom = image.row(top_row() + n / 2);
#pragma unroll
        for (int m = 0; m < values; ++m) {
            const int x = square_.lane() + lanes * m;
            a[m] = {top[x], bottom[x]};
        }
        if (job_.first) {
            look_at<is_spread, &Number::re>(a, top_row());
            look_at<is_spread, &Number::im>(a, top_row() + n / 2);
        }
#pragma unroll
        for (int m = 0; m < values; ++m) a[m] = {fmaxf(a[m].re, 0), fmaxf(a[m].im, 0)};  // 0 where it is not a number
    }
    // At the thread's values of row y.
    template <bool is_spread, float Number::*part>
    __device__ __forceinline__ void look_at(const Numbers& a, std::int32_t y) const {
        bool finite = true, negative = false;
#pragma unroll
        for (int m = 0; m < values; ++m) {
            finite = finite && fabsf(a[m].*part) <= 3.402823466e38F;
            negative = negative || a[m].*part < 0;
        }
        if (!finite) *(is_spread ? &job_.problems->spread_row : &job_.problems->blurred_row) = y;
        if (is_spread && negative) job_.problems->negative_row = y;
    }
    __device__ __forceinline__ void load_blurred(Numbers& a) const {
        load<false>(job_.blurred, a);
    }
    __device__ __forceinline__ void load_spread(Numbers& a) const {
        load<true>(job_.spread, a);
    }

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

    // Estimates stay finite and are never negative, whatever comes in; what is not a number becomes 0.
    static __device__ __forceinline__ float clean(float value) {
        return fminf(fmaxf(value, 0), 1e30F);
    }
    __device__ __forceinline__ float quotient(float above, float below) const {
        return above * quick_reciprocal(fmaxf(below, job_.epsilon));  // epsilon where `below` is not a number
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
        for (int q = 0; q < values; ++q) a[q] = q % (values / 2) == 0 && square_.holds_reals() ? reals(q) : complex(q);
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

    // A lens multiplies a spectrum that is transformed back at once, with line 0 as it comes: of the transforms A0 and
    // Ah of the multiplier's columns 0 and n / 2
    //     P(ky) <- P(ky) (A0(ky) + Ah(ky)) / 2 + conj P(-ky) (A0(ky) - Ah(ky)) / 2.
    // The first factor lies in the lens, the second beside it, in `difference`.
    __device__ __forceinline__ Number* difference() const {
        return shared_ + Team::shared_numbers + shared_arrays * values * Team::threads + square_.lane();
    }
    // From a spectrum as forward leaves it, times `scale`.
    template <class Lens>
    __device__ __forceinline__ void make_lens(Numbers& a, float scale, Lens& lens) {
        if (square_.line() == 0) {
            Numbers other;
            square_.mirror(a, other);
#pragma unroll
            for (int q = 0; q < values; ++q) {
                const Number own = a[q], o = other[q];
                const bool is_zero = q < values / 2;  // own is column 0's, else column n / 2's, at n - ky
                Number sum = own + o, rest = is_zero ? own - o : o - own;
                if (!is_zero) sum.im = -sum.im, rest.im = -rest.im;
                if (q % (values / 2) == 0 && square_.holds_reals())
                    sum = {own.re + own.im, 0}, rest = {own.re - own.im, 0};
                a[q] = sum;  // of doubled numbers: P is not doubled as other lines are
                difference()[lanes * q] = rest * scale;
            }
        }
        __syncwarp();
#pragma unroll
        for (int q = 0; q < values; ++q) lens.set(q, a[q] * scale);
    }
    enum class Use { plain, conjugate, real };  // real: the lens has no imaginary parts
    template <Use use>
    static __device__ __forceinline__ Number times(Number by, Number value) {
        if constexpr (use == Use::real) return value * by.re;
        if constexpr (use == Use::conjugate) return conjugate_product(by, value);
        return product(by, value);
    }
    template <Use use, class Lens>
    __device__ __forceinline__ void through(Numbers& a, const Numbers& mirrored, const Lens& lens) const {
#pragma unroll
        for (int q = 0; q < values; ++q) a[q] = times<use>(lens[q], a[q]);
        if (square_.line() == 0) {
#pragma unroll
            for (int q = 0; q < values; ++q)
                a[q] = a[q] + times<use>(difference()[lanes * q], {mirrored[q].re, -mirrored[q].im});
        }
    }
    // To pixels seen through the lens, or through that of the conjugate spectrum.
    template <bool real, class Lens>
    __device__ __forceinline__ void transform_through(Numbers& a, const Lens& lens, bool conjugate) {
        square_.template forward<false>(a);
        Numbers mirrored;
        if (square_.line() == 0) square_.mirror(a, mirrored);
        if constexpr (real)
            through<Use::real>(a, mirrored, lens);
        else if (conjugate)
            through<Use::conjugate>(a, mirrored, lens);
        else
            through<Use::plain>(a, mirrored, lens);
        __syncwarp();
        square_.template inverse<false>(a);
    }

    // A point-spread function's spectrum; its first number is the sum.
    __device__ __forceinline__ void transform_spread(Numbers& a) {
        load_spread(a);
        square_.forward(a);
        square_.between();
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
        make_lens(a, product_scale, lens);
        load_blurred(a);
        copy(a, given);
        if (job_.first)
            copy(a, estimate);
        else
            resume(estimate, 0);
        copy_from(estimate, a);
        // Two passes an iteration, which share most of their code: with both in a row the loop is too long for the
        // first instruction cache.
#pragma unroll 1
        for (std::uint32_t pass = 0; pass < 2 * job_.iterations; ++pass) {
            const bool is_second = pass % 2 != 0;
            transform_through<false>(a, lens, is_second);
            if (!is_second) {
#pragma unroll
                for (int m = 0; m < values; ++m) {
                    const Number g = given[m];
                    a[m] = {quotient(g.re, a[m].re), quotient(g.im, a[m].im)};
                }
            } else {
#pragma unroll
                for (int m = 0; m < values; ++m) {
                    const Number e = estimate[m];
                    a[m] = {clean(e.re * a[m].re), clean(e.im * a[m].im)};
                    estimate.set(m, a[m]);
                }
            }
        }
        leave(estimate, 0, job_.restored);
    }

    __device__ __forceinline__ void run_known() {
        auto estimate = keep<0>();
        auto lens = keep<1>();  // of H, then of |H|^2
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
        for (int m = 0; m < values; ++m) given.set(m, {fmaxf(a[m].re, 0), fmaxf(a[m].im, 0)});
        each(
            a,
            [&](int q) {
                return Number{squared_magnitude(lens[q]), 0};
            },
            [&](int q) {
                return Number{lens[q].re * lens[q].re, lens[q].im * lens[q].im};
            });
        make_lens(a, power_scale, lens);
        copy_from(estimate, a);
        for (std::uint32_t iteration = 0; iteration < job_.iterations; ++iteration) {
            transform_through<true>(a, lens, false);
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
        square_.between();
        copy(a, blurred_spectrum);
        for (std::uint32_t iteration = 0; iteration < job_.iterations; ++iteration) {
            copy_from(estimate, a);
            square_.forward(a);
            square_.between();
            copy(a, image_spectrum);
            copy_from(spread, a);
            square_.forward(a);
            copy(a, spread_spectrum);
            correct(a, spread_spectrum, image_spectrum, blurred_spectrum, numerator, estimate);
            square_.between();
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
        square_.between();
#pragma unroll
        for (int m = 0; m < values; ++m) numerator.set(m, {fmaxf(a[m].re, 0), fmaxf(a[m].im, 0)});
        through_power(a, by, own);
        square_.inverse(a);
        ratio_step(a, estimate, numerator);
    }

    const RestoreJob& job_;
    int image_;
    Number* shared_;
    FftSquare<Line, Team> square_;
};

}  // namespace vedette::cuda
