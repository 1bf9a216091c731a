/* Screens and patterns from pixels, memory and files that are wrong. */
#include "check.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Changes one thing of good pixels. */
#define CHECK_PIXELS(expected, change)                                                    \
    do {                                                                                  \
        vdt_pixels pixels = screen_pixels(f);                                             \
        change;                                                                           \
        CHECK_FAILS(expected, vdt_screen_create(f->context, &pixels, &screen, &error));   \
        CHECK_FAILS(expected, vdt_pattern_create(f->context, &pixels, &pattern, &error)); \
        CHECK(screen == NULL && pattern == NULL);                                         \
    } while (0)

/* The fixture's screen written in another order of channels and rows comes back the same. */
static void test_files(const fixture* f) {
    const char* const folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/vedette-api-%ld.png", folder != NULL ? folder : "/tmp", (long)getpid());
    vdt_pixels read = {0};
    read.struct_size = sizeof read;

    vdt_pixels bgr = screen_pixels(f);
    CHECK_WORKS(vdt_pixels_to_file(&bgr, path, &error));
    CHECK_WORKS(vdt_pixels_from_file(path, &read, &error));
    CHECK(read.format == VDT_FORMAT_BGR8 && read.width == SCREEN_WIDTH && read.height == SCREEN_HEIGHT);
    CHECK(read.bytes == sizeof f->pixels && memcmp(read.data, f->pixels, sizeof f->pixels) == 0);
    vdt_pixels_free(&read);

    /* Red first, and from the bottom up. */
    static unsigned char turned[SCREEN_HEIGHT][SCREEN_WIDTH * 3];
    for (size_t y = 0; y < SCREEN_HEIGHT; ++y)
        for (size_t i = 0; i < SCREEN_WIDTH * 3; ++i)
            turned[SCREEN_HEIGHT - 1 - y][i / 3 * 3 + 2 - i % 3] = f->pixels[y * SCREEN_WIDTH * 3 + i];
    const vdt_pixels rgb = {
        sizeof rgb,    VDT_FORMAT_RGB8,          SCREEN_WIDTH, SCREEN_HEIGHT, -(int64_t)sizeof turned[0],
        sizeof turned, turned[SCREEN_HEIGHT - 1]};
    CHECK_WORKS(vdt_pixels_to_file(&rgb, path, &error));
    CHECK_WORKS(vdt_pixels_from_file(path, &read, &error));
    CHECK(read.format == VDT_FORMAT_BGR8 && memcmp(read.data, f->pixels, sizeof f->pixels) == 0);
    vdt_pixels_free(&read);

    static const unsigned char gray[2][3] = {{1, 2, 3}, {4, 5, 250}};
    const vdt_pixels small = {sizeof small, VDT_FORMAT_GRAY8, 3, 2, 3, sizeof gray, gray};
    CHECK_WORKS(vdt_pixels_to_file(&small, path, &error));
    CHECK_WORKS(vdt_pixels_from_file(path, &read, &error));
    CHECK(read.format == VDT_FORMAT_GRAY8 && read.width == 3 && memcmp(read.data, gray, sizeof gray) == 0);
    vdt_pixels_free(&read);
    remove(path);

    static const uint16_t words[2] = {1, 65535};
    vdt_pixels wrong = {sizeof wrong, VDT_FORMAT_GRAY16, 2, 1, 4, sizeof words, words};
    CHECK_FAILS(VDT_E_UNSUPPORTED_FORMAT, vdt_pixels_to_file(&wrong, path, &error));
    wrong = small;
    wrong.format = VDT_FORMAT_GRAYF32;
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pixels_to_file(&wrong, path, &error));
    wrong = small;
    wrong.height = 3;
    CHECK_FAILS(VDT_E_SIZE, vdt_pixels_to_file(&wrong, path, &error));
    wrong.struct_size = 0;
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pixels_to_file(&wrong, path, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pixels_to_file(NULL, path, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pixels_to_file(&small, NULL, &error));
    CHECK_FAILS(VDT_E_FILE, vdt_pixels_to_file(&small, "/no/such/folder/a.png", &error));
    CHECK_FAILS(VDT_E_FILE, vdt_pixels_to_file(&small, "", &error));
    FILE* const left = fopen(path, "rb");
    CHECK(left == NULL); /* nothing was written */
}

void test_images(fixture* f) {
    test_files(f);
    vdt_screen* screen = NULL;
    vdt_pattern* pattern = NULL;
    CHECK_PIXELS(VDT_E_ARGUMENT, pixels.struct_size = 0);
    CHECK_PIXELS(VDT_E_ARGUMENT, pixels.data = NULL);
    CHECK_PIXELS(VDT_E_ARGUMENT, pixels.format = VDT_FORMAT_NONE);
    CHECK_PIXELS(VDT_E_ARGUMENT, pixels.format = 999);
    CHECK_PIXELS(VDT_E_ARGUMENT, pixels.format = VDT_FORMAT_F64);
    CHECK_PIXELS(VDT_E_SIZE, pixels.width = 0);
    CHECK_PIXELS(VDT_E_SIZE, pixels.height = 0);
    CHECK_PIXELS(VDT_E_SIZE, pixels.width = UINT32_MAX);
    CHECK_PIXELS(VDT_E_SIZE, pixels.height = UINT32_MAX);
    CHECK_PIXELS(VDT_E_SIZE, pixels.width = pixels.height = UINT32_MAX);
    CHECK_PIXELS(VDT_E_SIZE, pixels.width = VDT_MAX_DIMENSION + 1);
    CHECK_PIXELS(VDT_E_SIZE, pixels.width = SCREEN_WIDTH + 1);
    CHECK_PIXELS(VDT_E_SIZE, pixels.height = SCREEN_HEIGHT + 1);
    CHECK_PIXELS(VDT_E_SIZE, pixels.bytes = 0);
    CHECK_PIXELS(VDT_E_SIZE, --pixels.bytes);
    CHECK_PIXELS(VDT_E_SIZE, pixels.stride = 0);
    CHECK_PIXELS(VDT_E_SIZE, pixels.stride = INT64_MAX);
    CHECK_PIXELS(VDT_E_SIZE, pixels.stride = INT64_MIN);
    CHECK_PIXELS(VDT_E_SIZE, pixels.stride = INT64_C(1) << 60);
    CHECK_PIXELS(VDT_E_SIZE, pixels.stride = SCREEN_WIDTH * 3 + 1);

    /* From the bottom up: `data` points at the row that lies last in memory. */
    vdt_pixels upwards = screen_pixels(f);
    upwards.data = f->pixels + (SCREEN_HEIGHT - 1) * SCREEN_WIDTH * 3;
    upwards.stride = -upwards.stride;
    CHECK_WORKS(vdt_screen_create(f->context, &upwards, &screen, &error));
    vdt_result* result = NULL;
    CHECK_WORKS(vdt_find(f->context, screen, &f->pattern, 1, NULL, &result, &error));
    CHECK(vdt_result_match_count(result) == 0); /* it is upside down */
    vdt_result_destroy(result);
    vdt_screen_destroy(screen);
    upwards.bytes = SCREEN_WIDTH * 3;
    screen = NULL;
    CHECK_FAILS(VDT_E_SIZE, vdt_screen_create(f->context, &upwards, &screen, &error));

    /* One pixel. */
    vdt_pixels one = screen_pixels(f);
    one.width = one.height = 1;
    CHECK_WORKS(vdt_screen_create(f->context, &one, &screen, &error));
    CHECK_WORKS(vdt_find(f->context, screen, &f->pattern, 1, NULL, &result, &error));
    vdt_outcome outcome = {0};
    outcome.struct_size = sizeof outcome;
    outcome.best.struct_size = sizeof outcome.best;
    CHECK_WORKS(vdt_result_outcome(result, 0, &outcome, &error));
    CHECK(outcome.match_count == 0 && outcome.reason == VDT_REASON_TOO_LARGE);
    vdt_result_destroy(result);
    vdt_screen_destroy(screen);
    screen = NULL;

    /* Files and bytes that are no images. */
    CHECK_FAILS(VDT_E_FILE, vdt_screen_from_file(f->context, "/no/such/file.png", &screen, &error));
    CHECK_FAILS(VDT_E_FILE, vdt_screen_from_file(f->context, "", &screen, &error));
    CHECK_FAILS(VDT_E_FILE, vdt_screen_from_file(f->context, "/", &screen, &error));
    CHECK_FAILS(VDT_E_FILE, vdt_pattern_from_file(f->context, "/no/such/file.png", &pattern, &error));
    CHECK_FAILS(VDT_E_FORMAT, vdt_screen_from_memory(f->context, f->pixels, sizeof f->pixels, &screen, &error));
    CHECK_FAILS(VDT_E_FORMAT, vdt_screen_from_memory(f->context, f->pixels, 0, &screen, &error));
    static const unsigned char png_start[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n',
                                              0,    0,   0,   13,  'I',  'H',  'D',  'R'};
    CHECK_FAILS(VDT_E_FORMAT, vdt_screen_from_memory(f->context, png_start, sizeof png_start, &screen, &error));
    CHECK_FAILS(VDT_E_FORMAT, vdt_pattern_from_memory(f->context, png_start, sizeof png_start, &pattern, &error));
    CHECK(screen == NULL && pattern == NULL);

    /* Excluding. */
    const vdt_pixels small = pattern_pixels(f);
    CHECK_WORKS(vdt_pattern_create(f->context, &small, &pattern, &error));
    const vdt_rect everything = {0, 0, PATTERN_SIDE, PATTERN_SIDE}, huge = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};
    const vdt_rect negative = {0, 0, -3, -3}, corner = {0, 0, 3, 3};
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_exclude(pattern, &everything, 1, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_exclude(pattern, &negative, 1, &error));
    CHECK(vdt_pattern_exclude(pattern, &huge, 1, NULL) <= 0); /* lies outside: refused or without effect, no overflow */
    CHECK_WORKS(vdt_pattern_exclude(pattern, &corner, 1, &error));
    CHECK_WORKS(vdt_pattern_exclude(pattern, NULL, 0, &error));
    CHECK_WORKS(vdt_find(f->context, f->screen, &pattern, 1, NULL, &result, &error));
    CHECK(vdt_result_match_count(result) == 1);
    vdt_result_destroy(result);
    vdt_pattern_destroy(pattern);

    /* Transparent everywhere: nothing to look for. */
    static unsigned char clear[8 * 8 * 4];
    const vdt_pixels invisible = {sizeof invisible, VDT_FORMAT_BGRA8, 8, 8, 8 * 4, sizeof clear, clear};
    pattern = NULL;
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_create(f->context, &invisible, &pattern, &error));
}
