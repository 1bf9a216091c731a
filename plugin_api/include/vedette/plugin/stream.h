/* Streams, events and buffers of a device. The whole group may be absent (vdt_plugin.streams = NULL), as on a CPU
 * backend: then every call finishes before it returns. */
#ifndef VEDETTE_PLUGIN_STREAM_H
#define VEDETTE_PLUGIN_STREAM_H

#include "device.h"

VDT_EXTERN_C_BEGIN

/* Thread rule: create and destroy any thread; calls on one stream one at a time. Errors as everywhere; work that failed
 * after it was queued reports through event_query or event_wait_host. */
typedef struct vdt_streams {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    vdt_code (*stream_create)(vdt_device* device, vdt_stream** stream, vdt_error* error) VDT_NOEXCEPT;
    vdt_code (*stream_sync)(vdt_stream* stream, vdt_error* error) VDT_NOEXCEPT;
    void (*stream_destroy)(vdt_stream* stream) VDT_NOEXCEPT; /* waits for its work; NULL is ignored */
    vdt_code (*event_create)(vdt_device* device, vdt_event** event, vdt_error* error) VDT_NOEXCEPT;
    vdt_code (*event_record)(vdt_event* event, vdt_stream* stream, vdt_error* error) VDT_NOEXCEPT;
    vdt_code (*event_query)(vdt_event* event, vdt_error* error) VDT_NOEXCEPT; /* VDT_OK or VDT_NOT_READY */
    vdt_code (*event_wait_host)(vdt_event* event, vdt_error* error) VDT_NOEXCEPT;
    vdt_code (*event_wait_stream)(vdt_event* event, vdt_stream* stream, vdt_error* error) VDT_NOEXCEPT;
    void (*event_destroy)(vdt_event* event) VDT_NOEXCEPT;
    /* `memory`: VDT_MEMORY_PINNED, DEVICE or MANAGED. *address: pointer for vdt_plane.base. */
    vdt_code (*buffer_create)(vdt_device* device, uint32_t memory, uint64_t bytes, vdt_buffer** buffer, void** address,
                              vdt_error* error) VDT_NOEXCEPT;
    void (*buffer_destroy)(vdt_buffer* buffer) VDT_NOEXCEPT;
    /* Copies between images of the same format and size, any memory kinds of this device and the host. */
    vdt_code (*image_copy)(vdt_device* device, const vdt_image* from, const vdt_image* to, vdt_stream* stream,
                           vdt_event* done, vdt_error* error) VDT_NOEXCEPT;
} vdt_streams;

VDT_EXTERN_C_END
#endif
