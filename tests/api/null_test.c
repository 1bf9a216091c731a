/* Every function of vedette.h with NULL at each place, with and without an error record, and with objects of the wrong
 * kind. */
#include "check.h"

void test_nulls(fixture* f) {
    vdt_context* const no_context = NULL;
    vdt_screen* const no_screen = NULL;
    vdt_pattern* const no_pattern = NULL;
    vdt_result* const no_result = NULL;
    vdt_screen* screen = NULL;
    vdt_pattern* pattern = NULL;
    vdt_result* result = NULL;
    vdt_result* good = NULL;
    vdt_backend_info backend = {0};
    vdt_skipped_info skipped = {0};
    vdt_match match = {0};
    vdt_outcome outcome = {0};
    vdt_run_info run = {0};
    backend.struct_size = sizeof backend;
    skipped.struct_size = sizeof skipped;
    match.struct_size = sizeof match;
    outcome.struct_size = sizeof outcome;
    run.struct_size = sizeof run;
    const vdt_pixels pixels = screen_pixels(f);
    const vdt_rect rect = {0, 0, 2, 2};
    uint32_t width = 0, height = 0;
    CHECK_WORKS(vdt_find(f->context, f->screen, &f->pattern, 1, NULL, &good, &error));

    /* Texts */
    CHECK(vdt_version() != NULL && strcmp(vdt_version(), "1.0.0") == 0);
    CHECK(strcmp(vdt_code_name(VDT_E_TIMEOUT), "VDT_E_TIMEOUT") == 0);
    CHECK(strcmp(vdt_code_name(VDT_OK), "VDT_OK") == 0);
    CHECK(strcmp(vdt_code_name(-12345), "unknown code") == 0);
    CHECK(strcmp(vdt_operation_name(VDT_OP_TEMPLATE_FIND), "template_find") == 0);
    CHECK(vdt_operation_name(0) == NULL && vdt_operation_name(VDT_OP_COUNT) == NULL &&
          vdt_operation_name(0xFFFFFFFFu) == NULL);
    for (uint32_t reason = 0; reason < 10; ++reason) CHECK(vdt_reason_text(reason) != NULL);
    CHECK(vdt_reason_text(0xFFFFFFFFu) != NULL);

    /* Nothing to destroy */
    vdt_context_destroy(NULL);
    vdt_screen_destroy(NULL);
    vdt_pattern_destroy(NULL);
    vdt_result_destroy(NULL);
    vdt_cancel_destroy(NULL);
    vdt_cancel_set(NULL);
    vdt_cancel_reset(NULL);
    vdt_find_options_init(NULL);

    /* Context */
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_context_create(NULL, NULL, &error));
    CHECK(vdt_backend_count(NULL) == 0 && vdt_skipped_count(NULL) == 0);
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_backend_at(no_context, 0, &backend, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_backend_at(f->context, 0, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_backend_at(f->context, 9999, &backend, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_skipped_at(no_context, 0, &skipped, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_skipped_at(f->context, 0, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_skipped_at(f->context, 0xFFFFFFFFu, &skipped, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_set_preferable_backend(no_context, "auto", &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_set_preferable_backend(f->context, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_set_preferable_backend(f->context, "no-such-backend", &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_set_preferable_backend(f->context, "", &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_set_preferable_target(no_context, -1, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_set_preferable_target(f->context, -2, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_set_preferable_target(f->context, 9999, &error));

    /* Images */
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_screen_create(no_context, &pixels, &screen, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_screen_create(f->context, NULL, &screen, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_screen_create(f->context, &pixels, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_screen_from_file(no_context, "x.png", &screen, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_screen_from_file(f->context, NULL, &screen, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_screen_from_file(f->context, "x.png", NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_screen_from_memory(no_context, f->pixels, 10, &screen, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_screen_from_memory(f->context, NULL, 10, &screen, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_screen_from_memory(f->context, f->pixels, 10, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_screen_size(no_screen, &width, &height, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_create(no_context, &pixels, &pattern, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_create(f->context, NULL, &pattern, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_create(f->context, &pixels, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_from_file(no_context, "x.png", &pattern, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_from_file(f->context, NULL, &pattern, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_from_file(f->context, "x.png", NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_from_memory(no_context, f->pixels, 10, &pattern, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_from_memory(f->context, NULL, 10, &pattern, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_from_memory(f->context, f->pixels, 10, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_size(no_pattern, &width, &height, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_exclude(no_pattern, &rect, 1, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_exclude(f->pattern, NULL, 1, &error));

    /* Find and results */
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find(no_context, f->screen, &f->pattern, 1, NULL, &result, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find(f->context, no_screen, &f->pattern, 1, NULL, &result, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find(f->context, f->screen, NULL, 1, NULL, &result, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find(f->context, f->screen, &no_pattern, 1, NULL, &result, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find(f->context, f->screen, &f->pattern, 0, NULL, &result, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find(f->context, f->screen, &f->pattern, 0xFFFFFFFFu, NULL, &result, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find(f->context, f->screen, &f->pattern, 1, NULL, NULL, &error));
    CHECK(result == NULL);
    CHECK(vdt_result_match_count(NULL) == 0);
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_match(no_result, 0, &match, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_match(good, 0, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_match(good, 1, &match, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_outcome(no_result, 0, &outcome, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_outcome(good, 0, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_outcome(good, 1, &outcome, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_run(no_result, &run, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_run(good, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_annotate(no_result, f->screen, "x.png", &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_annotate(good, no_screen, "x.png", &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_annotate(good, f->screen, NULL, &error));
    CHECK_FAILS(VDT_E_FILE, vdt_result_annotate(good, f->screen, "/no/such/folder/x.png", &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_cancel_create(NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_run_operation(no_context, VDT_OP_CONVERT, NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0,
                                                  NULL, NULL, &error));

    vdt_feature_options features = {0};
    vdt_feature_place place = {0};
    features.struct_size = sizeof features;
    place.struct_size = sizeof place;
    run.struct_size = sizeof run;
    vdt_feature_options_init(NULL);
    vdt_feature_options_init(&features);
    CHECK(features.ratio == 0.75 && features.reprojection == 3 && features.seed == 0 && features.backend == NULL);
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find_by_features(no_context, f->screen, f->pattern, NULL, &place, &run, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find_by_features(f->context, no_screen, f->pattern, NULL, &place, &run, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find_by_features(f->context, f->screen, no_pattern, NULL, &place, &run, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find_by_features(f->context, f->screen, f->pattern, NULL, NULL, &run, &error));
    features.ratio = 2;
    CHECK_FAILS(VDT_E_ARGUMENT,
                vdt_find_by_features(f->context, f->screen, f->pattern, &features, &place, &run, &error));
    features.ratio = 0.75;
    features.reserved = 1;
    CHECK_FAILS(VDT_E_ARGUMENT,
                vdt_find_by_features(f->context, f->screen, f->pattern, &features, &place, &run, &error));
    place.found = 9;
    CHECK_WORKS(vdt_find_by_features(f->context, f->screen, f->pattern, NULL, &place, NULL, &error));
    CHECK(place.found == 1 ? place.reason[0] == '\0' : place.found == 0 && place.reason[0] != '\0');
    CHECK(place.inliers <= place.pairs && place.pairs <= place.pattern_keypoints);
    CHECK_WORKS(vdt_find_by_features(f->context, f->screen, f->pattern, NULL, &place, &run, &error));
    CHECK(run.backend != NULL && run.measured_ms >= 0);
    place.struct_size = 0;
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find_by_features(f->context, f->screen, f->pattern, NULL, &place, &run, &error));

    vdt_restore_options sharpen = {0};
    vdt_restoration restoration = {0};
    vdt_pixels restored = {0};
    sharpen.struct_size = sizeof sharpen;
    restoration.struct_size = sizeof restoration;
    restored.struct_size = sizeof restored;
    vdt_restore_options_init(NULL);
    vdt_restore_options_init(&sharpen);
    CHECK(sharpen.method == VDT_RESTORE_RICHARDSON_LUCY && sharpen.iterations == 30 &&
          sharpen.spread == VDT_SPREAD_GAUSSIAN && sharpen.spread_size == 1.5);
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_restore(no_context, &pixels, NULL, &restored, NULL, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_restore(f->context, NULL, NULL, &restored, NULL, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_restore(f->context, &pixels, NULL, NULL, NULL, NULL, &error));
#define REFUSED(field, value)                                                                                 \
    do {                                                                                                      \
        vdt_restore_options wrong = sharpen;                                                                  \
        wrong.field = value;                                                                                  \
        CHECK_FAILS(VDT_E_ARGUMENT, vdt_restore(f->context, &pixels, &wrong, &restored, NULL, NULL, &error)); \
        CHECK(restored.data == NULL);                                                                         \
    } while (0)
    REFUSED(method, 99);
    REFUSED(iterations, 0);
    REFUSED(iterations, 1000000);
    REFUSED(spread, 0);
    REFUSED(spread, 5);
    REFUSED(spread, VDT_SPREAD_WEIGHTS);
    REFUSED(spread_size, 1000);
    sharpen.iterations = 2;
    CHECK_WORKS(vdt_restore(f->context, &pixels, &sharpen, &restored, &restoration, &run, &error));
    CHECK(restored.width == pixels.width && restored.height == pixels.height && restored.format == pixels.format);
    CHECK(restored.data != NULL && restoration.tiles >= 1 && restoration.spread_sigma > 1);
    vdt_pixels_free(&restored);
    CHECK(restored.data == NULL);
    const double weights[3] = {1, -1, 1};
    sharpen.spread = VDT_SPREAD_WEIGHTS;
    sharpen.spread_weights = weights;
    sharpen.spread_width = 3;
    sharpen.spread_height = 1;
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_restore(f->context, &pixels, &sharpen, &restored, NULL, NULL, &error));

    const char* json = NULL;
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_explain_start(no_context, 0, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_explain_start(f->context, 0x80, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_explain_stop(no_context, &json, &error));
    CHECK_FAILS(VDT_E_STATE, vdt_explain_stop(f->context, &json, &error));
    CHECK_WORKS(vdt_explain_start(f->context, 0, &error));
    CHECK_FAILS(VDT_E_STATE, vdt_explain_start(f->context, 0, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_explain_stop(f->context, NULL, &error));
    CHECK_WORKS(vdt_explain_stop(f->context, &json, &error));
    CHECK(json != NULL && strstr(json, "\"calls\":[]") != NULL);

    /* Objects of another kind, and memory that is none */
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_find(f->context, (vdt_screen*)f->pattern, &f->pattern, 1, NULL, &result, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_screen_size((vdt_screen*)f->context, &width, &height, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_pattern_size((vdt_pattern*)f->pixels, &width, &height, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_backend_at((vdt_context*)f->screen, 0, &backend, &error));
    vdt_screen_destroy((vdt_screen*)f->pixels);

    /* Structs that are too small to hold anything */
    backend.struct_size = skipped.struct_size = match.struct_size = outcome.struct_size = run.struct_size = 0;
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_match(good, 0, &match, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_outcome(good, 0, &outcome, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_result_run(good, &run, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_backend_at(f->context, 0, &backend, &error));

    /* Without an error record the code says it alone; a record of unset size is left alone. */
    CHECK(vdt_find(NULL, NULL, NULL, 0, NULL, NULL, NULL) == VDT_E_ARGUMENT);
    CHECK(vdt_context_create(NULL, NULL, NULL) == VDT_E_ARGUMENT);
    vdt_error unset;
    memset(&unset, 0, sizeof unset);
    CHECK(vdt_screen_size(NULL, NULL, NULL, &unset) == VDT_E_ARGUMENT);
    CHECK(unset.text[0] == '\0');

    /* Either side of a size may be left out. */
    CHECK_WORKS(vdt_screen_size(f->screen, &width, NULL, &error));
    CHECK_WORKS(vdt_screen_size(f->screen, NULL, &height, &error));
    CHECK(width == SCREEN_WIDTH && height == SCREEN_HEIGHT);
    vdt_result_destroy(good);
}
