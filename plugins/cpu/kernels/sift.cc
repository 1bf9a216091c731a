// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/sift.h"

#include "kernels/float_vector.h"

namespace vedette::cpu::VEDETTE_ISA {

extern const SiftKernels sift_kernels;

#include "kernels/sift_patch.h"
#include "kernels/sift_rows.h"

const SiftKernels sift_kernels = {
    .enlarge = enlarge,
    .halve = halve,
    .blur = blur,
    .extrema = extrema,
    .directions = directions,
    .describe = describe,
};

}  // namespace vedette::cpu::VEDETTE_ISA
