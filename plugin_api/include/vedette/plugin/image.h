/* Pixel formats and the image view. */
#ifndef VEDETTE_PLUGIN_IMAGE_H
#define VEDETTE_PLUGIN_IMAGE_H

#include "status.h"

VDT_EXTERN_C_BEGIN

typedef uint32_t vdt_format;

/* Bit i of a format mask stands for the format of value i. */
enum {
    VDT_FORMAT_NONE = 0,  /* no image here (an optional input left out) */
    VDT_FORMAT_GRAY8 = 1, /* also masks: 0 = ignored, anything else = taken */
    VDT_FORMAT_BGR8 = 2,
    VDT_FORMAT_BGRA8 = 3,
    VDT_FORMAT_RGB8 = 4,
    VDT_FORMAT_RGBA8 = 5,
    VDT_FORMAT_GRAY16 = 6, /* 16-bit formats: native byte order, 0..65535 */
    VDT_FORMAT_BGR16 = 7,
    VDT_FORMAT_BGRA16 = 8,
    VDT_FORMAT_RGB16 = 9,
    VDT_FORMAT_RGBA16 = 10,
    VDT_FORMAT_GRAYF32 = 11,
    VDT_FORMAT_BGRF32 = 12,        /* interleaved */
    VDT_FORMAT_PLANAR_BGRF32 = 13, /* three planes, in that order */
    VDT_FORMAT_PLANAR_RGBF32 = 14,
    VDT_FORMAT_I32 = 15, /* one channel, signed */
    VDT_FORMAT_I64 = 16,
    VDT_FORMAT_F64 = 17,
    VDT_FORMAT_COMPLEXF32 = 18, /* real, imaginary */
    VDT_FORMAT_COUNT = 19
};

#define VDT_FORMAT_BIT(format) (UINT64_C(1) << (format))

/* Where the pixels lie. Bit i of a memory mask stands for kind i. */
enum {
    VDT_MEMORY_HOST = 0,
    VDT_MEMORY_PINNED = 1,  /* host memory that a device reads directly */
    VDT_MEMORY_DEVICE = 2,  /* vdt_plane.base is a device pointer of vdt_image.device */
    VDT_MEMORY_MANAGED = 3, /* reachable from both */
    VDT_MEMORY_NATIVE = 4   /* vdt_plane.base is a handle of the device's own API */
};

#define VDT_MAX_PLANES 4
/* Widest or highest image any operation accepts. Larger is VDT_E_SIZE. */
#define VDT_MAX_DIMENSION 65535u

/* One plane. Row y begins at base + offset + y * row_stride (bytes; the stride may be negative, zero is invalid when
 * height > 1). Every byte that is touched lies in [base, base + bytes): the callee checks this. `base` needs no
 * alignment beyond that of the format's element, unless op_support asks for more. */
typedef struct vdt_plane {
    void* base;
    uint64_t offset;
    int64_t row_stride;
    uint64_t bytes;
} vdt_plane;

/* View of an image. Owner of the view and of the pixels: the caller; both outlive the call (with a stream: until
 * `done`). Pixels of an input are constant meanwhile; pixels of an output are written only inside width x height. In a
 * query, plane bases may be NULL: there only format, sizes, strides, memory and `resident` count. `ready`: event after
 * which the pixels are valid, NULL = now. `resident`: NULL, or an object made by this device's resident_create from the
 * same pixels; the plugin then uses what it keeps there instead of reading the planes again. */
typedef struct vdt_image {
    uint32_t struct_size;
    vdt_format format;
    uint32_t width; /* pixels, 0 only with VDT_FORMAT_NONE */
    uint32_t height;
    uint32_t memory;
    uint32_t plane_count;
    uint32_t flags; /* 0 */
    uint32_t reserved;
    vdt_device* device; /* owner of device memory; NULL for host memory */
    vdt_event* ready;
    vdt_resident* resident;
    const vdt_link* next;
    vdt_plane plane[VDT_MAX_PLANES];
} vdt_image;

VDT_EXTERN_C_END
#endif
