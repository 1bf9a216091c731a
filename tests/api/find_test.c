/* Finds with options that make no sense, and with those that are merely unusual. */
#include "check.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>

#define CHECK_OPTIONS(expected, change)                                                                    \
    do {                                                                                                   \
        vdt_find_options options;                                                                          \
        memset(&options, 0, sizeof options);                                                               \
        options.struct_size = sizeof options;                                                              \
        vdt_find_options_init(&options);                                                                   \
        change;                                                                                            \
        CHECK_FAILS(expected, vdt_find(f->context, f->screen, &f->pattern, 1, &options, &result, &error)); \
        CHECK(result == NULL);                                                                             \
    } while (0)

void test_finds(fixture* f) {
    vdt_result* result = NULL;
    static const double not_a_scale[] = {1.0, NAN}, zero_scale[] = {0.0}, negative_scale[] = {-1.0},
                        endless_scale[] = {INFINITY};
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.struct_size = 0);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.threshold = NAN);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.threshold = 1.5);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.threshold = -1.5);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.threshold = INFINITY);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.floor = NAN);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.floor = -2);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.strictness = NAN);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.strictness = 100);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.strictness = -1);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.overlap = NAN);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.overlap = 2);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.color = 77);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.verify = 77);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.all = 77);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.time_limit = NAN);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.time_limit = -1);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.exclude_count = 3);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.scale_count = 3);
    CHECK_OPTIONS(VDT_E_ARGUMENT, (options.scales = not_a_scale, options.scale_count = 2));
    CHECK_OPTIONS(VDT_E_ARGUMENT, (options.scales = zero_scale, options.scale_count = 1));
    CHECK_OPTIONS(VDT_E_ARGUMENT, (options.scales = negative_scale, options.scale_count = 1));
    CHECK_OPTIONS(VDT_E_ARGUMENT, (options.scales = endless_scale, options.scale_count = 1));
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.region.x = -1);
    CHECK_OPTIONS(VDT_E_ARGUMENT, (options.region.w = SCREEN_WIDTH + 1, options.region.h = 10));
    CHECK_OPTIONS(VDT_E_ARGUMENT, (options.region.w = -5, options.region.h = -5));
    CHECK_OPTIONS(VDT_E_ARGUMENT, (options.region.x = INT_MAX, options.region.w = INT_MAX, options.region.h = 1));
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.cancel = (vdt_cancel*)f->screen);
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.backend = "cpu:x");
    CHECK_OPTIONS(VDT_E_ARGUMENT, options.backend = ":");

    vdt_error why = {sizeof why, 0, 0, ""};
    vdt_find_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    vdt_find_options_init(&options);
    CHECK(options.struct_size == sizeof options);

    /* A backend that is not there is no fault of the call's form; the sentence names it. */
    options.backend = "no-such-backend";
    CHECK(vdt_find(f->context, f->screen, &f->pattern, 1, &options, &result, &why) < 0);
    CHECK(strstr(why.text, "no-such-backend") != NULL);
    options.backend = "cpu:99";
    CHECK(vdt_find(f->context, f->screen, &f->pattern, 1, &options, &result, &why) < 0);
    CHECK(result == NULL);

    /* Stopped before it began. */
    vdt_find_options_init(&options);
    vdt_cancel* cancel = NULL;
    CHECK_WORKS(vdt_cancel_create(&cancel, &error));
    options.cancel = cancel;
    vdt_cancel_set(cancel);
    CHECK_FAILS(VDT_E_CANCELLED, vdt_find(f->context, f->screen, &f->pattern, 1, &options, &result, &error));
    vdt_cancel_reset(cancel);
    CHECK_WORKS(vdt_find(f->context, f->screen, &f->pattern, 1, &options, &result, &error));
    CHECK(vdt_result_match_count(result) == 1);
    vdt_result_destroy(result);
    vdt_cancel_destroy(cancel);
    result = NULL;
    vdt_find_options_init(&options);
    options.time_limit = 1e-9;
    CHECK_FAILS(VDT_E_TIMEOUT, vdt_find(f->context, f->screen, &f->pattern, 1, &options, &result, &error));

    /* Areas that lie anywhere may be excluded. */
    vdt_find_options_init(&options);
    const vdt_rect outside[] = {{INT_MIN, INT_MIN, INT_MAX, INT_MAX}, {1000, 1000, 5, 5}, {-7, -7, 3, 3}};
    options.exclude = outside;
    options.exclude_count = 3;
    CHECK_WORKS(vdt_find(f->context, f->screen, &f->pattern, 1, &options, &result, &error));
    CHECK(vdt_result_match_count(result) == 1);
    vdt_result_destroy(result);

    /* The same pattern twice is two patterns. */
    vdt_pattern* twice[] = {f->pattern, f->pattern};
    CHECK_WORKS(vdt_find(f->context, f->screen, twice, 2, NULL, &result, &error));
    CHECK(vdt_result_match_count(result) == 2);
    vdt_result_destroy(result);

    /* A structure that an older program knows less of is filled as far as that goes. */
    CHECK_WORKS(vdt_find(f->context, f->screen, &f->pattern, 1, NULL, &result, &error));
    vdt_match match;
    memset(&match, 0x5A, sizeof match);
    match.struct_size = offsetof(vdt_match, scale);
    double untouched;
    memcpy(&untouched, &match.scale, sizeof untouched);
    if (vdt_result_match(result, 0, &match, NULL) == VDT_OK)
        CHECK(memcmp(&untouched, &match.scale, sizeof untouched) == 0);
    vdt_result_destroy(result);
}
