// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/restore.h"

#include "kernels/fft_real.h"

namespace vedette::cpu::VEDETTE_ISA {

extern const RestoreKernels restore_kernels;

namespace {

// ---- Steps ------------------------------------------------------------------------------------------------------

// Estimates stay finite and are never negative, whatever comes in; too small ones, whose arithmetic is slow and which
// no pixel could show, become 0. So does what is not a number.
VEDETTE_INLINE V estimate_of(V value) {
    constexpr float least = 1e-30F, most = 1e30F;
    const V zero{};
    const V clean = value > all(least) ? value : zero;
    return clean < all(most) ? clean : all(most);
}

struct RatioStep {
    VEDETTE_INLINE static V next(V d, float* estimate, const float* given, V epsilon) {
        const V value = estimate_of(load(estimate) * (load(given) / larger(d, epsilon)));
        store(estimate, value);
        return value;
    }
};
struct QuotientStep {
    VEDETTE_INLINE static V next(V d, float*, const float* given, V epsilon) {
        return load(given) / larger(d, epsilon);
    }
};
struct ProductStep {
    VEDETTE_INLINE static V next(V d, float* estimate, const float*, V) {
        const V value = estimate_of(load(estimate) * larger(d, V{}));
        store(estimate, value);
        return value;
    }
};

// The inverse transform's last pass, the step, and the forward one's first pass, in registers.
template <U32 n, class Step>
void step(const float* roots, float* spectrum, U32 strip, float* tile, RestoreStrip images, bool last) {
    using P = Pass<n, 0>;
    begin_inverse<n>(spectrum, strip, roots, tile);
    const V epsilon = all(images.epsilon);
    for (U32 j = 0; j < P::stride; ++j) {
        C a[P::radix];
        for (U32 m = 0; m < P::radix; ++m) a[m] = load_slot(tile, j + m * P::stride);
        turn<n, 0, Way::inverse>(a, roots, j);
        butterfly<Way::inverse>(a);
        for (U32 m = 0; m < P::radix; ++m) {
            const U32 at = (j + m * P::stride) * slot_floats;
            a[m].re = Step::next(a[m].re, images.estimate + at, images.given + at, epsilon);
            a[m].im = Step::next(a[m].im, images.estimate + at + lanes, images.given + at + lanes, epsilon);
        }
        butterfly<Way::forward>(a);
        turn<n, 0, Way::forward>(a, roots, j);
        for (U32 m = 0; m < P::radix; ++m) store_slot(tile, j + m * P::stride, a[m]);
    }
    if (!last) finish_forward<n>(tile, roots, spectrum, strip);
}

// ---- Multiplication ---------------------------------------------------------------------------------------------

enum class Use { plain, conjugate, real };

template <Use use>
VEDETTE_INLINE C times(C a, C b) {
    if constexpr (use == Use::real) return {a.re * b.re, a.im * b.re};
    if constexpr (use == Use::conjugate) return {a.re * b.re + a.im * b.im, a.im * b.re - a.re * b.im};
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Of the shared row: P(u), P(-u) -> Q(u), in every lane, with differences of 0 in all but lane 0.
template <Use use>
VEDETTE_INLINE C mixed(C p, C partner, const Lens& lens, U32 slot) {
    const C turned{partner.re, -partner.im};
    return times<use>(p, load_slot(lens.spectrum, slot)) + times<use>(turned, load_slot(lens.difference, slot));
}

template <U32 n, Use use>
VEDETTE_INLINE void through_shared(const float* roots, float* slots, const Lens& lens) {
    run_passes<n, 0, Pass<n, 0>::count, Way::forward>(slots, roots);
    for (U32 u = 0; u <= n / 2; ++u) {
        const U32 one = order<n>.slot[u], other = order<n>.slot[n - u];
        const C p = load_slot(slots, one), q = load_slot(slots, other);
        store_slot(slots, one, mixed<use>(p, q, lens, one));
        if (one != other) store_slot(slots, other, mixed<use>(q, p, lens, other));
    }
    run_passes<n, 0, Pass<n, 0>::count, Way::inverse>(slots, roots);
}

template <U32 n, Use use>
void through(const float* roots, float* spectrum, U32 group, Lens lens) {
    float* const slots = spectrum + group * group_floats<n>;
    if (group == 0) return through_shared<n, use>(roots, slots, lens);
    // The last pass, the product and the first pass back, in registers.
    constexpr U32 last = Pass<n, 0>::count - 1;
    constexpr U32 radix = Pass<n, last>::radix;
    const float* const by = lens.spectrum + group * group_floats<n>;
    run_passes<n, 0, last, Way::forward>(slots, roots);
    for (U32 k = 0; k < n; k += radix) {
        C a[radix];
        for (U32 m = 0; m < radix; ++m) a[m] = load_slot(slots, k + m);
        butterfly<Way::forward>(a);
        for (U32 m = 0; m < radix; ++m) a[m] = times<use>(a[m], load_slot(by, k + m));
        butterfly<Way::inverse>(a);
        for (U32 m = 0; m < radix; ++m) store_slot(slots, k + m, a[m]);
    }
    run_passes<n, 0, last, Way::inverse>(slots, roots);
}

// ---- Lenses -----------------------------------------------------------------------------------------------------

struct Number {
    float re, im;
};
VEDETTE_INLINE Number number_at(const float* slots, U32 slot) {
    return {slots[slot * slot_floats], slots[slot * slot_floats + lanes]};
}
VEDETTE_INLINE void set_number(float* slots, U32 slot, Number value) {
    slots[slot * slot_floats] = value.re;
    slots[slot * slot_floats + lanes] = value.im;
}

// Rows 0 and n / 2 at u, out of P(u) and P(-u); not doubled any more where P is.
struct Ends {
    Number zero, half;
};
VEDETTE_INLINE Ends ends_of(Number p, Number q, float by) {
    return {{(p.re + q.re) * by, (p.im - q.im) * by}, {(p.im + q.im) * by, (q.re - p.re) * by}};
}

VEDETTE_INLINE float power(Number a) {
    return a.re * a.re + a.im * a.im;
}

// A spectrum that comes out of through is still doubled, and so is the lens's own: 1 / (4 n^2); squared 1 / (8 n^2).
template <U32 n>
constexpr float lens_scale = 0.25F / (n * n);
template <U32 n>
constexpr float power_scale = 0.125F / (n * n);

template <U32 n>
void make_lens(const float* spectrum, U32 group, float* lens, float* difference) {
    const float* const from = spectrum + group * group_floats<n>;
    float* const to = lens + group * group_floats<n>;
    for (U32 i = 0; i < group_floats<n>; ++i) to[i] = from[i] * lens_scale<n>;
    if (group != 0) return;
    for (U32 u = 0; u < n; ++u) {
        const U32 slot = order<n>.slot[u];
        const Ends ends = ends_of(number_at(from, slot), number_at(from, order<n>.slot[n - u]), 0.25F * lens_scale<n>);
        set_number(to, slot, {ends.zero.re + ends.half.re, ends.zero.im + ends.half.im});
        set_number(difference, slot, {ends.zero.re - ends.half.re, ends.zero.im - ends.half.im});
    }
}

template <U32 n>
void make_power_lens(const float* spectrum, U32 group, float* lens, float* difference) {
    const float* const from = spectrum + group * group_floats<n>;
    float* const to = lens + group * group_floats<n>;
    for (U32 slot = 0; slot < n; ++slot) {
        const C value = load_slot(from, slot);
        store_slot(to, slot, {(value.re * value.re + value.im * value.im) * power_scale<n>, V{}});
    }
    if (group != 0) return;
    for (U32 u = 0; u < n; ++u) {
        const U32 slot = order<n>.slot[u];
        const Ends ends = ends_of(number_at(from, slot), number_at(from, order<n>.slot[n - u]), 0.5F);
        const float zero = power(ends.zero) * (0.5F * power_scale<n>),
                    half = power(ends.half) * (0.5F * power_scale<n>);
        set_number(to, slot, {zero + half, 0});
        set_number(difference, slot, {zero - half, 0});
    }
}

VEDETTE_INLINE Number conjugate_product(Number a, Number b, float by) {
    return {(a.re * b.re + a.im * b.im) * by, (a.re * b.im - a.im * b.re) * by};
}
VEDETTE_INLINE Number shared(Number zero, Number half) {
    return {zero.re - half.im, zero.im + half.re};
}

template <U32 n>
void products(const float* f, const float* h, const float* g, U32 group, float* h_g, float* hh_f, float* f_g,
              float* ff_h) {
    const U32 begin = group * group_floats<n>;
    // The shared row before its lane is overwritten.
    float ends[4][n][2];
    if (group == 0) {
        for (U32 u = 0; u < n; ++u) {
            const U32 slot = order<n>.slot[u], partner = order<n>.slot[n - u];
            const Ends ef = ends_of(number_at(f, slot), number_at(f, partner), 0.5F);
            const Ends eh = ends_of(number_at(h, slot), number_at(h, partner), 0.5F);
            const Ends eg = ends_of(number_at(g, slot), number_at(g, partner), 0.5F);
            const auto keep = [&](U32 which, Number value) {
                ends[which][slot][0] = value.re;
                ends[which][slot][1] = value.im;
            };
            const auto scaled = [](Number a, float by) { return Number{a.re * by, a.im * by}; };
            keep(0, shared(conjugate_product(eh.zero, eg.zero, lens_scale<n>),
                           conjugate_product(eh.half, eg.half, lens_scale<n>)));
            keep(1, shared(scaled(ef.zero, power(eh.zero) * power_scale<n>),
                           scaled(ef.half, power(eh.half) * power_scale<n>)));
            keep(2, shared(conjugate_product(ef.zero, eg.zero, lens_scale<n>),
                           conjugate_product(ef.half, eg.half, lens_scale<n>)));
            keep(3, shared(scaled(eh.zero, power(ef.zero) * power_scale<n>),
                           scaled(eh.half, power(ef.half) * power_scale<n>)));
        }
    }
    for (U32 slot = 0; slot < n; ++slot) {
        const C cf = load_slot(f + begin, slot), ch = load_slot(h + begin, slot), cg = load_slot(g + begin, slot);
        const V of_h = (ch.re * ch.re + ch.im * ch.im) * power_scale<n>;
        const V of_f = (cf.re * cf.re + cf.im * cf.im) * power_scale<n>;
        const C one = times<Use::conjugate>(cg, ch), two = times<Use::conjugate>(cg, cf);
        store_slot(h_g + begin, slot, {one.re * lens_scale<n>, one.im * lens_scale<n>});
        store_slot(f_g + begin, slot, {two.re * lens_scale<n>, two.im * lens_scale<n>});
        store_slot(hh_f + begin, slot, {cf.re * of_h, cf.im * of_h});
        store_slot(ff_h + begin, slot, {ch.re * of_f, ch.im * of_f});
    }
    if (group != 0) return;
    float* const outputs[] = {h_g, hh_f, f_g, ff_h};
    for (U32 which = 0; which < 4; ++which)
        for (U32 slot = 0; slot < n; ++slot)
            set_number(outputs[which], slot, {ends[which][slot][0], ends[which][slot][1]});
}

template <U32 n>
constexpr RestoreSideKernels side_kernels = {
    .ratio_step = step<n, RatioStep>,
    .quotient_step = step<n, QuotientStep>,
    .product_step = step<n, ProductStep>,
    .through = through<n, Use::plain>,
    .through_conjugate = through<n, Use::conjugate>,
    .through_real = through<n, Use::real>,
    .make_lens = make_lens<n>,
    .make_power_lens = make_power_lens<n>,
    .products = products<n>,
};

}  // namespace

const RestoreKernels restore_kernels = {
    {side_kernels<32>, side_kernels<64>, side_kernels<128>, side_kernels<256>, side_kernels<512>}};

}  // namespace vedette::cpu::VEDETTE_ISA
