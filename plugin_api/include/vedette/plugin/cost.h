/* Machine-independent counts of an operation's work [A]. The plugin counts, the host owns the formula and the measured
 * parameters of the device. */
#ifndef VEDETTE_PLUGIN_COST_H
#define VEDETTE_PLUGIN_COST_H

#include "status.h"

VDT_EXTERN_C_BEGIN

enum {
    VDT_COST_EXACT = 1u,
    VDT_COST_UPPER_BOUND = 2u,
    VDT_COST_ESTIMATE = 4u,
    VDT_COST_DATA_DEPENDENT = 8u /* the pixels decide; counts are expectations */
};

/* One stage: work between two device-wide synchronisations. */
typedef struct vdt_cost_stage {
    double work;         /* elementary operations over all lanes (W) */
    double span;         /* longest dependent chain of operations in one lane */
    double width;        /* items that can run at once */
    double divergence;   /* lane-operations issued over lane-operations needed, at least 1 */
    double global_refs;  /* memory transactions after coalescing (R) */
    double global_bytes; /* traffic to memory beyond the last cache */
    double shared_refs;  /* references to on-chip memory (CPU: first-level caches) (K) */
    double constant_refs;
    double atomic_refs;
} vdt_cost_stage;

/* Owner: the caller, who gives `stages` with room for `stage_capacity` entries of `stage_size` bytes (the stride). The
 * plugin writes the first min(stage_count, stage_capacity) and sets stage_count to how many there are (B). */
typedef struct vdt_cost {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t stage_capacity;
    uint32_t stage_count;
    uint32_t stage_size;
    uint32_t launches;      /* kernel starts, or fork-joins of the thread pool */
    double bytes_to_device; /* copies the plugin itself needs; the host adds those implied by where images lie (N_hd),
                               but for the descriptors of `features`, of which the plugin counts those it expects */
    double bytes_to_host;   /* (N_dh) */
    uint64_t scratch_bytes;
    uint64_t shared_bytes; /* of one multiprocessor's shared memory, by one block */
    uint64_t constant_bytes;
    vdt_cost_stage* stages;
} vdt_cost;

/* Parameters of a device, by number so that new ones change no layout. */
enum {
    VDT_PARAM_PROCESSORS = 1,       /* multiprocessors, or cores */
    VDT_PARAM_LANES = 2,            /* scalar operations a processor starts in one clock */
    VDT_PARAM_BUNDLE = 3,           /* lanes in lock-step */
    VDT_PARAM_CLOCK = 4,            /* Hz */
    VDT_PARAM_OPERATION_TIME = 5,   /* seconds of one dependent elementary operation */
    VDT_PARAM_GLOBAL_LATENCY = 6,   /* seconds */
    VDT_PARAM_GLOBAL_BANDWIDTH = 7, /* bytes a second, read and write together */
    VDT_PARAM_SHARED_LATENCY = 8,
    VDT_PARAM_SHARED_BANDWIDTH = 9,
    VDT_PARAM_CONSTANT_LATENCY = 10,
    VDT_PARAM_ATOMIC_TIME = 11,
    VDT_PARAM_BARRIER_TIME = 12,
    VDT_PARAM_LAUNCH_TIME = 13, /* launch and wait; CPU: fork and join */
    VDT_PARAM_GRAPH_NODE_TIME = 14,
    VDT_PARAM_SHARED_BYTES = 15,
    VDT_PARAM_CONSTANT_BYTES = 16,
    VDT_PARAM_TO_DEVICE_PINNED = 17, /* bytes a second */
    VDT_PARAM_TO_DEVICE_PAGEABLE = 18,
    VDT_PARAM_TO_HOST_PINNED = 19,
    VDT_PARAM_TO_HOST_PAGEABLE = 20,
    VDT_PARAM_COPY_LATENCY = 21, /* seconds a copy */

    /* Since minor version 1. Caches: bytes, and bytes a second, of all processors together. The first cache of a CPU is
     * its shared memory (9, 15). */
    VDT_PARAM_CACHE2_BYTES = 22,
    VDT_PARAM_CACHE2_BANDWIDTH = 23,
    VDT_PARAM_CACHE3_BYTES = 24,
    VDT_PARAM_CACHE3_BANDWIDTH = 25,
    VDT_PARAM_CONSTANT_CACHE_BYTES = 26, /* of constant memory, kept by one multiprocessor */
    VDT_PARAM_SHARED_BANKS = 27,         /* that serve one reference each at the same time */
    VDT_PARAM_REFS_IN_FLIGHT = 28,       /* memory transactions that one processor waits for at the same time */
    VDT_PARAM_NEXT_LAUNCH_TIME = 29,     /* seconds of a launch queued behind another; CPU: a further fork and join */
    VDT_PARAM_OPEN_TIME = 30             /* seconds from loading the plugin to the first operation */
};

enum { VDT_SOURCE_DEFAULT = 0, VDT_SOURCE_PROPERTIES = 1, VDT_SOURCE_MEASURED = 2 };

typedef struct vdt_param {
    uint32_t id;
    uint32_t source;
    double value;  /* SI units */
    double spread; /* interquartile range over the median */
    uint32_t samples;
    uint32_t reserved;
} vdt_param;

/* Question and answer of vdt_plugin.probe: the caller names ids in params[0 .. param_count - 1]; the plugin fills the
 * rest of each entry, leaving source 0 where it cannot tell. It stops before `budget_seconds` and leaves no state. */
typedef struct vdt_probe {
    uint32_t struct_size;
    uint32_t param_count;
    uint32_t param_size; /* stride */
    uint32_t flags;      /* 0 */
    double budget_seconds;
    vdt_param* params;
} vdt_probe;

VDT_EXTERN_C_END
#endif
