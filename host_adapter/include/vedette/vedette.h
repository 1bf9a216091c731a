/* Vedette: finds elements on screenshots. The C API for test tools.
 *
 *     vdt_context* context = NULL;
 *     vdt_error error = {sizeof error};
 *     vdt_context_create(NULL, &context, &error);
 *     vdt_screen_from_file(context, "screen.png", &screen, &error);
 *     vdt_pattern_from_file(context, "button.png", &pattern, &error);
 *     vdt_find(context, screen, &pattern, 1, NULL, &result, &error);
 *
 * Every function that can fail returns a vdt_code (status.h): 0 or above is success, below 0 is an error whose text is
 * in `error` (caller-owned, struct_size set, may be NULL). "Not found" is success with no matches.
 *
 * Objects are opaque and reference nothing of the caller after a call returns, unless said. Strings are UTF-8,
 * zero-terminated; strings that are returned belong to the object they were asked of and live as long as it does.
 *
 * Thread rule: all functions may be called from any thread; one context, screen or pattern may be used by several
 * threads at the same time; a result by one thread at a time. Destroy an object only when no call uses it. After fork()
 * in a process that had a context, the child gets VDT_E_FORKED from every call on it and creates a new context instead.
 */
#ifndef VEDETTE_VEDETTE_H
#define VEDETTE_VEDETTE_H

#include <vedette/plugin/image.h>
#include <vedette/plugin/ops.h>
#include <vedette/plugin/status.h>

#if defined(__GNUC__)
#define VDT_API __attribute__((visibility("default")))
#else
#define VDT_API
#endif

#define VDT_VERSION_MAJOR 1
#define VDT_VERSION_MINOR 0
#define VDT_VERSION_PATCH 0

VDT_EXTERN_C_BEGIN

typedef struct vdt_context vdt_context; /* loaded backends, configuration, thread pool */
typedef struct vdt_screen vdt_screen;   /* a screenshot with what was prepared from it */
typedef struct vdt_pattern vdt_pattern; /* an element to look for, with its mask and statistics */
typedef struct vdt_result vdt_result;   /* outcome of one vdt_find */
typedef struct vdt_cancel vdt_cancel;   /* a switch to stop a find from another thread */

/* "1.0.0". Never NULL. */
VDT_API const char* vdt_version(void) VDT_NOEXCEPT;
/* Short name of a code, "VDT_E_TIMEOUT"; "unknown code" for others. */
VDT_API const char* vdt_code_name(vdt_code code) VDT_NOEXCEPT;

/* ---- context -------------------------------------------------------------------------------------------------------
 */

/* Receives one line; `level` is VDT_LOG_ERROR (1) .. VDT_LOG_DEBUG (4) of plugin/host.h. Any thread; must not call
 * back. */
typedef void (*vdt_log_fn)(void* user, uint32_t level, const char* text);

typedef struct vdt_context_options {
    uint32_t struct_size;
    uint32_t threads;        /* of the pool, the caller's included; 0 = as the configuration says, else one per core */
    const char* config_file; /* NULL: $VEDETTE_CONFIG, else the installed default */
    const char* config_text; /* JSON, used instead of a file when not NULL */
    const char* plugin_directory; /* absolute; searched before the configured ones; NULL = none */
    vdt_log_fn log;               /* NULL = quiet */
    void* log_user;
    uint32_t log_level; /* messages above this level are dropped; 0 = VDT_LOG_WARNING */
    uint32_t reserved;
} vdt_context_options;

/* Reads the configuration and finds the backends it names. Each is loaded when it is first needed, so that nobody waits
 * for one that is not; vdt_backend_count and vdt_skipped_count load them all. A backend that cannot be loaded is no
 * error: see vdt_skipped_count. `options` NULL = defaults. Errors: VDT_E_CONFIG, VDT_E_FILE, VDT_E_ARGUMENT. */
VDT_API vdt_code vdt_context_create(const vdt_context_options* options, vdt_context** context,
                                    vdt_error* error) VDT_NOEXCEPT;
VDT_API void vdt_context_destroy(vdt_context* context) VDT_NOEXCEPT;

/* A device of a loaded backend. */
typedef struct vdt_backend_info {
    uint32_t struct_size;
    uint32_t device_index; /* within the backend */
    uint32_t device_kind;  /* VDT_DEVICE_... of plugin/device.h */
    uint32_t quarantined;  /* 1: taken out after a failure */
    const char* backend;   /* "cpu" */
    const char* plugin_version;
    const char* description;
    const char* device_name;
    const char* device_uid;
    const char* driver;
    const char* library; /* absolute path */
    uint64_t operations; /* bit i: operation i of plugin/ops.h is supported */
} vdt_backend_info;

/* A backend that was not loaded, or has no device. */
typedef struct vdt_skipped_info {
    uint32_t struct_size;
    vdt_code code;
    const char* backend;
    const char* library; /* path, "" when there was none */
    const char* stage;   /* "manifest", "file", "needs", "load", "negotiate", "create", "devices", "open" */
    const char* reason;
} vdt_skipped_info;

VDT_API uint32_t vdt_backend_count(const vdt_context* context) VDT_NOEXCEPT;
VDT_API vdt_code vdt_backend_at(const vdt_context* context, uint32_t index, vdt_backend_info* info,
                                vdt_error* error) VDT_NOEXCEPT;
VDT_API uint32_t vdt_skipped_count(const vdt_context* context) VDT_NOEXCEPT;
VDT_API vdt_code vdt_skipped_at(const vdt_context* context, uint32_t index, vdt_skipped_info* info,
                                vdt_error* error) VDT_NOEXCEPT;
/* Name of an operation, "template_find", or NULL when `op` is none. */
VDT_API const char* vdt_operation_name(vdt_op op) VDT_NOEXCEPT;

/* As cv::dnn's setPreferableBackend / setPreferableTarget: `backend` "auto" or a name; `device` -1 = any. Other
 * backends serve what the preferred one cannot do. VDT_E_ARGUMENT when no loaded backend or device has that name. */
VDT_API vdt_code vdt_set_preferable_backend(vdt_context* context, const char* backend, vdt_error* error) VDT_NOEXCEPT;
VDT_API vdt_code vdt_set_preferable_target(vdt_context* context, int32_t device, vdt_error* error) VDT_NOEXCEPT;

/* ---- images --------------------------------------------------------------------------------------------------------
 */

/* Pixels of the caller, 8 or 16 bit: GRAY, BGR, BGRA, RGB or RGBA. The first row begins at `data`; `stride` is the
 * distance in bytes from one row to the next and may be negative (then `data` points at the row that lies last in
 * memory). `bytes`: how many bytes can be read from the lowest address of any row on; checked against the sizes. */
typedef struct vdt_pixels {
    uint32_t struct_size;
    vdt_format format;
    uint32_t width;
    uint32_t height;
    int64_t stride;
    uint64_t bytes;
    const void* data;
} vdt_pixels;

/* Screens copy the pixels: nothing of the caller is kept. Alpha of a screen is ignored. Files: PNG, JPEG, WebP, PNM,
 * BMP, told by content. Errors: VDT_E_FILE, VDT_E_FORMAT, VDT_E_SIZE, VDT_E_ARGUMENT. */
VDT_API vdt_code vdt_screen_create(vdt_context* context, const vdt_pixels* pixels, vdt_screen** screen,
                                   vdt_error* error) VDT_NOEXCEPT;
VDT_API vdt_code vdt_screen_from_file(vdt_context* context, const char* path, vdt_screen** screen,
                                      vdt_error* error) VDT_NOEXCEPT;
VDT_API vdt_code vdt_screen_from_memory(vdt_context* context, const void* data, uint64_t bytes, vdt_screen** screen,
                                        vdt_error* error) VDT_NOEXCEPT;
VDT_API vdt_code vdt_screen_size(const vdt_screen* screen, uint32_t* width, uint32_t* height,
                                 vdt_error* error) VDT_NOEXCEPT;
VDT_API void vdt_screen_destroy(vdt_screen* screen) VDT_NOEXCEPT;

/* The pixels of an image file, for tools that want to look at them themselves: decoded as for a screen or pattern, into
 * GRAY8, BGR8 or BGRA8 rows from the top. `pixels` (struct_size set) is filled; its data belongs to the caller until
 * vdt_pixels_free, which also empties the record. Needs no context. Errors: VDT_E_FILE, VDT_E_FORMAT, VDT_E_SIZE,
 * VDT_E_ARGUMENT. */
VDT_API vdt_code vdt_pixels_from_file(const char* path, vdt_pixels* pixels, vdt_error* error) VDT_NOEXCEPT;
VDT_API void vdt_pixels_free(vdt_pixels* pixels) VDT_NOEXCEPT;

/* Writes 8-bit pixels (GRAY, BGR, BGRA, RGB or RGBA) as a PNG file, which appears whole or not at all; a file that is
 * there is replaced. Needs no context. Errors: VDT_E_FILE naming the path, VDT_E_SIZE, VDT_E_ARGUMENT,
 * VDT_E_UNSUPPORTED_FORMAT (16 bit). */
VDT_API vdt_code vdt_pixels_to_file(const vdt_pixels* pixels, const char* path, vdt_error* error) VDT_NOEXCEPT;

/* Patterns: alpha is a mask (opaque = taken; when under a tenth of the visible pixels is fully opaque, alpha >= 128).
 */
VDT_API vdt_code vdt_pattern_create(vdt_context* context, const vdt_pixels* pixels, vdt_pattern** pattern,
                                    vdt_error* error) VDT_NOEXCEPT;
VDT_API vdt_code vdt_pattern_from_file(vdt_context* context, const char* path, vdt_pattern** pattern,
                                       vdt_error* error) VDT_NOEXCEPT;
VDT_API vdt_code vdt_pattern_from_memory(vdt_context* context, const void* data, uint64_t bytes, vdt_pattern** pattern,
                                         vdt_error* error) VDT_NOEXCEPT;
VDT_API vdt_code vdt_pattern_size(const vdt_pattern* pattern, uint32_t* width, uint32_t* height,
                                  vdt_error* error) VDT_NOEXCEPT;
/* Adds rectangles of the pattern that take no part in the comparison. Not while a find uses the pattern. VDT_E_ARGUMENT
 * when nothing would be left. */
VDT_API vdt_code vdt_pattern_exclude(vdt_pattern* pattern, const vdt_rect* rectangles, uint32_t count,
                                     vdt_error* error) VDT_NOEXCEPT;
VDT_API void vdt_pattern_destroy(vdt_pattern* pattern) VDT_NOEXCEPT;

/* ---- find ----------------------------------------------------------------------------------------------------------
 */

enum { VDT_COLOR_AUTO = 0, /* colour unless screen and pattern are both gray */ VDT_COLOR_GRAY = 1, VDT_COLOR_BGR = 2 };

/* What a find tries for a pattern that is nowhere on the screen at its own size, unless a place there shows that the
 * element is present in another state. Patterns without structure, patterns larger than the region, finds without
 * verification and finds that name their `scales` have no fallbacks. */
enum {
    /* Other sizes, 0.5 to 2.4 of the pattern's: the display scales (1/2, 4/7, 2/3, 3/4, 0.8, 0.9, 1.1, 1.25, 4/3, 1.5,
     * 1.75, 2, 2.25) and what lies between them. A match needs a score of 0.8 and more evidence than at its own size;
     * all matches of a pattern have one size. */
    VDT_FALLBACK_SCALES = 1u,
    /* Then rotated or in perspective: local features and a homography, where a backend offers them (operations features
     * and feature_match). */
    VDT_FALLBACK_FEATURES = 2u
};

/* What to look for and how to judge it; the defaults named here are vdt_find_options_init's. */
typedef struct vdt_find_options {
    uint32_t struct_size;
    uint32_t color;   /* VDT_COLOR_AUTO */
    double threshold; /* least score of a match, -1..1; default 0.75 with verification; vdt_find_options_init sets it */
    double floor;     /* the best candidate is reported exactly down to this score; default 0.6, -1 = however low */
    double strictness; /* the residual limits are divided by it: 1 default, above 1 stricter (1.25 tells states apart),
                          below 1 more tolerant (0.67 for lossy streams); 0.25..4 */
    double overlap;    /* suppress matches whose intersection over union with a better one is above; default 0.5 */
    uint32_t verify;   /* 1 default: judge candidates by colour residual and evidence; 0: by score alone */
    uint32_t all;      /* 0: only the best match of each pattern; 1: all */
    uint32_t max_results; /* for each pattern; default 400 */
    uint32_t exclude_count;
    vdt_rect region;         /* search only here, scene pixels; 0,0,0,0 = everywhere; must lie inside the screen */
    const vdt_rect* exclude; /* no match may meet these areas, scene pixels */
    const double* scales;    /* factors of the pattern's size to try; NULL = 1 only */
    uint32_t scale_count;
    uint32_t fallbacks;  /* VDT_FALLBACK_... bits; vdt_find_options_init sets both */
    double time_limit;   /* seconds, 0 = none; then VDT_E_TIMEOUT */
    vdt_cancel* cancel;  /* NULL = none */
    const char* backend; /* NULL or "auto", "NAME" or "NAME:DEVICE" to force one for this call */
} vdt_find_options;

/* Sets the defaults. The caller has set struct_size (`vdt_find_options options = {sizeof options};`): a program built
 * with an older header gets only the fields it knows. NULL or a smaller struct_size than any version's is ignored. */
VDT_API void vdt_find_options_init(vdt_find_options* options) VDT_NOEXCEPT;

/* How a match was judged. */
enum {
    VDT_STAGE_SAME = 1,    /* correlation at size 1 */
    VDT_STAGE_FLAT = 2,    /* no structure: by colour distance */
    VDT_STAGE_SCALE = 3,   /* correlation at another size */
    VDT_STAGE_FEATURES = 4 /* local features, then correlation of the screen seen through their homography */
};

/* Why the best candidate is no match. */
enum {
    VDT_REASON_NONE = 0, /* it is a match */
    VDT_REASON_BELOW_SCORE = 1,
    VDT_REASON_DIFFERS_LOCALLY = 2,      /* `worst` says where: a cursor, a digit, a mark */
    VDT_REASON_DIFFERS_EVERYWHERE = 3,   /* another tint or state */
    VDT_REASON_TOO_LITTLE_STRUCTURE = 4, /* could be chance */
    VDT_REASON_TOO_LARGE = 5,            /* pattern larger than the screen or region */
    VDT_REASON_NOTHING_ABOVE_FLOOR = 6,
    VDT_REASON_COLOR_ABSENT = 7 /* a pattern without structure whose colour is nowhere */
};
/* A sentence for a reason, "differs locally". */
VDT_API const char* vdt_reason_text(uint32_t reason) VDT_NOEXCEPT;

typedef struct vdt_match {
    uint32_t struct_size;
    uint32_t pattern;  /* index into the patterns of the call */
    double x, y, w, h; /* scene pixels; VDT_STAGE_FEATURES: the box around `quad`, which may reach beyond the screen */
    double score;      /* -1..1; flat patterns: 1 - colour distance / 100 */
    double scale;      /* size on the screen over the pattern's; VDT_STAGE_FEATURES: root of the areas' quotient */
    double residual;   /* CIELAB, largest mean difference of a 5 x 5 block; -1 when not verified, and by features */
    double residual_limit;
    double evidence; /* atanh(score) * sqrt(effective samples); -1 when not verified, and by features */
    uint32_t stage;
    uint32_t reason; /* VDT_REASON_NONE for a match */
    vdt_rect worst;  /* the block with the largest residual, scene pixels; w = 0 when not verified */
    double quad[8];  /* corners x, y in scene pixels: top left, top right, bottom right, bottom left */
} vdt_match;

/* What was found for one pattern. */
typedef struct vdt_outcome {
    uint32_t struct_size;
    uint32_t match_count;     /* matches of this pattern */
    uint32_t has_best;        /* 1: `best` is filled: the best match or, when there is none, the best candidate */
    uint32_t reason;          /* why nothing was found; VDT_REASON_NONE when something was */
    double margin;            /* best score minus that of the next candidate elsewhere */
    uint32_t margin_is_bound; /* 1: no other candidate was seen, so the margin is at least this */
    uint32_t copies;          /* other places whose residual is under 1: identical on the screen */
    vdt_match best;
} vdt_outcome;

typedef struct vdt_run_info {
    uint32_t struct_size;
    uint32_t device_index;
    const char* backend; /* that did the search, "" when none was needed */
    const char* device;
    const char* variant;
    const char* choice;  /* one sentence: why this backend, and what failed before it */
    double predicted_ms; /* -1 = not known */
    double measured_ms;  /* the whole find */
} vdt_run_info;

/* Looks for `pattern_count` patterns (at least 1) on the screen. The result holds matches best first for each pattern.
 */
VDT_API vdt_code vdt_find(vdt_context* context, vdt_screen* screen, vdt_pattern* const* patterns,
                          uint32_t pattern_count, const vdt_find_options* options, vdt_result** result,
                          vdt_error* error) VDT_NOEXCEPT;
VDT_API uint32_t vdt_result_match_count(const vdt_result* result) VDT_NOEXCEPT; /* all patterns together */
VDT_API vdt_code vdt_result_match(const vdt_result* result, uint32_t index, vdt_match* match,
                                  vdt_error* error) VDT_NOEXCEPT;
VDT_API vdt_code vdt_result_outcome(const vdt_result* result, uint32_t pattern, vdt_outcome* outcome,
                                    vdt_error* error) VDT_NOEXCEPT;
VDT_API vdt_code vdt_result_run(const vdt_result* result, vdt_run_info* info, vdt_error* error) VDT_NOEXCEPT;
VDT_API void vdt_result_destroy(vdt_result* result) VDT_NOEXCEPT;

VDT_API vdt_code vdt_cancel_create(vdt_cancel** cancel, vdt_error* error) VDT_NOEXCEPT;
/* Any thread. Finds that use it end with VDT_E_CANCELLED within milliseconds; stays set until reset. */
VDT_API void vdt_cancel_set(vdt_cancel* cancel) VDT_NOEXCEPT;
VDT_API void vdt_cancel_reset(vdt_cancel* cancel) VDT_NOEXCEPT;
VDT_API void vdt_cancel_destroy(vdt_cancel* cancel) VDT_NOEXCEPT;

/* ---- annotated picture ---------------------------------------------------------------------------------------------
 */

/* Writes a PNG of the screen with matches framed in green, the best refused candidate in red with its worst block, and
 * the score beside each. */
VDT_API vdt_code vdt_result_annotate(const vdt_result* result, const vdt_screen* screen, const char* path,
                                     vdt_error* error) VDT_NOEXCEPT;

/* ---- by local features ---------------------------------------------------------------------------------------------
 */

/* vdt_find_by_features; the defaults named here are vdt_feature_options_init's. */
typedef struct vdt_feature_options {
    uint32_t struct_size;
    uint32_t reserved;   /* 0 */
    double ratio;        /* a keypoint's nearest neighbour counts when it is nearer than this times the second; 0..1,
                            default 0.75 */
    double reprojection; /* pixels by which a pair of keypoints may miss the common place; 0.01..1000, default 3 */
    uint64_t seed;       /* of the random samples; the same seed gives the same answer; default 0 */
    const char* backend; /* as in vdt_find_options */
} vdt_feature_options;

/* As vdt_find_options_init. */
VDT_API void vdt_feature_options_init(vdt_feature_options* options) VDT_NOEXCEPT;

/* Where a pattern is by its local features, or why nowhere. */
typedef struct vdt_feature_place {
    uint32_t struct_size;
    uint32_t found;    /* 1: the place passed all guards */
    uint32_t has_quad; /* 1: `quad` is filled, also that of a place that was refused */
    uint32_t pairs;    /* keypoints of the pattern that are like one of the screen */
    uint32_t inliers;  /* pairs that agree on the place, with places of their own in both pictures */
    uint32_t pattern_keypoints;
    uint32_t screen_keypoints;
    uint32_t reserved;
    double quad[8];   /* corners x, y in scene pixels: top left, top right, bottom right, bottom left of the pattern */
    char reason[128]; /* a sentence; "" when found */
} vdt_feature_place;

/* Looks for a pattern that is turned, scaled or seen in perspective: SIFT keypoints of both (operation features, at
 * most the 20,000 strongest), their pairs and the homography that most agree on (operation feature_match). Of the
 * pattern its transparent pixels and excluded areas take no part. A place is refused when fewer than 12 pairs or a
 * quarter of them agree, when it is mirrored, no convex figure, under a tenth or above ten times the pattern's area, or
 * for the most part off the screen. vdt_find does this by itself after a miss, with more guards: it compares pixels as
 * well.
 *
 * `options` NULL = defaults. `place` (struct_size set) is filled. `info` (may be NULL): who paired the features, or
 * found none; measured_ms is the whole call's; its strings live as long as the context. Keypoints are kept with screen
 * and pattern for the next call. Errors: VDT_E_ARGUMENT, those of vdt_run_operation. */
VDT_API vdt_code vdt_find_by_features(vdt_context* context, vdt_screen* screen, vdt_pattern* pattern,
                                      const vdt_feature_options* options, vdt_feature_place* place, vdt_run_info* info,
                                      vdt_error* error) VDT_NOEXCEPT;

/* ---- restoration of a whole picture --------------------------------------------------------------------------------
 */

/* What a lens made of a point. */
enum {
    VDT_SPREAD_GAUSSIAN = 1, /* spread_size: sigma, 0.2 to 21.3 pixels */
    VDT_SPREAD_DISK = 2,     /* spread_size: radius, 0.5 to 64 pixels */
    VDT_SPREAD_MOTION = 3,   /* spread_size: length, 0.5 to 126 pixels; spread_angle */
    VDT_SPREAD_WEIGHTS = 4   /* spread_weights */
};

/* vdt_restore; the defaults named here are vdt_restore_options_init's. */
typedef struct vdt_restore_options {
    uint32_t struct_size;
    uint32_t method;     /* VDT_RESTORE_... of plugin/ops.h; default VDT_RESTORE_RICHARDSON_LUCY */
    uint32_t iterations; /* 1..100000, default 30; more are sharper, and make noise grow */
    uint32_t spread;     /* VDT_SPREAD_...; default VDT_SPREAD_GAUSSIAN. VDT_RESTORE_MIA_BLIND: the first guess */
    double spread_size;  /* default 1.5 */
    double spread_angle; /* degrees against the clock from the right; default 0 */
    const double* spread_weights; /* by rows, their middle the centre; at least 0, not all 0; at most 129 x 129 */
    uint32_t spread_width;
    uint32_t spread_height;
    const char* backend; /* as in vdt_find_options */
    /* Told how many of all tiles are done, on the calling thread; must not call back. NULL = nobody. */
    void (*progress)(void* user, uint32_t done, uint32_t all);
    void* progress_user;
} vdt_restore_options;

/* As vdt_find_options_init. */
VDT_API void vdt_restore_options_init(vdt_restore_options* options) VDT_NOEXCEPT;

/* How a picture was restored. */
typedef struct vdt_restoration {
    uint32_t struct_size;
    uint32_t tiles;     /* overlapping squares that it was cut into */
    uint32_t tile_side; /* pixels */
    uint32_t reserved;
    double
        spread_sigma; /* width of the point-spread function, as a Gaussian's sigma; blind: of the one that was found */
} vdt_restoration;

/* Sharpens 8-bit pixels that a lens or a movement blurred: every colour channel on its own, in overlapping tiles that
 * are blended; alpha stays as it is. Blind restoration finds the point-spread function where there is most structure,
 * then restores all of the picture with it.
 *
 * `options` NULL = defaults. `restored` (struct_size set) is filled with pixels of the same format, rows from the top;
 * its data belongs to the caller until vdt_pixels_free. `restoration` and `info` may be NULL; info: measured_ms is that
 * of all tiles; its strings live as long as the context. Errors: VDT_E_ARGUMENT, VDT_E_SIZE, VDT_E_UNSUPPORTED_FORMAT
 * (16 bit), those of vdt_run_operation. */
VDT_API vdt_code vdt_restore(vdt_context* context, const vdt_pixels* pixels, const vdt_restore_options* options,
                             vdt_pixels* restored, vdt_restoration* restoration, vdt_run_info* info,
                             vdt_error* error) VDT_NOEXCEPT;

/* ---- operations, direct --------------------------------------------------------------------------------------------
 */

/* Runs one operation on the backend the policy picks (or `backend`, as in vdt_find_options). Inputs, outputs, lists and
 * parameters as plugin/ops.h says, all in host memory. `info` (may be NULL) tells who did it; its strings live as long
 * as the context. */
VDT_API vdt_code vdt_run_operation(vdt_context* context, vdt_op op, const void* params, const vdt_image* const* inputs,
                                   uint32_t input_count, const vdt_image* const* outputs, uint32_t output_count,
                                   const vdt_list* const* lists_in, uint32_t list_in_count, vdt_list* const* lists_out,
                                   uint32_t list_out_count, const char* backend, vdt_run_info* info,
                                   vdt_error* error) VDT_NOEXCEPT;

/* ---- why -----------------------------------------------------------------------------------------------------------
 */

enum { VDT_EXPLAIN_MEASURE = 1u /* run every candidate as well, which takes as long as that takes */ };

/* From now on every operation of the context, also those that finds are made of, is written down: which backends,
 * devices and variants could do it, what each is predicted to take and of which terms that is made, which one was
 * taken and why. All devices are opened for that. Calls take longer meanwhile; their results are the same. Errors:
 * VDT_E_STATE when it was started already, VDT_E_ARGUMENT. */
VDT_API vdt_code vdt_explain_start(vdt_context* context, uint32_t flags, vdt_error* error) VDT_NOEXCEPT;

/* Ends that and gives what was written down, one JSON object.
 *
 *   measured: whether VDT_EXPLAIN_MEASURE was set
 *   left_out: how many calls beyond the first 10,000
 *   calls: one object each
 *     operation; inputs, outputs: width, height, format, memory ("pageable", "pinned", "device"), shared (screens and
 *       patterns, which devices can keep)
 *     chosen: backend, device_index, device, variant, predicted_ms (null: not known), measured_ms
 *     reason: one sentence
 *     decision_us: what deciding takes for a call like an earlier one, microseconds
 *     candidates: backend, device_index, device, variant
 *       parameters: "device properties", or "measured" and when
 *       counts: "exact", "upper bound", "estimate", "data-dependent"
 *       efficiency: the share of the device's speed that the code reaches, by which the terms are divided
 *       correction: what the times of earlier calls say the prediction must be multiplied by
 *       terms_ms: compute, idle (lanes carried along), memory, shared, constant, atomics, barrier, launch, to_device,
 *         to_host, overlap (what hides behind other terms, taken off), total
 *       predicted_ms: total * correction
 *       first_ms, measured_ms, error, with VDT_EXPLAIN_MEASURE only: the first run, with preparations; the median of
 *         three later ones, which the predictions are for; (predicted - measured) / measured. null where it failed;
 *         then also failure, a sentence
 *     excluded: device, reason: what the policy allows but cannot do the call, or forbids
 *
 * The text lives as long as the context. Errors: VDT_E_STATE when it was not started, VDT_E_ARGUMENT. */
VDT_API vdt_code vdt_explain_stop(vdt_context* context, const char** json, vdt_error* error) VDT_NOEXCEPT;

VDT_EXTERN_C_END
#endif
