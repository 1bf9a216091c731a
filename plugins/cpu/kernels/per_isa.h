// How plain code reaches kernels that are compiled once per instruction set.
//
// A kernel header declares a struct of function pointers (say ConvertKernels); the kernel source, compiled with
// VEDETTE_ISA = portable, avx2 or avx512, defines one constant of it:
//
//     namespace vedette::cpu::VEDETTE_ISA { extern const ConvertKernels convert_kernels; ... }
//
// and plain code picks one:
//
//     VEDETTE_CPU_KERNELS(ConvertKernels, convert_kernels)   // at namespace scope in vedette::cpu, in one plain source
//     const ConvertKernels& kernels = select_convert_kernels(device.isa);
//
// Included by plain sources only: the selector must not be compiled with a set's flags.
#pragma once

#include "op.h"

#ifdef VEDETTE_CPU_X86
#define VEDETTE_CPU_KERNELS(Type, name)                  \
    namespace portable {                                 \
    extern const Type name;                              \
    }                                                    \
    namespace avx2 {                                     \
    extern const Type name;                              \
    }                                                    \
    namespace avx512 {                                   \
    extern const Type name;                              \
    }                                                    \
    static const Type& select_##name(Isa isa) noexcept { \
        switch (isa) {                                   \
            case Isa::avx512:                            \
                return avx512::name;                     \
            case Isa::avx2:                              \
                return avx2::name;                       \
            case Isa::portable:                          \
                break;                                   \
        }                                                \
        return portable::name;                           \
    }
#else
#define VEDETTE_CPU_KERNELS(Type, name)              \
    namespace portable {                             \
    extern const Type name;                          \
    }                                                \
    static const Type& select_##name(Isa) noexcept { \
        return portable::name;                       \
    }
#endif
