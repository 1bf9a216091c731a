// The bound test and the correlation of paired rows; part of kernels.cc.

constexpr int group_vectors = 8;  // as many accumulators as registers allow
constexpr int group_size = group_vectors * lanes32;

// One coefficient pair is broadcast once for eight vectors of positions.
static inline void correlate_group(const std::int32_t* const* pair, const std::int32_t* coefficient, int rows,
                                   int blocks_x, int block_w, int x, vi (&sum)[group_vectors]) {
    for (int v = 0; v < group_vectors; ++v) sum[v] = zero();
    for (int j = 0; j < rows; ++j) {
        const std::int32_t* p = pair[j] + x;
        for (int i = 0; i < blocks_x; ++i, p += block_w) {
            const vi factor = all32(*coefficient++);
            for (int v = 0; v < group_vectors; ++v) sum[v] = dot(sum[v], load(p + v * lanes32), factor);
        }
    }
}

static void correlate_row(const CorrelateRow& s) {
    for (int x = 0; x < s.count; x += group_size) {
        vi sum[group_vectors];
        correlate_group(s.pair, s.coefficient, s.channels * s.pair_rows, s.blocks_x, s.block_w, x, sum);
        for (int v = 0; v < group_vectors; ++v) store(s.correlation + x + v * lanes32, sum[v]);
    }
}

// Relative error of the sums below in float against the exact ones, of the square sum Q: eight roundings of 2^-24 at
// most in Q, S^2 / N, E and their differences, all of which are at most Q; twelve with three channels.
constexpr float sum_slack = 8e-7F;
// The same of a sum of up to 256 positive products, each rounded by 2^-24 at most.
constexpr float chain_slack = 2e-5F;

static inline void bound_group(const TestRow& s, int x, vf (&most)[group_vectors]) {
    for (int v = 0; v < group_vectors; ++v) most[v] = all_f(0);
    const float* factors = s.cell;
    for (int j = 0; j < s.pair_rows; ++j) {
        const float* p = s.norm[j] + x;
        for (int i = 0; i < s.blocks_x; ++i, p += s.block_w) {
            const vf factor = all_f(*factors++);
            for (int v = 0; v < group_vectors; ++v) most[v] = fma(factor, load_f(p + v * lanes32), most[v]);
        }
    }
}

// A sum of squares. Where it exceeds 32 bits, `square` is what is left of it modulo 2^32, and the multiple of 2^32 that
// is missing is seen from the highest bits, which are off by far less than half of that.
static inline vf square_of(vi square, const std::int32_t* high, float unit) {
    const vf low = to_float(square);
    if (high == nullptr) return low;
    constexpr float turn = 4294967296.0F, rounding = 12582912.0F;  // 1.5 * 2^23: what is added to it becomes whole
    const vf turns = mul(sub(mul(to_float(load(high)), all_f(unit)), low), all_f(1 / turn));
    return fma(sub(add(turns, all_f(rounding)), all_f(rounding)), all_f(turn), low);
}

// sum I^2 - sum over channels of (sum I)^2 / area, from below and above. Small values exactly: times the area they fit
// 32 bits then, so that they may be computed modulo 2^32.
template <int channels>
static inline void variances(vi square_exact, vf square, const vi (&sum)[channels], std::int32_t area, float inverse,
                             vf& least, vf& most) {
    const vf inverse_area = all_f(inverse);
    vf mean_square = all_f(0);
    for (int c = 0; c < channels; ++c) mean_square = fma(to_float(sum[c]), to_float(sum[c]), mean_square);
    least = nfma(mean_square, inverse_area, mul(square, all_f(1 - sum_slack)));
    most = nfma(mean_square, inverse_area, mul(square, all_f(1 + sum_slack)));
    const vf small = all_f(2e9F * inverse);
    if (mask_ge(small, most) == 0) return;
    vi exact = mul32(square_exact, all32(area));
    for (int c = 0; c < channels; ++c) exact = sub32(exact, mul32(sum[c], sum[c]));
    const vf variance = mul(to_float(exact), inverse_area);
    least = where_ge(small, most, mul(variance, all_f(1 - sum_slack)), least);
    most = where_ge(small, most, mul(variance, all_f(1 + sum_slack)), most);
}

// What the outer part takes off what the blocks must give.
template <int channels>
static inline vf outer_part(const TestRow& s, int at) {
    vf square;
    if (s.square_high == nullptr)
        square = mul(to_float(sub32(load(s.square + at), load(s.inner_square + at))), all_f(1 + sum_slack));
    else  // not exact, each with a slack of its own
        square = nfma(square_of(load(s.inner_square + at), s.inner_square_high + at, s.high_unit), all_f(1 - sum_slack),
                      mul(square_of(load(s.square + at), s.square_high + at, s.high_unit), all_f(1 + sum_slack)));
    vf part = all_f(s.slack), mean_square = all_f(0);
    for (int c = 0; c < channels; ++c) {
        const vi inside = load(s.inner_sum[c] + at);
        const vf outside = to_float(sub32(load(s.sum[c] + at), inside));
        mean_square = fma(outside, outside, mean_square);
        part = fma(all_f(s.inner[c]), to_float(inside), part);
        part = fma(all_f(s.outer[c]), outside, part);
    }
    const vf detail = nfma(mean_square, all_f(s.inverse_outer), square);
    const vf root = rough_sqrt(max(detail, all_f(1e-20F)));
    return fma(all_f(s.outer_residual * (1 + sqrt_slack)), root, part);
}

template <int channels, bool covered>
static int test_row_of(const TestRow& s, Survivor* survivors) {
    int found = 0;
    const vf tiny = all_f(1e-20F), scale = all_f(s.scale), limit = all_f(s.limit * (1 - sqrt_slack));
    const vf residual = all_f(s.residual * (1 + sqrt_slack));
    const vf exceeding = all_f((1 + sqrt_slack) * (1 + chain_slack));
    for (int x = 0; x < s.count; x += group_size) {
        float need[group_size], norm[group_size];
        std::uint32_t alive[group_vectors], any = 0;
        for (int v = 0; v < group_vectors; ++v) {
            const int at = x + v * lanes32;
            vf least, most;
            vi sums[channels];
            for (int c = 0; c < channels; ++c) sums[c] = load(s.sum[c] + at);
            const vi square = load(s.square + at);
            const std::int32_t* const high = s.square_high == nullptr ? nullptr : s.square_high + at;
            variances<channels>(square, square_of(square, high, s.high_unit), sums, s.area, s.inverse_area, least,
                                most);
            // Flat windows score 0: their variance is known exactly.
            alive[v] = mask_ge(most, tiny);
            any |= alive[v];
            if (alive[v] == 0) continue;
            vf wanted = mul(limit, rough_sqrt(max(least, tiny)));
            if constexpr (!covered) wanted = sub(wanted, outer_part<channels>(s, at));
            store_f(need + v * lanes32, wanted);
            store_f(norm + v * lanes32, rough_sqrt(max(most, tiny)));
        }
        if (any == 0) continue;
        vi sum[group_vectors];
        correlate_group(s.pair, s.coefficient, channels * s.pair_rows, s.blocks_x, s.block_w, x, sum);
        any = 0;
        for (int v = 0; v < group_vectors; ++v) {
            if (alive[v] == 0) continue;
            const vf rest = nfma(scale, to_float(sum[v]), load_f(need + v * lanes32));
            // The detail of all blocks has no larger norm than the window.
            alive[v] &= mask_ge(mul(residual, load_f(norm + v * lanes32)), rest);
            any |= alive[v];
            store_f(need + v * lanes32, rest);
        }
        if (any == 0) continue;
        vf most[group_vectors];
        bound_group(s, x, most);
        for (int v = 0; v < group_vectors; ++v) {
            if (alive[v] == 0) continue;
            std::uint32_t keep = alive[v] & mask_ge(mul(most[v], exceeding), load_f(need + v * lanes32));
            for (; keep != 0; keep &= keep - 1) {
                const int at = v * lanes32 + __builtin_ctz(keep);
                if (x + at >= s.count) break;
                survivors[found++] = {x + at, need[at]};
            }
        }
    }
    return found;
}

static int test_row(const TestRow& s, Survivor* survivors) {
    const bool covered = s.inner_square == nullptr;
    if (s.channels == 1) return covered ? test_row_of<1, true>(s, survivors) : test_row_of<1, false>(s, survivors);
    return covered ? test_row_of<3, true>(s, survivors) : test_row_of<3, false>(s, survivors);
}
