#include "kernels.h"

namespace vedette::cpu::find {

const Kernels& kernels_for([[maybe_unused]] Isa isa) {
#ifdef VEDETTE_CPU_X86
    if (isa == Isa::avx512) return avx512::kernels;
    if (isa == Isa::avx2) return avx2::kernels;
#endif
    return portable::kernels;
}

}  // namespace vedette::cpu::find
