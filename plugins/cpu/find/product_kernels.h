// Products of windows with a pattern's pixels, several windows of the same rows at once; part of kernels.cc. Windows
// share the coefficients, and a window alone takes several rows, so that no sum waits for the one before it.

// Adds the products of rows y to y + rows - 1, from column i on.
template <class Products, bool half, int rows, int places, int sums>
__attribute__((always_inline)) static inline void add_step(const Dots& s, int y, int i, vi (&sum)[places][sums]) {
    for (int r = 0; r < rows; ++r) {
        const std::int8_t* const q = s.coefficient + static_cast<std::ptrdiff_t>(y + r) * s.stride + i;
        const vi factors = half ? Products::half_factors(q) : Products::factors(q);
        for (int k = 0; k < places; ++k) sum[k][r] = Products::add(sum[k][r], s.rows[y + r] + s.x[k] + i, factors);
    }
}

template <class Products, int rows, int places, int sums>
__attribute__((always_inline)) static inline void add_rows(const Dots& s, int y, vi (&sum)[places][sums]) {
    // Strides are multiples of 32, so that a step beyond is half one.
    constexpr int beyond = Products::step > 32 ? Products::step - 32 : 0;
    int i = 0;
    for (; i + beyond < s.w; i += Products::step) add_step<Products, false, rows>(s, y, i, sum);
    if (beyond > 0 && i < s.w) add_step<Products, true, rows>(s, y, i, sum);
}

template <class Products, int places, int together>
static void dots_of(Dots& s) {
    vi sum[places][together];
    for (int k = 0; k < places; ++k)
        for (int r = 0; r < together; ++r) sum[k][r] = zero();
    int y = 0;
    for (; y + together <= s.count; y += together) add_rows<Products, together>(s, y, sum);
    for (; y < s.count; ++y) add_rows<Products, 1>(s, y, sum);
    for (int k = 0; k < places; ++k) {
        s.sum[k] = 0;
        for (int r = 0; r < together; ++r) s.sum[k] += sum32(sum[k][r]);
    }
}

template <class Products>
static void any_dots(Dots& s) {
    static_assert(most_dots == 4);
    switch (s.places) {
        case 1:
            return dots_of<Products, 1, 4>(s);
        case 2:
            return dots_of<Products, 2, 2>(s);
        case 3:
            return dots_of<Products, 3, 1>(s);
        default:
            return dots_of<Products, 4, 1>(s);
    }
}

static void dots(Dots& s) {
    any_dots<ByteProducts>(s);
}
static void small_dots(Dots& s) {
    any_dots<SmallProducts>(s);
}
