// What both ways to describe a keypoint of SIFT share: the size of a descriptor, and its turned square.
#include "features.cl"

#define CELLS 4
#define BINS 8
#define VALUES (CELLS * CELLS * BINS)

// Narrows [low, high] to where -reach < offset + j * slope < reach can hold.
inline void narrow(float offset, float slope, float reach, float *low, float *high) {
    if (slope < 0) {
        offset = -offset;
        slope = -slope;
    }
    if (slope < 1e-6f) return;
    *low = max(*low, (-reach - offset) / slope);
    *high = min(*high, (reach - offset) / slope);
}
