// Vectors of VECTOR floats, 4 or 8: what a work-item works on at once.
#include "image.cl"

#define FLOATV JOIN(float, VECTOR)
#define INTV JOIN(int, VECTOR)
#define STOREV(value, place) JOIN(vstore, VECTOR)(value, 0, place)
// From any multiple of four bytes, in global, local and private memory.
#define LOADV_PRIVATE(place) JOIN(vload, VECTOR)(0, place)
#ifdef VDT_PROCESSOR
// Compilers for processors that make vload of several smaller loads do their arithmetic in as small pieces (PoCL 3.1); a
// processor loads a whole vector from any address.
typedef struct __attribute__((packed)) {
    FLOATV value;
} Unaligned;
#define LOADV(place) (((__global const Unaligned *)(place))->value)
#define LOADV_LOCAL(place) (((__local const Unaligned *)(place))->value)
// Whether any element of an INTV of comparisons is set; as any, of which such compilers make a test for each element.
#if VECTOR == 8
#define FOLDED(v) ((v).lo | (v).hi)
#else
#define FOLDED(v) (v)
#endif
#define ANY(v) any_of_four(FOLDED(v))
inline bool any_of_four(int4 v) {
    const long2 two = as_long2(v);
    return (two.x | two.y) != 0;
}
#else
#define ANY(v) any(v)
#define LOADV(place) JOIN(vload, VECTOR)(0, place)
#define LOADV_LOCAL(place) JOIN(vload, VECTOR)(0, place)
#endif
