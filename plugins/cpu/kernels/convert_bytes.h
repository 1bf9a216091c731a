// Rows of 8-bit pixels from one order of channels to another; entries of ConvertKernels (convert.h), which says what
// they do.
#pragma once

#include <cstdint>

namespace vedette::cpu::VEDETTE_ISA {

void gray8(const std::uint8_t* in, std::uint32_t channels, bool rgb, std::uint8_t* out, std::uint32_t width);
void reorder8(const std::uint8_t* in, std::uint32_t in_channels, std::uint8_t* out, std::uint32_t out_channels,
              bool swap, std::uint32_t width, bool past_caches);

}  // namespace vedette::cpu::VEDETTE_ISA
