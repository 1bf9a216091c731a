// Direct correlation of several rows of positions at once; part of kernels.cc.

// Output rows that share what is loaded, and vectors of positions beside each other: as many sums as registers hold.
constexpr int dense_outputs = 4;
constexpr int dense_vectors = lanes32 == 16 ? 4 : 2;

static void pack_rows(const PackRows& s) {
    for (int x = 0; x < s.count; x += lanes16) {
        vi upper = load_u8_16(s.row[0] + x), lower = load_u8_16(s.row[1] + x), first, second;
        if constexpr (packed_rows == 4) {
            // Bytes of four rows in a 32-bit lane: rows 0 and 1 in the first half, 2 and 3 in the second.
            upper = or_bits(upper, shift_left16(lower, 8));
            lower = or_bits(load_u8_16(s.row[2] + x), shift_left16(load_u8_16(s.row[3] + x), 8));
        }
        interleave16(upper, lower, first, second);
        store(s.packed + x, first);
        store(s.packed + x + lanes32, second);
    }
}

// Adds a packed row's part to the sums of outputs `first` to `last`; `coefficient[o]` is that output's group.
template <int first, int last>
__attribute__((always_inline)) static inline void add_packed_row(vi (&sum)[dense_outputs][dense_vectors],
                                                                 const std::int32_t* packed,
                                                                 const std::int32_t* coefficient, int w) {
    for (int i = 0; i < w; ++i) {
        vi factor[dense_outputs];
        // A later output meets this row with an earlier group of the pattern's rows.
        for (int o = first; o <= last; ++o) factor[o] = all32(coefficient[i - o * w]);
        for (int v = 0; v < dense_vectors; ++v) {
            const vi pixels = load(packed + i + v * lanes32);
            for (int o = first; o <= last; ++o) sum[o][v] = dot_packed(sum[o][v], pixels, factor[o]);
        }
    }
}

// The same for any range of outputs that a row meets.
template <int outputs>
static void add_packed_row(vi (&sum)[dense_outputs][dense_vectors], int first, int last, const std::int32_t* packed,
                           const std::int32_t* coefficient, int w) {
    constexpr int end = outputs - 1;
    // Rows near either end of the pattern meet the first outputs or the last ones.
    if (first == 0 && last == end) return add_packed_row<0, end>(sum, packed, coefficient, w);
    if constexpr (outputs > 2) {
        if (first == 0 && last == 1) return add_packed_row<0, 1>(sum, packed, coefficient, w);
        if (first == end - 1 && last == end) return add_packed_row<end - 1, end>(sum, packed, coefficient, w);
    }
    if constexpr (outputs > 3) {
        if (first == 0 && last == 2) return add_packed_row<0, 2>(sum, packed, coefficient, w);
        if (first == end - 2 && last == end) return add_packed_row<end - 2, end>(sum, packed, coefficient, w);
    }
    if (first <= 0 && last >= 0) add_packed_row<0, 0>(sum, packed, coefficient, w);
    if constexpr (outputs > 1)
        if (first <= 1 && last >= 1) add_packed_row<1, 1>(sum, packed, coefficient, w);
    if constexpr (outputs > 2)
        if (first <= 2 && last >= 2) add_packed_row<2, 2>(sum, packed, coefficient, w);
    if constexpr (outputs > 3)
        if (first <= 3 && last >= 3) add_packed_row<3, 3>(sum, packed, coefficient, w);
}

// Positions x on.
template <int outputs>
static void correlate_outputs(const CorrelateRows& s, int x) {
    vi sum[dense_outputs][dense_vectors];
    for (int o = 0; o < outputs; ++o)
        for (int v = 0; v < dense_vectors; ++v) sum[o][v] = all32(-s.offset);
    const int rows = s.groups + outputs - 1;
    for (int c = 0; c < s.channels; ++c) {
        const std::int32_t* const* const packed = s.packed + c * rows;
        const std::int32_t* const coefficients = s.coefficient + c * s.groups * s.w;
        for (int j = 0; j < rows; ++j) {
            // Output o takes group j - o.
            const int first = j < s.groups ? 0 : j - s.groups + 1, last = j < outputs ? j : outputs - 1;
            add_packed_row<outputs>(sum, first, last, packed[j] + x, coefficients + j * s.w, s.w);
        }
    }
    for (const std::int32_t* const* const add : s.add) {
        if (add == nullptr) continue;
        for (int o = 0; o < outputs; ++o)
            for (int v = 0; v < dense_vectors; ++v) sum[o][v] = add32(sum[o][v], load(add[o] + x + v * lanes32));
    }
    for (int o = 0; o < outputs; ++o)
        for (int v = 0; v < dense_vectors; ++v) store(s.out[o] + x + v * lanes32, sum[o][v]);
}

template <int outputs>
static void correlate_strip(const CorrelateRows& s) {
    for (int x = 0; x < s.count; x += dense_vectors * lanes32) correlate_outputs<outputs>(s, x);
}

static void correlate_rows(const CorrelateRows& s) {
    switch (s.outputs) {
        case 1:
            return correlate_strip<1>(s);
        case 2:
            return correlate_strip<2>(s);
        case 3:
            return correlate_strip<3>(s);
        default:
            return correlate_strip<dense_outputs>(s);
    }
}

static void packed_difference(const PackedDifference& s) {
    for (int x = 0; x < s.count; x += lanes32) store(s.difference + x, sub16(load(s.packed + x), load(s.later + x)));
}
