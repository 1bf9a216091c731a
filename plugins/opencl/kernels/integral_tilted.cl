// Tilted sums. With P(j, k) the sum of the first k pixels of row j (k cut to 0 .. width),
//
//     T(x, y) = A(x, y) - B(x, y),   A(x, y) = sum over j < y of P(j, x + (y - 1 - j)),
//                                    B(x, y) = sum over j < y of P(j, x - 1 - (y - 1 - j)),
//
// so A and B are running sums along the two diagonals: A(x, y) = A(x + 1, y - 1) + P(y - 1, x) and
// B(x, y) = B(x - 1, y - 1) + P(y - 1, x - 1); right of the image A is that of x = width, left of it B is 0. Rows are
// cut into bands of BAND: sums inside each band, then what enters it from above, then the rows themselves, A first and
// B taken from it.
//
// Macros as in integral.cl; PREFIX: what P is made in, uint for bytes, else SUM.
#include "integral.cl"

// A group a row.
__kernel void prefix_rows(IMAGE_IN(in), const uint width, __global PREFIX *restrict prefix, __local SUM *shared) {
    const uint y = (uint)get_group_id(0);
    __global const PIXEL *row = ROW_IN(PIXEL, in, y);
    __global PREFIX *sums = prefix + (size_t)y * (width + 1);
    const uint lane = (uint)get_local_id(0), lanes = (uint)get_local_size(0);
    const uint part = (width + lanes - 1) / lanes;
    const uint begin = min(lane * part, width), end = min(begin + part, width);
    SUM own = 0;
    for (uint x = begin; x < end; ++x) own = ADD(own, SUM_OF(row[x]));
    SUM sum = sums_before(own, shared);
    if (lane == 0) sums[0] = 0;
    for (uint x = begin; x < end; ++x) {
        sum = ADD(sum, SUM_OF(row[x]));
        sums[x + 1] = (PREFIX)sum;
    }
}

// What a band adds to A and B from its first row to behind its last: falling[band][x], rising[band][x].
__kernel void band_sums(const uint width, const uint bands, __global const PREFIX *restrict prefix,
                        __global SUM *restrict falling, __global SUM *restrict rising) {
    const uint x = (uint)get_global_id(0), band = (uint)get_global_id(1);
    if (x > width || band + 1 >= bands) return;  // nothing enters from the last band
    SUM a = 0, b = 0;
    for (uint row = 0; row < BAND; ++row) {
        __global const PREFIX *sums = prefix + (size_t)(band * BAND + row) * (width + 1);
        const uint steps = BAND - 1 - row;
        a = ADD(a, (SUM)sums[min(width, x + steps)]);
        if (x > 1 + steps) b = ADD(b, (SUM)sums[x - 1 - steps]);
    }
    falling[(size_t)band * (width + 1) + x] = a;
    rising[(size_t)band * (width + 1) + x] = b;
}

// A work-item follows a diagonal from band to band and leaves in each what enters it: those of A, then those of B. What
// a band adds is counted where the diagonal leaves it.
__kernel void band_carry(const uint width, const uint bands, __global const SUM *restrict falling,
                         __global const SUM *restrict rising, __global SUM *restrict falling_above,
                         __global SUM *restrict rising_above) {
    const uint outside = BAND * (bands - 1);
    const uint diagonals = width + 1 + outside;
    const uint item = (uint)get_global_id(0);
    if (item >= 2 * diagonals) return;
    SUM sum = 0;
    if (item < diagonals) {
        for (uint band = 0; band < bands && item >= band * BAND; ++band) {
            const uint x = item - band * BAND;
            if (band > 0) sum = ADD(sum, falling[(size_t)(band - 1) * (width + 1) + min(x, width)]);
            if (x <= width) falling_above[(size_t)band * (width + 1) + x] = sum;
        }
        return;
    }
    for (uint band = 0; band < bands; ++band) {
        const uint right = item - diagonals + band * BAND;
        if (right < outside) continue;
        const uint x = right - outside;
        if (x > width) return;
        if (band > 0) sum = ADD(sum, rising[(size_t)(band - 1) * (width + 1) + x]);
        rising_above[(size_t)band * (width + 1) + x] = sum;
    }
}

// A work-item a diagonal of a band: writes A along it.
__kernel void fall(IMAGE_OUT(out), const uint width, const uint height, __global const PREFIX *restrict prefix,
                   __global const SUM *restrict falling_above) {
    const uint diagonal = (uint)get_global_id(0), band = (uint)get_global_id(1);
    const uint top = band * BAND, rows = min((uint)BAND, height - top);
    if (diagonal > width + rows) return;
    SUM sum = falling_above[(size_t)band * (width + 1) + min(diagonal, width)];
    if (band == 0 && diagonal <= width) ROW_OUT(SUM, out, 0)[diagonal] = sum;
    for (uint row = 1; row <= rows && row <= diagonal; ++row) {
        const uint x = diagonal - row;
        sum = ADD(sum, (SUM)prefix[(size_t)(top + row - 1) * (width + 1) + min(x, width)]);
        if (x <= width) ROW_OUT(SUM, out, top + row)[x] = sum;
    }
}

// The same for B, which is taken from what `fall` wrote.
__kernel void rise(IMAGE_OUT(out), const uint width, const uint height, __global const PREFIX *restrict prefix,
                   __global const SUM *restrict rising_above) {
    const uint diagonal = (uint)get_global_id(0), band = (uint)get_global_id(1);
    const uint top = band * BAND, rows = min((uint)BAND, height - top);
    if (diagonal >= width + rows) return;
    // Diagonals begin up to `rows` left of the image.
    SUM sum = diagonal >= rows ? rising_above[(size_t)band * (width + 1) + diagonal - rows] : (SUM)0;
    if (band == 0 && diagonal >= rows) ROW_OUT(OUT, out, 0)[diagonal - rows] = 0;
    for (uint row = 1; row <= rows; ++row) {
        if (diagonal + row < rows) continue;
        const uint x = diagonal + row - rows;
        if (x > width) return;
        if (x > 0) sum = ADD(sum, (SUM)prefix[(size_t)(top + row - 1) * (width + 1) + x - 1]);
        ROW_OUT(OUT, out, top + row)[x] = word_of(SUBTRACT(ROW_OUT(SUM, out, top + row)[x], sum));
    }
}
