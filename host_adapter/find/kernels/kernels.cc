// Compiled once for each instruction set, with VEDETTE_FIND_ISA naming it; defines vedette::host::kernels_<isa>.
#include "kernels.h"

#include "fft_kernel.h"
#include "lab_kernel.h"
#include "pixels_kernel.h"
#include "products_kernel.h"
#include "resample_kernel.h"
#include "residual_kernel.h"

#define VEDETTE_TEXT_OF(name) #name
#define VEDETTE_TEXT(name) VEDETTE_TEXT_OF(name)
#define VEDETTE_JOIN_OF(left, right) left##right
#define VEDETTE_JOIN(left, right) VEDETTE_JOIN_OF(left, right)

namespace vedette::host {

extern const FindKernels VEDETTE_JOIN(kernels_, VEDETTE_FIND_ISA);
const FindKernels VEDETTE_JOIN(kernels_, VEDETTE_FIND_ISA) = {VEDETTE_TEXT(VEDETTE_FIND_ISA),
                                                              lab,
                                                              reach,
                                                              differences,
                                                              block_sums,
                                                              distances,
                                                              add_row,
                                                              add_products,
                                                              fft,
                                                              pick,
                                                              gray};

}  // namespace vedette::host
