#include "parallel.h"

namespace vedette::cpu {

void throw_unless_done(vdt_code code) {
    if (code >= VDT_OK) return;
    switch (code) {
        case VDT_E_CANCELLED:
            throw Failure(code, "the call was cancelled");
        case VDT_E_TIMEOUT:
            throw Failure(code, "the time limit of the call has passed");
        case VDT_E_OUT_OF_MEMORY:
            throw Failure(code, "out of host memory");
        default:
            throw Failure(code, "a parallel loop failed");
    }
}

}  // namespace vedette::cpu
