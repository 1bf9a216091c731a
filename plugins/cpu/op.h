// What an operation of this backend gives the plugin's glue, and what the glue gives it.
#pragma once

#include <vedette/plugin/plugin.h>
#include <vedette/plugin/cpp/guard.hpp>
#include <vedette/plugin/cpp/operation.hpp>
#include <vedette/plugin/cpp/resident.hpp>

#include <cstdint>
#include <memory>

namespace vedette::cpu {

using plugin::Failure;

// Instruction sets with kernels of their own. Chosen once by what CPU and system support, or by the option "isa".
enum class Isa : std::uint8_t { portable = 0, avx2 = 1, avx512 = 2 /* F, BW, VL, DQ and VNNI */ };

struct Device {
    const vdt_host* host = nullptr;
    Isa isa = Isa::portable;
    std::uint32_t workers = 1;
};

using plugin::Plan;
using plugin::Resident;

inline Resident* resident_of(const vdt_image& image) noexcept {
    return plugin::resident_of<Resident>(image);
}

using OperationEntry = plugin::Operation<Device>;

extern const OperationEntry cascade_detect_operation;
extern const OperationEntry convert_operation;
extern const OperationEntry feature_match_operation;
extern const OperationEntry features_operation;
extern const OperationEntry fft2_operation;
extern const OperationEntry filter_operation;
extern const OperationEntry group_operation;
extern const OperationEntry integral_operation;
extern const OperationEntry pyramid_operation;
extern const OperationEntry resize_operation;
extern const OperationEntry restore_operation;
extern const OperationEntry template_find_operation;
extern const OperationEntry template_map_operation;

}  // namespace vedette::cpu
