/* A complete backend in plain C: one operation, `convert` from BGR8 to GRAY8, on one thread. It shows that the ABI
 * needs no C++, and none of the help for it.
 *
 * Read it from the bottom up: the entry hands out a constant table; the table's functions make an instance, list its
 * one device, answer what it can do, make a plan and run it. What every backend must do, and what is easy to forget, is
 * done here: sizes are checked before memory is touched, strides may be negative, unknown things are refused with a
 * code of the right range and a sentence, nothing is printed, and all memory comes from the host. */
#include <vedette/plugin/plugin.h>

#include <stdio.h>
#include <string.h>

/* The objects that plugin.h leaves opaque are ours to define. */
struct vdt_self {
    const vdt_host* host;
};

struct vdt_device {
    const vdt_host* host;
};

struct vdt_plan {
    const vdt_host* host;
    uint32_t width, height;
};

enum { BGR_BYTES = 3, GRAY_BYTES = 1 };

static vdt_code fail(vdt_error* error, vdt_code code, const char* text) {
    if (error != NULL && error->struct_size >= sizeof *error) {
        error->code = code;
        error->native_code = 0;
        snprintf(error->text, sizeof error->text, "%s", text);
    }
    return code;
}

static void* take(const vdt_host* host, uint64_t bytes) {
    return host->alloc(host->ctx, bytes, 16);
}
static void give_back(const vdt_host* host, void* memory) {
    host->free(host->ctx, memory);
}

/* ---- what can be done ----------------------------------------------------------------------------------------------
 */

/* Blocks chained behind a struct: those that must be understood are refused, the others are skipped. */
static vdt_code check_links(const vdt_link* link, vdt_error* error) {
    for (; link != NULL; link = link->next)
        if (link->kind & VDT_LINK_MUST_UNDERSTAND)
            return fail(error, VDT_E_UNSUPPORTED, "plain_c: a required block of a later version is not known here");
    return VDT_OK;
}

/* What a query can be asked about an image: the pixels need not exist yet. */
static vdt_code check_shape(const vdt_image* image, vdt_format format, vdt_error* error) {
    if (image == NULL || image->struct_size < sizeof *image)
        return fail(error, VDT_E_ARGUMENT, "plain_c: an image is NULL or its struct_size is too small");
    if (image->format != format)
        return fail(error, VDT_E_UNSUPPORTED_FORMAT, "plain_c: only BGR8 to GRAY8 is done here");
    if (image->memory != VDT_MEMORY_HOST)
        return fail(error, VDT_E_UNSUPPORTED_MEMORY, "plain_c: images must lie in host memory");
    if (image->width == 0 || image->height == 0 || image->width > VDT_MAX_DIMENSION ||
        image->height > VDT_MAX_DIMENSION)
        return fail(error, VDT_E_SIZE, "plain_c: an image must be 1 to 65535 pixels wide and high");
    if (image->plane_count != 1) return fail(error, VDT_E_ARGUMENT, "plain_c: BGR8 and GRAY8 images have one plane");
    return check_links(image->next, error);
}

static vdt_code check_query(const vdt_device* device, const vdt_query* query, vdt_error* error) {
    if (device == NULL || query == NULL || query->struct_size < sizeof *query)
        return fail(error, VDT_E_ARGUMENT, "plain_c: the device or query is NULL, or struct_size is too small");
    const vdt_code links = check_links(query->next, error);
    if (links != VDT_OK) return links;
    if (query->op != VDT_OP_CONVERT) return fail(error, VDT_E_UNSUPPORTED_OP, "plain_c: only convert is done here");
    if (query->input_count == 0) return VDT_OK; /* a general question */
    if (query->input_count != 1 || query->output_count != 1 || query->inputs == NULL || query->outputs == NULL)
        return fail(error, VDT_E_ARGUMENT, "plain_c: convert takes one input and one output");
    const vdt_code input = check_shape(query->inputs[0], VDT_FORMAT_BGR8, error);
    if (input != VDT_OK) return input;
    const vdt_code output = check_shape(query->outputs[0], VDT_FORMAT_GRAY8, error);
    if (output != VDT_OK) return output;
    if (query->inputs[0]->width != query->outputs[0]->width || query->inputs[0]->height != query->outputs[0]->height)
        return fail(error, VDT_E_SIZE, "plain_c: convert's input and output differ in size");
    return VDT_OK;
}

static vdt_code op_support(vdt_device* device, const vdt_query* query, vdt_op_support* support, vdt_error* error) {
    if (support == NULL || support->struct_size < sizeof *support)
        return fail(error, VDT_E_ARGUMENT, "plain_c: the answer is NULL or its struct_size is too small");
    memset((char*)support + sizeof support->struct_size, 0, sizeof *support - sizeof support->struct_size);
    const vdt_code code = check_query(device, query, error);
    if (code != VDT_OK) return code;
    support->level = VDT_SUPPORT_YES;
    support->input_formats = VDT_FORMAT_BIT(VDT_FORMAT_BGR8);
    support->output_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8);
    support->memory_mask = 1u << VDT_MEMORY_HOST;
    support->variant_count = 1;
    support->determinism = VDT_DETERMINISM_EXACT;
    support->row_alignment = 1;
    support->scratch_bytes = sizeof(vdt_plan);
    return VDT_OK;
}

static vdt_code check_variant(const vdt_device* device, const vdt_query* query, vdt_error* error) {
    const vdt_code code = check_query(device, query, error);
    if (code != VDT_OK) return code;
    return query->variant == 0 ? VDT_OK : fail(error, VDT_E_ARGUMENT, "plain_c: convert has one variant, number 0");
}

static vdt_code op_variant(vdt_device* device, const vdt_query* query, vdt_variant_info* info, vdt_error* error) {
    if (info == NULL || info->struct_size < sizeof *info)
        return fail(error, VDT_E_ARGUMENT, "plain_c: the answer is NULL or its struct_size is too small");
    const vdt_code code = check_variant(device, query, error);
    if (code != VDT_OK) return code;
    info->flags = 0;
    snprintf(info->name, sizeof info->name, "plain");
    return VDT_OK;
}

/* ---- plans ---------------------------------------------------------------------------------------------------------
 */

static vdt_code plan_create(vdt_device* device, const vdt_query* query, vdt_plan** plan, vdt_error* error) {
    if (plan == NULL) return fail(error, VDT_E_ARGUMENT, "plain_c: there is nowhere to put the plan");
    *plan = NULL;
    const vdt_code code = check_variant(device, query, error);
    if (code != VDT_OK) return code;
    if (query->input_count == 0) return fail(error, VDT_E_ARGUMENT, "plain_c: a plan needs the images' sizes");
    vdt_plan* made = take(device->host, sizeof *made);
    if (made == NULL) return fail(error, VDT_E_OUT_OF_MEMORY, "plain_c: out of host memory");
    made->host = device->host;
    made->width = query->inputs[0]->width;
    made->height = query->inputs[0]->height;
    *plan = made;
    return VDT_OK;
}

/* Finds the first row of an image whose shape is known to be good, and checks that every row lies inside its buffer. In
 * unsigned numbers, by division: nothing here can overflow, whatever the caller says. */
static vdt_code first_row(const vdt_image* image, uint64_t pixel_bytes, unsigned char** row, vdt_error* error) {
    const vdt_plane* plane = &image->plane[0];
    const uint64_t row_bytes = image->width * pixel_bytes;
    const uint64_t steps = image->height - 1;
    const uint64_t stride = plane->row_stride < 0 ? 0 - (uint64_t)plane->row_stride : (uint64_t)plane->row_stride;
    if (plane->base == NULL) return fail(error, VDT_E_ARGUMENT, "plain_c: an image has no pixels");
    if (steps > 0 && (stride < row_bytes || stride > plane->bytes / steps))
        return fail(error, VDT_E_SIZE, "plain_c: an image's row stride is shorter than a row or leaves its buffer");
    const uint64_t span = steps * stride; /* at most plane->bytes */
    const uint64_t before = plane->row_stride < 0 ? span : 0;
    const uint64_t after = row_bytes + (plane->row_stride < 0 ? 0 : span);
    if (plane->offset > plane->bytes || plane->offset < before || plane->bytes - plane->offset < after)
        return fail(error, VDT_E_SIZE, "plain_c: an image's rows leave its buffer");
    *row = (unsigned char*)plane->base + plane->offset;
    return VDT_OK;
}

static vdt_code plan_run(vdt_plan* plan, const vdt_call* call, vdt_error* error) {
    if (plan == NULL || call == NULL || call->struct_size < sizeof *call)
        return fail(error, VDT_E_ARGUMENT, "plain_c: the plan or call is NULL, or struct_size is too small");
    if (call->input_count != 1 || call->output_count != 1 || call->inputs == NULL || call->outputs == NULL)
        return fail(error, VDT_E_ARGUMENT, "plain_c: convert takes one input and one output");
    if (call->stream != NULL || call->done != NULL)
        return fail(error, VDT_E_UNSUPPORTED, "plain_c: there are no streams here");
    vdt_code code = check_links(call->next, error);
    const vdt_image* input = call->inputs[0];
    const vdt_image* output = call->outputs[0];
    if (code == VDT_OK) code = check_shape(input, VDT_FORMAT_BGR8, error);
    if (code == VDT_OK) code = check_shape(output, VDT_FORMAT_GRAY8, error);
    if (code != VDT_OK) return code;
    if (input->width != plan->width || input->height != plan->height || output->width != plan->width ||
        output->height != plan->height)
        return fail(error, VDT_E_SIZE, "plain_c: the images differ in size from the plan");
    unsigned char *from = NULL, *to = NULL;
    code = first_row(input, BGR_BYTES, &from, error);
    if (code == VDT_OK) code = first_row(output, GRAY_BYTES, &to, error);
    if (code != VDT_OK) return code;

    const vdt_host* host = plan->host;
    for (uint32_t y = 0; y < plan->height; ++y) {
        code = host->cancelled(host->ctx, call->token);
        if (code != VDT_OK) return fail(error, code, "plain_c: stopped by the caller");
        const unsigned char* bgr = from + (int64_t)y * input->plane[0].row_stride;
        unsigned char* gray = to + (int64_t)y * output->plane[0].row_stride;
        for (uint32_t x = 0; x < plan->width; ++x, bgr += BGR_BYTES)
            gray[x] = (unsigned char)((3735u * bgr[0] + 19235u * bgr[1] + 9798u * bgr[2] + (1u << 14)) >> 15);
    }
    return VDT_OK;
}

static void plan_destroy(vdt_plan* plan) {
    if (plan != NULL) give_back(plan->host, plan);
}

/* ---- instance and device -------------------------------------------------------------------------------------------
 */

static vdt_code create(const vdt_host* host, const vdt_option* options, uint32_t option_count, vdt_self** self,
                       vdt_error* error) {
    if (self == NULL || host == NULL || host->struct_size < sizeof *host || (options == NULL && option_count > 0))
        return fail(error, VDT_E_ARGUMENT, "plain_c: the host or options are NULL, or struct_size is too small");
    *self = NULL;
    if (option_count > 0) {
        char text[VDT_ERROR_TEXT_BYTES];
        const char* key = options[0].key != NULL ? options[0].key : "";
        snprintf(text, sizeof text, "plain_c: there is no option \"%.100s\"; this backend has none", key);
        return fail(error, VDT_E_OPTION, text);
    }
    vdt_self* made = take(host, sizeof *made);
    if (made == NULL) return fail(error, VDT_E_OUT_OF_MEMORY, "plain_c: out of host memory");
    made->host = host;
    *self = made;
    return VDT_OK;
}

static void destroy(vdt_self* self) {
    if (self != NULL) give_back(self->host, self);
}

static vdt_code device_count(vdt_self* self, uint32_t* count, vdt_error* error) {
    if (self == NULL || count == NULL) return fail(error, VDT_E_ARGUMENT, "plain_c: the instance or count is NULL");
    *count = 1;
    return VDT_OK;
}

static vdt_code device_info(vdt_self* self, uint32_t index, vdt_device_info* info, vdt_error* error) {
    if (self == NULL || info == NULL || info->struct_size < sizeof *info || index != 0)
        return fail(error, VDT_E_ARGUMENT,
                    "plain_c: there is one device, number 0; or the answer is NULL or too small");
    memset((char*)info + sizeof info->struct_size, 0, sizeof *info - sizeof info->struct_size);
    info->kind = VDT_DEVICE_CPU;
    snprintf(info->name, sizeof info->name, "one thread of the processor");
    snprintf(info->uid, sizeof info->uid, "cpu:0");
    snprintf(info->driver, sizeof info->driver, "portable");
    info->max_width = info->max_height = VDT_MAX_DIMENSION;
    info->max_pixels = (uint64_t)VDT_MAX_DIMENSION * VDT_MAX_DIMENSION;
    info->memory_mask = 1u << VDT_MEMORY_HOST;
    return VDT_OK;
}

static vdt_code device_open(vdt_self* self, uint32_t index, vdt_device** device, vdt_error* error) {
    if (self == NULL || device == NULL || index != 0)
        return fail(error, VDT_E_ARGUMENT, "plain_c: there is one device, number 0; or a pointer is NULL");
    *device = take(self->host, sizeof **device);
    if (*device == NULL) return fail(error, VDT_E_OUT_OF_MEMORY, "plain_c: out of host memory");
    (*device)->host = self->host;
    return VDT_OK;
}

static void device_close(vdt_device* device) {
    if (device != NULL) give_back(device->host, device);
}

/* ---- table and entry -----------------------------------------------------------------------------------------------
 */

/* Slots that are not named stay NULL: no costs, no measuring, no residents, no streams, no extensions. */
static const vdt_plugin table = {
    .struct_size = sizeof(vdt_plugin),
    .abi_minor = VDT_ABI_MINOR,
    .id = "plain_c",
    .version = "1.0.0",
    .description = "a backend in plain C, for the tests",
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
    if (host_minor_min <= VDT_ABI_MINOR && host_minor_min <= host_minor_max) return &table;
    char text[VDT_ERROR_TEXT_BYTES];
    snprintf(text, sizeof text, "plain_c: the host speaks ABI 1.%u to 1.%u, this backend 1.0 to 1.%u",
             (unsigned)host_minor_min, (unsigned)host_minor_max, (unsigned)VDT_ABI_MINOR);
    fail(why, VDT_E_ABI, text);
    return NULL;
}
