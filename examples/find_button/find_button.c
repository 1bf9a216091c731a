/* find_button SCREEN PATTERN: where does the pattern lie on the screenshot? Prints the centre of the best match, which
 * is where a tool would click. Exit status: 0 found, 1 not found, 2 error. */
#include <vedette/vedette.h>

#include <stdio.h>

enum { FOUND = 0, NOT_FOUND = 1, FAILED = 2 };

typedef struct objects {
    vdt_context* context;
    vdt_screen* screen;
    vdt_pattern* pattern;
    vdt_result* result;
} objects;

static vdt_code find(objects* o, const char* screen, const char* pattern, vdt_error* error) {
    vdt_code code = vdt_context_create(NULL, &o->context, error);
    if (code >= 0) code = vdt_screen_from_file(o->context, screen, &o->screen, error);
    if (code >= 0) code = vdt_pattern_from_file(o->context, pattern, &o->pattern, error);
    if (code >= 0) code = vdt_find(o->context, o->screen, &o->pattern, 1, NULL, &o->result, error);
    return code;
}

static int report(const vdt_result* result, vdt_error* error) {
    vdt_outcome outcome = {0};
    outcome.struct_size = sizeof outcome;
    outcome.best.struct_size = sizeof outcome.best;
    vdt_run_info run = {0};
    run.struct_size = sizeof run;
    if (vdt_result_outcome(result, 0, &outcome, error) < 0 || vdt_result_run(result, &run, error) < 0) return FAILED;
    const vdt_match* best = &outcome.best;
    if (outcome.match_count > 0) {
        printf("click at %.0f, %.0f (score %.3f, %s)\n", best->x + best->w / 2, best->y + best->h / 2, best->score,
               run.backend);
        return FOUND;
    }
    printf("not found: %s", vdt_reason_text(outcome.reason));
    if (outcome.has_best) printf("; the nearest is at %.0f, %.0f (score %.3f)", best->x, best->y, best->score);
    printf("\n");
    return NOT_FOUND;
}

int main(int argc, char** argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: find_button SCREEN PATTERN\n");
        return FAILED;
    }
    objects o = {NULL, NULL, NULL, NULL};
    vdt_error error = {sizeof error, 0, 0, ""};
    const vdt_code code = find(&o, argv[1], argv[2], &error);
    const int status = code >= 0 ? report(o.result, &error) : FAILED;
    if (status == FAILED) fprintf(stderr, "find_button: %s\n", error.text);
    vdt_result_destroy(o.result); /* NULL is ignored */
    vdt_pattern_destroy(o.pattern);
    vdt_screen_destroy(o.screen);
    vdt_context_destroy(o.context);
    return status;
}
