// Stand-in for the CUDA header of this name: make_char1() to make_double4().
#pragma once
#include "vector_types.h"

#define VEDETTE_EMULATED_MAKE(name, element)                                       \
    constexpr name##1 make_##name##1(element x) {                                  \
        return {x};                                                                \
    }                                                                              \
    constexpr name##2 make_##name##2(element x, element y) {                       \
        return {x, y};                                                             \
    }                                                                              \
    constexpr name##3 make_##name##3(element x, element y, element z) {            \
        return {x, y, z};                                                          \
    }                                                                              \
    constexpr name##4 make_##name##4(element x, element y, element z, element w) { \
        return {x, y, z, w};                                                       \
    }

VEDETTE_EMULATED_MAKE(char, signed char)
VEDETTE_EMULATED_MAKE(uchar, unsigned char)
VEDETTE_EMULATED_MAKE(short, short)
VEDETTE_EMULATED_MAKE(ushort, unsigned short)
VEDETTE_EMULATED_MAKE(int, int)
VEDETTE_EMULATED_MAKE(uint, unsigned int)
VEDETTE_EMULATED_MAKE(long, long)
VEDETTE_EMULATED_MAKE(ulong, unsigned long)
VEDETTE_EMULATED_MAKE(longlong, long long)
VEDETTE_EMULATED_MAKE(ulonglong, unsigned long long)
VEDETTE_EMULATED_MAKE(float, float)
VEDETTE_EMULATED_MAKE(double, double)
#undef VEDETTE_EMULATED_MAKE
