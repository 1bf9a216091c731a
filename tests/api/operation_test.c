/* vdt_run_operation with images and parameters that are wrong. */
#include "check.h"

static vdt_image image_of(unsigned char* pixels, vdt_format format, uint32_t width, uint32_t height,
                          uint32_t pixel_bytes) {
    vdt_image image;
    memset(&image, 0, sizeof image);
    image.struct_size = sizeof image;
    image.format = format;
    image.width = width;
    image.height = height;
    image.plane_count = 1;
    image.plane[0].base = pixels;
    image.plane[0].row_stride = (int64_t)width * pixel_bytes;
    image.plane[0].bytes = (uint64_t)width * height * pixel_bytes;
    return image;
}

void test_operations(fixture* f) {
    static unsigned char gray[SCREEN_WIDTH * SCREEN_HEIGHT];
    vdt_image in = image_of(f->pixels, VDT_FORMAT_BGR8, SCREEN_WIDTH, SCREEN_HEIGHT, 3);
    vdt_image out = image_of(gray, VDT_FORMAT_GRAY8, SCREEN_WIDTH, SCREEN_HEIGHT, 1);
    const vdt_image *ins[] = {&in}, *outs[] = {&out}, *nulls[] = {NULL};
    const vdt_convert_params params = {sizeof params, 0, 1, 0};
    vdt_run_info info = {0};
    info.struct_size = sizeof info;
#define CONVERT(inputs, input_count, outputs, output_count)                                                           \
    vdt_run_operation(f->context, VDT_OP_CONVERT, &params, inputs, input_count, outputs, output_count, NULL, 0, NULL, \
                      0, NULL, &info, &error)

    CHECK_WORKS(CONVERT(ins, 1, outs, 1));
    CHECK(info.backend != NULL && info.backend[0] != 0);
    const unsigned expected = (3735u * f->pixels[0] + 19235u * f->pixels[1] + 9798u * f->pixels[2] + (1u << 14)) >> 15;
    CHECK(gray[0] == expected);

    CHECK_FAILS(VDT_E_ARGUMENT, CONVERT(NULL, 1, outs, 1));
    CHECK_FAILS(VDT_E_ARGUMENT, CONVERT(nulls, 1, outs, 1));
    CHECK_FAILS(VDT_E_ARGUMENT, CONVERT(ins, 0, outs, 1));
    CHECK_FAILS(VDT_E_ARGUMENT, CONVERT(ins, 1, NULL, 1));
    CHECK_FAILS(VDT_E_ARGUMENT, CONVERT(ins, 1, nulls, 1));
    CHECK_FAILS(VDT_E_ARGUMENT, CONVERT(ins, 1, outs, 0));
    CHECK_FAILS(VDT_E_ARGUMENT, CONVERT(ins, 0xFFFFFFFFu, outs, 1));
    CHECK_FAILS(VDT_E_ARGUMENT,
                vdt_run_operation(f->context, 0, &params, ins, 1, outs, 1, NULL, 0, NULL, 0, NULL, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_run_operation(f->context, VDT_OP_COUNT, &params, ins, 1, outs, 1, NULL, 0, NULL, 0,
                                                  NULL, NULL, &error));
    CHECK_FAILS(VDT_E_ARGUMENT, vdt_run_operation(f->context, VDT_OP_CONVERT, NULL, ins, 1, outs, 1, NULL, 0, NULL, 0,
                                                  NULL, NULL, &error));

    const vdt_image good_in = in, good_out = out;
    in.struct_size = 4;
    CHECK_FAILS(VDT_E_ARGUMENT, CONVERT(ins, 1, outs, 1));
    in = good_in;
    in.width = UINT32_MAX;
    CHECK_FAILS(VDT_E_SIZE, CONVERT(ins, 1, outs, 1));
    in = good_in;
    in.plane[0].bytes -= 1;
    CHECK_FAILS(VDT_E_SIZE, CONVERT(ins, 1, outs, 1));
    in = good_in;
    in.plane[0].row_stride = INT64_MIN;
    CHECK_FAILS(VDT_E_SIZE, CONVERT(ins, 1, outs, 1));
    in = good_in;
    in.plane[0].base = NULL;
    CHECK_FAILS(VDT_E_ARGUMENT, CONVERT(ins, 1, outs, 1));
    in = good_in;
    out.height -= 1;
    CHECK_FAILS(VDT_E_SIZE, CONVERT(ins, 1, outs, 1));
    out = good_out;
    out.plane[0].row_stride = 1; /* rows that overlap */
    CHECK_FAILS(VDT_E_SIZE, CONVERT(ins, 1, outs, 1));
    out = good_out;

    /* Still in working order. */
    CHECK_WORKS(CONVERT(ins, 1, outs, 1));
}
