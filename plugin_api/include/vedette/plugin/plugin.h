/* The plugin's table and its one exported function. Include this header to write a plugin. */
#ifndef VEDETTE_PLUGIN_PLUGIN_H
#define VEDETTE_PLUGIN_PLUGIN_H

#include "cost.h"
#include "device.h"
#include "host.h"
#include "image.h"
#include "ops.h"
#include "result.h"
#include "status.h"
#include "stream.h"

VDT_EXTERN_C_BEGIN

/* The table. Constant, static storage, valid as long as the library is loaded.
 *
 * Order of calls: entry, create, device_count, device_info, device_open, then anything, device_close for each opened
 * device after its plans, residents, streams, events and buffers are destroyed, destroy. Several instances may exist at
 * once. After destroy returned no thread of the plugin runs and no callback comes.
 *
 * Thread tags: [serial] the host never calls two of these at once for one instance; [any] any thread, at the same time.
 * Every function that takes a vdt_error accepts NULL for it. Every NULL where an object or struct is due is answered
 * VDT_E_ARGUMENT; the destroy and close functions ignore NULL. */
typedef struct vdt_plugin {
    uint32_t struct_size;
    uint32_t abi_minor;      /* highest minor this table was built for */
    const char* id;          /* short lower-case name, "cpu" */
    const char* version;     /* of the plugin, "1.0.0" */
    const char* description; /* one line for people */
    uint64_t flags;          /* 0 */

    /* [serial] `options`: `option_count` entries, NULL when 0. `host` stays valid until destroy returned. */
    vdt_code (*create)(const vdt_host* host, const vdt_option* options, uint32_t option_count, vdt_self** self,
                       vdt_error* error) VDT_NOEXCEPT;
    /* [serial] Joins every thread, frees everything. */
    void (*destroy)(vdt_self* self) VDT_NOEXCEPT;
    /* [any] 0 devices is no error; then the reason is in `error` with VDT_OK returned and error->code VDT_E_NO_DRIVER
     * or VDT_E_NO_DEVICE. */
    vdt_code (*device_count)(vdt_self* self, uint32_t* count, vdt_error* error) VDT_NOEXCEPT;
    /* [any] */
    vdt_code (*device_info)(vdt_self* self, uint32_t index, vdt_device_info* info, vdt_error* error) VDT_NOEXCEPT;
    /* [serial] */
    vdt_code (*device_open)(vdt_self* self, uint32_t index, vdt_device** device, vdt_error* error) VDT_NOEXCEPT;
    /* [serial] */
    void (*device_close)(vdt_device* device) VDT_NOEXCEPT;

    /* [any] Pure: touches no device and takes microseconds. VDT_OK with level 0, or a -2xx code, both mean no. */
    vdt_code (*op_support)(vdt_device* device, const vdt_query* query, vdt_op_support* support,
                           vdt_error* error) VDT_NOEXCEPT;
    /* [any] Pure. Names variant query->variant. */
    vdt_code (*op_variant)(vdt_device* device, const vdt_query* query, vdt_variant_info* info,
                           vdt_error* error) VDT_NOEXCEPT;
    /* [any] Pure, does not allocate. NULL slot: the plugin gives no costs. Inputs in host memory whose planes have a
     * base may be looked at, to sample what decides about the work; that takes a millisecond at most. */
    vdt_code (*op_cost)(vdt_device* device, const vdt_query* query, vdt_cost* cost, vdt_error* error) VDT_NOEXCEPT;
    /* Exclusive: nothing else runs on the device. NULL slot: the plugin measures nothing. */
    vdt_code (*probe)(vdt_device* device, vdt_probe* probe, vdt_error* error) VDT_NOEXCEPT;

    /* [any] May block: compiles, builds tables, takes scratch. Copies from the query what it keeps. */
    vdt_code (*plan_create)(vdt_device* device, const vdt_query* query, vdt_plan** plan, vdt_error* error) VDT_NOEXCEPT;
    /* [any], but one at a time for each plan. Allocates nothing on the steady path. */
    vdt_code (*plan_run)(vdt_plan* plan, const vdt_call* call, vdt_error* error) VDT_NOEXCEPT;
    /* [any] */
    void (*plan_destroy)(vdt_plan* plan) VDT_NOEXCEPT;

    /* [any] Keeps `image` (GRAY8 or BGR8 at least) on the device, with room for what operations compute from it (window
     * sums, spectra), so that many runs share it. Runs may use one resident at the same time: what is computed late is
     * guarded by the plugin. The pixels behind `image` stay valid and constant until resident_destroy. NULL slots: the
     * plugin keeps nothing. */
    vdt_code (*resident_create)(vdt_device* device, const vdt_image* image, vdt_resident** resident,
                                vdt_error* error) VDT_NOEXCEPT;
    void (*resident_destroy)(vdt_resident* resident) VDT_NOEXCEPT;

    /* NULL: no streams, events or buffers. */
    const vdt_streams* streams;
    /* [any] Plugin extension by id ("vedette.<name>/<rev>", third parties "reverse.domain.<name>/<rev>"), NULL when
     * unknown. The table behind an id never changes; a change is a new rev. NULL slot: no extensions. */
    const void* (*extension)(vdt_self* self, const char* id)VDT_NOEXCEPT;
} vdt_plugin;

/* The one exported symbol of a plugin, named VDT_PLUGIN_ENTRY. Returns the table when the plugin speaks a minor version
 * in [host_minor_min, host_minor_max] of major 1, else NULL with `why` (may be NULL) naming both ranges. Both sides
 * then use min(host_minor_max, table->abi_minor). May be called repeatedly, from one thread at a time. */
#define VDT_PLUGIN_ENTRY vdt_plugin_entry_1
#define VDT_PLUGIN_ENTRY_NAME "vdt_plugin_entry_1"

typedef const vdt_plugin* (*vdt_plugin_entry_fn)(uint32_t host_minor_min, uint32_t host_minor_max,
                                                 vdt_error* why)VDT_NOEXCEPT;

VDT_PLUGIN_EXPORT const vdt_plugin* VDT_PLUGIN_ENTRY(uint32_t host_minor_min, uint32_t host_minor_max,
                                                     vdt_error* why) VDT_NOEXCEPT;

VDT_EXTERN_C_END
#endif
