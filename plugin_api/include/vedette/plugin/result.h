/* Lists that operations return. */
#ifndef VEDETTE_PLUGIN_RESULT_H
#define VEDETTE_PLUGIN_RESULT_H

#include "status.h"

VDT_EXTERN_C_BEGIN

/* A found rectangle, in pixels of the scene. Used by template_find (score = correlation), cascade_detect (score =
 * weight of the last stage, neighbors = windows joined) and group. */
typedef struct vdt_item {
    float x, y, w, h; /* left, top, width, height */
    double score;     /* template_find: exact, in [-1, 1] */
    uint32_t pattern; /* template_find: index of the pattern */
    uint32_t scale;   /* index into the scales that were asked for, 0 without scales */
    int32_t neighbors;
    uint32_t flags; /* 0 */
} vdt_item;

/* A keypoint. Position and size in pixels of the image, angle in degrees, clockwise, in [0, 360). */
typedef struct vdt_keypoint {
    float x, y, size, angle, response;
    int32_t octave; /* OpenCV's packing: octave in bits 0-7, layer in bits 8-15 */
} vdt_keypoint;

/* A pair of descriptors: row of the query, row of the train set, distance (L2), 1 in `inlier` when it fits the
 * homography. */
typedef struct vdt_descriptor_match {
    uint32_t query, train;
    float distance;
    uint32_t inlier;
} vdt_descriptor_match;

/* A list of plain items. The caller gives room for `capacity` items of `item_size` bytes at `items` (aligned to eight);
 * the plugin writes the first min(found, capacity), sets `count` to the number written and `needed` to the number
 * found, and returns VDT_INCOMPLETE when needed > capacity. `item_size` is the stride: at least the size of the item
 * the operation names. `count` is valid only after the call (with a stream: after `done`). */
typedef struct vdt_list {
    uint32_t struct_size;
    uint32_t item_size;
    uint64_t capacity;
    uint64_t count;
    uint64_t needed;
    void* items;
} vdt_list;

VDT_EXTERN_C_END
#endif
