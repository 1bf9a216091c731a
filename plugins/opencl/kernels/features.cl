// What the kernels of features share: SIFT's scale space and the records of its lists, as ops/features_space.h has them.
//
// LAYERS: octave layers.
#include "vector.cl"

// Layers of one octave, one after the other in one buffer; all of them are LAYERS + 3. Places and sizes in floats.
typedef struct {
    ulong first;
    ulong layer_floats;
    uint stride;  // a multiple of 32
    int width, height;
    uint unused;
} Octave;

// An extremum; a layer of 0 marks none.
typedef struct {
    ushort x, y, octave, layer;
} Extremum;

// A keypoint without direction: pixel and layer where refining ended, and the offsets from it.
typedef struct {
    ushort x, y, octave, layer;
    float x_offset, y_offset, layer_offset;
    float response;
} Place;

// As vdt_keypoint.
typedef struct {
    float x, y, size, angle, response;
    int octave;
} Keypoint;

// What was found, whether or not there was room.
enum { EXTREMA = 0, PLACES = 1, KEYPOINTS = 2 };

// Pixels at every edge of an octave without keypoints [OpenCV].
#define BORDER 5

// Position that stands for x outside 0 .. size - 1: reflected without repeating the edge.
inline int reflected(int x, int size) {
    if (size == 1) return 0;
    while (x < 0 || x >= size) x = x < 0 ? -x : 2 * (size - 1) - x;
    return x;
}

// sigma of a keypoint of layer `layer` (with fraction) in pixels of its octave.
inline float scale_of(float sigma, float layer) {
    return sigma * exp2(layer / LAYERS);
}

// exp(x) for -80 <= x <= 0, within 3e-7 of it: the same on every device, and in vectors on all of them.
ALWAYS_INLINE FLOATV exponential(FLOATV x) {
    const FLOATV power = x * 1.44269504f;
    const FLOATV whole = floor(power);
    const FLOATV part = power - whole;
    FLOATV value = MULTIPLY_ADD(part, (FLOATV)(1.8775767e-3f), (FLOATV)(8.9893397e-3f));
    value = MULTIPLY_ADD(part, value, (FLOATV)(5.5826318e-2f));
    value = MULTIPLY_ADD(part, value, (FLOATV)(2.4015361e-1f));
    value = MULTIPLY_ADD(part, value, (FLOATV)(6.9315308e-1f));
    value = MULTIPLY_ADD(part, value, (FLOATV)(1.0f));
    return JOIN(as_, FLOATV)(JOIN(as_, INTV)(value) + (JOIN(convert_, INTV)(whole) << 23));
}

// Size and angle (degrees, 0 to 360) of the gradients at VECTOR pixels; the angle by a polynomial, within 0.01 degrees.
ALWAYS_INLINE FLOATV gradients(__global const float *here, int stride, FLOATV *angle) {
    const FLOATV dx = LOADV(here + 1) - LOADV(here - 1);
    const FLOATV dy = LOADV(here - stride) - LOADV(here + stride);
    const FLOATV ax = fabs(dx), ay = fabs(dy);
    const FLOATV c = min(ax, ay) / (max(ax, ay) + 1e-30f), square = c * c;
    FLOATV turn = MULTIPLY_ADD(square, (FLOATV)(-0.6587158732469404f), (FLOATV)(2.984902847225138f));
    turn = MULTIPLY_ADD(turn, square, (FLOATV)(-6.642691138895885f));
    turn = MULTIPLY_ADD(turn, square, (FLOATV)(11.078329044424583f));
    turn = MULTIPLY_ADD(turn, square, (FLOATV)(-19.05625177375619f));
    turn = MULTIPLY_ADD(turn, square, (FLOATV)(57.29440689424929f)) * c;
    turn = select(turn, 90.0f - turn, ay > ax);
    turn = select(turn, 180.0f - turn, dx < 0.0f);
    *angle = select(turn, 360.0f - turn, dy < 0.0f);
    return sqrt(MULTIPLY_ADD(dx, dx, dy * dy));
}

// Entries of a list of `count` that `part` of `parts` works on begin here and end where the next part's begin:
// neighbours in a list are neighbours in the picture.
inline uint own_begin(uint count, uint part, uint parts) {
    return (uint)((ulong)count * part / parts);
}
