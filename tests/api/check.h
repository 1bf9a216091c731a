/* A few lines instead of a test framework, so that vedette.h is compiled and used by a C compiler alone. */
#ifndef VEDETTE_TESTS_API_CHECK_H
#define VEDETTE_TESTS_API_CHECK_H

#include <vedette/vedette.h>

#include <stdio.h>
#include <string.h>

extern int failures;

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: %s is not so\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                               \
        }                                                                             \
    } while (0)

/* `call` ends with the argument `&error`; it must fail with `expected` and a sentence. */
#define CHECK_FAILS(expected, call)                                                                 \
    do {                                                                                            \
        vdt_error error = {sizeof error, 0, 0, ""};                                                 \
        const vdt_code code_ = (call);                                                              \
        if (code_ != (expected) || error.code != code_ || strlen(error.text) < 8) {                 \
            fprintf(stderr, "%s:%d: %s gives %s (%d), not %s: \"%s\"\n", __FILE__, __LINE__, #call, \
                    vdt_code_name(code_), (int)code_, #expected, error.text);                       \
            ++failures;                                                                             \
        }                                                                                           \
    } while (0)

#define CHECK_WORKS(call)                                                                                    \
    do {                                                                                                     \
        vdt_error error = {sizeof error, 0, 0, ""};                                                          \
        const vdt_code code_ = (call);                                                                       \
        if (code_ < 0) {                                                                                     \
            fprintf(stderr, "%s:%d: %s gives %s: \"%s\"\n", __FILE__, __LINE__, #call, vdt_code_name(code_), \
                    error.text);                                                                             \
            ++failures;                                                                                      \
        }                                                                                                    \
    } while (0)

/* What the tests share: a context with the cpu backend, a 64 x 48 screen and a pattern cut from it at (20, 10). */
enum { SCREEN_WIDTH = 64, SCREEN_HEIGHT = 48, PATTERN_X = 20, PATTERN_Y = 10, PATTERN_SIDE = 12 };
typedef struct fixture {
    unsigned char pixels[SCREEN_WIDTH * SCREEN_HEIGHT * 3];
    vdt_context* context;
    vdt_screen* screen;
    vdt_pattern* pattern;
} fixture;

vdt_pixels screen_pixels(const fixture* f);
vdt_pixels pattern_pixels(const fixture* f);

void test_nulls(fixture* f);      /* null_test.c */
void test_contexts(void);         /* context_test.c */
void test_images(fixture* f);     /* image_test.c */
void test_finds(fixture* f);      /* find_test.c */
void test_operations(fixture* f); /* operation_test.c */
void test_fork(fixture* f);       /* main.c */

#endif
