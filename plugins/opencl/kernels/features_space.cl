// Sizes of the layers of SIFT's scale space: the enlarged image, and the next octave's.
#include "features.cl"

// The image enlarged twice, bilinear, samples at (x + 0.5) / 2 - 0.5, edges replicated; every value is exact.
#ifdef VDT_PROCESSOR
// Of two rows the nearer counts three times.
#define WEIGHED(x) (3.0f * convert_float8(vload8(0, here + (x))) + convert_float8(vload8(0, beside + (x))))

// A work-item makes the two rows at a row of the image.
__kernel void enlarge(IMAGE_IN(in), const int width, const int height, __global float *restrict layers, const ulong to,
                      const uint stride) {
    const int y = (int)get_global_id(1);
    if (y >= height) return;
    __global const uchar *rows[3];
    for (int row = 0; row < 3; ++row) rows[row] = ROW_IN(uchar, in, clamp(y + row - 1, 0, height - 1));
    for (int side = 0; side < 2; ++side) {
        __global const uchar *here = rows[1], *beside = rows[2 * side];
        __global float *out = layers + to + (ulong)(2 * y + side) * stride;
        for (int x = 0; x < width;) {
            if (x > 0 && x + 9 <= width) {
                const float8 middle = WEIGHED(x), left = WEIGHED(x - 1), right = WEIGHED(x + 1);
                const float8 even = (3.0f * middle + left) * 0.0625f, odd = (3.0f * middle + right) * 0.0625f;
                vstore8((float8)(even.s0, odd.s0, even.s1, odd.s1, even.s2, odd.s2, even.s3, odd.s3), 0, out + 2 * x);
                vstore8((float8)(even.s4, odd.s4, even.s5, odd.s5, even.s6, odd.s6, even.s7, odd.s7), 1, out + 2 * x);
                x += 8;
                continue;
            }
            const int before = max(x - 1, 0), after = min(x + 1, width - 1);
            const float middle = 3.0f * here[x] + beside[x];
            out[2 * x] = (3.0f * middle + (3.0f * here[before] + beside[before])) * 0.0625f;
            out[2 * x + 1] = (3.0f * middle + (3.0f * here[after] + beside[after])) * 0.0625f;
            ++x;
        }
    }
}
#else
// A work-item makes the 2 x 2 pixels at a pixel of the image.
__kernel void enlarge(IMAGE_IN(in), const int width, const int height, __global float *restrict layers, const ulong to,
                      const uint stride) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width || y >= height) return;
    float across[3][2];
    for (int row = 0; row < 3; ++row) {
        __global const uchar *pixels = ROW_IN(uchar, in, clamp(y + row - 1, 0, height - 1));
        const float here = 3.0f * pixels[x];
        across[row][0] = here + pixels[max(x - 1, 0)];
        across[row][1] = here + pixels[min(x + 1, width - 1)];
    }
    __global float *out = layers + to + (ulong)(2 * y) * stride + 2 * x;
    for (int row = 0; row < 2; ++row, out += stride)
        vstore2((float2)(3.0f * across[1][0] + across[2 * row][0], 3.0f * across[1][1] + across[2 * row][1]) * 0.0625f,
                0, out);
}
#endif

// The next octave's first layer: every second pixel.
__kernel void halve(__global float *layers, const ulong from, const uint from_stride, const ulong to,
                    const uint to_stride, const int width, const int height) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width || y >= height) return;
    layers[to + (ulong)y * to_stride + x] = layers[from + (ulong)(2 * y) * from_stride + 2 * x];
}
