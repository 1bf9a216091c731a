/* Vedette plugin ABI, version 1: the rules every other header here follows.
 *
 * Layout rules (frozen; plugin_api/abi/layout_1_0.c asserts every size and offset):
 *   - only fixed-width integers, IEEE float/double and pointers; no bool, enum field, size_t, bit-field, union or
 *     struct passed by value; no hidden padding (the headers compile with -Wpadded -Werror);
 *   - defined for 64-bit little-endian targets only, so that a pointer is always eight bytes;
 *   - a struct that may grow begins with `struct_size`, set by whoever fills it to sizeof of the struct as that side
 *     knows it. A reader tests `struct_size >= the size it needs`, never equality, and touches nothing beyond it.
 *     New fields are added only at the end; reserved fields are 0;
 *   - there is never an array of growable structs: an array of pointers, or an array with a stated stride.
 *
 * Versions: the major version is in the entry's name (vdt_plugin_entry_1). A minor version only adds; both sides state
 * a range and use the smaller of the two maxima.
 *
 * Exceptions never cross. Nothing here prints, aborts or exits.
 */
#ifndef VEDETTE_PLUGIN_ABI_H
#define VEDETTE_PLUGIN_ABI_H

#include <stdint.h>

#define VDT_ABI_MAJOR 1
#define VDT_ABI_MINOR 2

#if defined(__GNUC__)
#define VDT_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define VDT_PLUGIN_EXPORT
#endif

#ifdef __cplusplus
#define VDT_EXTERN_C_BEGIN extern "C" {
#define VDT_EXTERN_C_END }
/* Every function pointer of the ABI is noexcept for C++ callers and implementers. */
#define VDT_NOEXCEPT noexcept
#else
#define VDT_EXTERN_C_BEGIN
#define VDT_EXTERN_C_END
#define VDT_NOEXCEPT
#endif

VDT_EXTERN_C_BEGIN

/* A chained, optional block of information. `kind` names the block (0 is invalid). When bit 31 of `kind` is set a
 * reader that does not know the kind must refuse with VDT_E_UNSUPPORTED; otherwise it skips the block. Owner: whoever
 * owns the struct it hangs from; lifetime the same. */
typedef struct vdt_link {
    uint32_t kind;
    uint32_t struct_size;
    const struct vdt_link* next;
} vdt_link;

#define VDT_LINK_MUST_UNDERSTAND 0x80000000u

/* Rectangle in pixels: left, top, width, height. */
typedef struct vdt_rect {
    int32_t x, y, w, h;
} vdt_rect;

/* Kinds of a typed option. */
enum {
    VDT_OPTION_INTEGER = 1, /* `integer`; also booleans, as 0 and 1 */
    VDT_OPTION_REAL = 2,    /* `real` */
    VDT_OPTION_TEXT = 3     /* `text`, UTF-8, zero-terminated */
};

/* One option given to vdt_plugin.create. Owner: host; valid during the call only (copy what you keep).
 * An unknown key or a wrong kind is VDT_E_OPTION with the key in the error's text. */
typedef struct vdt_option {
    const char* key;
    uint32_t kind;
    uint32_t reserved;
    int64_t integer;
    double real;
    const char* text;
} vdt_option;

/* Opaque objects. The side named makes and destroys them. */
typedef struct vdt_self vdt_self;         /* plugin: one instance of the plugin */
typedef struct vdt_device vdt_device;     /* plugin: one opened device */
typedef struct vdt_plan vdt_plan;         /* plugin: one operation made ready for one shape of input */
typedef struct vdt_resident vdt_resident; /* plugin: an image kept on the device with what was computed from it */
typedef struct vdt_stream vdt_stream;     /* plugin: an ordered queue of work */
typedef struct vdt_event vdt_event;       /* plugin: a point in a stream */
typedef struct vdt_buffer vdt_buffer;     /* plugin: device or pinned memory */
typedef struct vdt_token vdt_token;       /* host: one call's cancellation and time limit */

VDT_EXTERN_C_END
#endif
