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

template <int channels, bool covered>
static int test_row_of(const TestRow& s, Survivor* survivors) {
    int found = 0;
    const vf more = all_f(1 + sum_slack), less = all_f(1 - sum_slack), inverse_area = all_f(s.inverse_area);
    const vf energy_scale = all_f(s.energy_scale), energy_slack = all_f(s.energy_slack), tiny = all_f(1e-20F);
    const vf inverse_outer = all_f(s.inverse_outer);
    const vf limit = all_f(s.limit * (1 - sqrt_slack)), residual = all_f(s.residual * (1 + sqrt_slack));
    const vf projected = all_f(s.projected * (1 + sqrt_slack)), scale = all_f(s.scale), slack = all_f(s.slack);
    for (int x = 0; x < s.count; x += group_size) {
        float need[group_size], spread[group_size];
        std::uint32_t alive[group_vectors], any = 0;
        for (int v = 0; v < group_vectors; ++v) {
            const int at = x + v * lanes32;
            const vi square_exact = load(s.square + at);
            const vf square = to_float(square_exact);
            vf sums[channels], mean_square = all_f(0);
            for (int c = 0; c < channels; ++c) {
                sums[c] = to_float(load(s.sum[c] + at));
                mean_square = fma(sums[c], sums[c], mean_square);
            }
            mean_square = mul(mean_square, inverse_area);
            const vf variance = sub(mul(square, less), mean_square);  // at most the true one
            std::uint32_t live = (1U << lanes32) - 1;
            if (const std::uint32_t small = mask_ge(all_f(0), variance); small != 0) {
                // Flat windows score 0. The variance is known to be so small that equality modulo 2^32 is equality.
                vi squared = zero();
                for (int c = 0; c < channels; ++c) {
                    const vi sum = load(s.sum[c] + at);
                    squared = add32(squared, mul32(sum, sum));
                }
                live &= ~(small & mask_eq32(squared, mul32(square_exact, all32(s.area))));
            }
            alive[v] = 0;
            if (live == 0) continue;
            vi energy_exact = load(s.energy[0] + at);
            for (int j = 1; j < s.pair_rows; ++j) energy_exact = add32(energy_exact, load(s.energy[j] + at));
            vf energy = mul(to_float(energy_exact), energy_scale);
            vf wanted = mul(limit, rough_sqrt(max(variance, tiny)));
            if constexpr (!covered) {
                for (int c = 0; c < channels; ++c) {
                    vi inside = zero();
                    for (int j = 0; j < s.pair_rows; ++j)
                        inside = add32(inside, load(s.total[c * s.pair_rows + j] + at));
                    const vf outside = to_float(sub32(load(s.sum[c] + at), inside));
                    energy = fma(mul(outside, outside), inverse_outer, energy);
                    wanted = nfma(all_f(s.inner[c]), to_float(inside), wanted);
                    wanted = nfma(all_f(s.outer[c]), outside, wanted);
                }
                wanted = sub(wanted, slack);
            }
            const vf detail = rough_sqrt(max(sub(mul(square, more), energy), tiny));
            const vf wanted_now = nfma(residual, detail, wanted);
            // The blocks can give no more than the product of the norms of both sides' block parts.
            const vf block_part = max(sub(fma(square, all_f(sum_slack), add(energy, energy_slack)), mean_square), tiny);
            live &= mask_ge(mul(projected, rough_sqrt(block_part)), covered ? wanted_now : sub(wanted_now, slack));
            alive[v] = live;
            any |= live;
            store_f(need + v * lanes32, wanted);
            store_f(spread + v * lanes32, detail);
        }
        if (any == 0) continue;
        vi sum[group_vectors];
        correlate_group(s.pair, s.coefficient, channels * s.pair_rows, s.blocks_x, s.block_w, x, sum);
        for (int v = 0; v < group_vectors; ++v) {
            if (alive[v] == 0) continue;
            const vf rest = nfma(scale, to_float(sum[v]), load_f(need + v * lanes32));
            std::uint32_t keep = alive[v] & mask_ge(mul(residual, load_f(spread + v * lanes32)), rest);
            if (keep == 0) continue;
            store_f(need + v * lanes32, rest);
            for (; keep != 0; keep &= keep - 1) {
                const int at = v * lanes32 + __builtin_ctz(keep);
                if (x + at >= s.count) break;
                survivors[found++] = {x + at, need[at], spread[at] * (1 + sqrt_slack)};
            }
        }
    }
    return found;
}

static int test_row(const TestRow& s, Survivor* survivors) {
    const bool covered = s.total == nullptr;
    if (s.channels == 1) return covered ? test_row_of<1, true>(s, survivors) : test_row_of<1, false>(s, survivors);
    return covered ? test_row_of<3, true>(s, survivors) : test_row_of<3, false>(s, survivors);
}
