/* The least a plugin must have, with misbehaviour on request: the option "misbehave" of create. The loader's tests make
 * copies with other ids by writing over the one below. */
#include <vedette/plugin/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char id[32] = "small_plugin_for_tests";
static int instance;
static int device;

static vdt_code refuse(vdt_error* error, vdt_code code, const char* text) {
    if (error != NULL) {
        error->code = code;
        snprintf(error->text, sizeof error->text, "%s", text);
    }
    return code;
}

static vdt_code create(const vdt_host* host, const vdt_option* options, uint32_t count, vdt_self** self,
                       vdt_error* error) {
    (void)host;
    for (uint32_t i = 0; i < count; ++i) {
        if (strcmp(options[i].key, "misbehave") != 0 || options[i].kind != VDT_OPTION_TEXT)
            return refuse(error, VDT_E_OPTION, "The only option is `misbehave`, a text.");
        if (strcmp(options[i].text, "crash") == 0) abort();
        if (strcmp(options[i].text, "hang") == 0)
            for (;;) sleep(1);
        if (strcmp(options[i].text, "leave") == 0) _exit(3);
        if (strcmp(options[i].text, "print") == 0) puts("ok\nrefused -1 nonsense"), fflush(stdout);
    }
    *self = (vdt_self*)&instance;
    return VDT_OK;
}

static void destroy(vdt_self* self) {
    (void)self;
}

static vdt_code device_count(vdt_self* self, uint32_t* count, vdt_error* error) {
    (void)self, (void)error;
    *count = 1;
    return VDT_OK;
}

static vdt_code device_info(vdt_self* self, uint32_t index, vdt_device_info* info, vdt_error* error) {
    (void)self, (void)index, (void)error;
    info->kind = VDT_DEVICE_CPU;
    strcpy(info->name, "small device");
    strcpy(info->uid, "cpu:0");
    return VDT_OK;
}

static vdt_code device_open(vdt_self* self, uint32_t index, vdt_device** opened, vdt_error* error) {
    (void)self, (void)index, (void)error;
    *opened = (vdt_device*)&device;
    return VDT_OK;
}

static void device_close(vdt_device* closed) {
    (void)closed;
}

static vdt_code op_support(vdt_device* asked, const vdt_query* query, vdt_op_support* support, vdt_error* error) {
    (void)asked, (void)query, (void)support;
    return refuse(error, VDT_E_UNSUPPORTED_OP, "This plugin does nothing.");
}

static vdt_code op_variant(vdt_device* asked, const vdt_query* query, vdt_variant_info* info, vdt_error* error) {
    (void)asked, (void)query, (void)info;
    return refuse(error, VDT_E_UNSUPPORTED_OP, "This plugin does nothing.");
}

static vdt_code plan_create(vdt_device* asked, const vdt_query* query, vdt_plan** plan, vdt_error* error) {
    (void)asked, (void)query, (void)plan;
    return refuse(error, VDT_E_UNSUPPORTED_OP, "This plugin does nothing.");
}

static vdt_code plan_run(vdt_plan* plan, const vdt_call* call, vdt_error* error) {
    (void)plan, (void)call;
    return refuse(error, VDT_E_UNSUPPORTED_OP, "This plugin does nothing.");
}

static void plan_destroy(vdt_plan* plan) {
    (void)plan;
}

static const vdt_plugin table = {
    .struct_size = sizeof(vdt_plugin),
    .id = id,
    .version = "1.0.0",
    .description = "Does nothing",
    .create = create,
    .destroy = destroy,
    .device_count = device_count,
    .device_info = device_info,
    .device_open = device_open,
    .device_close = device_close,
    .op_support = op_support,
    .op_variant = op_variant,
    .plan_create = plan_create,
    .plan_run = plan_run,
    .plan_destroy = plan_destroy,
};

const vdt_plugin* VDT_PLUGIN_ENTRY(uint32_t host_minor_min, uint32_t host_minor_max, vdt_error* why) {
    (void)host_minor_max, (void)why;
    return host_minor_min == 0 ? &table : NULL;
}
