// The kernels of cascade_detect that work on rows of one image; what they do is in cascade.h.
#pragma once

#include "kernels/cascade.h"

namespace vedette::cpu::VEDETTE_ISA {

void blend(const std::uint8_t* a, const std::uint8_t* b, std::uint32_t weight, std::uint32_t count, std::uint16_t* out);
void resample(const std::uint16_t* row, std::int32_t offset, const CascadeColumns& columns, std::uint32_t begin,
              std::uint32_t count, std::uint8_t* out);
void integrate(const std::uint8_t* row, std::uint32_t count, const std::int32_t* above, std::int32_t* out);
void integrate_halves(const std::uint8_t* row, std::uint32_t count, std::uint32_t half, const std::int32_t* above,
                      std::int32_t* out);
void integrate_tilted(const std::uint8_t* row, std::uint32_t count, std::uint32_t half, std::uint32_t* prefix,
                      std::uint32_t* falling, std::uint32_t* rising, std::int32_t* out);
void move_squares(const std::uint8_t* new_row, const std::uint8_t* old_row, std::uint32_t count,
                  std::uint32_t* columns);
void sum_squares(const std::uint32_t* columns, std::uint32_t count, std::uint32_t half, std::uint32_t* out);

}  // namespace vedette::cpu::VEDETTE_ISA
