// Sizes of the layers of SIFT's scale space: the enlarged image, and the next octave's.
#include "features.cl"

// The image enlarged twice, bilinear, samples at (x + 0.5) / 2 - 0.5, edges replicated; every value is exact. A
// work-item makes the 2 x 2 pixels at a pixel of the image.
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

// The next octave's first layer: every second pixel.
__kernel void halve(__global float *layers, const ulong from, const uint from_stride, const ulong to,
                    const uint to_stride, const int width, const int height) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width || y >= height) return;
    layers[to + (ulong)y * to_stride + x] = layers[from + (ulong)(2 * y) * from_stride + 2 * x];
}
