// From exact sums to scores; part of kernels.cc. All values are integers below 2^53 in doubles until the last division,
// so the results equal those of integer arithmetic bit for bit, whatever is fused or reordered.

struct Moments {
    vd product;   // n sum I'T' - sum I' sum T'
    vd variance;  // n sum I'^2 - (sum I')^2
};

static inline Moments moments_at(const ScoreRow& s, int x) {
    const vd area = all_d(s.area);
    vd product = mul_d(area, load_32_d(s.correlation + x)), variance = mul_d(area, load_32_d(s.square + x));
    for (int c = 0; c < s.channels; ++c) {
        const vd sum = load_32_d(s.sum[c] + x);
        product = sub_d(product, mul_d(sum, all_d(s.pattern_sum[c])));
        variance = sub_d(variance, mul_d(sum, sum));
    }
    return {product, variance};
}

static int hits_row(const ScoreRow& s, double threshold, std::int32_t* positions) {
    // Compare squares, a root costs more than all the rest: product |product| >= +-threshold^2 v_I v_T, loosened by
    // more than the roundings on both sides. A positive threshold needs a product of at least 1, which flat windows do
    // not have.
    constexpr double loose = 1e-12;
    const double key = threshold * std::fabs(threshold) * s.pattern_variance * (threshold > 0 ? 1 - loose : 1 + loose);
    const vd factor = all_d(key);
    const double infinity = HUGE_VAL, least = threshold > 0 ? 0.5 : -infinity;
    int found = 0;
    for (int x = 0; x < s.count; x += lanes64) {
        const Moments m = moments_at(s, x);
        std::uint32_t hits =
            mask_ge_d(mul_d(m.product, abs_d(m.product)), clamp_d(mul_d(m.variance, factor), least, infinity));
        for (; hits != 0; hits &= hits - 1) {
            const int at = x + __builtin_ctz(hits);
            if (at >= s.count) break;
            positions[found++] = at;
        }
    }
    return found;
}

// Sums of I T, I^2 and (per channel) I from those of the shifted values.
static inline void raw_sums(const ScoreRow& s, int x, vd& product, vd& square) {
    product = load_32_d(s.correlation + x);
    square = load_32_d(s.square + x);
    for (int c = 0; c < s.channels; ++c) {
        const vd sum = load_32_d(s.sum[c] + x);
        product = add_d(product, add_d(mul_d(all_d(128), sum), all_d(128 * s.pattern_sum[c] + 16384 * s.area)));
        square = add_d(square, add_d(mul_d(all_d(256), sum), all_d(16384 * s.area)));
    }
}

template <class Value>
static void map_with(const ScoreRow& s, float* out, const Value& value) {
    int x = 0;
    for (; x + lanes64 <= s.count; x += lanes64) store_d_float(out + x, value(x));
    if (x < s.count) {
        float rest[lanes64];
        store_d_float(rest, value(x));
        for (int k = 0; x + k < s.count; ++k) out[x + k] = rest[k];
    }
}

static void map_row(const ScoreRow& s, std::uint32_t method, bool masked, float* out) {
    const vd pattern_square = all_d(s.pattern_square);
    switch (method) {
        case VDT_MATCH_SQDIFF:
        case VDT_MATCH_SQDIFF_NORMED: {
            const bool normed = method == VDT_MATCH_SQDIFF_NORMED;
            map_with(s, out, [&](int x) {
                vd product, square;
                raw_sums(s, x, product, square);
                const vd difference = sub_d(add_d(square, pattern_square), mul_d(all_d(2), product));
                if (!normed) return difference;
                const vd norm = mul_d(square, pattern_square);
                // Without a norm: 1, but 0 for two all-zero patches, whose difference is 0. OpenCV clamps at 1 without
                // a mask.
                const vd ratio = where_positive_d(norm, div_d(difference, sqrt_d(norm)));
                const vd lone = where_positive_d(difference, all_d(1));
                const vd unset = sub_d(all_d(1), where_positive_d(norm, all_d(1)));
                const vd result = add_d(ratio, mul_d(unset, lone));
                return masked ? result : clamp_d(result, 0, 1);
            });
            return;
        }
        case VDT_MATCH_CCORR:
        case VDT_MATCH_CCORR_NORMED: {
            const bool normed = method == VDT_MATCH_CCORR_NORMED;
            map_with(s, out, [&](int x) {
                vd product, square;
                raw_sums(s, x, product, square);
                if (!normed) return product;
                const vd norm = mul_d(square, pattern_square);
                return clamp_d(where_positive_d(norm, div_d(product, sqrt_d(norm))), -1, 1);
            });
            return;
        }
        case VDT_MATCH_CCOEFF: {
            map_with(s, out, [&](int x) { return div_d(moments_at(s, x).product, all_d(s.area > 0 ? s.area : 1)); });
            return;
        }
        default: {
            map_with(s, out, [&](int x) {
                const Moments m = moments_at(s, x);
                const vd norm = mul_d(m.variance, all_d(s.pattern_variance));
                return clamp_d(where_positive_d(norm, div_d(m.product, sqrt_d(norm))), -1, 1);
            });
            return;
        }
    }
}
