/* What a plugin says of its devices and of what it can do on them. */
#ifndef VEDETTE_PLUGIN_DEVICE_H
#define VEDETTE_PLUGIN_DEVICE_H

#include "ops.h"

VDT_EXTERN_C_BEGIN

enum { VDT_DEVICE_CPU = 1, VDT_DEVICE_GPU = 2, VDT_DEVICE_INTEGRATED_GPU = 3, VDT_DEVICE_ACCELERATOR = 4 };

/* vdt_device_info.flags. */
enum {
    /* Since minor version 2. op_cost answers -2xx to every question about this device: it serves where it is asked for
     * and where nothing else can do a call, and the host need not open it to weigh it. Without the flag the host opens
     * a device and asks. */
    VDT_DEVICE_NO_COSTS = 1u
};

/* Filled by vdt_plugin.device_info without opening the device. Strings are zero-terminated UTF-8.
 * `uid`: "pci:0000:65:00.0", "uuid:..." or "cpu:0", so that one device seen by two backends is recognised. */
typedef struct vdt_device_info {
    uint32_t struct_size;
    uint32_t kind;
    char name[64];
    char uid[64];
    char driver[64];       /* version of the driver or runtime, or the instruction set a CPU backend chose ("avx2") */
    uint64_t memory_bytes; /* 0 = host memory */
    uint64_t max_pixels;   /* largest image, pixels */
    uint32_t max_width;
    uint32_t max_height;
    uint32_t memory_mask; /* bit i: VDT_MEMORY_i can be an input or output */
    uint32_t flags;       /* VDT_DEVICE_NO_COSTS or 0 */
} vdt_device_info;

/* How sure the answer of an operation is. */
enum {
    VDT_DETERMINISM_EXACT = 1,    /* bit for bit the value the operation's text defines, on every run */
    VDT_DETERMINISM_TOLERANCE = 2 /* within `tolerance` of it, the same on every run */
};

/* Answer to op_support. level 0: not supported, the other fields are 0. */
enum { VDT_SUPPORT_NO = 0, VDT_SUPPORT_YES = 1, VDT_SUPPORT_SLOW = 2 };

typedef struct vdt_op_support {
    uint32_t struct_size;
    uint32_t level;
    uint64_t input_formats;  /* of inputs[0] */
    uint64_t output_formats; /* of outputs[0]; 0 when the operation has only lists */
    uint32_t memory_mask;    /* of inputs and outputs */
    uint32_t variant_count;  /* at least 1 when supported */
    uint32_t determinism;
    uint32_t row_alignment; /* bytes that make rows fastest, 1 = any */
    double tolerance;       /* largest absolute difference; 0 when exact */
    uint64_t scratch_bytes; /* memory a plan for this query keeps */
} vdt_op_support;

/* One way of doing an operation. */
typedef struct vdt_variant_info {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    char name[48];  /* "dense", "pruned", "tile-cached" */
} vdt_variant_info;

/* What op_support, op_variant, op_cost and plan_create are asked. What was promised for a query is what a plan made
 * from the same query does. With input_count = 0 the question is general: can this operation be done at all, with which
 * formats. `variant` counts below vdt_op_support.variant_count; op_support ignores it. `params` points to the
 * operation's struct (host memory, valid during the call) or is NULL in a general question. */
typedef struct vdt_query {
    uint32_t struct_size;
    vdt_op op;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t variant;
    uint32_t flags; /* 0 */
    const vdt_image* const* inputs;
    const vdt_image* const* outputs;
    const void* params;
    const vdt_link* next;
    /* Since minor version 2, for op_cost alone: the input lists, where they are known; else NULL and 0. */
    const vdt_list* const* lists_in;
    uint32_t list_in_count;
    uint32_t reserved; /* 0 */
} vdt_query;

/* One run of a plan. Images have the formats and sizes the plan was made for; parameters may differ from the query's
 * only in the fields the plan's operation calls data: thresholds, regions, excluded areas, max_results, seeds. `stream`
 * NULL: the call returns when all is done. Else it returns after queuing; `done` (may be NULL) fires later and
 * everything the call points to outlives it.
 * `token`: pass it to the host's parallel_for and `cancelled`. NULL = no limit. */
typedef struct vdt_call {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    uint32_t input_count;
    uint32_t output_count;
    uint32_t list_in_count;
    uint32_t list_out_count;
    const vdt_image* const* inputs;
    const vdt_image* const* outputs;
    const vdt_list* const* lists_in;
    vdt_list* const* lists_out;
    const void* params;
    vdt_stream* stream;
    vdt_event* done;
    vdt_token* token;
    const vdt_link* next;
} vdt_call;

VDT_EXTERN_C_END
#endif
