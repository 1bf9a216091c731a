/* find_button SCREEN PATTERN [OUT.png]: prints where a tool would click, and draws it.
 * Exit status: 0 found, 1 not found, 2 error. */
#include <vedette/vedette.h>

#include <stdio.h>

int main(int argc, char** argv) {
    if (argc < 3) return fprintf(stderr, "usage: find_button SCREEN PATTERN [OUT.png]\n"), 2;
    vdt_context* context = NULL;
    vdt_screen* screen = NULL;
    vdt_pattern* pattern = NULL;
    vdt_result* result = NULL;
    vdt_outcome outcome = {.struct_size = sizeof outcome, .best.struct_size = sizeof outcome.best};
    vdt_error error = {.struct_size = sizeof error};
    const int failed = vdt_context_create(NULL, &context, &error) < 0 ||
                       vdt_screen_from_file(context, argv[1], &screen, &error) < 0 ||
                       vdt_pattern_from_file(context, argv[2], &pattern, &error) < 0 ||
                       vdt_find(context, screen, &pattern, 1, NULL, &result, &error) < 0 ||
                       vdt_result_outcome(result, 0, &outcome, &error) < 0 ||
                       (argc > 3 && vdt_result_annotate(result, screen, argv[3], &error) < 0);
    const vdt_match* best = &outcome.best;
    if (failed)
        fprintf(stderr, "find_button: %s\n", error.text);
    else if (outcome.match_count > 0)
        printf("click at %.0f, %.0f\n", best->x + best->w / 2, best->y + best->h / 2);
    else
        printf("not found: %s, at best %.3f\n", vdt_reason_text(outcome.reason), best->score);
    vdt_result_destroy(result); /* NULL is ignored */
    vdt_pattern_destroy(pattern);
    vdt_screen_destroy(screen);
    vdt_context_destroy(context);
    return failed ? 2 : outcome.match_count > 0 ? 0 : 1;
}
