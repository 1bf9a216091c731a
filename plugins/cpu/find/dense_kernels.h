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

// Outputs `phase`, `phase` + packed_rows, ... of which there are `outputs`, at positions x on.
template <int outputs>
static void correlate_outputs(const CorrelateBlock& s, int phase, int x) {
    vi sum[dense_outputs][dense_vectors];
    for (int o = 0; o < outputs; ++o)
        for (int v = 0; v < dense_vectors; ++v) sum[o][v] = all32(-s.offset);
    for (int c = 0; c < s.channels; ++c) {
        const std::int32_t* const* const packed = s.packed + c * s.packed_count;
        const std::int32_t* const coefficients = s.coefficient + c * s.groups * s.w;
        for (int j = 0; j < s.groups + outputs - 1; ++j) {
            const std::int32_t* const row = packed[phase + j * packed_rows] + x;
            const std::int32_t* const coefficient = coefficients + j * s.w;
            // Output o takes group j - o.
            const int least = j < s.groups ? 0 : j - s.groups + 1, most = j < outputs ? j : outputs - 1;
            if (least == 0 && most == outputs - 1) {
                add_packed_row<0, outputs - 1>(sum, row, coefficient, s.w);
                continue;
            }
            if (least <= 0 && most >= 0) add_packed_row<0, 0>(sum, row, coefficient, s.w);
            if constexpr (outputs > 1)
                if (least <= 1 && most >= 1) add_packed_row<1, 1>(sum, row, coefficient, s.w);
            if constexpr (outputs > 2)
                if (least <= 2 && most >= 2) add_packed_row<2, 2>(sum, row, coefficient, s.w);
            if constexpr (outputs > 3)
                if (least <= 3 && most >= 3) add_packed_row<3, 3>(sum, row, coefficient, s.w);
        }
    }
    for (int o = 0; o < outputs; ++o)
        for (int v = 0; v < dense_vectors; ++v)
            store(s.out + (phase + o * packed_rows) * s.out_stride + x + v * lanes32, sum[o][v]);
}

static void correlate_block(const CorrelateBlock& s) {
    for (int x = 0; x < s.count; x += dense_vectors * lanes32)
        for (int phase = 0; phase < packed_rows && phase < s.rows; ++phase) {
            switch ((s.rows - phase + packed_rows - 1) / packed_rows) {
                case 1:
                    correlate_outputs<1>(s, phase, x);
                    break;
                case 2:
                    correlate_outputs<2>(s, phase, x);
                    break;
                case 3:
                    correlate_outputs<3>(s, phase, x);
                    break;
                default:
                    correlate_outputs<dense_outputs>(s, phase, x);
                    break;
            }
        }
}
