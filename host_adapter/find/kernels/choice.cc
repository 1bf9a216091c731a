#include "kernels.h"

namespace vedette::host {

extern const FindKernels kernels_baseline;
#ifdef VEDETTE_FIND_AVX2
extern const FindKernels kernels_avx2;
#endif

namespace {

struct Available {
    const FindKernels* list[2] = {};
    std::size_t count = 0;

    Available() noexcept {
        list[count++] = &kernels_baseline;
#ifdef VEDETTE_FIND_AVX2
        // Asks the processor and whether the system saves the registers.
        if (__builtin_cpu_supports("avx2")) list[count++] = &kernels_avx2;
#endif
    }
};

const Available& available() noexcept {
    static const Available found;
    return found;
}

}  // namespace

const FindKernels& find_kernels() noexcept {
    return *available().list[available().count - 1];
}

FindKernelList all_find_kernels() noexcept {
    return {available().list, available().list + available().count};
}

}  // namespace vedette::host
