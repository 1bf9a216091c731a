/* libvedette_opencv_preload.so: put before OpenCV by LD_PRELOAD, it takes calls of cv::matchTemplate and of
 * cv::CascadeClassifier and gives them to the bridge, or to OpenCV itself when there is anything unusual.
 *
 * VEDETTE_OPENCV=off   hands every call on.
 * VEDETTE_LOG          1 = standard error, else a file: who did each call, and how long it took.
 *
 * Nothing here can fail: whatever is missing, the call goes to the function that the caller would have reached without
 * this library. */
#define _GNU_SOURCE
#include "preload.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Declares a function pointer: what dlsym gives is an object pointer, and POSIX promises that it holds the address. */
#define FUNCTION(type, name, address) \
    type* name;                       \
    memcpy(&name, &(address), sizeof name)

#define QUOTED_(name) #name
#define QUOTED(name) QUOTED_(name)

/* A function that is put before OpenCV's. */
struct symbol {
    const char* name;
    const char* library; /* begin of the file name of the library that has it */
    const char* version; /* the whole file name, of the OpenCV that the bridge was built for */
    const char* bridge;  /* what the bridge calls its own */
};

/* A call site, what it would have reached, and what it reaches instead. */
struct route {
    uintptr_t site;
    void* original;
    void* bridge; /* NULL: nothing else than the original */
};

/* Routes by site, written once each. A site that finds no place is looked up again at every call. */
enum { route_count = 64 };
static struct route routes[route_count];
static atomic_int route_states[route_count]; /* 0 free, 1 being written, 2 complete */

static pthread_once_t bridge_once = PTHREAD_ONCE_INIT;
static void* bridge; /* a handle, NULL when it cannot be loaded */

static void log_line(const char* format, ...) __attribute__((format(printf, 1, 2)));
static void log_line(const char* format, ...) {
    const char* const target = secure_getenv("VEDETTE_LOG");
    if (target == NULL || *target == '\0' || strcmp(target, "0") == 0) return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    if ((size_t)length > sizeof line - 2) length = (int)sizeof line - 2;
    line[length++] = '\n';
    const int file =
        strcmp(target, "1") == 0 ? STDERR_FILENO : open(target, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) return;
    if (write(file, line, (size_t)length) < 0) { /* there is nobody to tell */
    }
    if (file != STDERR_FILENO) close(file);
}

static bool turned_off(void) {
    const char* const wish = secure_getenv("VEDETTE_OPENCV");
    return wish != NULL && strcmp(wish, "off") == 0;
}

static const char* file_name(const char* path) {
    const char* const slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* What `handle` leads to, unless that lies in this library. */
static void* look_up(void* handle, const char* name) {
    void* const found = dlsym(handle, name);
    Dl_info there, here;
    if (found == NULL || dladdr(found, &there) == 0 || dladdr(routes, &here) == 0) return found;
    return there.dli_fbase == here.dli_fbase ? NULL : found;
}

/* Seen from the object that lies at `path` and is loaded already. */
static void* look_up_in(const char* path, const char* name) {
    void* const handle = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
    if (handle == NULL) return NULL;
    void* const found = look_up(handle, name);
    dlclose(handle);
    return found;
}

struct search {
    const char* library; /* begin of its file name */
    char path[PATH_MAX];
};

static int note_library(struct dl_phdr_info* info, size_t size, void* data) {
    (void)size;
    struct search* const search = data;
    if (info->dlpi_name == NULL) return 0;
    if (strncmp(file_name(info->dlpi_name), search->library, strlen(search->library)) != 0) return 0;
    snprintf(search->path, sizeof search->path, "%s", info->dlpi_name);
    return 1;
}

/* The function that the code of `caller` would have reached. Python and Java load their bindings, and with them OpenCV,
 * RTLD_LOCAL, where RTLD_NEXT of this library does not look; so the caller's own dependencies come first. Last, for a
 * caller whose frame is gone from the stack, any library of that name that is loaded. */
static void* original_for(const char* caller, const struct symbol* symbol) {
    void* found = caller == NULL ? NULL : look_up_in(caller, symbol->name);
    if (found == NULL) found = look_up(RTLD_NEXT, symbol->name);
    struct search search = {symbol->library, ""};
    if (found == NULL && dl_iterate_phdr(note_library, &search) != 0) found = look_up_in(search.path, symbol->name);
    return found;
}

static void load_bridge(void) {
    Dl_info here;
    char path[PATH_MAX];
    if (dladdr(routes, &here) == 0 || here.dli_fname == NULL) return;
    const int folder = (int)(file_name(here.dli_fname) - here.dli_fname);
    if (snprintf(path, sizeof path, "%.*s" VEDETTE_BRIDGE, folder, here.dli_fname) >= (int)sizeof path) return;
    bridge = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* never closed: its threads run on */
    if (bridge == NULL) log_line("vedette: OpenCV does everything: %s", dlerror());
}

static struct route find_route(uintptr_t site, const struct symbol* symbol) {
    struct route route = {site, NULL, NULL};
    Dl_info caller = {NULL, NULL, NULL, NULL}, original;
    const bool known = dladdr((void*)site, &caller) != 0 && caller.dli_fname != NULL;
    route.original = original_for(known ? caller.dli_fname : NULL, symbol);
    if (route.original == NULL) {
        /* No caller gets here: linking with the function means that its library is loaded. */
        fprintf(stderr, "libvedette_opencv_preload.so: %s is in no library that is loaded\n", symbol->name);
        abort();
    }
    if (turned_off()) {
        log_line("vedette: %s: OpenCV does it: VEDETTE_OPENCV is off", symbol->name);
    } else if (known && strncmp(file_name(caller.dli_fname), "vedette-", 8) == 0) {
        /* Or it would go round. */
        log_line("vedette: %s: OpenCV does it for the backend %s", symbol->name, caller.dli_fname);
    } else if (dladdr(route.original, &original) == 0 || strcmp(file_name(original.dli_fname), symbol->version) != 0) {
        log_line("vedette: %s: OpenCV does it: it is no part of %s", symbol->name, symbol->version);
    } else {
        pthread_once(&bridge_once, load_bridge);
        route.bridge = bridge == NULL ? NULL : dlsym(bridge, symbol->bridge);
    }
    return route;
}

/* Of the code that called from `site`. */
static struct route route_of(void* address, const struct symbol* symbol) {
    const uintptr_t site = (uintptr_t)address;
    const size_t first = (size_t)(site >> 2) % route_count;
    for (size_t i = 0; i < 4; ++i) {
        const size_t at = (first + i) % route_count;
        int state = atomic_load_explicit(&route_states[at], memory_order_acquire);
        if (state == 2 && routes[at].site == site) return routes[at];
        if (state != 0) continue;
        const struct route route = find_route(site, symbol);
        if (atomic_compare_exchange_strong(&route_states[at], &state, 1)) {
            routes[at] = route;
            atomic_store_explicit(&route_states[at], 2, memory_order_release);
        }
        return route;
    }
    return find_route(site, symbol);
}

#define EXPORTED __attribute__((visibility("default")))

/* Each is put before the function of its name. */

EXPORTED void VEDETTE_MATCH_TEMPLATE(const void* image, const void* pattern, const void* result, int method,
                                     const void* mask) {
    static const struct symbol symbol = {QUOTED(VEDETTE_MATCH_TEMPLATE), "libopencv_imgproc.so", VEDETTE_OPENCV_IMGPROC,
                                         "vedette_bridge_match_template"};
    const struct route route = route_of(__builtin_return_address(0), &symbol);
    FUNCTION(vedette_match_template_fn, original, route.original);
    FUNCTION(vedette_bridge_match_template_fn, ours, route.bridge);
    if (ours != NULL)
        ours(image, pattern, result, method, mask, original);
    else
        original(image, pattern, result, method, mask);
}

EXPORTED bool VEDETTE_LOAD_CASCADE(void* classifier, const void* filename) {
    static const struct symbol symbol = {QUOTED(VEDETTE_LOAD_CASCADE), "libopencv_objdetect.so",
                                         VEDETTE_OPENCV_OBJDETECT, "vedette_bridge_load_cascade"};
    const struct route route = route_of(__builtin_return_address(0), &symbol);
    FUNCTION(vedette_load_cascade_fn, original, route.original);
    FUNCTION(vedette_bridge_load_cascade_fn, ours, route.bridge);
    return ours != NULL ? ours(classifier, filename, original) : original(classifier, filename);
}

EXPORTED void VEDETTE_DETECT(void* classifier, const void* image, void* objects, double scale_factor, int min_neighbors,
                             int flags, vedette_size least, vedette_size most) {
    static const struct symbol symbol = {QUOTED(VEDETTE_DETECT), "libopencv_objdetect.so", VEDETTE_OPENCV_OBJDETECT,
                                         "vedette_bridge_detect"};
    const struct route route = route_of(__builtin_return_address(0), &symbol);
    FUNCTION(vedette_detect_fn, original, route.original);
    FUNCTION(vedette_bridge_detect_fn, ours, route.bridge);
    if (ours != NULL)
        ours(classifier, image, objects, scale_factor, min_neighbors, flags, least, most, original);
    else
        original(classifier, image, objects, scale_factor, min_neighbors, flags, least, most);
}

EXPORTED void VEDETTE_DETECT_COUNTS(void* classifier, const void* image, void* objects, void* counts,
                                    double scale_factor, int min_neighbors, int flags, vedette_size least,
                                    vedette_size most) {
    static const struct symbol symbol = {QUOTED(VEDETTE_DETECT_COUNTS), "libopencv_objdetect.so",
                                         VEDETTE_OPENCV_OBJDETECT, "vedette_bridge_detect_counts"};
    const struct route route = route_of(__builtin_return_address(0), &symbol);
    FUNCTION(vedette_detect_counts_fn, original, route.original);
    FUNCTION(vedette_bridge_detect_counts_fn, ours, route.bridge);
    if (ours != NULL)
        ours(classifier, image, objects, counts, scale_factor, min_neighbors, flags, least, most, original);
    else
        original(classifier, image, objects, counts, scale_factor, min_neighbors, flags, least, most);
}
