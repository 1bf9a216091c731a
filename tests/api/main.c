/* Misuse of vedette.h from C: every function, wrong in every way that can be told; each refused with the right code and
 * a sentence, and the objects go on working. */
#include "check.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int failures = 0;

vdt_pixels screen_pixels(const fixture* f) {
    vdt_pixels pixels = {sizeof pixels, VDT_FORMAT_BGR8, SCREEN_WIDTH, SCREEN_HEIGHT, SCREEN_WIDTH * 3, 0, NULL};
    pixels.bytes = sizeof f->pixels;
    pixels.data = f->pixels;
    return pixels;
}

vdt_pixels pattern_pixels(const fixture* f) {
    vdt_pixels pixels = screen_pixels(f);
    const size_t first = (PATTERN_Y * SCREEN_WIDTH + PATTERN_X) * 3;
    pixels.width = pixels.height = PATTERN_SIDE;
    pixels.data = f->pixels + first;
    pixels.bytes = sizeof f->pixels - first;
    return pixels;
}

static void set_up(fixture* f) {
    unsigned state = 12345;
    for (size_t i = 0; i < sizeof f->pixels; ++i) {
        state = state * 1664525u + 1013904223u;
        f->pixels[i] = (unsigned char)(state >> 24);
    }
    vdt_context_options options = {0};
    options.struct_size = sizeof options;
    options.threads = 2;
    options.config_text = "{\"schema\": 1, \"order\": [\"cpu\"], \"backends\": {\"opencv\": {\"enabled\": false}}}";
    CHECK_WORKS(vdt_context_create(&options, &f->context, &error));
    const vdt_pixels screen = screen_pixels(f), pattern = pattern_pixels(f);
    CHECK_WORKS(vdt_screen_create(f->context, &screen, &f->screen, &error));
    CHECK_WORKS(vdt_pattern_create(f->context, &pattern, &f->pattern, &error));
}

static void tear_down(fixture* f) {
    vdt_pattern_destroy(f->pattern);
    vdt_screen_destroy(f->screen);
    vdt_context_destroy(f->context);
}

/* The pattern is found where it lies: nothing that came before has damaged the objects. */
static void check_sound(fixture* f) {
    vdt_result* result = NULL;
    CHECK_WORKS(vdt_find(f->context, f->screen, &f->pattern, 1, NULL, &result, &error));
    CHECK(vdt_result_match_count(result) == 1);
    vdt_match match = {0};
    match.struct_size = sizeof match;
    CHECK_WORKS(vdt_result_match(result, 0, &match, &error));
    CHECK(match.x == PATTERN_X && match.y == PATTERN_Y && match.score == 1);
    vdt_result_destroy(result);
}

/* In a forked child every call that would need threads or devices is refused, and none hangs. */
void test_fork(fixture* f) {
    fflush(NULL);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        failures = 0;
        alarm(20); /* a hang ends the child, and is seen as a failure */
        vdt_result* result = NULL;
        vdt_screen* screen = NULL;
        const vdt_pixels pixels = screen_pixels(f);
        CHECK_FAILS(VDT_E_FORKED, vdt_find(f->context, f->screen, &f->pattern, 1, NULL, &result, &error));
        CHECK_FAILS(VDT_E_FORKED, vdt_screen_create(f->context, &pixels, &screen, &error));
        CHECK_FAILS(VDT_E_FORKED, vdt_set_preferable_backend(f->context, "auto", &error));
        /* A context of the child's own works. */
        fixture own;
        memset(&own, 0, sizeof own);
        set_up(&own);
        check_sound(&own);
        tear_down(&own);
        fflush(NULL);
        _exit(failures == 0 ? 0 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    static fixture f;
    set_up(&f);
    if (failures > 0) return 1;
    check_sound(&f);
    test_nulls(&f);
    test_contexts();
    test_images(&f);
    test_finds(&f);
    test_operations(&f);
    test_fork(&f);
    check_sound(&f);
    tear_down(&f);
    if (failures == 0) puts("all refused as they should be");
    return failures == 0 ? 0 : 1;
}
