// The portable part of simd.h: plain loops over small arrays that any compiler may vectorise. Included by simd.h only,
// inside its namespace.

constexpr int lanes32 = 8, lanes16 = 16, lanes64 = 4;
constexpr float sqrt_slack = 1e-6F;

struct vi {
    union {
        std::int32_t i[8];
        std::uint32_t u[8];
        std::int16_t s[16];
    };
};
struct vf {
    float f[8];
};
struct vd {
    double d[4];
};

inline std::int16_t wrap16(int v) {
    return static_cast<std::int16_t>(static_cast<std::uint16_t>(v));
}

template <class F>
inline vi each16(F value) {
    vi r;
    for (int k = 0; k < 16; ++k) r.s[k] = wrap16(value(k));
    return r;
}
template <class F>
inline vi each32(F value) {
    vi r;
    for (int k = 0; k < 8; ++k) r.u[k] = static_cast<std::uint32_t>(value(k));
    return r;
}
template <class F>
inline vf each_f(F value) {
    vf r;
    for (int k = 0; k < 8; ++k) r.f[k] = value(k);
    return r;
}
template <class F>
inline vd each_d(F value) {
    vd r;
    for (int k = 0; k < 4; ++k) r.d[k] = value(k);
    return r;
}

inline vi load(const void* p) {
    vi r;
    std::memcpy(&r, p, sizeof r);
    return r;
}
inline void store(void* p, vi v) {
    std::memcpy(p, &v, sizeof v);
}
inline void store_f(float* p, vf v) {
    std::memcpy(p, &v, sizeof v);
}
inline vf load_f(const float* p) {
    vf r;
    std::memcpy(&r, p, sizeof r);
    return r;
}
inline vi zero() {
    return vi{};
}
inline vi all16(int v) {
    return each16([=](int) { return v; });
}
inline vi all32(std::int32_t v) {
    return each32([=](int) { return v; });
}
inline vf all_f(float v) {
    return each_f([=](int) { return v; });
}
inline vd all_d(double v) {
    return each_d([=](int) { return v; });
}
inline vi load_u8_16(const std::uint8_t* p) {
    return each16([=](int k) { return p[k]; });
}
inline vi load_s8_16(const std::int8_t* p) {
    return each16([=](int k) { return p[k]; });
}
inline vi add16(vi a, vi b) {
    return each16([&](int k) { return a.s[k] + b.s[k]; });
}
inline vi sub16(vi a, vi b) {
    return each16([&](int k) { return a.s[k] - b.s[k]; });
}
inline vi mul16(vi a, vi b) {
    return each16([&](int k) { return a.s[k] * b.s[k]; });
}
inline vi add32(vi a, vi b) {
    return each32([&](int k) { return a.u[k] + b.u[k]; });
}
inline vi sub32(vi a, vi b) {
    return each32([&](int k) { return a.u[k] - b.u[k]; });
}
inline vi mul32(vi a, vi b) {
    return each32([&](int k) { return a.u[k] * b.u[k]; });
}
inline vi madd(vi a, vi b) {
    // Unsigned addition: the one sum that does not fit (twice -32768 squared) wraps as the instruction does.
    return each32([&](int k) {
        return static_cast<std::uint32_t>(a.s[2 * k] * b.s[2 * k]) +
               static_cast<std::uint32_t>(a.s[2 * k + 1] * b.s[2 * k + 1]);
    });
}
inline vi dot(vi sum, vi a, vi b) {
    return add32(sum, madd(a, b));
}
constexpr int packed_rows = 2;
inline vi dot_packed(vi sum, vi pixels, vi factors) {
    return dot(sum, pixels, factors);
}
inline vi shift_left16(vi a, int bits) {
    return each16([&](int k) { return a.s[k] * (1 << bits); });
}
inline vi or_bits(vi a, vi b) {
    return each32([&](int k) { return a.u[k] | b.u[k]; });
}
inline vi shift_right(vi a, int bits) {
    return each32([&](int k) { return a.u[k] >> bits; });
}
inline vi low_32(vi a) {
    return each32([&](int k) { return static_cast<std::int32_t>(a.s[k]); });
}
inline vi high_32(vi a) {
    return each32([&](int k) { return static_cast<std::int32_t>(a.s[8 + k]); });
}
inline void interleave16(vi a, vi b, vi& first, vi& second) {
    first = each16([&](int k) { return k % 2 == 0 ? a.s[k / 2] : b.s[k / 2]; });
    second = each16([&](int k) { return k % 2 == 0 ? a.s[8 + k / 2] : b.s[8 + k / 2]; });
}
inline vi scan32(vi v) {
    for (int k = 1; k < 8; ++k) v.u[k] += v.u[k - 1];
    return v;
}
inline vi last32(vi v) {
    return all32(v.i[7]);
}
inline vf to_float(vi v) {
    return each_f([&](int k) { return static_cast<float>(v.i[k]); });
}
inline vf add(vf a, vf b) {
    return each_f([&](int k) { return a.f[k] + b.f[k]; });
}
inline vf sub(vf a, vf b) {
    return each_f([&](int k) { return a.f[k] - b.f[k]; });
}
inline vf mul(vf a, vf b) {
    return each_f([&](int k) { return a.f[k] * b.f[k]; });
}
inline vf fma(vf a, vf b, vf c) {
    return each_f([&](int k) { return a.f[k] * b.f[k] + c.f[k]; });
}
inline vf nfma(vf a, vf b, vf c) {
    return each_f([&](int k) { return c.f[k] - a.f[k] * b.f[k]; });
}
inline vf max(vf a, vf b) {
    return each_f([&](int k) { return a.f[k] > b.f[k] ? a.f[k] : b.f[k]; });
}
inline vf rough_sqrt(vf a) {
    return each_f([&](int k) { return std::sqrt(a.f[k]); });
}
inline std::uint32_t mask_ge(vf a, vf b) {
    std::uint32_t m = 0;
    for (int k = 0; k < 8; ++k) m |= static_cast<std::uint32_t>(a.f[k] >= b.f[k]) << k;
    return m;
}
inline vf where_ge(vf a, vf b, vf yes, vf no) {
    return each_f([&](int k) { return a.f[k] >= b.f[k] ? yes.f[k] : no.f[k]; });
}
inline std::int64_t sum32(vi v) {
    std::int64_t sum = 0;
    for (int k = 0; k < 8; ++k) sum += v.i[k];
    return sum;
}
inline vd load_32_d(const std::int32_t* p) {
    return each_d([=](int k) { return static_cast<double>(p[k]); });
}
inline vd sub_d(vd a, vd b) {
    return each_d([&](int k) { return a.d[k] - b.d[k]; });
}
inline vd add_d(vd a, vd b) {
    return each_d([&](int k) { return a.d[k] + b.d[k]; });
}
inline vd mul_d(vd a, vd b) {
    return each_d([&](int k) { return a.d[k] * b.d[k]; });
}
inline vd div_d(vd a, vd b) {
    return each_d([&](int k) { return a.d[k] / b.d[k]; });
}
inline vd sqrt_d(vd a) {
    return each_d([&](int k) { return std::sqrt(a.d[k]); });
}
inline vd abs_d(vd a) {
    return each_d([&](int k) { return std::fabs(a.d[k]); });
}
inline vd clamp_d(vd a, double low, double high) {
    return each_d([&](int k) { return a.d[k] < low ? low : a.d[k] > high ? high : a.d[k]; });
}
inline std::uint32_t mask_ge_d(vd a, vd b) {
    std::uint32_t m = 0;
    for (int k = 0; k < 4; ++k) m |= static_cast<std::uint32_t>(a.d[k] >= b.d[k]) << k;
    return m;
}
inline vd where_positive_d(vd test, vd a) {
    return each_d([&](int k) { return test.d[k] > 0 ? a.d[k] : 0; });
}
inline vd load_d(const double* p) {
    return each_d([=](int k) { return p[k]; });
}
inline void store_d(double* p, vd v) {
    std::memcpy(p, &v, sizeof v);
}
inline void store_d_float(float* p, vd v) {
    for (int k = 0; k < 4; ++k) p[k] = static_cast<float>(v.d[k]);
}

// Products of pixels with signed bytes, `step` of them at once: added up in 32-bit lanes. A row's bytes are whole
// steps.
struct ByteProducts {
    static constexpr int step = 16;
    static vi factors(const std::int8_t* p) { return load_s8_16(p); }
    static vi half_factors(const std::int8_t* p) { return factors(p); }
    static vi add(vi sum, const std::uint8_t* p, vi factors) { return dot(sum, load_u8_16(p), factors); }
};
// The same for bytes within +-63.
using SmallProducts = ByteProducts;
