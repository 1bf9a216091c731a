/* The operations: their numbers, inputs, outputs and parameters.
 *
 * For each operation: what inputs[], outputs[], lists_in[] and lists_out[] of vdt_call hold, in order. A query names
 * the same images without needing their pixels. Sizes are pixels. Unless said otherwise inputs are host or device
 * memory as op_support's masks tell, parameters are host memory, and pointers inside parameters are valid during the
 * call. Letters in [brackets] after a formula name the source.
 */
#ifndef VEDETTE_PLUGIN_OPS_H
#define VEDETTE_PLUGIN_OPS_H

#include "image.h"
#include "result.h"

VDT_EXTERN_C_BEGIN

typedef uint32_t vdt_op;

enum {
    VDT_OP_CONVERT = 1,
    VDT_OP_RESIZE = 2,
    VDT_OP_INTEGRAL = 3,
    VDT_OP_FILTER = 4,
    VDT_OP_FFT2 = 5,
    VDT_OP_RESTORE = 6,
    VDT_OP_PYRAMID = 7,
    VDT_OP_TEMPLATE_MAP = 8,
    VDT_OP_TEMPLATE_FIND = 9,
    VDT_OP_CASCADE_DETECT = 10,
    VDT_OP_GROUP = 11,
    VDT_OP_FEATURES = 12,
    VDT_OP_FEATURE_MATCH = 13,
    VDT_OP_COUNT = 14
};

/* convert: inputs[0] any 8-bit, 16-bit or float colour format -> outputs[0] any of them, same size.
 *   gray = (3735 B + 19235 G + 9798 R + 2^14) >> 15 for 8 and 16 bit [OpenCV 4's fixed-point BT.601];
 *   gray to colour copies; a dropped alpha is ignored, an added one is opaque;
 *   16 -> 8 bit: (v + 128) / 257; 8 -> 16 bit: v * 257;
 *   integer -> float: v * scale + offset; float -> integer: round half to even of v * scale + offset, saturated;
 *   float gray = 0.114 B + 0.587 G + 0.299 R. Channel change and depth change: channels first, in the input's depth. */
typedef struct vdt_convert_params {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    double scale;   /* used when exactly one side is float; finite, not 0 */
    double offset;  /* same; finite */
} vdt_convert_params;

enum {
    VDT_RESIZE_HALF_PIXEL =
        1,               /* bilinear, sample at (x + 0.5) * in / out - 0.5, edges replicated [OpenCV INTER_LINEAR] */
    VDT_RESIZE_AREA = 2, /* exact area average when shrinking (fractional cover at the edges); enlarging: HALF_PIXEL */
    VDT_RESIZE_ALIGNED_CORNERS =
        3 /* bilinear, sample at x * (in - 1) / (out - 1); last row and column copied [E, darknet] */
};
enum { VDT_RESIZE_LETTERBOX = 1u /* keep the aspect ratio, centre, fill the rest [E] */ };

/* resize: inputs[0] -> outputs[0] of another size; the output may be float or planar where the input is 8-bit (fused
 * convert: v * scale + offset). 8-bit outputs are rounded half up from at least 11 fractional bits. */
typedef struct vdt_resize_params {
    uint32_t struct_size;
    uint32_t method;
    uint32_t flags;
    float fill;   /* value of every channel outside a letterboxed image, in output units */
    double scale; /* used when the output is float and the input is not */
    double offset;
} vdt_resize_params;

enum {
    VDT_INTEGRAL_SUM = 1u,     /* output I32 (modulo 2^32) or F64 */
    VDT_INTEGRAL_SQUARED = 2u, /* output I64 or F64 */
    VDT_INTEGRAL_TILTED = 4u   /* output I32 or F64, rotated by 45 degrees as OpenCV's */
};

/* integral: inputs[0] w x h GRAY8 or GRAYF32 (then F64 outputs) -> one output (w + 1) x (h + 1) for each flag that is
 * set, in the order sum, squared, tilted. S(x, y) = sum of I(i, j) over i < x, j < y; row 0 and column 0 are 0.
 * Tilted: T(x, y) = sum of I(i, j) over j < y, |i - x + 1| <= y - j - 1 [OpenCV integral]. */
typedef struct vdt_integral_params {
    uint32_t struct_size;
    uint32_t flags;
} vdt_integral_params;

enum { VDT_FILTER_SEPARABLE = 1, VDT_FILTER_GENERAL = 2, VDT_FILTER_GAUSSIAN = 3, VDT_FILTER_BOX = 4 };
enum {
    VDT_BORDER_CONSTANT = 0,   /* iiiiii|abcdefgh|iiiiiii, i = border_value */
    VDT_BORDER_REPLICATE = 1,  /* aaaaaa|abcdefgh|hhhhhhh */
    VDT_BORDER_REFLECT = 2,    /* fedcba|abcdefgh|hgfedcb */
    VDT_BORDER_WRAP = 3,       /* cdefgh|abcdefgh|abcdefg */
    VDT_BORDER_REFLECT_101 = 4 /* gfedcb|abcdefgh|gfedcba */
};

/* filter: inputs[0] -> outputs[0], same size and channels, correlation (the kernel is not flipped):
 *   out(x, y) = delta + sum k(i, j) in(x + i - anchor_x, y + j - anchor_y).
 * GENERAL: kernel_x holds kernel_w * kernel_h weights by rows. SEPARABLE: kernel_x and kernel_y. GAUSSIAN: weights
 * exp(-(i - (n-1)/2)^2 / (2 sigma^2)) normalised to 1, sizes odd. BOX: all weights 1 / (kernel_w * kernel_h).
 * 8-bit outputs: round half to even, saturated. */
typedef struct vdt_filter_params {
    uint32_t struct_size;
    uint32_t kind;
    uint32_t border;
    uint32_t kernel_w, kernel_h;
    int32_t anchor_x, anchor_y; /* in the kernel; -1 = centre */
    float border_value;
    double sigma_x, sigma_y;
    double delta;
    const float* kernel_x;
    const float* kernel_y;
} vdt_filter_params;

enum { VDT_FFT_FORWARD = 1, VDT_FFT_INVERSE = 2 /* scaled by 1 / (w * h) */ };

/* fft2: side 32..512, powers of two, square. Complex: inputs[0] COMPLEXF32 n x (n * batch) -> outputs[0] the same.
 * Real forward: GRAYF32 n x (n * batch) -> COMPLEXF32 (n/2 + 1) x (n * batch); real inverse the other way. Images of a
 * batch follow each other downwards. Forward kernel exp(-2 pi i (ux + vy) / n). Of the columns u = 0 and n/2 of a real
 * inverse's input the part counts that a real image's transform can have: (F(v) + conj F(n - v)) / 2. [B] */
typedef struct vdt_fft2_params {
    uint32_t struct_size;
    uint32_t direction;
    uint32_t batch; /* at least 1 */
    uint32_t flags; /* 0 */
} vdt_fft2_params;

enum { VDT_RESTORE_MIA_BLIND = 1, VDT_RESTORE_MIA_KNOWN = 2, VDT_RESTORE_RICHARDSON_LUCY = 3 };

/* restore: inputs[0] blurred image GRAYF32, side a power of two 32..512; inputs[1] point-spread function of the same
 * size, centred at (0, 0) with wrap-around (blind: the first guess) -> outputs[0] restored GRAYF32, outputs[1] (blind
 * only) the final point-spread function. One iteration [B]: f <- f * IFFT(conj(H) G) / IFFT(|H|^2 F), and blind the
 * like for h, from the same f and h. Richardson-Lucy: f <- f * IFFT(conj(H) FFT(g / IFFT(H F))). Divisors are kept at
 * or above `epsilon`, dividends and factors at or above 0. The first f is g; negative pixels of g count as 0. Results
 * are never negative and always finite. VDT_E_ARGUMENT: a value that is not finite; a point-spread function with a
 * negative value or nothing but zeros.
 *
 * What blind can do: narrow a guess that is too wide, on a background near black (the true width 1.5, guessed 2: 1.8
 * after 10 iterations, 1.53 after 200). What it cannot: widen a guess that is too narrow, since g itself under the
 * narrowest function explains g; or learn much from a bright picture, where the background's part of both products
 * outweighs the edges and h is multiplied by nearly 1 (220 of 255: 1.97 after 200 iterations, and f past its best after
 * about 10). All in double precision: so is the method, not its arithmetic. */
typedef struct vdt_restore_params {
    uint32_t struct_size;
    uint32_t method;
    uint32_t iterations;
    uint32_t batch; /* images below each other, at least 1 */
    double epsilon; /* positive */
} vdt_restore_params;

enum {
    VDT_PYRAMID_AREA2 = 1,
    /* mean of 2 x 2 */ VDT_PYRAMID_GAUSS5 = 2 /* 1 4 6 4 1 / 16, then every second [OpenCV pyrDown] */
};

/* pyramid: inputs[0] -> outputs[0 .. levels - 1], level i of size ceil(previous / 2), same format. */
typedef struct vdt_pyramid_params {
    uint32_t struct_size;
    uint32_t method;
    uint32_t levels;
    uint32_t flags; /* 0 */
} vdt_pyramid_params;

/* OpenCV's numbers. */
enum {
    VDT_MATCH_SQDIFF = 0,
    VDT_MATCH_SQDIFF_NORMED = 1,
    VDT_MATCH_CCORR = 2,
    VDT_MATCH_CCORR_NORMED = 3,
    VDT_MATCH_CCOEFF = 4,
    VDT_MATCH_CCOEFF_NORMED = 5
};

/* template_map: inputs[0] scene, inputs[1] pattern of the same format (GRAY8 or BGR8), inputs[2] mask GRAY8 of the
 * pattern's size or VDT_FORMAT_NONE -> outputs[0] GRAYF32 of (scene - pattern + 1), value as OpenCV's matchTemplate,
 * always finite: CCOEFF_NORMED is 0 where the window or the pattern (under its mask) is flat; the other normed methods
 * are 0 (CCORR) or 1 (SQDIFF) where the denominator is 0 but 0 for SQDIFF_NORMED of two all-zero patches.
 * Pattern larger than the scene: VDT_E_SIZE. */
typedef struct vdt_template_map_params {
    uint32_t struct_size;
    uint32_t method;
} vdt_template_map_params;

enum {
    VDT_FIND_LOCAL_MAXIMA = 1u, /* only positions that no 8-neighbour beats; between equal neighbours the earlier in
                                   reading order stays */
    VDT_FIND_BEST_ONLY = 2u     /* at most the single best position of each pattern at or above the threshold */
};

/* template_find: every position of each pattern whose score is at or above `threshold`, the same as a full search.
 *   inputs[0] scene, GRAY8 or BGR8; for pattern p: inputs[1 + 2p] the pattern in the scene's format, inputs[2 + 2p] its
 *   mask (GRAY8, same size) or VDT_FORMAT_NONE. lists_out[0] vdt_item, sorted by pattern, then score (best first), then
 *   top, then left; x, y in scene pixels.
 * Score, exact: n = masked pixels, sums over them and over all channels c,
 *   num = sum_c (n sum I_c T_c - sum I_c sum T_c), v_I = sum_c (n sum I_c^2 - (sum I_c)^2), v_T alike,
 *   score = num / sqrt(v_I v_T) with num, v_I, v_T exact integers, the division and root in double; 0 when v_I is 0.
 *   [zero-mean normalised cross-correlation = OpenCV TM_CCOEFF_NORMED]. Clamped to [-1, 1]. An identical patch gives
 *   exactly 1. For the best first order and the threshold the double value counts.
 * A pattern without variance under its mask (v_T = 0), an all-zero mask: VDT_E_ARGUMENT naming the pattern.
 * A pattern larger than the region: that pattern has no items (not an error).
 * Local maxima are judged among all positions of the region that are not excluded. With more than `max_results`
 * positions for a pattern the best ones by the order above stay, and `needed` of the list counts all.
 * With `scales`, one search for each factor f: above 1 on the scene shrunk to sides of floor(side / f + 1/2), below 1
 * of the pattern shrunk to floor(side * f + 1/2), at least 1 (area averages as resize's, rounded half up; a pixel of a
 * shrunk mask counts when all that it covers counts). Region: from the first shrunk pixel that begins in it to the last
 * that ends in it; exclude: every shrunk pixel that it touches. x, y, w, h of the items are scene pixels, `scale` is
 * the index of the factor and decides last in the order; local maxima are those of one factor, and the best only and
 * max_results count for all factors of a pattern together. At a size at which a pattern has no variance left, or no
 * pixel that counts, or is larger than the region, it has no items. */
typedef struct vdt_template_find_params {
    uint32_t struct_size;
    uint32_t flags;
    double threshold; /* -1..1 */
    uint32_t pattern_count;
    uint32_t max_results;    /* for each pattern, at least 1 */
    vdt_rect region;         /* the pattern lies wholly inside; w = h = 0 is the whole scene */
    const vdt_rect* exclude; /* positions whose rectangle meets one of these are not searched */
    const double* scales;    /* factors of the pattern's size, finite and above 0, or NULL = 1 only; see above */
    uint32_t exclude_count;
    uint32_t scale_count;
} vdt_template_find_params;

/* cascade_detect: inputs[0] GRAY8 -> lists_out[0] vdt_item. Semantics of OpenCV's CascadeClassifier::detectMultiScale,
 * window stepping and skipping included. The classifier is parsed in plan_create; damaged text is VDT_E_FORMAT. */
typedef struct vdt_cascade_params {
    uint32_t struct_size;
    uint32_t flags;      /* 0 */
    const char* cascade; /* OpenCV XML, old or new format, not zero-terminated */
    uint64_t cascade_bytes;
    double scale_factor;   /* above 1 */
    int32_t min_neighbors; /* 0 = raw windows, ungrouped */
    int32_t min_w, min_h;  /* 0 = the classifier's window */
    int32_t max_w, max_h;  /* 0 = the image */
    uint32_t reserved;
} vdt_cascade_params;

/* group: lists_in[0] vdt_item -> lists_out[0] vdt_item, result of OpenCV's groupRectangles; neighbors = joined. */
typedef struct vdt_group_params {
    uint32_t struct_size;
    int32_t threshold; /* a group must join more than this many; 0 = no grouping */
    double eps;        /* relative difference of sides, at least 0 */
} vdt_group_params;

/* features: inputs[0] GRAY8, inputs[1] mask or VDT_FORMAT_NONE -> lists_out[0] vdt_keypoint, best response first;
 * outputs[0] descriptors GRAYF32, 128 wide, one row a keypoint (height = the list's capacity). SIFT as OpenCV's. [D] */
typedef struct vdt_features_params {
    uint32_t struct_size;
    uint32_t max_features;     /* 0 = as many as the list holds */
    uint32_t octave_layers;    /* 3 */
    uint32_t flags;            /* 0 */
    double contrast_threshold; /* 0.04 */
    double edge_threshold;     /* 10 */
    double sigma;              /* 1.6 */
} vdt_features_params;

/* feature_match: inputs[0], [1] descriptors GRAYF32 of query and train; lists_in[0], [1] their vdt_keypoint ->
 * lists_out[0] vdt_descriptor_match that pass distance1 < ratio * distance2; outputs[0] F64 3 x 3 homography from query
 * to train, all zero when none was found (fewer than four matches or degenerate: not an error). */
typedef struct vdt_feature_match_params {
    uint32_t struct_size;
    uint32_t max_iterations;
    double ratio;        /* 0..1 */
    double reprojection; /* RANSAC inlier distance in pixels */
    uint64_t seed;
} vdt_feature_match_params;

VDT_EXTERN_C_END
#endif
