/* Contexts: options and configurations that are wrong. */
#include "check.h"

#include <stdlib.h>

static vdt_context_options options_with(const char* config) {
    vdt_context_options options = {0};
    options.struct_size = sizeof options;
    options.config_text = config;
    return options;
}

/* The text must be refused, and the sentence must name `culprit`. */
static void check_config(const char* config, const char* culprit) {
    const vdt_context_options options = options_with(config);
    vdt_context* context = NULL;
    vdt_error error = {sizeof error, 0, 0, ""};
    const vdt_code code = vdt_context_create(&options, &context, &error);
    if (code != VDT_E_CONFIG || context != NULL || strstr(error.text, culprit) == NULL) {
        fprintf(stderr, "configuration %.60s gives %s: \"%s\", which does not name %s\n", config, vdt_code_name(code),
                error.text, culprit);
        ++failures;
    }
    vdt_context_destroy(context);
}

void test_contexts(void) {
    check_config("", "line 1");
    check_config("{", "line 1");
    check_config("[]", "object");
    check_config("{\"schema\": 1, \"no_such_key\": 3}", "no_such_key");
    check_config("{\"schema\": 2}", "schema");
    check_config("{\"schema\": 1, \"threads\": \"many\"}", "threads");
    check_config("{\"schema\": 1, \"threads\": -1}", "threads");
    check_config("{\"schema\": 1, \"order\": \"cpu\"}", "order");
    check_config("{\"schema\": 1, \"plugin_directories\": [\"relative/folder\"]}", "plugin_directories");
    check_config("{\"schema\": 1, \"policy\": {\"default\": {\"mode\": \"sometimes\"}}}", "mode");

    /* Very deep, and very long. */
    enum { DEPTH = 100000 };
    char* deep = malloc(DEPTH + 1);
    CHECK(deep != NULL);
    if (deep == NULL) return;
    memset(deep, '[', DEPTH);
    deep[DEPTH] = '\0';
    check_config(deep, "");
    free(deep);

    vdt_context* context = NULL;
    vdt_context_options options = options_with(NULL);
    options.config_file = "/no/such/configuration.json";
    CHECK_FAILS(VDT_E_FILE, vdt_context_create(&options, &context, &error));
    options = options_with("{\"schema\": 1}");
    options.struct_size = 0;
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_context_create(&options, &context, &error));
    options = options_with("{\"schema\": 1}");
    options.plugin_directory = "relative";
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_context_create(&options, &context, &error));
    options = options_with("{\"schema\": 1}");
    options.threads = 0xFFFFFFFFu;
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_context_create(&options, &context, &error));
    CHECK(context == NULL);

    /* No backend at all is no error of the context; what needs one says so. */
    options = options_with(
        "{\"schema\": 1, \"backends\": {\"cpu\": {\"enabled\": false}, \"opencv\": {\"enabled\": false}}}");
    CHECK_WORKS(vdt_context_create(&options, &context, &error));
    CHECK(vdt_skipped_count(context) >= 1);
    vdt_skipped_info skipped = {0};
    skipped.struct_size = sizeof skipped;
    CHECK_WORKS(vdt_skipped_at(context, 0, &skipped, &error));
    CHECK(skipped.backend != NULL && skipped.library != NULL && skipped.stage != NULL && skipped.reason != NULL);
    vdt_context_destroy(context);
}
