// Reading the searched part of a screen.
#pragma once

#include "kernels/template_direct.h"

namespace vedette::cuda {

// Bytes `byte` ... + 3 of an image row, whose words up to `last` can be read. Bytes past the image mean nothing.
__device__ __forceinline__ unsigned unaligned_word(const std::uint32_t* row, int byte, int last) {
    const int word = byte >> 2;
    const unsigned low = __ldg(row + (word < last ? word : last));
    if ((byte & 3) == 0) return low;
    const unsigned high = __ldg(row + (word + 1 < last ? word + 1 : last));
    return __funnelshift_r(low, high, static_cast<unsigned>(8 * (byte & 3)));
}

__device__ __forceinline__ int last_word(const TemplateScene& scene) {
    return (scene.bytes.width + 15) / 16 * 4 - 1;
}

__device__ __forceinline__ const std::uint32_t* row_words(const TemplateScene& scene, int y) {
    return reinterpret_cast<const std::uint32_t*>(scene.bytes.row(y));
}

}  // namespace vedette::cuda
