// Images as arguments of kernels: what launch.h passes for a Plane.
//
// Exactness against the processor counts everywhere: a product and a sum are rounded each.
#pragma OPENCL FP_CONTRACT OFF
#ifdef VDT_DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// In the kernel's parameters. Rows begin at multiples of 16 bytes; those of an input may be read up to the next one.
#define IMAGE_IN(name) __global const uchar *restrict name##_data, const ulong name##_offset, const uint name##_stride
#define IMAGE_OUT(name) __global uchar *restrict name##_data, const ulong name##_offset, const uint name##_stride

// Row y as elements of a type.
#define ROW_IN(type, name, y) ((__global const type *)(name##_data + name##_offset + (ulong)(y) * name##_stride))
#define ROW_OUT(type, name, y) ((__global type *)(name##_data + name##_offset + (ulong)(y) * name##_stride))

// For functions of whole vectors, which a call would pass through memory.
#define ALWAYS_INLINE inline __attribute__((always_inline))

// A name made of two, after their macros.
#define JOIN_NAMES(a, b) a##b
#define JOIN(a, b) JOIN_NAMES(a, b)

// For sums of products that may be rounded once or twice, or are exact anyway. fma is a call of a library where the
// device has no instruction for it, and mad promises no accuracy. Compilers for processors tell by __FMA__ alone that
// there is one (clang, which PoCL's and Intel's are made of).
#if defined(FP_FAST_FMAF) || defined(__FMA__)
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif
