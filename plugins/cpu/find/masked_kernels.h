// The bound test under a mask, and exact sums under it; part of kernels.cc. The terms: masked.h.

constexpr int masked_vectors = 4;  // three accumulators each

template <int channels>
static int masked_row_of(const MaskedRow& s, Survivor* survivors) {
    int found = 0;
    const vf more = all_f(1 + sum_slack), tiny = all_f(1e-20F);
    const vf inverse_area = all_f(s.inverse_area);
    const vf residual = all_f(s.residual), gain = all_f(s.gain * (1 - sqrt_slack));
    const vf limit = all_f(s.limit * (1 - sqrt_slack)), rest_gain = all_f(s.residual * (1 + sqrt_slack));
    const vf exceeding = all_f((1 + sqrt_slack) * (1 + chain_slack)), scale = all_f(s.scale);
    const vi ones = all16(1);
    for (int x = 0; x < s.count; x += masked_vectors * lanes32) {
        vi product[masked_vectors], sums[masked_vectors][channels], squares[masked_vectors];
        vf bound[masked_vectors];
        for (int v = 0; v < masked_vectors; ++v) {
            product[v] = squares[v] = zero();
            bound[v] = all_f(0);
        }
        for (int c = 0; c < channels; ++c) {
            vi sum[masked_vectors];
            for (int v = 0; v < masked_vectors; ++v) sum[v] = zero();
            for (int k = c * s.pairs; k < (c + 1) * s.pairs; ++k) {
                const vi factor = all32(s.coefficient[k]);
                for (int v = 0; v < masked_vectors; ++v) {
                    const vi pair = load(s.pair[k] + x + v * lanes32);
                    product[v] = dot(product[v], pair, factor);
                    sum[v] = dot(sum[v], pair, ones);
                }
            }
            for (int v = 0; v < masked_vectors; ++v) sums[v][c] = sum[v];
        }
        for (int k = 0; k < s.pairs; ++k) {
            const vf factor = all_f(s.cell[k]);
            for (int v = 0; v < masked_vectors; ++v) {
                bound[v] = fma(factor, load_f(s.norm[k] + x + v * lanes32), bound[v]);
                squares[v] = add32(squares[v], load(s.pair_square[k] + x + v * lanes32));
            }
        }
        for (int v = 0; v < masked_vectors; ++v) {
            const int at = x + v * lanes32;
            vf mean_square = all_f(0);
            for (int c = 0; c < channels; ++c) {
                const vf sum = to_float(load(s.sum[c] + at));
                mean_square = fma(sum, sum, mean_square);
            }
            const vf most =
                max(nfma(mean_square, inverse_area, mul(to_float(load(s.square + at)), more)), tiny);  // W, at least
            vf least, unused;
            variances<channels>(squares[v], to_float(squares[v]), sums[v], s.inner, s.inverse_inner, least, unused);
            least = max(least, tiny);                                                    // F, at most
            const vf part = fma(bound[v], exceeding, mul(scale, to_float(product[v])));  // A, at least
            // Both parts of A are exactly 0 where all pixels in blocks are alike, and without a positive A the residual
            // is too small.
            std::uint32_t keep = mask_ge(part, all_f(1e-30F)) & mask_ge(part, mul(gain, rough_sqrt(least)));
            const vf rest = max(sub(most, least), tiny);
            const vf slope = mul(residual, least);
            // W <= x0, so the bound is f(W).
            const std::uint32_t rising = mask_ge(mul(slope, slope), mul(mul(part, part), rest));
            keep &= ~rising | mask_ge(fma(rest_gain, rough_sqrt(rest), part), mul(limit, rough_sqrt(most)));
            for (; keep != 0; keep &= keep - 1) {
                const int position = at + __builtin_ctz(keep);
                if (position >= s.count) break;
                survivors[found++] = {position, 0};
            }
        }
    }
    return found;
}

static int masked_row(const MaskedRow& s, Survivor* survivors) {
    return s.channels == 1 ? masked_row_of<1>(s, survivors) : masked_row_of<3>(s, survivors);
}

// Sums of I - 128 and (I - 128)^2 over pixels whose mask is 1 (0 elsewhere and beyond the width).
static void masked_sums(Rows rows, std::int64_t x, const std::int8_t* mask, int stride, int w, int h, std::int64_t* sum,
                        std::int64_t* square) {
    vi sums = zero(), squares = zero();
    const vi middle = all16(128), ones = all16(1);
    for (int y = 0; y < h; ++y) {
        const std::uint8_t* row = rows[y] + x;
        const std::int8_t* taken = mask + static_cast<std::ptrdiff_t>(y) * stride;
        for (int i = 0; i < w; i += lanes16) {
            const vi value = mul16(sub16(load_u8_16(row + i), middle), load_s8_16(taken + i));
            sums = dot(sums, value, ones);
            squares = dot(squares, value, value);
        }
    }
    *sum = sum32(sums);
    *square = sum32(squares);
}
