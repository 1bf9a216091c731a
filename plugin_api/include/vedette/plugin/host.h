/* Services the host gives a plugin. */
#ifndef VEDETTE_PLUGIN_HOST_H
#define VEDETTE_PLUGIN_HOST_H

#include "status.h"

VDT_EXTERN_C_BEGIN

enum { VDT_LOG_ERROR = 1, VDT_LOG_WARNING = 2, VDT_LOG_INFO = 3, VDT_LOG_DEBUG = 4 };

/* Body of a parallel loop: items begin <= i < end. `worker` < worker_count() is the same for all calls on one thread at
 * one time, so it may index scratch. Must not throw and must not call parallel_for. */
typedef void (*vdt_loop_body)(void* arg, uint32_t begin, uint32_t end, uint32_t worker) VDT_NOEXCEPT;

/* Given to vdt_plugin.create; valid until vdt_plugin.destroy returned. Pass `ctx` back in every call.
 * Thread rule: any thread, at the same time, unless said; never while holding a lock that a callback could need. */
typedef struct vdt_host {
    uint32_t struct_size;
    uint32_t abi_minor; /* agreed minor version */
    void* ctx;
    /* `text`: one UTF-8 line without line end. */
    void (*log)(void* ctx, uint32_t level, const char* text) VDT_NOEXCEPT;
    /* NULL when there is no memory. `align`: a power of two up to 4096. Freed with `free` only. */
    void* (*alloc)(void* ctx, uint64_t size, uint64_t align)VDT_NOEXCEPT;
    void (*free)(void* ctx, void* memory) VDT_NOEXCEPT;
    /* Runs body over [begin, end) in pieces of about `grain` items (0 = the host chooses) on the process's one thread
     * pool, the calling thread included; returns when all pieces ran. VDT_E_CANCELLED or VDT_E_TIMEOUT when `token`
     * (may be NULL) stopped it: pieces not yet started are left out then. Only from inside plan_create, plan_run,
     * resident_create or probe; not nested. */
    vdt_code (*parallel_for)(void* ctx, vdt_token* token, uint32_t begin, uint32_t end, uint32_t grain,
                             vdt_loop_body body, void* arg) VDT_NOEXCEPT;
    /* Threads parallel_for uses at most, at least 1; constant. */
    uint32_t (*worker_count)(void* ctx) VDT_NOEXCEPT;
    /* VDT_OK, VDT_E_CANCELLED or VDT_E_TIMEOUT; cheap. For loops that do not go through parallel_for. */
    vdt_code (*cancelled)(void* ctx, vdt_token* token) VDT_NOEXCEPT;
    /* Host extension by id ("vedette.<name>/<rev>"), NULL when unknown. */
    const void* (*extension)(void* ctx, const char* id)VDT_NOEXCEPT;
} vdt_host;

VDT_EXTERN_C_END
#endif
