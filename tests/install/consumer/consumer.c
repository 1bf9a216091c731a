/* Finds PATTERN on SCREEN and prints the place and the library of the backend: 0 found, 1 not found, 2 error. */
#include <stdio.h>
#include <string.h>
#include <vedette/vedette.h>

static int fail(const vdt_error* error) {
    fprintf(stderr, "%s\n", error->text);
    return 2;
}

/* The file that backend `name` was loaded from. */
static void print_library(const vdt_context* context, const char* name) {
    uint32_t i;
    for (i = 0; i < vdt_backend_count(context); ++i) {
        vdt_backend_info info = {.struct_size = sizeof info};
        if (vdt_backend_at(context, i, &info, NULL) >= 0 && strcmp(info.backend, name) == 0) {
            printf(" %s", info.library);
        }
    }
}

static int find(vdt_context* context, vdt_screen* screen, vdt_pattern* pattern, vdt_error* error) {
    vdt_result* result = NULL;
    vdt_match match = {.struct_size = sizeof match};
    vdt_run_info run = {.struct_size = sizeof run};
    uint32_t count;
    if (vdt_find(context, screen, &pattern, 1, NULL, &result, error) < 0) return fail(error);
    count = vdt_result_match_count(result);
    if (count > 0 && (vdt_result_match(result, 0, &match, error) < 0 || vdt_result_run(result, &run, error) < 0)) {
        vdt_result_destroy(result);
        return fail(error);
    }
    if (count > 0) {
        printf("%.0f,%.0f", match.x, match.y);
        print_library(context, run.backend);
        printf("\n");
    }
    vdt_result_destroy(result);
    return count > 0 ? 0 : 1;
}

int main(int argc, char** argv) {
    vdt_error error = {.struct_size = sizeof error};
    vdt_context* context = NULL;
    vdt_screen* screen = NULL;
    vdt_pattern* pattern = NULL;
    int status;
    if (argc != 3) return 2;
    if (vdt_context_create(NULL, &context, &error) < 0) return fail(&error);
    if (vdt_screen_from_file(context, argv[1], &screen, &error) < 0 ||
        vdt_pattern_from_file(context, argv[2], &pattern, &error) < 0) {
        status = fail(&error);
    } else {
        status = find(context, screen, pattern, &error);
    }
    vdt_pattern_destroy(pattern);
    vdt_screen_destroy(screen);
    vdt_context_destroy(context);
    return status;
}
