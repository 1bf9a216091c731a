// From exact sums over a window to the values of template_map and template_find. Formulas: vedette/plugin/ops.h.
// Integers, then single operations in double precision: the bits of every backend.
#include "template_real.cl"

// Sums over the pixels that a pattern takes, as the host passes them.
typedef struct {
    ulong area;      // pixels
    ulong square;    // T^2, all channels
    ulong sum[3];    // T, by channel
    ulong variance;  // v_T, rounded once, the bits of a double
    ulong masked;    // 1: a mask was given, whatever it takes
} PatternSums;

// The same of a window.
typedef struct {
    ulong product;  // I T, all channels
    ulong square;   // I^2, all channels
    real covariance, variance;  // num and v_I of ops.h, rounded once
} WindowSums;

inline real score_of(const PatternSums *pattern, const WindowSums *window) {
    if (is_zero(window->variance) || pattern->variance == 0) return real_of(0);
    return within_one(divide(window->covariance,
                             root_of(multiply(window->variance, real_of_bits(pattern->variance)))));
}

// Numbers as OpenCV's.
#define SQDIFF 0
#define SQDIFF_NORMED 1
#define CCORR 2
#define CCORR_NORMED 3
#define CCOEFF 4
#define CCOEFF_NORMED 5

inline float map_value(const PatternSums *pattern, const WindowSums *window, uint method) {
    if (method == CCOEFF_NORMED) return float_of(score_of(pattern, window));
    if (method == CCOEFF)
        return pattern->area == 0 ? 0.0f : float_of(divide(window->covariance, real_of((long)pattern->area)));
    const real product = real_of((long)window->product);
    if (method == CCORR) return float_of(product);
    const real norm = root_of(multiply(real_of((long)window->square), real_of((long)pattern->square)));
    if (method == CCORR_NORMED) return is_zero(norm) ? 0.0f : float_of(within_one(divide(product, norm)));
    const long difference = (long)(window->square + pattern->square - 2 * window->product);
    if (method == SQDIFF) return float_of(real_of(difference));
    if (is_zero(norm)) return difference == 0 ? 0.0f : 1.0f;
    const real value = divide(real_of(difference), norm);
    // OpenCV caps the value without a mask only.
    return float_of(pattern->masked != 0 ? value : within_one(value));
}
