// Stand-in for the CUDA header of this name: the vector types, with the sizes and alignments of the CUDA C++
// Programming Guide (table "Alignment Requirements"), so that a misaligned vector access shows under UBSan as it would
// on a GPU.
#pragma once

#define VEDETTE_EMULATED_VECTORS(name, element, align2, align4) \
    struct name##1 {                                            \
        element x;                                              \
    };                                                          \
    struct alignas(align2) name##2 {                            \
        element x, y;                                           \
    };                                                          \
    struct name##3 {                                            \
        element x, y, z;                                        \
    };                                                          \
    struct alignas(align4) name##4 {                            \
        element x, y, z, w;                                     \
    };

VEDETTE_EMULATED_VECTORS(char, signed char, 2, 4)
VEDETTE_EMULATED_VECTORS(uchar, unsigned char, 2, 4)
VEDETTE_EMULATED_VECTORS(short, short, 4, 8)
VEDETTE_EMULATED_VECTORS(ushort, unsigned short, 4, 8)
VEDETTE_EMULATED_VECTORS(int, int, 8, 16)
VEDETTE_EMULATED_VECTORS(uint, unsigned int, 8, 16)
VEDETTE_EMULATED_VECTORS(long, long, 16, 16)
VEDETTE_EMULATED_VECTORS(ulong, unsigned long, 16, 16)
VEDETTE_EMULATED_VECTORS(longlong, long long, 16, 16)
VEDETTE_EMULATED_VECTORS(ulonglong, unsigned long long, 16, 16)
VEDETTE_EMULATED_VECTORS(float, float, 8, 16)
VEDETTE_EMULATED_VECTORS(double, double, 16, 16)
#undef VEDETTE_EMULATED_VECTORS

// CUDA 13 names the alignment of the vectors of 32 bytes.
using longlong4_16a = longlong4;
using ulonglong4_16a = ulonglong4;
using double4_16a = double4;
struct alignas(32) longlong4_32a {
    long long x, y, z, w;
};
struct alignas(32) ulonglong4_32a {
    unsigned long long x, y, z, w;
};
struct alignas(32) double4_32a {
    double x, y, z, w;
};

/// Sizes of grids and blocks; what is not said is 1.
struct dim3 {
    unsigned int x = 1, y = 1, z = 1;
    // NOLINTNEXTLINE(google-explicit-constructor): CUDA's dim3 converts from numbers and from uint3.
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    constexpr operator uint3() const { return {x, y, z}; }
};
