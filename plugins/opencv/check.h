// Checks of what the host hands in. Nothing is dereferenced before it was looked at. Each throws Failure with one
// sentence that names the culprit.
#pragma once

#include "op.h"

namespace vedette::opencv {

// Memory kinds that this backend reads and writes.
constexpr std::uint32_t memory_mask = 1u << VDT_MEMORY_HOST | 1u << VDT_MEMORY_PINNED;

// Pixels of the largest image: OpenCV counts the elements of an image in int.
constexpr std::uint64_t max_pixels = std::uint64_t{1} << 29;

// Struct sizes, flags, chains and images of a query; the planes of its images need not be there.
void check_query(const vdt_query* query);

// VDT_E_ARGUMENT unless `count` lies in [least, most].
void check_count(std::uint32_t count, std::uint32_t least, std::uint32_t most, const char* what);

// What a plan was made for: nothing behind a count that differs is read.
struct CallCounts {
    std::uint32_t inputs, outputs, lists_in, lists_out;
    std::uint32_t item_in, item_out;  // least bytes of a list's item
};

// The same for a call, whose images have pixels inside their buffers.
void check_call(const vdt_call* call, const CallCounts& counts);

void check_params(const void* params, std::uint32_t size);

// Throws VDT_E_UNSUPPORTED_FORMAT unless `image` has one of `formats`.
void check_format(const vdt_image& image, std::uint64_t formats, const char* role);

// Throws VDT_E_ARGUMENT unless `value` is finite.
void check_finite(double value, const char* name);

}  // namespace vedette::opencv
