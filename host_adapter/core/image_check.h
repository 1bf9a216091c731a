// Checks of images that come from outside, before anything reads them.
#pragma once

#include <vedette/plugin/image.h>
#include <vedette/vedette.h>

#include <cstdint>
#include <string>

namespace vedette::host {

// "BGR8"; "unknown format 77".
std::string format_name(vdt_format format);

enum class ImageUse {
    Input,
    OptionalInput,  // may be left out: VDT_FORMAT_NONE
    Output          // rows must not overlap
};

// Checks a view in host memory: known format, sizes, plane count, and that every byte that is touched lies inside the
// planes, without overflow whatever the numbers are. Failure VDT_E_ARGUMENT or VDT_E_SIZE; `what` begins the sentence
// ("inputs[0]"). Pure.
void check_host_image(const vdt_image* image, ImageUse use, const std::string& what);

// Checks pixels of the C API (8 or 16 bit GRAY, BGR, BGRA, RGB, RGBA; signed stride; `bytes` counted from the lowest
// address) and gives them as a view. The view's plane begins at that lowest address. Failure as above.
vdt_image checked_view(const vdt_pixels* pixels, const std::string& what);

}  // namespace vedette::host
