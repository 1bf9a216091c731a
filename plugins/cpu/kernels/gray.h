// Gray of integer colours, for kernels that are compiled once per instruction set. Nothing here is seen by a linker.
#pragma once

#include <cstdint>

namespace vedette::cpu::VEDETTE_ISA {
namespace {

// OpenCV 4's fixed-point BT.601 weights, 15 bits.
constexpr std::uint32_t blue_weight = 3735;
constexpr std::uint32_t green_weight = 19235;
constexpr std::uint32_t red_weight = 9798;
constexpr std::uint32_t half = 1u << 14;
constexpr std::uint32_t weight_bits = 15;

// The largest sum is 65535 * 2^15 + 2^14, below 2^31.
inline std::uint8_t gray_of(std::uint8_t b, std::uint8_t g, std::uint8_t r) {
    return static_cast<std::uint8_t>((blue_weight * b + green_weight * g + red_weight * r + half) >> weight_bits);
}
inline std::uint16_t gray_of(std::uint16_t b, std::uint16_t g, std::uint16_t r) {
    return static_cast<std::uint16_t>((blue_weight * b + green_weight * g + red_weight * r + half) >> weight_bits);
}

}  // namespace
}  // namespace vedette::cpu::VEDETTE_ISA
