// Column, window and block sums; part of kernels.cc.

static void column_step(const ColumnStep& s) {
    const vi bias = all16(256);
    for (int x = 0; x < s.count; x += lanes16) {
        // Rows of a strip are short: no hardware prefetcher follows them.
        if (x % 64 == 0)
            for (int c = 0; c < s.channels; ++c) __builtin_prefetch(s.ahead[c] + x);
        vi square_low = load(s.square + x), square_high = load(s.square + x + lanes32);
        for (int c = 0; c < s.channels; ++c) {
            const vi enter = load_u8_16(s.enter[c] + x), leave = load_u8_16(s.leave[c] + x);
            const vi change = sub16(enter, leave);
            // (e - 128)^2 - (l - 128)^2 = (e - l)(e + l - 256), within 16 bits signed.
            const vi squares = mul16(change, sub16(add16(enter, leave), bias));
            store(s.sum[c] + x, add32(load(s.sum[c] + x), low_32(change)));
            store(s.sum[c] + x + lanes32, add32(load(s.sum[c] + x + lanes32), high_32(change)));
            square_low = add32(square_low, low_32(squares));
            square_high = add32(square_high, high_32(squares));
        }
        store(s.square + x, square_low);
        store(s.square + x + lanes32, square_high);
    }
}

static void block_step(const BlockStep& s) {
    const vi bias = all16(256);
    for (int x = 0; x < s.count; x += lanes16) {
        vi square_low = zero(), square_high = zero();
        for (int c = 0; c < s.channels; ++c) {
            const vi enter = load_u8_16(s.enter[c] + x);
            store(s.sum[c] + x, add16(load(s.sum[c] + x), sub16(enter, load_u8_16(s.leave[c] + x))));
            if (s.pair_square == nullptr) continue;
            const vi gone = load_u8_16(s.pair_leave[c] + x);
            const vi squares = mul16(sub16(enter, gone), sub16(add16(enter, gone), bias));
            square_low = add32(square_low, low_32(squares));
            square_high = add32(square_high, high_32(squares));
        }
        if (s.pair_square == nullptr) continue;
        store(s.pair_square + x, add32(load(s.pair_square + x), square_low));
        store(s.pair_square + x + lanes32, add32(load(s.pair_square + x + lanes32), square_high));
    }
}

template <bool shifted>
static void window_sum_of(const WindowSum& s) {
    const auto one = [&](int x) { return static_cast<std::uint32_t>(shifted ? s.column[x] >> s.shift : s.column[x]); };
    const auto some = [&](int x) {
        const vi columns = load(s.column + x);
        return shifted ? shift_right(columns, s.shift) : columns;
    };
    std::uint32_t first = 0;
    for (int x = 0; x < s.width; ++x) first += one(x);
    // window[x] = window[x - 1] + column[x + width - 1] - column[x - 1], scanned; column[-1] cancels at x = 0.
    vi carry = all32(static_cast<std::int32_t>(first - (one(s.width - 1) - one(-1))));
    for (int x = 0; x < s.count; x += lanes32) {
        const vi scanned = scan32(sub32(some(x + s.width - 1), some(x - 1)));
        store(s.window + x, add32(scanned, carry));
        carry = add32(carry, last32(scanned));  // only this addition waits for the one before
    }
}

static void window_sum(const WindowSum& s) {
    if (s.shift == 0)
        window_sum_of<false>(s);
    else
        window_sum_of<true>(s);
}

// out[x] = sum over i < times of in[x + i * step], by doubling: runs of 2^k terms are made one from the other, and
// those whose bit is set in `times` are joined. `in` is destroyed; 16-bit sums wrap harmlessly.
template <class T, class Add>
static void strided_sum(T* in, T* out, int count, int step, int times, int lanes, const Add& add) {
    // Doubling shortens what is valid in `in` by `run` elements, which nothing needs any more.
    int valid = count + (times - 1) * step, offset = 0;
    bool first = true;
    for (int run = 1;; run *= 2) {
        if ((times & run) != 0) {
            if (first) {
                for (int x = 0; x < count; x += lanes) store(out + x, load(in + x));
            } else {
                for (int x = 0; x < count; x += lanes) store(out + x, add(load(out + x), load(in + x + offset)));
            }
            first = false;
            offset += run * step;
        }
        if (run * 2 > times) break;
        valid -= run * step;
        for (int x = 0; x < valid; x += lanes) store(in + x, add(load(in + x), load(in + x + run * step)));
    }
}

// Differences are taken modulo 2^32: what is left fits, see BlockRow::shift.
static inline vf norm_without_means(const BlockRow& s, vi square, vi mean_square) {
    const vi rounded_up = shift_right(add32(square, all32((1 << s.shift) - 1)), s.shift);
    const vi left = sub32(mul32(rounded_up, all32(s.block_area)), mean_square);
    // Exactly 0 where all pixels of each block are alike.
    const vf value = to_float(left), one = all_f(1);
    return where_ge(value, one, rough_sqrt(max(value, one)), all_f(0));
}

static void block_row(const BlockRow& s) {
    const int wide = s.count + (s.blocks_x - 1) * s.block_w;
    const auto sum16 = [](vi a, vi b) { return add16(a, b); };
    std::int32_t* const squares = s.scratch;
    std::int32_t* const work = s.scratch + wide + pad;
    for (int c = 0; c < s.channels; ++c) {
        const bool copy = s.block_w > 1;
        if (copy) {
            // The doubling works in place, and the column sums are needed again for the next row.
            std::int16_t* const columns = reinterpret_cast<std::int16_t*>(work);
            for (int x = 0; x < wide + s.block_w - 1; x += lanes16) store(columns + x, load(s.column[c] + x));
            strided_sum(columns, s.row[c], wide, 1, s.block_w, lanes16, sum16);
        } else {
            for (int x = 0; x < wide; x += lanes16) store(s.row[c] + x, load(s.column[c] + x));
        }
        if (s.upper[c] == nullptr) continue;
        for (int x = 0; x < wide; x += lanes16) {
            vi first, second;
            interleave16(load(s.upper[c] + x), load(s.row[c] + x), first, second);
            store(s.pair[c] + x, first);
            store(s.pair[c] + x + lanes32, second);
            if (s.norm == nullptr) continue;
            vi low = shift_right(madd(first, first), s.shift), high = shift_right(madd(second, second), s.shift);
            if (c > 0) {
                low = add32(low, load(squares + x));
                high = add32(high, load(squares + x + lanes32));
            }
            if (c + 1 < s.channels) {
                store(squares + x, low);
                store(squares + x + lanes32, high);
            } else {
                store_f(s.norm + x, norm_without_means(s, load(s.square + x), low));
                store_f(s.norm + x + lanes32, norm_without_means(s, load(s.square + x + lanes32), high));
            }
        }
    }
}
