// What shrinking is made of; part of kernels.cc.
#pragma once

#include "vector.h"

namespace {

void add_row(const std::uint8_t* pixels, float weight, bool first, std::size_t count, float* row) {
    typedef std::uint8_t Bytes __attribute__((vector_size(lanes)));
    const Vector weights = all(weight);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        Bytes bytes;
        __builtin_memcpy(&bytes, pixels + i, sizeof bytes);
        const Vector product = weights * __builtin_convertvector(bytes, Vector);
        store(row + i, first ? product : load(row + i) + product);
    }
    for (; i < count; ++i) {
        const float product = weight * static_cast<float>(pixels[i]);
        row[i] = first ? product : row[i] + product;
    }
}

}  // namespace
