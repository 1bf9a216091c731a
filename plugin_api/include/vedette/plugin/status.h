/* Result codes and the error record. The range of a code states what the host does about it. */
#ifndef VEDETTE_PLUGIN_STATUS_H
#define VEDETTE_PLUGIN_STATUS_H

#include "abi.h"

VDT_EXTERN_C_BEGIN

typedef int32_t vdt_code;

enum {
    VDT_OK = 0,
    VDT_INCOMPLETE = 1, /* done, but a list was too small: `needed` says how many there are */
    VDT_NOT_READY = 2,  /* an event has not fired yet */

    /* -1xx: the caller's fault. The host reports it and does not try another backend. */
    VDT_E_ARGUMENT = -100, /* NULL, NaN, out of range, contradictory */
    VDT_E_SIZE = -101,     /* sizes, strides or lengths that overflow or lie outside their buffer */
    VDT_E_STATE = -102,    /* called in the wrong order */
    VDT_E_THREAD = -103,   /* called from a thread the contract does not allow */
    VDT_E_OPTION = -104,   /* unknown option or an option of the wrong type */
    VDT_E_FILE = -105,     /* a file is missing, unreadable or unwritable */
    VDT_E_FORMAT = -106,   /* a file's or buffer's content is damaged or of no known format */
    VDT_E_CONFIG = -107,   /* configuration or environment variable */

    /* -2xx: not supported here. The host takes the next backend. */
    VDT_E_UNSUPPORTED = -200,
    VDT_E_UNSUPPORTED_OP = -201,
    VDT_E_UNSUPPORTED_FORMAT = -202,
    VDT_E_UNSUPPORTED_SIZE = -203,
    VDT_E_UNSUPPORTED_MEMORY = -204,

    /* -3xx: pressure. The host takes the next backend, a smaller piece, or waits; TIMEOUT and CANCELLED end the call.
     */
    VDT_E_OUT_OF_MEMORY = -300,
    VDT_E_BUSY = -301,
    VDT_E_TIMEOUT = -302,
    VDT_E_CANCELLED = -303,

    /* -4xx: this device cannot be used. The host takes it out until the process ends. */
    VDT_E_UNAVAILABLE = -400,
    VDT_E_NO_DRIVER = -401,
    VDT_E_NO_DEVICE = -402,
    VDT_E_DEVICE_LOST = -403,
    VDT_E_FORKED = -404,  /* the process forked after the device was opened */
    VDT_E_ABI = -405,     /* no common ABI version */
    VDT_E_REFUSED = -406, /* the host's loading rules refuse the library */

    /* -5xx: a bug in the plugin. The host logs it, takes the next backend and counts it towards quarantine. */
    VDT_E_INTERNAL = -500,
    VDT_E_EXCEPTION = -501, /* an exception reached the border and was caught there */
    VDT_E_CONTRACT = -502   /* the other side broke a rule of this ABI */
};

/* True when `code` lies in the named range. */
#define VDT_IS_ERROR(code) ((code) < 0)
#define VDT_IS_CALLER_FAULT(code) ((code) <= -100 && (code) > -200)
#define VDT_IS_UNSUPPORTED(code) ((code) <= -200 && (code) > -300)
#define VDT_IS_PRESSURE(code) ((code) <= -300 && (code) > -400)
#define VDT_IS_UNAVAILABLE(code) ((code) <= -400 && (code) > -500)
#define VDT_IS_PLUGIN_BUG(code) ((code) <= -500 && (code) > -600)

#define VDT_ERROR_TEXT_BYTES 240

/* What went wrong. Owner: the caller, who sets struct_size and may pass NULL instead. The callee fills the rest, only
 * when it returns a negative code. `text` is one UTF-8 sentence, zero-terminated, that names the culprit and what to
 * do; `native_code` is the driver's own code or errno, 0 when there is none. Nothing needs freeing. */
typedef struct vdt_error {
    uint32_t struct_size;
    vdt_code code;
    int64_t native_code;
    char text[VDT_ERROR_TEXT_BYTES];
} vdt_error;

VDT_EXTERN_C_END
#endif
