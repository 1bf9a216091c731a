/* What a peer library's module gives `vedette bench` to compare with: the same work done by that library. The module is
 * loaded when a benchmark runs, so that the command itself links no peer. */
#ifndef VEDETTE_CLI_BENCH_PEER_H
#define VEDETTE_CLI_BENCH_PEER_H

#include <vedette/plugin/ops.h>

VDT_EXTERN_C_BEGIN

typedef struct vedette_bench_peer {
    uint32_t struct_size;
    uint32_t reserved;
    const char* name; /* "OpenCV 4.6.0" */
    /* The function that does `op`, "cv::matchTemplate"; NULL when there is none. */
    const char* (*function)(vdt_op op);
    /* Does `op` as plugin/ops.h lays out inputs, outputs, lists and parameters, with the threads the library uses by
     * itself. Returns 0, or 1 with a sentence in `text`. */
    int32_t (*run)(vdt_op op, const void* params, const vdt_image* const* inputs, const vdt_image* const* outputs,
                   const vdt_list* const* lists_in, vdt_list* const* lists_out, char* text, uint32_t text_bytes);
} vedette_bench_peer;

/* The module's one export. */
#define VEDETTE_BENCH_PEER_ENTRY_NAME "vedette_bench_peer_2"
typedef const vedette_bench_peer* (*vedette_bench_peer_entry_fn)(void);
VDT_PLUGIN_EXPORT const vedette_bench_peer* vedette_bench_peer_2(void);

VDT_EXTERN_C_END
#endif
