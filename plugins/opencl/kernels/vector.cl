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
#else
#define LOADV(place) JOIN(vload, VECTOR)(0, place)
#define LOADV_LOCAL(place) JOIN(vload, VECTOR)(0, place)
#endif
