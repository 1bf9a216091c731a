// Vectors of VECTOR floats, 4 or 8: what a work-item works on at once.
#include "image.cl"

#define FLOATV JOIN(float, VECTOR)
#define INTV JOIN(int, VECTOR)
#define LOADV(place) JOIN(vload, VECTOR)(0, place)
#define STOREV(value, place) JOIN(vstore, VECTOR)(value, 0, place)

// For sums of products that may be rounded once or twice, or are exact anyway. fma is a call of a library where the
// device has no instruction for it, and mad promises no accuracy.
#ifdef FP_FAST_FMAF
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif
